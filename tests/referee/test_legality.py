"""Which moves a screen offers, and what a camera can expect to see."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.cards import Card, Color, EditionName
from companion.editions import EDITIONS, Options, Scoring, Stacking
from companion.editions.library import edition_of
from companion.referee import moves
from companion.referee.engine import Legal, legal
from companion.referee.errors import (
    AlreadyScoredError,
    AmendBreaksLaterMoveError,
    DoesNotMatchError,
    NoSuchMoveError,
    NothingToUndoError,
)
from companion.referee.legality import may_jump_in
from companion.referee.match import Match, replay
from companion.referee.model.history import History
from companion.referee.model.scoring import hand_points, match_winners, round_points
from companion.referee.phase import Direction, Phase
from companion.referee.state import Header, opening

NOTHING = Legal(
    phase=Phase.TURN,
    actor="Ann",
    cards=frozenset(),
    jump=None,
    jumpers=(),
    draw=False,
    can_pass=False,
    color=False,
    debt=0,
    answer=False,
    take=False,
    reveal=False,
    targets=(),
    uno=(),
    catch=(),
    creeper=(),
    hand=(),
    in_round=True,
    reshuffle=True,
    seating=False,
)


def card(name: str) -> Card:
    return Card.parse(name)


def game(edition: EditionName, *made: moves.Move, **options: object) -> Match:
    options = {"hand_size": 3, **options}
    return replay(Header(EDITIONS[edition], ("Ann", "Ben", "Cy"), 2, Options(**options)), made)  # type: ignore[arg-type]


def kart(*made: moves.Move, **options: object) -> Legal:
    return legal(game(EditionName.MARIO_KART, *made, **options).state)


START = moves.Start(card("red 7"))
WHOLE_DECK = frozenset(EDITIONS[EditionName.MARIO_KART].deck)
RED_SEVENS = frozenset(kind for kind in WHOLE_DECK if kind.name.startswith(("red", "wild")) or kind.name.endswith("7"))


def test_before_the_first_card() -> None:
    expected = replace(
        NOTHING, phase=Phase.START, actor=None, cards=WHOLE_DECK, in_round=False, reshuffle=False, seating=True
    )
    assert kart() == expected
    assert len(WHOLE_DECK) == 54


def test_on_a_turn() -> None:
    assert kart(START) == replace(NOTHING, cards=RED_SEVENS, draw=True)
    assert kart(START, moves.Draw()) == replace(NOTHING, phase=Phase.DRAWN, cards=RED_SEVENS, can_pass=True)
    assert len(RED_SEVENS) == 13 + 3 + 2


def test_the_colour_chosen_counts() -> None:
    now = kart(START, moves.Play(card("wild draw four")), moves.ChooseColor(Color.BLUE), moves.Accept())
    assert {kind.color for kind in now.cards} == {Color.BLUE, None}
    assert now.actor == "Cy"


def test_an_item_box() -> None:
    box = (START, moves.Play(card("wild item box")))
    assert kart(*box) == replace(NOTHING, phase=Phase.FLIP, cards=WHOLE_DECK)
    shell = (*box, moves.Flip(card("green 1")))
    everyone = replace(NOTHING, phase=Phase.TARGET, targets=("Ann", "Ben", "Cy"))
    assert kart(*shell) == everyone
    assert kart(*shell, green_shell_self=False) == replace(everyone, targets=("Ben", "Cy"))


def test_a_wild_draw_four() -> None:
    wild = [START, moves.Play(card("wild draw four"))]
    assert kart(*wild, hand_size=5) == replace(NOTHING, phase=Phase.COLOR, color=True)
    wild.append(moves.ChooseColor(Color.RED))
    assert kart(*wild, hand_size=5) == replace(NOTHING, phase=Phase.CHALLENGE, actor="Ben", answer=True)
    wild.append(moves.Challenge())
    assert kart(*wild, hand_size=5) == replace(NOTHING, phase=Phase.REVEAL, reveal=True)


def test_uno() -> None:
    two = (START, moves.Count("Ann", 2), moves.Count("Ben", 2))
    assert kart(*two).uno == ("Ann",)
    played = (*two, moves.Play(card("red 1")))
    assert kart(*played).uno == ("Ann", "Ben")
    assert kart(*played).catch == ("Ann",)
    assert kart(*played, moves.Uno("Ann")).catch == ()


def test_creepers() -> None:
    drawn = game(EditionName.MINECRAFT, START, moves.Draw())
    assert legal(drawn.state).creeper == ("Ann",)
    assert legal(drawn.apply(moves.Creeper("Ann")).state).creeper == ()
    assert legal(game(EditionName.CLASSIC, START, moves.Draw()).state).creeper == ()
    scoring = legal(drawn.apply(moves.Count("Ben", 0)).state)
    assert scoring == replace(
        NOTHING, phase=Phase.SCORING, actor=None, creeper=("Ann",), hand=("Ann", "Cy"), in_round=False
    )


def test_after_the_last_round() -> None:
    over = kart(START, moves.Count("Ben", 0), scoring=Scoring.SINGLE_ROUND)
    assert over == replace(NOTHING, phase=Phase.OVER, actor=None, in_round=False, reshuffle=False)


def test_a_match_is_a_value() -> None:
    empty = game(EditionName.CLASSIC)
    one = empty.apply(START)
    assert (empty.history, empty.state) == ((), opening(empty.header))
    assert one.moves == (START,)
    assert one.history[0].effects == ()
    assert one.undo() == empty
    with pytest.raises(NothingToUndoError):
        empty.undo()
    two = one.apply(moves.Play(card("red skip")))
    assert two.history[0] == one.history[0]
    assert two.amend(2, moves.Play(card("red 2"))).moves == (START, moves.Play(card("red 2")))
    assert two.amend(1, START) == two
    for n in (0, 3):
        with pytest.raises(NoSuchMoveError) as missing:
            two.amend(n, START)
        assert (missing.value.n, missing.value.moves) == (n, 2)
    with pytest.raises(AmendBreaksLaterMoveError) as broken:
        two.amend(1, moves.Start(card("blue 1")))
    assert broken.value.n == 2
    assert isinstance(broken.value.cause, DoesNotMatchError)
    assert broken.value.__cause__ is broken.value.cause


def test_amending_names_the_first_move_that_breaks() -> None:
    made = game(EditionName.CLASSIC, START, moves.Draw(), moves.Pass(), moves.Play(card("red 1")), moves.Draw())
    with pytest.raises(AmendBreaksLaterMoveError) as broken:
        made.amend(1, moves.Start(card("blue 2")))
    assert broken.value.n == 4
    assert made.amend(2, moves.Draw(by="Ann")).history[2:] == made.history[2:]


def test_an_amendment_says_what_would_be_left() -> None:
    made = game(EditionName.CLASSIC, START, moves.Play(card("red 9")), moves.Play(card("red 2")), moves.Draw())
    amendment = made.amended(2, moves.Play(card("red reverse")))
    assert amendment.match.moves == (START, moves.Play(card("red reverse")), moves.Play(card("red 2")), moves.Draw())
    assert (amendment.dropped, amendment.broken) == ((), None)
    assert amendment.entries == (moves.Amend(2, moves.Play(card("red reverse"))),)
    amendment = made.amended(2, moves.Play(card("blue 7")))
    assert amendment.match.moves == (START, moves.Play(card("blue 7")))
    assert amendment.dropped == (moves.Play(card("red 2")), moves.Draw())
    assert amendment.broken is not None
    assert (amendment.broken.n, type(amendment.broken.cause)) == (3, DoesNotMatchError)
    after = made
    for entry in amendment.entries:
        after = after.undo() if isinstance(entry, moves.Undo) else after.amend(entry.n, entry.move)  # type: ignore[union-attr]
    assert after == amendment.match
    with pytest.raises(DoesNotMatchError):
        made.amended(2, moves.Play(card("blue 2")))
    for n in (0, 5):
        with pytest.raises(NoSuchMoveError):
            made.amended(n, START)


def test_an_undo_that_reopens_a_scored_round_is_reported() -> None:
    one = game(EditionName.CLASSIC, hand_size=1)
    assert one.reopens is None
    for move in (START, moves.Play(card("red 2")), moves.Hand("Ben", (card("red 1"),))):
        one = one.apply(move)
        assert one.reopens is None
    scored = one.apply(moves.Hand("Cy", (card("red 5"),)))
    assert scored.reopens == 1
    assert scored.apply(START).reopens is None
    assert scored.apply(START).undo().reopens == 1
    over = game(EditionName.CLASSIC, START, moves.Play(card("red 2")), hand_size=1, scoring=Scoring.SINGLE_ROUND)
    assert over.reopens == 1
    last = game(EditionName.CLASSIC, *one.moves, moves.Hand("Cy", (card("red 5"),)), hand_size=1, target=6)
    assert (last.state.phase, last.reopens) == (Phase.OVER, 1)


def test_a_hand_may_be_entered_by_its_points() -> None:
    scoring = game(EditionName.CLASSIC, START, moves.Play(card("red 2")), hand_size=1, target=60)
    one = scoring.apply(moves.Tally("Ben", 37))
    assert one.state.hands == scoring.state.hands
    with pytest.raises(AlreadyScoredError):
        one.apply(moves.Hand("Ben", ()))
    none = one.apply(moves.Tally("Cy", 0))
    assert (none.state.round, none.state.scores) == (2, (37, 0, 0))
    # One round may hold entered points and entered cards side by side.
    over = one.apply(moves.Hand("Cy", (card("wild"),)))
    assert (over.state.phase, over.state.scores) == (Phase.OVER, (87, 0, 0))


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**32))
def test_histories_that_part_never_mix(seed: int) -> None:
    rng = Random(seed)
    known: list[tuple[History[int], tuple[int, ...]]] = [(History[int](), ())]
    number = 0
    for _ in range(10):
        history, truth = rng.choice(known)
        length = rng.randint(0, 150)
        history, truth = history.cut(length), truth[:length]
        for _ in range(rng.randint(1, 70)):
            number += 1
            history, truth = history.grown(number), (*truth, number)
        known.append((history, truth))
    for history, truth in known:
        assert tuple(history) == truth == tuple(reversed(history))[::-1]
        assert (len(history), history[-3:], history.cut(70)) == (len(truth), truth[-3:], truth[:70])


def test_trying_many_ways_on_from_a_long_history_copies_none_of_it() -> None:
    base = History(range(100_000))
    tracemalloc.start()
    tried = [base.grown(way).grown(-way) for way in range(100)]
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert [history[-2:] for history in tried] == [(way, -way) for way in range(100)]
    assert most < 2_000_000


def test_a_history_is_a_value_that_shares_its_items() -> None:
    empty = History[int]()
    one = empty.grown(1)
    two, other = one.grown(2), one.grown(3)
    assert (tuple(empty), tuple(one), tuple(two), tuple(other)) == ((), (1,), (1, 2), (1, 3))
    assert tuple(two.cut(1).grown(4)) == (1, 4)
    assert two == (1, 2) == tuple(two)
    assert (two[-1], two[0], two[1:], two[::-1], len(two)) == (2, 1, (2,), (2, 1), 2)
    assert two.cut(1) == one
    assert two != other
    assert hash(one) == hash(two.cut(1))
    for place in (-2, 1):
        with pytest.raises(IndexError):
            one[place]
    assert repr(two) == "History([1, 2])"
    assert (two == [1, 2]) is False


def test_what_the_house_rules_allow_is_reported() -> None:
    now = kart(START, moves.Play(card("red draw two")), stacking=Stacking.SAME, jump_in=True)
    twos = frozenset(kind for kind in WHOLE_DECK if kind.name.endswith("draw two"))
    assert now == replace(
        NOTHING,
        phase=Phase.DEBT,
        actor="Ben",
        cards=twos,
        jump=card("red draw two"),
        jumpers=("Ann", "Cy"),
        debt=2,
        take=True,
    )
    wild = (START, moves.Play(card("wild draw four")), moves.ChooseColor(Color.BLUE))
    now = kart(*wild, stacking=Stacking.ANY)
    assert now.cards == {card("wild draw four"), card("blue draw two")}
    assert (now.answer, now.take, now.debt, now.jump) == (True, False, 4, None)
    assert kart(*wild, stacking=Stacking.SAME).cards == {card("wild draw four")}
    assert kart(*wild).cards == frozenset()
    assert kart(*wild, stacking=Stacking.ANY, challenge=False).take
    now = kart(START, jump_in=True)
    assert (now.jump, now.jumpers) == (card("red 7"), ("Ben", "Cy"))
    now = kart(START, moves.Draw(), jump_in=True, draw_until_playable=True)
    assert (now.jump, now.jumpers, now.draw, now.can_pass) == (None, (), True, False)
    seven = kart(START, moves.Play(card("red 7")), seven_zero=True)
    assert (seven.phase, seven.targets, seven.actor) == (Phase.TARGET, ("Ben", "Cy"), "Ann")
    scoring = kart(START, moves.Count("Ben", 0))
    assert (scoring.in_round, scoring.reshuffle) == (False, True)


def test_a_call_does_not_go_on_with_another_hand() -> None:
    made = (START, moves.Count("Ann", 2), moves.Count("Cy", 1), moves.Uno("Cy"), moves.Play(card("red 7")))
    seven = game(EditionName.CLASSIC, *made, moves.Uno("Ann"), seven_zero=True)
    assert seven.state.called == {0, 2}
    assert seven.apply(moves.Target("Cy")).state.called == frozenset()
    assert seven.apply(moves.Target("Ben")).state.called == {2}
    zero = game(EditionName.CLASSIC, *made[:-1], moves.Play(card("red 0")), seven_zero=True)
    assert (zero.state.hands, zero.state.called) == ((1, 1, 3), frozenset())


def test_nobody_jumps_in_while_a_player_is_to_be_named() -> None:
    state = game(EditionName.CLASSIC, START, moves.Play(card("red 7")), seven_zero=True, jump_in=True).state
    assert state.jump_open
    assert not may_jump_in(state, 1, card("red 7"))
    assert legal(state).jump is None


def test_seats_and_cards_that_are_left() -> None:
    state = game(EditionName.CLASSIC, START).state
    assert (state.actor, state.players) == ("Ann", ("Ann", "Ben", "Cy"))
    assert [state.seat_after(seat) for seat in range(3)] == [1, 2, 0]
    back = replace(state, direction=Direction.COUNTERCLOCKWISE)
    assert [back.seat_after(seat) for seat in range(3)] == [2, 0, 1]
    assert state.drawable == 108 - 9 - 1
    assert replace(state, hands=(50, 50, 50)).drawable == 0


def test_points_of_rounds_and_matches() -> None:
    hands = [[card("red 3")], [], [card("wild"), card("red 1")]]
    points = [hand_points(hand) for hand in hands]
    assert round_points(Scoring.WINNER_TAKES_ALL, 1, points) == {1: 54}
    assert list(round_points(Scoring.LOW_TOTAL, 1, points).items()) == [(0, 3), (1, 0), (2, 51)]
    for scoring in Scoring:
        assert match_winners(scoring, 10, (9, 0, 9)) == ()
    assert match_winners(Scoring.WINNER_TAKES_ALL, 10, (9, 10, 3)) == (1,)
    assert match_winners(Scoring.LOW_TOTAL, 10, (3, 11, 3)) == (0, 2)


def test_who_is_out_of_the_round_shows_no_card_just_drawn() -> None:
    definition = {"format": 1, "id": "brink", "based_on": "minecraft", "name": {"en": "Brink"}, "out_at": 11}
    edition = edition_of(definition)
    match = Match(Header(edition, ("Ann", "Ben", "Cy"), 0, edition.options))
    for move in (moves.Start(card("red 5")), moves.Count("Ben", 9), moves.Draw()):
        match = match.apply(move)
    assert legal(match.state).creeper == ("Ben",)
    for move in (moves.Pass(), moves.Draw(), moves.Pass(), moves.Draw(), moves.Pass(), moves.Draw()):
        match = match.apply(move)
    # With the second card drawn Ben holds eleven and is out.
    assert match.state.out == {1}
    assert "Ben" not in legal(match.state).creeper


def test_a_standard_face_that_the_file_names_has_no_program() -> None:
    definition = {
        "format": 1,
        "id": "named",
        "name": {"en": "Named"},
        "deck": {"wild lion": 2},
        "faces": {"skip": {"points": 25}, "wild lion": {"when_played": [{"draw": 1}]}},
    }
    edition = edition_of(definition)
    assert [face.value for face in Header(edition, ("Ann", "Ben"), 0, edition.options).rules.played] == ["wild lion"]
