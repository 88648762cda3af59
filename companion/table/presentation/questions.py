"""Turns an open finding into a question: kind, sentence and offered answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from companion.cards import Card
from companion.referee.moves import (
    ActorMove,
    Challenge,
    ChooseColor,
    Count,
    Draw,
    Entry,
    Flip,
    Judge,
    Pass,
    Play,
    Target,
    Undo,
    Uno,
)
from companion.referee.state import Phase, State
from companion.storage.journal import Line, ReadBy
from companion.table.hypotheses.finding import Candidate, Finding
from companion.table.presentation.sentences import Sentences
from companion.table.presentation.view import Offer, QuestionKind
from companion.table.state.observations import Lift, Pending, Sight, Tap
from companion.table.state.situation import Way
from companion.table.state.thresholds import CLEAR

_UNLIKELY = 0.02  # Minimum probability of an offered answer.
_ITS_OWN = 0.8  # Share from which an arm is attributed to its player; neighbours 40 degrees apart exceed it.

_MISSED_OFFERED = 4  # Maximum number of offered explanations of a card that landed out of view.


@dataclass(frozen=True, slots=True)
class Asked:
    """A question without a number. reading: identifier of its reading."""

    kind: QuestionKind
    sentence: str
    choices: tuple[Offer, ...]
    reading: str | None


def ask(finding: Finding, pending: Pending, state: State, say: Sentences) -> Asked | None:
    """Return the question about a pending observation that the finding leaves open.

    None if only later observations can decide. state: the match before it.
    """
    what, found = pending.what, finding.open
    if isinstance(what, Lift):
        choices = tuple(_offer(say.taken_back_to(c.way.after.lying), c) for c in found[:3])
        return Asked(QuestionKind.TAKE_BACK, say.taken_back(), choices, what.reading)
    if finding.illegal and found[0].way.after.state.phase in (Phase.TOOK, Phase.OUTCOME):
        return None  # People are asked for the number or the answer already.
    if finding.illegal and isinstance(what, Sight):
        return _ask_illegal(found, what, state, say)
    if isinstance(what, Sight) and what.landed_unseen and state.top is not None:
        return _ask_first_look(found, what, say)
    by_whom = _by_whom(found, pending, state, say)
    if by_whom is not None:
        return by_whom
    difference = _difference(found)
    if difference is not None:
        return _ask_choice(found, difference, what.reading if isinstance(what, Sight) else None, say)
    if isinstance(what, Sight):
        taken = _ask_taken(found, what, say)
        return _ask_card(found, what, say) if taken is None and not _is_known(found) else taken
    assert isinstance(what, Tap), "an arm at the draw pile is never asked about"
    move = what.move
    player = (move.player if isinstance(move, Uno) else move.by if isinstance(move, ActorMove) else None) or ""
    choices = tuple(_offer(say.yes() if c.way.entries else say.no(), c) for c in found)
    return Asked(QuestionKind.TURN, say.drew_and_passed(player), choices, None)


def _by_whom(found: Sequence[Candidate], pending: Pending, state: State, say: Sentences) -> Asked | None:
    """Return the question who laid the card, None if that is not in doubt."""
    best, what = found[0].way, pending.what
    if not isinstance(what, Sight) or best.card is None or best.by is None or best.after.illegal_card is not None:
        return None
    same_card = [c for c in found if c.way.card == best.card and c.way.by is not None and c.probability >= _UNLIKELY]
    sure_of_card = sum(c.probability for c in found if c.way.card == best.card)
    by_player = {c.way.by: c for c in reversed(same_card)}
    if sure_of_card < CLEAR or (len(by_player) < 2 and not _passed_over(best)):
        return None
    out_of_turn = next((c for c in same_card if _passed_over(c.way) and _is_arms_owner(c.way, what)), None)
    if out_of_turn is not None:
        return _ask_out_of_turn(out_of_turn, same_card, what, state, say)
    players = sorted(by_player.values(), key=lambda c: -c.probability)[:3]
    choices = tuple(_offer(_player(c.way, state), c) for c in players)
    sentence = say.who_played(best.card, [choice.label for choice in choices])
    return Asked(QuestionKind.PLAYER, sentence, choices, what.reading)


def _is_arms_owner(way: Way, what: Sight) -> bool:
    """Return whether the arm seen almost certainly belongs to the player the way names."""
    if what.arm is None:
        return True
    assert way.by is not None
    owned = sum(share * way.after.ring.shares(arm.direction, arm.spread)[way.by] for arm, share in what.arms)
    return owned >= _ITS_OWN


def _player(way: Way, state: State) -> str:
    """Return the player to whom the way attributes the card."""
    assert way.by is not None
    return state.players[way.by]


def _passed_over(way: Way) -> tuple[str, ...]:
    """Return the players assumed to have drawn and passed unseen."""
    history, lines = way.after.journal.match.history, _standing(way)
    before = len(history) - len(lines)
    return tuple(
        history[before + place - 1].state.actor or ""
        for place, line in enumerate(lines)
        if isinstance(line.entry, Draw) and line.read_by is ReadBy.INFERRED
    )


def _standing(way: Way) -> tuple[Line, ...]:
    """Return the lines of the way after the last undo: the moves that stand."""
    undone = max((place for place, line in enumerate(way.lines, 1) if isinstance(line.entry, Undo)), default=0)
    return way.lines[undone:]


def _ask_out_of_turn(
    most_probable: Candidate, same_card: Sequence[Candidate], what: Sight, state: State, say: Sentences
) -> Asked:
    """Ask about a card laid by somebody who does not seem to be on turn."""
    best = most_probable.way
    assert best.card is not None
    assert best.by is not None
    passed = _passed_over(best)
    choices = [
        Offer(say.have_drawn_and_passed(passed), best.card, best.entries, most_probable.probability),
        Offer(say.let_stand(), best.card, _undrawn(best), 0.0),
        Offer(say.take_back(), None, (), 0.0),
    ]
    choices += [_offer(say.it_was(_player(c.way, state)), c) for c in same_card if c.way.by != best.by][:1]
    sentence = say.out_of_turn(state.players[best.by], passed[0])
    return Asked(QuestionKind.TURN, sentence, tuple(choices), what.reading)


def _undrawn(way: Way) -> tuple[Entry, ...]:
    """Return the entries if the players passed over drew nothing: their counts are unchanged."""
    history, lines = way.after.journal.match.history, _standing(way)
    place = len(history) - len(lines)
    entries = [*way.entries[: len(way.lines) - len(lines)]]
    for line, step in zip(lines, history[place:], strict=True):
        before = history[place - 1].state
        if isinstance(line.entry, Pass):
            assert before.turn is not None
            entries += [line.entry, Count(before.players[before.turn], before.hands[before.turn] - 1)]
        else:
            entries.append(step.move)
        place += 1
    return tuple(entries)


def _ask_choice(
    found: Sequence[Candidate], difference: ChooseColor | Target | Judge, reading: str | None, say: Sentences
) -> Asked:
    best = found[0].way
    kind, sentence = {
        ChooseColor: (QuestionKind.COLOR, say.which_color()),
        Target: (QuestionKind.TARGET, say.which_target(_before(best, difference).purpose)),
        Judge: (QuestionKind.CHALLENGE, say.challenge_right()),
    }[type(difference)]
    offers: dict[str, Offer] = {}
    for candidate in found:
        if candidate.way.card == best.card and candidate.way.after.illegal_card == best.after.illegal_card:
            label = _label(candidate.way, kind, say)
            most_probable = offers.setdefault(label, replace(_offer(label, candidate), probability=0.0))
            offers[label] = replace(most_probable, probability=most_probable.probability + candidate.probability)
    choices = sorted(offers.values(), key=lambda choice: -choice.probability)
    return Asked(kind, sentence, tuple(choices), reading)


def _ask_illegal(found: Sequence[Candidate], what: Sight, state: State, say: Sentences) -> Asked:
    best = found[0].way
    assert best.card is not None
    entries = (*best.entries, Play(best.card, force=True))
    choices = [
        Offer(say.let_stand(), None, entries, found[0].probability),
        Offer(say.take_back(), None, (), found[0].probability),
    ]
    other = next((c for c in found if c.way.card not in (None, best.card)), None)
    if other is not None:
        assert other.way.card is not None
        choices.append(_offer(say.card(other.way.card), other))
    before = best.after.state if best.after.illegal_card is not None else state
    return Asked(QuestionKind.ILLEGAL, say.does_not_match(best.card, before), tuple(choices), what.reading)


def _ask_taken(found: Sequence[Candidate], what: Sight, say: Sentences) -> Asked | None:
    """Return the question whether owed cards were taken before this card landed, None if that is not in doubt.

    They may not have been if the card was stacked; a challenge settles it as well.
    """
    best = found[0].way
    likely = [c for c in found if c.way.card == best.card and not any(isinstance(e, Challenge) for e in c.way.entries)]
    taken = {bool(c.way.accepts): c for c in reversed(likely)}
    if best.card is None or len(taken) < 2 or sum(c.probability for c in taken.values()) < CLEAR:
        return None
    yes, no = taken[True], taken[False]
    choices = sorted((_offer(say.yes(), yes), _offer(say.no(), no)), key=lambda choice: -choice.probability)
    player = _before(yes.way, yes.way.accepts[0]).actor or ""
    return Asked(QuestionKind.TURN, say.took_the_cards(player), tuple(choices), what.reading)


def _is_known(found: Sequence[Candidate]) -> bool:
    """Return whether the card is certain and only earlier events are in doubt."""
    best = found[0].way
    same_card = sum(c.probability for c in found if c.way.card == best.card)
    return best.card is not None and not best.doubtful and same_card >= CLEAR


def _ask_card(found: Sequence[Candidate], what: Sight, say: Sentences) -> Asked:
    cards: dict[Card | None, Offer] = {}
    for candidate in found:
        card = candidate.way.card
        if card not in cards:
            share = sum(c.probability for c in found if c.way.card == card)
            label = say.no_card() if card is None else say.card(card)
            cards[card] = Offer(label, card, candidate.way.entries, share)
    nothing = cards.pop(None, Offer(say.no_card(), None, (), 0.0))
    most_probable = sorted(cards.values(), key=lambda choice: -choice.probability)[:2]
    names = [choice.card for choice in most_probable if choice.card is not None]
    choices = list(most_probable)
    if len(choices) < 2 or nothing.probability >= _UNLIKELY:
        choices = sorted([*choices, nothing], key=lambda choice: -choice.probability)
    best = found[0].way
    if best.used_up:
        assert best.card is not None
        return Asked(QuestionKind.DOUBT, say.used_up(best.card), tuple(choices), what.reading)
    if not names:
        return Asked(QuestionKind.CARD, say.no_card(), tuple(choices), what.reading)
    sentence = say.which_card(names[0], names[1] if len(names) > 1 else None)
    return Asked(QuestionKind.CARD, sentence, tuple(choices), what.reading)


def _ask_first_look(found: Sequence[Candidate], what: Sight, say: Sentences) -> Asked:
    """Ask about a card that lay there when the camera came into view, with cards that may have been missed below it."""
    cards: dict[Card, float] = {}
    for candidate in found:
        if candidate.way.card is not None:
            cards[candidate.way.card] = cards.get(candidate.way.card, 0.0) + candidate.probability
    if not cards:
        return _ask_card(found, what, say)
    best, *others = sorted(cards, key=lambda card: -cards[card])
    offers: dict[str, Offer] = {}
    for candidate in found:
        if candidate.way.card == best:
            missed = _missed_card(candidate.way)
            label = say.card(best) if missed is None else say.after_missed(missed)
            offer = replace(_offer(label, candidate), card=best if missed is None else None)
            offers.setdefault(label, offer)
    choices = sorted(offers.values(), key=lambda choice: -choice.probability)[:_MISSED_OFFERED]
    choices += [Offer(say.card(card), card, (), cards[card]) for card in others[:1] if cards[card] >= _UNLIKELY]
    uncovered = [c for c in found if c.way.card is None and c.way.entries and c.way.after.lying == best]
    choices += [_offer(say.taken_back_to(best), candidate) for candidate in uncovered]
    nothing = sum(c.probability for c in found if c.way.card is None and not c.way.entries)
    choices.append(Offer(say.no_card(), None, (), nothing))
    return Asked(QuestionKind.CARD, say.lies_there(best), tuple(choices), what.reading)


def _missed_card(way: Way) -> Card | None:
    """Return the card that landed out of view below the way's card, None without one."""
    landings = [line.entry.card for line in _standing(way) if isinstance(line.entry, Play | Flip)]
    return landings[-2] if len(landings) > 1 else None


def _difference(found: Sequence[Candidate]) -> ChooseColor | Target | Judge | None:
    """Return the choice that alone distinguishes the best way from the next; None if the cards differ."""
    if len(found) < 2 or found[0].way.card != found[1].way.card:
        return None
    for first, second in zip(found[0].way.entries, found[1].way.entries, strict=False):
        if first != second:
            return first if isinstance(first, ChooseColor | Target | Judge) else None
    return None


def _before(way: Way, entry: Entry) -> State:
    """Return the match before the way's line with this entry, which is not the first of the match."""
    history, lines = way.after.journal.match.history, _standing(way)
    return history[len(history) - len(lines) + [line.entry for line in lines].index(entry) - 1].state


def _label(way: Way, kind: QuestionKind, say: Sentences) -> str:
    for entry in way.entries:
        match entry:
            case ChooseColor(color) if kind is QuestionKind.COLOR:
                return say.color(color)
            case Target(player) if kind is QuestionKind.TARGET:
                return player
            case Judge(guilty) if kind is QuestionKind.CHALLENGE:
                return say.yes() if guilty else say.no()
    return say.no()


def _offer(label: str, candidate: Candidate) -> Offer:
    return Offer(label, candidate.way.card, candidate.way.entries, candidate.probability)
