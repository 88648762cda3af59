"""Invariants of every match, tested on random matches."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.caller import LANGUAGES, Caller
from companion.cards import ALL_CARDS, Card, Color, EditionName, Face
from companion.editions import EDITIONS, Options, Scoring, Stacking, StartAction, StartWildChooser, TwoPlayerReverse
from companion.referee import moves
from companion.referee.effects import Dealt, MatchWon, RoundWon, Scored
from companion.referee.engine import Legal, apply, legal
from companion.referee.errors import RefereeError
from companion.referee.legality import matches, may_seat_another
from companion.referee.match import Match, replay
from companion.referee.phase import Phase, Purpose
from companion.referee.random_player import RandomTable, random_match
from companion.referee.state import Header, State, opening
from companion.referee.transcript import (
    parse_line,
    read_entry,
    read_header,
    write_effect,
    write_entry,
    write_header,
    write_state,
)

pytestmark = pytest.mark.slow

GUESTS = ("Kim", "Lea")
NAMES = ("Ann", "Ben", "Cy", "Di", "Eve", "Flo", "Gus", "Hal", "Ida", "Jo")
LONGEST = 400  # moves; house rules can make a match last for thousands
WAITING = {Phase.START, Phase.SCORING, Phase.OVER}
CALLERS = [Caller(language) for language in LANGUAGES]


@st.composite
def headers(draw: st.DrawFn) -> Header:
    edition = EDITIONS[draw(st.sampled_from(EditionName))]
    players = draw(st.integers(2, 10))
    options = Options(
        start_action=draw(st.sampled_from(StartAction)),
        start_wild_chooser=draw(st.sampled_from(StartWildChooser)),
        wild_counts_as_color=draw(st.booleans()),
        green_shell_self=draw(st.booleans()),
        two_player_reverse=draw(st.sampled_from(TwoPlayerReverse)),
        scoring=draw(st.sampled_from(Scoring)),
        target=draw(st.integers(1, 150)),
        hand_size=draw(st.integers(1, 90 // players)),
        stacking=draw(st.sampled_from(Stacking)),
        jump_in=draw(st.booleans()),
        seven_zero=draw(st.booleans()),
        draw_until_playable=draw(st.booleans()),
        challenge=draw(st.booleans()),
        uno_penalty=draw(st.integers(1, 7)),
        uno_false_penalty=draw(st.integers(0, 3)),
        must_play_drawn=draw(st.booleans()),
        doubles=draw(st.booleans()),
    )
    return Header(edition, NAMES[:players], draw(st.integers(0, players - 1)), options)


seeds = st.integers(0, 2**32)


@given(headers(), seeds)
@settings(max_examples=40, deadline=None)
def test_a_random_match(header: Header, seed: int) -> None:
    table = RandomTable(header, Random(seed), guests=GUESTS)
    state = opening(header)
    made: list[moves.Move] = []
    while state.phase is not Phase.OVER and len(made) < LONGEST:
        move = table.next_move(state)
        assert allowed(legal(state), state, move)
        before = state
        state, effects = apply(state, move)
        table.follow(effects)
        made.append(move)
        check(state)
        check_seats(before, state, move)
        for caller in CALLERS:
            for effect in effects:
                assert spoken(caller.say([effect], before, state))
            assert spoken(caller.say(effects, before, state)) or not effects
            assert spoken(caller.correct(state, before))
        if isinstance(move, moves.Join | moves.Leave) and before.phase is Phase.START:
            continue  # the cards are dealt when the table goes on
        assert state.hands == tuple(map(len, table.hands))
        assert sum(state.hands) + len(table.draw_pile) + len(table.discard_pile) == header.edition.size
    lines = [json.dumps(line).encode() for line in (write_header(header), *map(write_entry, made))]
    again = replay(read_header(parse_line(lines[0])), map(reread, lines[1:]))
    assert again.state == state
    assert again.header == header
    assert again.moves == tuple(made)
    for step in (again.history[0], again.history[len(made) // 2], again.history[-1]):
        place = again.history.index(step)
        assert again.amend(place + 1, step.move) == again
        earlier = Match(header, again.history.cut(place))
        assert earlier.apply(step.move).undo() == earlier


@given(headers(), seeds)
@settings(max_examples=50, deadline=None)
def test_any_move_at_any_time_is_ruled_on_as_legal_says(header: Header, seed: int) -> None:
    random = Random(seed)
    state = opening(header)
    for _ in range(120):
        choices = list(anything(state, random))
        likely = [move for move in choices if allowed(legal(state), state, move)]
        move = random.choice(likely if likely and random.random() < 0.5 else choices)
        if move not in likely:
            refused(state, move)
            continue
        state, effects = apply(state, move)
        check(state)
        assert json.loads(json.dumps([write_effect(effect) for effect in effects])) is not None


def refused(state: State, move: moves.Move) -> None:
    before = write_state(state)
    with pytest.raises(RefereeError) as error:
        apply(state, move)
    assert write_state(state) == before
    assert "{" not in str(error.value)
    for caller in CALLERS:
        assert spoken([caller.refuse(error.value)])


def check_seats(before: State, after: State, move: moves.Move) -> None:
    """People keep their points and their order, whoever else comes and goes; the deal passes on to a neighbour."""
    if isinstance(move, moves.Rename):
        assert after.players == tuple(move.name if name == move.player else name for name in before.players)
        return
    stay = [player for player in before.players if player in after.players]
    assert stay == [player for player in after.players if player in before.players]
    assert {player for player, _ in after.left}.isdisjoint(after.players)
    if isinstance(move, moves.Join | moves.Leave):
        kept = {player: points for player, points in after.standings.items() if player != move.player}
        assert kept == {player: points for player, points in before.standings.items() if player != move.player}
        dealer, heir = before.players[before.dealer], before.players[(before.dealer + 1) % len(before.players)]
        if before.phase is not Phase.START and dealer not in after.players:
            heir = before.players[before.dealer - 1]  # whose left neighbour deals the next round
        if after.phase is not Phase.OVER and after.round == before.round:
            assert after.players[after.dealer] == (dealer if dealer in after.players else heir)
        assert after.header.dealer == after.dealer or after.phase is Phase.OVER
    else:
        assert (after.players, after.left) == (before.players, before.left)


def check(state: State) -> None:
    assert (state.turn is None) == (state.phase in WAITING)
    assert state.turn is None or state.turn in range(len(state.hands))
    assert min(state.hands) >= (0 if state.phase in WAITING else 1)
    assert state.drawable >= 0
    assert (state.top is None) == (state.phase is Phase.START) or (state.phase is Phase.OVER and state.turn is None)
    assert state.color is not None or state.phase in {*WAITING, Phase.FLIP, Phase.COLOR}
    assert bool(state.winners) == (state.phase is Phase.OVER)
    unsettled = state.phase in {Phase.CHALLENGE, Phase.REVEAL} or (
        state.phase is Phase.COLOR and state.purpose is Purpose.WILD_DRAW_FOUR
    )
    assert (state.contested is not None) == unsettled
    assert (state.purpose is None) or state.phase in {Phase.COLOR, Phase.TARGET, Phase.CHALLENGE, Phase.REVEAL}
    assert (state.running is not None) == (state.purpose is Purpose.PROGRAM or state.phase is Phase.FLIP)
    options = state.header.options
    if options.stacking is Stacking.OFF:
        assert state.debt == 0
        assert state.phase is not Phase.DEBT
        assert (state.laid_by is not None) == unsettled
    else:
        assert (state.debt > 0) == (unsettled or state.phase is Phase.DEBT)
        assert state.laid_by is None or state.debt
    assert options.jump_in or not state.jump_open
    assert options.doubles or state.doubler is None
    assert options.challenge or state.phase not in {Phase.CHALLENGE, Phase.REVEAL}
    for seat in state.called:
        assert state.hands[seat] == 1 or (
            state.hands[seat] == 2 and (seat in {state.turn, state.doubler} or state.phase is Phase.REVEAL)
        )


def spoken(sentences: list[str]) -> bool:
    assert not any("{" in sentence or not sentence.strip() for sentence in sentences), sentences
    return bool(sentences)


def reread(line: bytes) -> moves.Move:
    entry = read_entry(parse_line(line))
    assert not isinstance(entry, moves.Undo | moves.Amend)
    return entry


def anything(state: State, random: Random) -> Iterator[moves.Move]:
    """Yield moves of every kind, most of them out of place, the likely ones more than once."""
    names = [*state.players, "Zed"]
    cards = list(state.header.edition.deck)
    for by in (None, state.actor, random.choice(names)):
        for _ in range(4):
            yield moves.Play(random.choice(cards), random.random() < 0.3, by=by)
            yield moves.Flip(random.choice(cards), by=by)
        yield moves.Play(random.choice(ALL_CARDS), by=by)
        yield moves.Draw(by=by)
        yield moves.Pass(by=by)
        yield moves.ChooseColor(random.choice(list(Color)), by=by)
        yield moves.Target(random.choice(names), by=by)
        yield moves.Accept(by=by)
        yield moves.Challenge(by=by)
    for name in names:
        yield moves.Uno(name)
        yield moves.Catch(name)
        yield moves.Creeper(name)
        yield moves.Hand(name, tuple(random.choices(cards, k=random.randrange(4))))
    yield moves.Count(random.choice(names), random.choice((0, 1, 1, 2, 3, 40, 113)))
    yield moves.Start(random.choice(cards))
    yield moves.Start(random.choice(ALL_CARDS))
    if not state.drawn_since:  # else whether a hand is clear depends on its cards
        yield moves.Reveal(tuple(random.choices(cards, k=random.randrange(4))))
    yield moves.Judge(random.random() < 0.5)
    yield moves.Reshuffle()
    yield moves.Join(random.choice((*names, *GUESTS)), random.choice((None, *names)), random.choice((None, 0, 3, 500)))
    yield moves.Leave(random.choice(names))
    yield moves.Rename(random.choice(names), random.choice((*names, *GUESTS)))
    yield moves.Retarget(random.choice((1, 60, 500)))
    yield moves.Pass(random.choice(cards))


def allowed(can: Legal, state: State, move: moves.Move) -> bool:
    """Say from what `legal` says alone, but for copies of cards, whether the move is legal."""
    if isinstance(move, moves.ActorMove) and move.by not in (None, can.actor):
        return isinstance(move, moves.Play) and move.by in can.jumpers and move.card == can.jump
    match move:
        case moves.Start(card):
            return can.phase is Phase.START and card in can.cards
        case moves.Play(card, force):
            if can.phase in {Phase.TURN, Phase.DRAWN}:
                return card in can.cards or (force and card in state.header.edition.deck)
            if force and can.debt and can.phase in {Phase.DEBT, Phase.CHALLENGE}:
                both = card.face is Face.DRAW_TWO and state.header.options.stacking is Stacking.ANY
                return card in can.cards or both
            return can.phase in {Phase.DEBT, Phase.CHALLENGE} and card in can.cards
        case moves.Flip(card):
            return can.phase is Phase.FLIP and card in can.cards
        case moves.Draw():
            return can.draw
        case moves.Pass(card):
            fits_top = card is not None and state.top is not None and matches(card, state.top, state.color)
            return can.can_pass and not (state.header.options.must_play_drawn and fits_top)
        case moves.ChooseColor():
            return can.color
        case moves.Target(player):
            return player in can.targets
        case moves.Accept():
            return can.answer or can.take
        case moves.Challenge():
            return can.answer
        case moves.Reveal(cards):
            return can.reveal and fits(state, cards)
        case moves.Judge():
            return can.reveal
        case moves.Uno(player):
            return player in can.uno or player in can.wrong_uno
        case moves.Catch(player):
            return player in can.catch
        case moves.Creeper(player):
            return player in can.creeper
        case moves.Hand(player, cards):
            return player in can.hand and fits(state, cards)
        case moves.Count(player, cards):
            held = dict(zip(state.players, state.hands, strict=True)).get(player)
            deck = state.header.edition.size
            return can.in_round and held is not None and cards <= min(deck, max(held, deck - sum(state.hands) + held))
        case moves.Reshuffle():
            return can.reshuffle
        case moves.Join(player, after, score):
            known = {*state.players, None}
            points = dict(state.left).get(player, 0) if score is None else score
            fits_in = may_seat_another(state) and points < state.header.options.target
            return can.seating and fits_in and player not in known and after in known
        case moves.Leave(player):
            return (can.seating or can.in_round) and player in state.players
        case moves.Rename(player, name):
            free = name not in {*state.players, *dict(state.left)} or name == player
            return state.phase is not Phase.OVER and player in state.players and free
        case moves.Retarget(points):
            return state.phase is not Phase.OVER and max(state.scores) < points


def fits(state: State, cards: tuple[Card, ...]) -> bool:
    together = [*cards, state.top, *(card for hand in state.leftover for card in hand or ())]
    return all(together.count(card) <= state.header.edition.deck[card] for card in cards)


def test_the_same_seed_plays_the_same_match() -> None:
    edition = EDITIONS[EditionName.MINECRAFT]
    header = Header(edition, NAMES[:4], 0, edition.options)
    first, second = ([move for move, _, _ in random_match(header, Random(7))] for _ in range(2))
    assert first == second


@pytest.mark.parametrize("scoring", list(Scoring))
def test_scores_add_up(scoring: Scoring) -> None:
    edition = EDITIONS[EditionName.MARIO_KART]
    header = Header(edition, NAMES[:5], 4, replace(edition.options, scoring=scoring))
    totals = dict.fromkeys(header.players, 0)
    rounds = 0
    for _, state, effects in random_match(header, Random(3)):
        for effect in effects:
            if isinstance(effect, Scored):
                totals[effect.player] += effect.points
            rounds += isinstance(effect, RoundWon)
        assert totals == dict(zip(state.players, state.scores, strict=True))
        assert [type(effect) for effect in effects].count(MatchWon) == bool(state.winners)
        if any(isinstance(effect, Dealt) for effect in effects):
            assert state.round == rounds + 1
            assert state.dealer == (header.dealer + rounds) % 5
