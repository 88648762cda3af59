"""The small network for other makers' cards: its fit, and its place in the card reader's file."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the train extra")
pytest.importorskip("onnx", reason="needs the train extra")

import torch
from click.testing import CliRunner

from companion.cli import main
from companion.dataset.others.scenes import Kind
from companion.models.fitting import foreign
from companion.models.fitting.foreign import Lot, checked, fitted
from companion.models.networks.foreign import Foreign, add_to, feature_maps
from companion.models.networks.onnx_import import unfolded
from companion.vision.core.runtime import Network, model_folder

pytestmark = [pytest.mark.slow, pytest.mark.train]

READER = model_folder() / "card-reader.onnx"


def _lot(seed: int) -> Lot:
    """Crops of cards, of tables and of other things; half of the features differ for these."""
    random = torch.Generator().manual_seed(seed)
    count = 400
    other = torch.arange(count) % 4 == 0
    none = other | (torch.arange(count) % 4 == 1)
    maps = torch.randn(count, 12, generator=random)
    maps[:, :6] += 4.0 * other[:, None]
    odds = torch.where(none & ~other, 8.0, -1.0) + torch.randn(count, generator=random)
    return Lot(maps.half(), odds, none, other)


def test_the_fit_recognises_other_things_at_the_same_number_of_lost_cards() -> None:
    result = checked([_lot(3)], fitted([_lot(1), _lot(2)], seed=1).network)
    assert (result.cards, result.others) == (200, 100)
    assert result.before < 0.1
    assert result.after > 0.9
    assert "100 other things" in str(result)


def test_it_is_one_more_column_of_the_scores_and_leaves_the_others(tmp_path: Path) -> None:
    path = tmp_path / READER.name
    shutil.copy(READER, path)
    reader = unfolded(path, "card")
    crops = torch.rand(3, 3, 192, 128, generator=torch.Generator().manual_seed(1))
    with torch.no_grad():
        maps, scores = feature_maps(reader, crops)
        for seed in (1, 2):
            torch.manual_seed(seed)
            network = Foreign(maps.mean(0), torch.full_like(maps[0], 2.0)).eval()
            network.last.weight.data.normal_()
            add_to(path, network)
            found = Network(path, 1)(crops.numpy())
            assert found.shape == (3, scores.shape[1] + 1)
            assert np.allclose(found[:, :-1], scores, atol=1e-3)
            assert np.allclose(found[:, -1], network(maps), atol=0.02)
            assert np.ptp(found[:, -1]) > 0.05
    assert all(torch.equal(a, b) for a, b in zip(unfolded(path, "card").parameters(), reader.parameters(), strict=True))


def test_the_command_adds_it_to_the_card_reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(foreign, "SCENES", 1)
    monkeypatch.setattr(foreign, "OTHERS", 1)
    monkeypatch.setattr(foreign, "KINDS", (Kind.FRENCH,))
    for path in model_folder().glob("*.*n*"):
        shutil.copy(path, tmp_path)
    before = (tmp_path / READER.name).read_bytes()
    result = CliRunner().invoke(main, ["train", "foreign", "--models", str(tmp_path), "--lots", "4"])
    assert result.exit_code == 0, result.output
    assert "are recognised by the reader alone" in result.output
    assert (tmp_path / READER.name).read_bytes() != before
    sizes = json.loads((tmp_path / "manifest.json").read_text())["files"]
    assert sizes[READER.name]["bytes"] == (tmp_path / READER.name).stat().st_size
