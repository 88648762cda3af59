"""Verification of a card in an outline: its evidence, and the number of comparisons."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
import pytest

from companion.decks.matching.cell_matching import CellMatcher, Comparison
from companion.decks.matching.verification import verify, verify_aligned
from companion.vision.core.geometry import Image, Quad, homography, intersection_over_union, unit_square

pytestmark = pytest.mark.slow

CARD = 7


def _face(seed: int) -> Image:
    """Return a card of (144, 96) px with print everywhere."""
    noise = np.random.default_rng(seed).integers(0, 255, (18, 12, 3)).astype(np.uint8)
    return np.asarray(cv2.resize(noise, (96, 144), interpolation=cv2.INTER_CUBIC), np.uint8)


def _lying(face: Image, quad: Quad) -> Image:
    """Return a picture of a table with a card."""
    table = np.full((360, 480, 3), (60, 90, 120), np.uint8)
    matrix = homography(unit_square() * np.array([96, 144], np.float32), quad)
    return np.asarray(
        cv2.warpPerspective(face, matrix, (480, 360), dst=table, borderMode=cv2.BORDER_TRANSPARENT), np.uint8
    )


def test_low_explained_variance_is_no_evidence() -> None:
    noise = np.random.default_rng(4)
    # A sign in two cells of a plain card, with noise that makes up most of the variance.
    plain = np.full((144, 96, 3), 128.0, np.float32)
    plain[24:36, 24:48] += 22 * np.kron(np.indices((3, 6)).sum(0) % 2 - 0.5, np.ones((4, 4)))[..., None]
    prints = CellMatcher(plain[None], np.array([CARD]), np.zeros(96, np.float32))
    quad, free = unit_square() * np.array([96, 144], np.float32), np.ones((12, 8), bool)
    result = {}
    for level in (0.5, 9.0):
        seen = np.clip(plain + noise.normal(0, level, plain.shape), 0, 255).astype(np.uint8)
        one = verify(prints, quad, prints.coarse_statistics(seen, quad), free)
        assert one.shown.all()
        result[level] = int(one.informative.sum())
    assert result[0.5] == 2
    assert result[9.0] == 0


@pytest.mark.parametrize("off", [0.0, 4.0])
def test_outline_is_compared_once_if_the_best_picture_fits(monkeypatch: pytest.MonkeyPatch, off: float) -> None:
    faces = [_face(seed) for seed in range(4)]
    prints = CellMatcher(np.stack(faces).astype(np.float32), np.arange(4), np.zeros(96, np.float32))
    quad, free = unit_square() * np.array([150, 225], np.float32) + 80, np.ones((12, 8), bool)
    picture = _lying(faces[2], quad)
    rough = np.asarray(quad + np.array([off, -off / 2], np.float32), np.float32)
    one = verify(prints, rough, prints.coarse_statistics(picture, rough), free)
    compare, times = CellMatcher.compare_closely, []

    def counted(self: CellMatcher, *args: Any) -> Comparison:
        times.append(args)
        return compare(self, *args)

    monkeypatch.setattr(CellMatcher, "compare_closely", counted)
    result = verify_aligned(prints, picture, one, free)
    assert len(times) == 1
    assert result.picture == 2
    assert result.shown.mean() > 0.9
    assert intersection_over_union(result.quad, quad) > 0.97


def test_outline_is_realigned_after_a_wrong_first_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    """If faces differ only by a sign, the best face at half size may be the wrong one."""
    plain = _face(1)
    signed = plain.copy()
    signed[40:100, 30:66] = _face(2)[40:100, 30:66]
    prints = CellMatcher(np.stack([plain, signed]).astype(np.float32), np.arange(2), np.zeros(96, np.float32))
    quad, free = unit_square() * np.array([150, 225], np.float32) + 80, np.ones((12, 8), bool)
    picture = _lying(signed, quad)
    rough = np.asarray(quad + 3, np.float32)
    one = verify(prints, rough, prints.coarse_statistics(picture, rough), free)
    mistaken = type(one)(one.quad, 0, one.scores, one.shown, one.informative)
    result = verify_aligned(prints, picture, mistaken, free)
    assert result.picture == 1
    assert intersection_over_union(result.quad, quad) > 0.97
