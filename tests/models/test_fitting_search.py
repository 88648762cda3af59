"""The fit of how learnt decks are searched: drawn decks, weights, and the command that writes them."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from companion.cli import main
from companion.dataset.gallery.decks import Sources
from companion.decks.matching.search_model import CARD_FEATURES, OUTLINE_FEATURES, SearchModel
from companion.decks.service.deck_detector import reading_parts
from companion.models.fitting import deck_search
from companion.models.fitting.deck_search import Case, checked, drawn, fitted
from companion.vision.core.runtime import model_folder
from companion.vision.detection.box_detector import BoxFinder

pytestmark = pytest.mark.slow

SCALES = (640,)


def _weights(model: SearchModel) -> list[float]:
    return [weight for one in (model.outline, model.card, model.face) for weight in (*one.weights, one.intercept)]


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    """Two decks, with pictures from edge to edge and without, and a fan, scattered cards and a card of each."""
    full = drawn(reading_parts()[1].with_outlines(), SCALES, Sources(), range(2), 7)
    return [replace(case, pictures=case.pictures[3::2], outlines=case.outlines[3::2]) for case in full]


def test_decks_are_drawn_with_their_pictures(cases: list[Case]) -> None:
    for case in cases:
        assert 10 <= len(case.faces.numbers) <= 54
        assert len(case.pictures) == len(case.outlines) == 3
        assert all(case.outlines)
        assert all(len(picture.cards) == len(picture.quads) for picture in case.pictures)
        faces = [case.face(picture, card) for picture in case.pictures for card in range(len(picture.cards))]
        assert set(faces) <= set(range(len(case.faces.numbers)))
    assert len(cases) == 2


def test_the_fit_tells_cards_from_other_outlines(cases: list[Case]) -> None:
    model = fitted(cases)
    assert np.isfinite(_weights(model)).all()
    # Similarity, lead, visible share, correction and size of an open card, and of a piece of the table.
    card, table = (0.9, 0.6, 1.0, 0.01, 0.05), (0.3, 0.05, 1.0, 0.03, 0.4)
    assert model.outline.log_odds(np.array(card)) > 0 > model.outline.log_odds(np.array(table))
    cells = dict(zip(CARD_FEATURES[len(OUTLINE_FEATURES) :], (0.95, 0.9, 0.9, -0.7, 2.0, 10.0, 1.0), strict=True))
    bare = dict.fromkeys(cells, 0.0) | {"fit": -6.0}
    odds = model.card.log_odds(np.array([[*card, *cells.values()], [*table, *bare.values()]]))
    assert odds[0] > 0 > odds[1]


def test_the_check_counts_cards_found_and_wrong(cases: list[Case]) -> None:
    model = SearchModel.load(model_folder() / "search.json")
    cards = sum(len(picture.cards) for case in cases for picture in case.pictures)
    assert checked(cases, model).startswith(f"{cards} cards: ")
    found = int(checked(cases, model).split()[2])
    assert found > 0.5 * cards
    none = replace(model, card=replace(model.card, intercept=-99.0))
    assert checked(cases, none).split()[2:5:2] == ["0", "0"]


def test_the_command_writes_what_it_fitted_and_checks_it(
    cases: list[Case], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    numbers = list[list[int]]()

    def again(finder: BoxFinder, scales: Sequence[int], sources: Sources, some: Iterable[int], _: int) -> list[Case]:
        numbers.append([*some])
        assert finder.propose_outlines(cases[0].pictures[0].image, scales)
        assert sources.curves
        return cases

    monkeypatch.setattr(deck_search, "drawn", again)
    for name in ("card-reader", "index-reader", "detector", "outlines"):
        shutil.copy(model_folder() / f"{name}.onnx", tmp_path)
    arguments = ["train", "search", "--models", str(tmp_path), "--decks", "10"]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 0, result.output
    before = (tmp_path / "search.json").read_text()
    stored, shipped = (SearchModel.load(folder / "search.json") for folder in (tmp_path, model_folder()))
    assert _weights(stored) != _weights(shipped)
    # The kinds of decks recur every four.
    assert numbers == [[0, 1, 2, 3, 5, 6, 7, 8], [4, 9]]
    checked_only = CliRunner().invoke(main, [*arguments, "--check"])
    assert "cards: " in checked_only.output
    assert (tmp_path / "search.json").read_text() == before
    assert numbers[2:] == [[4, 9]]
