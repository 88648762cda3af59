"""Known-answer tests of the rules, one by one and combined; every rule is covered."""

from __future__ import annotations

import re
from enum import Enum

import pytest
from known_answers import Case, cases, shown, start, take

from companion import editions
from companion.caller import LANGUAGES, Caller
from companion.cards import Color
from companion.referee import effects, moves
from companion.referee.effects import Why
from companion.referee.errors import RefereeError, WrongPhaseError
from companion.referee.phase import Phase, Purpose
from companion.referee.state import State
from companion.referee.transcript import MOVE_NAMES

CASES = cases()


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.title)
def test_known_answer(case: Case) -> None:
    match = start(case)
    for line in case.lines:
        before = match
        if line.error:
            with pytest.raises(RefereeError) as refused:
                take(match, line.move)
            assert refused.value.code == line.error, line.move
            if isinstance(refused.value, WrongPhaseError):
                assert refused.value.phase is match.state.phase
                assert refused.value.move == line.move.get("move", line.move)["do"]
                assert refused.value.values == {"move": refused.value.move, "phase": refused.value.phase}
            assert str(refused.value) == Caller().refuse(refused.value) or line.error == "wrong-phase"
            assert {name: getattr(refused.value, name) for name in refused.value.values} == refused.value.values
        else:
            match, happened = take(match, line.move)
            if line.effects is not None:
                assert happened == line.effects, line.move
        check(match.state)
        state = shown(match)
        assert {name: state[name] for name in line.state} == line.state, line.move
        for language in LANGUAGES:
            assert all(Caller(language).describe(match.state))
            assert all(Caller(language).correct(before.state, match.state))


def check(state: State) -> None:
    """Check what a transcript does not show of a state."""
    assert state.purpose is None or isinstance(state.purpose, Purpose)
    assert isinstance(state.purpose, Purpose) or state.phase is not Phase.COLOR
    assert state.contested is None or isinstance(state.contested, Color)
    assert state.catchable in {None, *range(len(state.hands))}
    assert all(type(count) is int for count in (*state.hands, *state.scores, *state.fresh))
    assert state.round_winner in {None, *range(len(state.hands))}
    if state.turn is None:
        assert (state.purpose, state.contested, state.called, state.catchable) == (None, None, frozenset(), None)
    if state.phase is Phase.START:
        assert state.leftover == (None,) * len(state.hands)
        assert state.fresh == (0,) * len(state.hands)
        assert state.round_winner is None
    if state.phase in (Phase.TURN, Phase.FLIP):
        assert (state.purpose, state.contested) == (None, None)


def test_what_is_wrong_is_said_and_carried_along() -> None:
    expected = {
        "no-such-player": "Nobody called Zed is playing.",
        "not-your-turn": "It is not Ben’s turn but Ann’s.",
        "not-in-this-edition": "There is no wild item box in this edition.",
        "does-not-stack": "The red 1 does not stack on the red draw two.",
        "must-draw": "Ann must keep drawing until a card can be played.",
        "too-many-cards": "Nobody can hold 109 cards: the deck has 108.",
        "does-not-match": "The red skip does not match the blue 1, with blue in force.",
        "nothing-to-catch": "Ann has not missed a UNO call.",
        "not-at-uno": "Ben cannot call UNO now, with 2 in hand.",
        "no-draw-to-show": "Ann has not just drawn a card that could be a creeper.",
        "too-many-copies": "That would be too many: the deck has 4 of the wild draw four.",
        "already-scored": "Ann’s hand is already in.",
        "cannot-target-self": "Ann must name somebody else.",
        "wrong-phase": "That is not possible now: the table is waiting for scoring.",
        "already-playing": "Ben is playing already.",
        "no-room": "With 10 players there is no room for another one.",
        "name-taken": "Somebody is called ben already.",
        "target-reached": "Ann has 5 points already: the target must be higher than that.",
        "must-play": "Ann has to play the red 4, which fits.",
        "too-many-points": "Dan cannot begin with 600 points: the match ends at 500.",
        "unclear-hand": "Cards drawn after the wild draw four do not count, 2 here: say whether it was allowed.",
        "too-few-cards": "Cy draws at least one card here.",
        "does-not-fit": "The blue 3 is not what wild order asks for.",
        "already-chosen": "Cy is chosen already.",
        "player-is-out": "Ben is out of this round.",
        "nothing-to-undo": "There is nothing to take back.",
        "no-such-move": "There is no move 4: 3 have been accepted.",
        "amend-breaks-later-move": "Move 3 would no longer stand: "
        "The red 1 does not match the blue 7, with blue in force.",
    }
    reported: dict[str, set[str]] = {}
    for case in CASES:
        match = start(case)
        for line in case.lines:
            try:
                match, _ = take(match, line.move)
            except RefereeError as error:
                reported.setdefault(error.code, set()).add(str(error))
    assert reported.keys() == expected.keys()
    for code, message in expected.items():
        assert message in reported[code], reported[code]
        assert not any("None" in text for text in reported[code])


def seen(attribute: str) -> set[str]:
    return {str(getattr(line, attribute)) for case in CASES for line in case.lines}


def happened() -> set[str]:
    return {effect for case in CASES for line in case.lines for effect in line.effects or ()}


def test_every_rule_is_shown() -> None:
    cited = {int(number) for case in CASES for number in re.findall(r"\bR(\d+)", case.title)}
    assert cited == set(range(1, 61))


def test_every_error_is_shown() -> None:
    assert seen("error") - {"None"} == {error.code for error in RefereeError.__subclasses__()}


def test_every_effect_is_shown() -> None:
    names = {kind.name for kind in vars(effects).values() if isinstance(kind, type) and hasattr(kind, "player")}
    assert {effect.split()[0] for effect in happened()} >= names
    assert {effect.split(" ", 3)[3] for effect in happened() if effect.startswith("draw ")} >= {
        why.value for why in Why
    }
    assert {effect.split()[1] for effect in happened() if effect.startswith("reverse ")} == {
        "clockwise",
        "counterclockwise",
    }
    assert len({effect.split()[0] for effect in happened()}) == 33


def test_every_move_is_shown() -> None:
    made = {line.move["do"] for case in CASES for line in case.lines}
    assert made == {*MOVE_NAMES, "undo", "amend"}


def test_every_phase_is_shown() -> None:
    assert {line.state.get("phase") for case in CASES for line in case.lines} >= {phase.value for phase in Phase}


def test_every_value_of_every_option_is_shown() -> None:
    chosen = {(name, value) for case in CASES for name, value in case.header["match"]["options"].items()}
    titles = " ".join(case.title for case in CASES)
    for name in editions.OPTIONS:
        default = getattr(editions.Options(), name)
        if isinstance(default, bool):
            assert {(name, True), (name, False)} <= chosen
        elif isinstance(default, Enum):
            for value in type(default):
                assert (name, value.value) in chosen or f"{name} {value.value}" in titles or value is default
        else:
            assert any(name == other for other, _ in chosen)


def test_every_profile_is_shown() -> None:
    assert {case.header["match"].get("profile") for case in CASES} >= set(editions.PROFILES)


def test_every_edition_is_shown() -> None:
    assert {case.header["match"]["edition"] for case in CASES} >= {name.value for name in editions.EDITIONS}


def test_moves_that_anyone_may_make_are_not_tied_to_the_actor() -> None:
    assert {kind.__name__ for kind in moves.ActorMove.__subclasses__()} == {
        "Play",
        "Draw",
        "Pass",
        "Flip",
        "ChooseColor",
        "Target",
        "Accept",
        "Challenge",
        "Took",
        "Shed",
        "Outcome",
    }
