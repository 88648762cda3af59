"""Pruning of hypotheses loses none above the minimum weight."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from random import Random

import pytest

from companion.cards import EditionName
from companion.editions import EDITIONS
from companion.referee.match import Match
from companion.referee.state import Header
from companion.storage.journal import Journal
from companion.table.hypotheses.finding import Hypothesis
from companion.table.hypotheses.hypotheses import extended, ways
from companion.table.state.observations import Pending, Reach, Sight
from companion.table.state.situation import Mode, Way, situation
from companion.vision.core.events import CardLanded, PileKind, PileReached

from .hands import Filming, People, around


def _seen(header: Header, seed: int) -> list[Pending]:
    random = Random(seed)
    film = Filming(header, random, around(len(header.players), random), People(idle=0.2)).play(30)
    found = []
    for event in film.events:
        match event:
            case CardLanded():
                found.append(Pending(Sight(event.time, event.probabilities, "", event.same_face, arm=event.arm)))
            case PileReached(pile=PileKind.DRAW):
                found.append(Pending(Reach(event.time, event.arm, event.drawn)))
    return found


def _weights(found: Iterable[Way], least: float) -> dict[object, float]:
    weights: dict[object, float] = defaultdict(float)
    for way in found:
        if way.weight >= least:
            weights[way.outcome, way.by] += way.weight
    return weights


@pytest.mark.parametrize("edition", list(EditionName))
def test_ways_above_the_minimum_weight_are_kept(edition: EditionName) -> None:
    rules = EDITIONS[edition]
    header = Header(rules, ("Ann", "Ben", "Cy"), 2, replace(rules.options, jump_in=True))
    hypotheses: tuple[Hypothesis, ...] = (Hypothesis(situation(Journal(Match(header)))),)
    mode = Mode()
    fewer = 0
    for seen in _seen(header, 5):
        for hypothesis in hypotheses[:4]:
            every = ways(hypothesis.after, seen, mode)
            least = max(way.weight for way in every) * 1e-3
            some = ways(hypothesis.after, seen, replace(mode, least=least))
            assert _weights(some, least) == pytest.approx(_weights(every, least))
            fewer += len(every) - len(some)
        hypotheses = extended(hypotheses, seen, mode).hypotheses
        assert sum(hypothesis.weight for hypothesis in hypotheses) == pytest.approx(1)
        assert [hypothesis.weight for hypothesis in hypotheses] == sorted(
            (hypothesis.weight for hypothesis in hypotheses), reverse=True
        )
    assert fewer > 0
