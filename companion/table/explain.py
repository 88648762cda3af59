"""How one observation can have come about: every way, with its weight, and where it leads.

A weight is the probability of the way and of the observation together, but for a factor that is the same for all ways
of one observation. Readings are prior-free and stand for what the camera saw; the rest is how people play.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

from companion.cards import Card, Color
from companion.journal import Journal, Line, ReadBy
from companion.referee.errors import NotYourTurnError, RefereeError, WrongPhaseError
from companion.referee.legality import IN_ROUND, legal
from companion.referee.moves import (
    Accept,
    ActorMove,
    Challenge,
    ChooseColor,
    Draw,
    Entry,
    Flip,
    Judge,
    Move,
    Pass,
    Play,
    Reshuffle,
    Start,
    Target,
    Undo,
    Uno,
)
from companion.referee.state import Phase, State
from companion.table import thresholds
from companion.table.observations import Lift, Pending, Sight, Tap
from companion.table.remaining import draw_pile_size, landed_card, seen_cards

_AFTER_PLAY = (Phase.SCORING, Phase.OVER)


@dataclass(frozen=True, slots=True)
class Situation:
    """A match so far, and the card that lies on the pile against the rules, if one does."""

    journal: Journal
    outlaw: Card | None = None

    @property
    def state(self) -> State:
        """How the match stands."""
        return self.journal.match.state

    @property
    def lying(self) -> Card | None:
        """The card on top of the pile."""
        return self.outlaw or self.state.top


@dataclass(frozen=True, slots=True)
class Way:
    """One way in which an observation can have come about: what happened, and where that leads.

    card: the card that it says landed. doubtful: whether it must not be ruled on by itself, however likely it is.
    used_up: whether its card must be used up. refusal: why the rules refuse a tap that is then held to be a slip.
    """

    after: Situation
    lines: tuple[Line, ...] = ()
    weight: float = 1.0
    card: Card | None = None
    doubtful: bool = False
    used_up: bool = False
    refusal: RefereeError | None = None

    @property
    def entries(self) -> tuple[Entry, ...]:
        """What the referee is told."""
        return tuple(line.entry for line in self.lines)

    @property
    def outcome(self) -> tuple[tuple[Entry, ...], Card | None]:
        """What tells ways apart."""
        return self.entries, self.after.outlaw

    def then(self, line: Line, share: float = 1.0) -> Way:
        """Return the way with one more line; raises RefereeError where its entry is refused."""
        after = replace(self.after, journal=self.after.journal.enter(line))
        return replace(self, after=after, lines=(*self.lines, line), weight=self.weight * share)


def ways(situation: Situation, pending: Pending, *, relaxed: bool) -> list[Way]:
    """Return how the observation can have come about in this situation; at least one way, none with weight 0."""
    what = pending.what
    if pending.said is not None:
        return [_as_said(situation, pending.said, what)]
    if isinstance(what, Tap):
        return _tap_ways(situation, what, relaxed=relaxed)
    if isinstance(what, Lift):
        return _lift_ways(situation, what)
    if pending.card is not None:
        seen = what.probabilities[0][0] if what.probabilities else None
        read_by = ReadBy.CAMERA if seen == pending.card else ReadBy.CORRECTED
        what = replace(what, probabilities=((pending.card, 1.0),))
        found = [replace(w, doubtful=False) for w in _sight_ways(situation, what, read_by) if w.card is not None]
        return found or [Way(situation)]
    return _sight_ways(situation, what)


def _as_said(situation: Situation, said: tuple[Entry, ...], what: Sight | Lift | Tap) -> Way:
    way = Way(Situation(situation.journal))
    reading = None if isinstance(what, Tap) else what.reading
    try:
        for entry in said:
            lands = isinstance(entry, Start | Play | Flip)
            way = way.then(Line(entry, ReadBy.TAP, what.time, reading if lands else None))
    except RefereeError as error:
        return Way(situation, weight=thresholds.FLOOR, refusal=error)
    card = next((line.entry.card for line in reversed(way.lines) if isinstance(line.entry, Start | Play | Flip)), None)
    return replace(way, card=card)


def _sight_ways(situation: Situation, sight: Sight, read_by: ReadBy = ReadBy.CAMERA) -> list[Way]:
    if situation.state.phase in _AFTER_PLAY:
        return [Way(situation)]
    reading = dict(sight.probabilities)
    nothing = max(1 - sum(reading.values()), thresholds.FLOOR)
    still = _share_still_there(situation, sight)
    found = [Way(situation, weight=thresholds.NOTHING * nothing)]
    if still:
        assert situation.lying is not None
        found.append(Way(situation, weight=still * reading.get(situation.lying, 0.0)))
    for way in _standing(Way(situation, weight=1 - still), sight.time):
        for ready in _choices_made(way, sight.time):
            found += _landings(ready, sight, read_by)
    return [way for way in found if way.weight > 0]


def _share_still_there(situation: Situation, sight: Sight) -> float:
    """Return how likely it is, before looking, that the card seen is the one that is known to lie there."""
    if situation.lying is None or sight.same_face:
        return 0.0
    if sight.first_look:
        return thresholds.SAME_CARD
    lines = situation.journal.lines
    last = next((line for line in reversed(lines) if isinstance(line.entry, Start | Play | Flip)), None)
    if last is None or not 0 <= sight.time - last.time <= thresholds.ECHO_SECONDS:
        return 0.0
    if last.reading is None:
        return thresholds.SAME_CARD
    return thresholds.READ_RIGHTLY_LATER if last.read_by is ReadBy.CORRECTED else 0.0


def _standing(way: Way, time: float) -> Iterator[Way]:
    """Yield what became of an illegal card when play goes on: it was let stand, or quietly replaced."""
    outlaw = way.after.outlaw
    if outlaw is None:
        yield way
        return
    bare = replace(way, after=Situation(way.after.journal))
    yield bare.then(Line(Play(outlaw, force=True), ReadBy.INFERRED, time), thresholds.STOOD)
    yield replace(bare, weight=way.weight * (1 - thresholds.STOOD))


def _choices_made(way: Way, time: float, *, answered: bool = True) -> Iterator[Way]:
    """Yield the ways through colours, targets and answers that nobody entered, up to where a card may land.

    A wild draw four on which play goes on is held to be accepted: a challenge would have been heard of. answered:
    whether that is past, too.
    """
    state = way.after.state
    options: list[Move]
    if state.phase is Phase.COLOR:
        options = [ChooseColor(color) for color in Color]
    elif state.phase is Phase.TARGET:
        options = [Target(player) for player in legal(state).targets]
    elif state.phase is Phase.CHALLENGE and answered:
        options = [Accept()]
    elif state.phase is Phase.REVEAL:
        options = [Judge(guilty=True), Judge(guilty=False)]
    else:
        yield way
        return
    for option in options:
        inferred = way.then(Line(option, ReadBy.INFERRED, time), 1 / len(options))
        yield from _choices_made(inferred, time, answered=answered)


def _landings(way: Way, sight: Sight, read_by: ReadBy) -> Iterator[Way]:
    """Yield a way for each card that the reading holds possible, landing now."""
    state = way.after.state
    seen = seen_cards(way.after.journal.match)
    pile = draw_pile_size(way.after.journal.match, seen)
    reshuffled = way.then(Line(Reshuffle(), ReadBy.INFERRED, sight.time)) if state.phase in IN_ROUND else None
    if reshuffled is not None and (pile < 0 or (pile == 0 and state.phase is Phase.FLIP)):
        way = reshuffled
        seen = seen_cards(way.after.journal.match)
        pile = draw_pile_size(way.after.journal.match, seen)
    low = pile <= thresholds.LOW_PILE
    allowed = legal(state).cards
    shares = _Shares(state, allowed, seen, thresholds.RESHUFFLED_IF_LOW if low else thresholds.IMPOSSIBLE)
    best, surest = sight.probabilities[0] if sight.probabilities else (None, 0.0)
    bends = surest >= thresholds.CLEAR_READING and best not in allowed
    for card, probability in sight.probabilities[: thresholds.CANDIDATES]:
        if probability <= thresholds.NEGLIGIBLE or card not in state.header.edition.deck:
            continue
        used_up = shares.left(card) <= 0
        share = shares.of(card) * probability * _share_of_face(sight, card, way.after.lying)
        back_in_play = used_up and state.header.edition.deck[card] > (card == way.after.lying)
        start = reshuffled if back_in_play and reshuffled is not None else way
        found = _land(replace(start, weight=start.weight * share), card, allowed, sight, read_by)
        unread = probability < thresholds.UNREAD or (bends and card in allowed)
        doubtful = unread or (used_up and not low) or sight.early
        yield replace(found, used_up=used_up, doubtful=doubtful)


def _land(way: Way, card: Card, allowed: frozenset[Card], sight: Sight, read_by: ReadBy) -> Way:
    phase = way.after.state.phase
    if card not in allowed:
        return replace(way, after=Situation(way.after.journal, outlaw=card), card=card)
    move: Move = Start(card) if phase is Phase.START else Flip(card) if phase is Phase.FLIP else Play(card)
    return replace(way.then(Line(move, read_by, sight.time, sight.reading)), card=card)


class _Shares:
    """How likely each card is to land, before looking: by the rules, and by how many copies of it are left.

    used_up: how many copies are held to be left of a card that must be used up.
    """

    def __init__(self, state: State, allowed: frozenset[Card], seen: Counter[Card], used_up: float) -> None:
        self._deck = state.header.edition.deck
        self._seen = seen
        self._used_up = used_up
        self._allowed = allowed
        inside = sum(self._copies(card) for card in allowed)
        outside = sum(self._copies(card) for card in self._deck if card not in allowed)
        illegal = thresholds.ILLEGAL if outside else 0.0
        self._legal_factor = (1 - illegal) / inside if inside else 0.0
        self._illegal_factor = illegal / outside if outside else 0.0

    def left(self, card: Card) -> int:
        return self._deck[card] - self._seen[card]

    def of(self, card: Card) -> float:
        return (self._legal_factor if card in self._allowed else self._illegal_factor) * self._copies(card)

    def _copies(self, card: Card) -> float:
        return max(self.left(card), self._used_up)


def _share_of_face(sight: Sight, card: Card, lying: Card | None) -> float:
    """Return how likely the pile watcher is to tell, as it did, whether the faces are the same."""
    told = thresholds.SAME_FACE_TOLD if card == lying else thresholds.SAME_FACE_WRONG
    return told if sight.same_face else 1 - told


def _lift_ways(situation: Situation, lift: Lift) -> list[Way]:
    """Return how far the pile can have gone back. After a round it may be being collected, which undoes nothing."""
    phase = situation.state.phase
    if phase is Phase.START:
        return [Way(situation)]
    reading = dict(lift.probabilities)
    bare = max(1 - sum(reading.values()), thresholds.FLOOR)

    def fits(card: Card | None) -> float:
        return bare if card is None else max(reading.get(card, 0.0), thresholds.FLOOR)

    found = [Way(situation, weight=thresholds.TAKEN_BACK[0] * fits(situation.lying))]
    if phase in _AFTER_PLAY:
        found.append(Way(situation, weight=thresholds.COLLECTED))
    way = Way(Situation(situation.journal), doubtful=phase in _AFTER_PLAY)
    shares = iter(thresholds.TAKEN_BACK[1:])
    if situation.outlaw is not None:
        found.append(replace(way, weight=next(shares) * fits(way.after.lying)))
    for share in shares:
        further = without_last_card(way, lift.time)
        if further is None:
            break
        way = further
        found.append(replace(way, weight=share * fits(way.after.lying)))
    return found


def without_last_card(way: Way, time: float) -> Way | None:
    """Return the way up to before the last card landed in this round; None where none has.

    It is doubtful where others have acted since, whose moves would be undone with it.
    """
    round_ = way.after.state.round
    while way.after.journal.match.history and way.after.state.round == round_:
        last = way.after.journal.match.history[-1]
        mere_answer = isinstance(last.move, ChooseColor | Target | Uno | Reshuffle)
        card = landed_card(last)
        way = way.then(Line(Undo(), ReadBy.CAMERA, time))
        if card is not None:
            return way
        if not mere_answer:
            way = replace(way, doubtful=True)
    return None


def _tap_ways(situation: Situation, tap: Tap, *, relaxed: bool) -> list[Way]:
    found: list[Way] = []
    refusal: RefereeError | None = None
    for start in _around(situation, tap):
        try:
            found.append(start.then(tap.line))
        except NotYourTurnError as error:
            refusal = error
            found += _after_the_ones_between(start, tap, relaxed=relaxed)
        except WrongPhaseError as error:
            refusal = error
            found += _after_the_choice(start, tap)
        except RefereeError as error:
            refusal = error
    if not found:
        return [Way(situation, weight=thresholds.TAP_SLIP, refusal=refusal)]
    if all(way.doubtful for way in found):
        found.append(Way(situation, weight=thresholds.TAP_SLIP, refusal=refusal))
    return [_landing(way) for way in found]


def _around(situation: Situation, tap: Tap) -> Iterator[Way]:
    """Yield where the tap may find the table, should an illegal card lie there."""
    if isinstance(tap.move, ActorMove):
        yield from _standing(Way(situation), tap.time)
    else:
        yield Way(situation)


def _after_the_ones_between(way: Way, tap: Tap, *, relaxed: bool) -> Iterator[Way]:
    """Yield the way in which everyone up to the one who taps has drawn and passed, or borne a wild draw four."""
    assert isinstance(tap.move, ActorMove)
    fillers: dict[Phase, Move] = {Phase.TURN: Draw(), Phase.DRAWN: Pass(), Phase.CHALLENGE: Accept()}
    state = way.after.state
    if tap.move.by not in state.players:
        return
    for _ in range(2 * len(state.players)):
        filler = fillers.get(way.after.state.phase)
        if filler is None:
            return
        way = way.then(Line(filler, ReadBy.INFERRED, tap.time))
        if way.after.state.actor == tap.move.by and way.after.state.phase is not Phase.DRAWN:
            break
    try:
        done = way.then(tap.line)
    except RefereeError:
        return
    yield done if relaxed else replace(done, doubtful=True, weight=done.weight * thresholds.SKIPPED_WORD)


def _after_the_choice(way: Way, tap: Tap) -> Iterator[Way]:
    """Yield the ways in which what nobody entered was chosen or borne before the next player drew or answered."""
    if not isinstance(tap.move, Draw | Accept | Challenge):
        return
    for ready in _choices_made(way, tap.time, answered=isinstance(tap.move, Draw)):
        try:
            done = ready.then(tap.line)
        except RefereeError:
            continue
        yield done


def _landing(way: Way) -> Way:
    last = way.lines[-1].entry if way.lines else None
    return replace(way, card=last.card) if isinstance(last, Start | Play | Flip) else way
