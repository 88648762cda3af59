"""The detector's input and output formats."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from companion.dataset.artist.families import StyleFamily
from companion.dataset.scenes.compose import SceneMaker
from companion.dataset.scenes.layouts import Layout
from companion.vision.core.geometry import intersection_over_union
from companion.vision.core.runtime import ModelFileError, Network, model_folder
from companion.vision.detection.box_detector import Box, BoxFinder, BoxKind, decode, letterbox, suppress

SQUARE = np.array([[0, 0], [10, 0], [10, 10], [0, 10]], np.float32)


def test_letterbox_pads_to_the_stride_and_keeps_the_aspect() -> None:
    x, scale, offset = letterbox(np.full((720, 1280, 3), 200, np.uint8), 640)
    assert x.shape == (1, 3, 384, 640)
    assert x.dtype == np.float32
    assert scale == 0.5
    assert offset == (0, 12)
    assert x[0, 0, 5, 100] == pytest.approx(114 / 255)
    assert x[0, 0, 200, 100] == pytest.approx(200 / 255)


def test_letterbox_swaps_to_rgb() -> None:
    x, _, _ = letterbox(np.full((64, 64, 3), (255, 0, 0), np.uint8), 64)
    assert x[0, :, 30, 30].tolist() == [0, 0, 1]


def test_decode_gives_corners_in_the_picture() -> None:
    output = np.zeros((7, 2), np.float32)
    output[:, 0] = (100, 60, 40, 20, 0.9, 0.1, np.pi / 2)
    output[:, 1] = (10, 10, 4, 4, 0.1, 0.2, 0)
    (box,) = decode(output, 0.5, (0, 10), 0.5)
    assert box.kind is BoxKind.CARD
    assert box.score == pytest.approx(0.9)
    assert np.allclose(sorted(box.quad.tolist()), sorted([[220, 60], [220, 140], [180, 140], [180, 60]]), atol=0.01)


def test_suppress_keeps_the_best_of_each_kind() -> None:
    best = Box(BoxKind.CARD, SQUARE, 0.9)
    twin = Box(BoxKind.CARD, SQUARE + 1, 0.8)
    other_kind = Box(BoxKind.INDEX, SQUARE, 0.5)
    apart = Box(BoxKind.CARD, SQUARE + 8, 0.4)
    assert suppress([twin, apart, other_kind, best], 0.5) == [best, other_kind, apart]


def test_boxes_of_a_turned_search_lie_where_those_of_an_upright_one_do() -> None:
    scene = SceneMaker(4, (800, 600), families=[StyleFamily.CLASSIC_OVAL], fonts=()).make(Layout.GRID)
    finder = BoxFinder(Network(model_folder() / "detector.onnx"))
    upright, turned = (finder.find(scene.image, (640,), rotated=t) for t in (False, True))
    sure = [box for box in upright if box.kind is BoxKind.CARD and box.score > 0.7]
    assert sure
    for box in sure:
        off = min(np.abs(other.quad.mean(0) - box.quad.mean(0)).max() for other in turned if other.kind is box.kind)
        assert off < 8


def test_outlines_of_any_print_need_their_own_network(tmp_path: Path) -> None:
    picture = np.full((480, 640, 3), 90, np.uint8)
    picture[100:340, 200:360] = np.random.default_rng(3).integers(60, 256, (6, 4, 3)).repeat(40, 0).repeat(40, 1)
    finder = BoxFinder(Network.shared(model_folder() / "detector.onnx"))
    assert finder.propose_outlines(picture, (480,)) == []
    card = np.array([[200, 100], [360, 100], [360, 340], [200, 340]], np.float32)
    found = finder.with_outlines().propose_outlines(picture, (480,))
    assert max(intersection_over_union(card, quad) for quad in found) > 0.8
    (tmp_path / "detector.onnx").write_bytes((model_folder() / "detector.onnx").read_bytes())
    (tmp_path / "outlines.onnx").write_bytes((model_folder() / "outlines.onnx").read_bytes()[:1000])
    with pytest.raises(ModelFileError, match="cannot be loaded"):
        BoxFinder(Network.shared(tmp_path / "detector.onnx")).with_outlines()
