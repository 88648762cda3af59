"""A planned round follows the rules and has a photograph for every card."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from folders import CLASSIC, EDITION, label

from companion.cards import Card
from companion.referee.engine import apply
from companion.referee.state import Phase, opening
from companion.rehearsal.plan import Laid, Plan, PlanError, plan_match

HANDS = [CLASSIC[start : start + count] for start, count in ((0, 2), (9, 3), (20, 4), (30, 5), (12, 6), (40, 7))]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    singles = {f"{i}.jpg": [card] for i, card in enumerate(CLASSIC)}
    label(tmp_path, singles | {f"hand{i}.jpg": hand for i, hand in enumerate(HANDS)})
    return tmp_path


def _cards(plan: Plan) -> list[tuple[Card, Path]]:
    return [(m.move.card, m.photo) for m in plan.moves if isinstance(m.move, Laid) and m.photo is not None]


@pytest.mark.parametrize("seed", range(8))
def test_the_rules_allow_every_move_and_the_hands_are_those_left(folder: Path, seed: int) -> None:
    plan = plan_match(folder, EDITION, seed)
    state = opening(plan.header)
    for planned in plan.moves:
        state, _ = apply(state, planned.move)
    assert state.phase is Phase.SCORING
    assert {hand.player: hand.cards.total() for hand in plan.hands} == {
        player: count for player, count in zip(state.players, state.hands, strict=True) if count
    }


def test_each_card_is_shown_by_a_photograph_of_its_own(folder: Path) -> None:
    shown = _cards(plan_match(folder, EDITION, 1))
    assert len({photo for _, photo in shown}) == len(shown) > 3
    assert all(CLASSIC[int(photo.stem)] == card for card, photo in shown)
    assert all(a != b for (a, _), (b, _) in pairwise(shown))


def test_the_seed_decides(folder: Path) -> None:
    assert plan_match(folder, EDITION, 3) == plan_match(folder, EDITION, 3)
    assert plan_match(folder, EDITION, 3) != plan_match(folder, EDITION, 4)


def test_too_few_photographs_are_no_match(folder: Path) -> None:
    label(folder, {f"{i}.jpg": [card] for i, card in enumerate(CLASSIC[:10])})
    with pytest.raises(PlanError, match="10 cards"):
        plan_match(folder, EDITION, 0)


@pytest.mark.slow
def test_without_hands_no_round_can_be_scored(folder: Path) -> None:
    label(folder, {f"{i}.jpg": [card] for i, card in enumerate(CLASSIC)})
    with pytest.raises(PlanError, match="to its end"):
        plan_match(folder, EDITION, 0)


@pytest.mark.parametrize("text", [None, "[", "{}", '[{"file": "a.jpg"}]', '[{"cards": ["red 77"]}]'])
def test_labels_that_are_no_good_are_named(tmp_path: Path, text: str | None) -> None:
    if text is not None:
        (tmp_path / "labels.json").write_text(text)
    with pytest.raises(PlanError, match=r"labels\.json|too few"):
        plan_match(tmp_path, EDITION, 0)
