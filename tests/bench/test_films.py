"""Tests of `companion bench films`: transcripts of films are compared with what was played."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from companion.bench.accuracy.films import Act, Figure, films, grade
from companion.cards import Card, Color, Face

pytestmark = pytest.mark.slow

_RED, _BLUE = Card(Face.ONE, Color.RED), Card(Face.TWO, Color.BLUE)


def test_a_transcript_is_held_against_the_truth() -> None:
    truth = [Act(5.0, _RED, "Ann"), Act(9.0, None, "Ben"), Act(14.0, _BLUE, "Cy"), Act(20.0, None, "Ann")]
    reported = [Act(5.2, _RED, "Ann"), Act(11.0, None, "Cy"), Act(14.1, _BLUE, "Ann"), Act(21.0, None, "Ann")]
    counts, slips = grade(truth, reported)
    assert counts == {
        Figure.CARDS: 2,
        Figure.REPORTED: 2,
        Figure.RIGHT_PLAYER: 1,
        Figure.INVENTED_CARDS: 0,
        Figure.DRAWS: 2,
        Figure.FOUND: 1,
        Figure.INVENTED_DRAWS: 1,
    }
    assert [slip.split(":")[0] for slip in slips] == ["9.0 s Ben", "14.0 s Cy", "11.0 s Cy"]


def test_a_film_is_followed() -> None:
    result = CliRunner().invoke(films, ["--films", "1", "--seed", "3", "--moves", "4", "--as", "slow", "--json"])
    assert result.exit_code == 0, result.output
    rows = json.loads(result.stdout)
    assert rows["all"] == rows["3 slow"]
    assert rows["all"]["right player"] == rows["all"]["cards"] > 0
