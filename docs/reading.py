"""Draws the picture of `docs/pages/reading.md`: how one drawn table is read, step by step.

`python docs/reading.py` writes `docs/pages/pictures/reading.webp`.
"""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np

from companion.cards import ALL_CARDS
from companion.dataset.artist.families import StyleFamily
from companion.dataset.scenes.compose import SceneMaker
from companion.dataset.scenes.layouts import Layout
from companion.vision.core.geometry import Image, Quad, corner_frames
from companion.vision.core.labels import log_softmax
from companion.vision.core.runtime import Network, model_folder
from companion.vision.core.sightings import Sighting
from companion.vision.detection.box_detector import BoxFinder, BoxKind
from companion.vision.recognition.card_detector import CardDetector
from companion.vision.recognition.fusion import Evidence

SIZE = (800, 520)
SEED = 11
OUT = Path(__file__).parent / "pages" / "pictures" / "reading.webp"
BLUE, ORANGE, GREEN, DARK, LIGHT = (200, 110, 30), (20, 120, 240), (70, 150, 40), (40, 40, 40), (245, 245, 245)


def outline(image: Image, quad: Quad, color: tuple[int, int, int], text: str = "") -> None:
    """Draw an outline (4, 2) and a label at its top on a (H, W, 3) BGR picture."""
    cv2.polylines(image, [np.round(quad).astype(np.int32)], True, color, 2, cv2.LINE_AA)
    if text:
        x, y = np.round(quad[quad[:, 1].argmin()]).astype(int)
        label(image, text, (max(2, int(x) - 20), max(16, int(y) - 6)), color)


def label(image: Image, text: str, at: tuple[int, int], color: tuple[int, int, int]) -> None:
    """Write white text on a coloured ground."""
    (width, height), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, 0.48, 1)
    x = min(at[0], image.shape[1] - width - 6)
    cv2.rectangle(image, (x - 3, at[1] - height - 4), (x + width + 3, at[1] + 4), color, -1)
    cv2.putText(image, text, (x, at[1]), cv2.FONT_HERSHEY_SIMPLEX, 0.48, (255, 255, 255), 1, cv2.LINE_AA)


def boxes_panel(image: Image) -> Image:
    """Return the picture with the detector's boxes."""
    shown = image.copy()
    for box in BoxFinder(Network.shared(model_folder() / "detector.onnx")).find(image):
        color = BLUE if box.kind is BoxKind.CARD else ORANGE
        outline(shown, box.quad, color, f"{box.score:.2f}" if box.kind is BoxKind.CARD else "")
    return shown


def candidates_panel(image: Image, candidates: list[Evidence]) -> Image:
    """Return the picture with the refined outlines and the corners of the candidates."""
    shown = image.copy()
    for number, one in enumerate(candidates):
        outline(shown, one.quad, GREEN, str(number + 1))
        for frame, boxed in zip(corner_frames(one.quad), one.boxed, strict=True):
            outline(shown, frame, ORANGE if boxed else DARK)
    return shown


def posterior_panel(candidate: Evidence, fused: Sighting) -> Image:
    """Return the probabilities by each view of a candidate, and those of the fusion, as bars."""
    shown = np.full((SIZE[1], SIZE[0], 3), LIGHT, np.uint8)
    views = [np.exp(log_softmax(row[None].astype(np.float32))[0]) for row in (candidate.middle, *candidate.corners)]
    rows = [("middle", views[0]), ("top-left corner", views[1]), ("bottom-right corner", views[2])]
    shares = [[(ALL_CARDS[int(i)].name, float(row[i])) for i in np.argsort(-row[:-1])[:3]] for _, row in rows]
    shares.append([(card.name, chance) for card, chance in zip(fused.cards[:3], fused.probabilities, strict=False)])
    for place, (name, best) in enumerate(zip([*(name for name, _ in rows), "together"], shares, strict=True)):
        top = 52 + place * 120
        cv2.putText(shown, name, (20, top), cv2.FONT_HERSHEY_SIMPLEX, 0.6, DARK, 1, cv2.LINE_AA)
        for line, (card, chance) in enumerate(best):
            y = top + 14 + line * 27
            cv2.rectangle(shown, (220, y), (220 + int(470 * chance) + 1, y + 20), GREEN if place == 3 else BLUE, -1)
            cv2.putText(shown, card, (40, y + 16), cv2.FONT_HERSHEY_SIMPLEX, 0.5, DARK, 1, cv2.LINE_AA)
            text = f"{chance:.3f}"
            cv2.putText(shown, text, (int(470 * chance) + 230, y + 16), cv2.FONT_HERSHEY_SIMPLEX, 0.5, DARK, 1)
    return shown


def selection_panel(image: Image, found: list[Sighting]) -> Image:
    """Return the picture with the cards that were read."""
    shown = image.copy()
    for one in found:
        outline(shown, one.quad, GREEN if one.whole else ORANGE, f"{one.card.name} {one.confidence:.2f}")
    return shown


def main() -> None:
    """Draw the four panels side by side, two by two."""
    scene = SceneMaker(SEED, SIZE, families=[StyleFamily.CLASSIC_OVAL], fonts=()).make(Layout.HEAP)
    detector = CardDetector.shipped()
    (candidates, _), found = detector.evidence(scene.image, on_pile=False), detector.detect(scene.image)
    shown = max(candidates, key=lambda one: float(np.ptp(one.corners.max(1))))
    (fused,) = detector.fused([shown])
    panels = [
        ("1  boxes: cards (blue) and indices (orange)", boxes_panel(scene.image)),
        ("2  candidates: exact outlines, corners", candidates_panel(scene.image, candidates)),
        ("3  posterior of one candidate from its views", posterior_panel(shown, fused)),
        ("4  selection: the cards that explain the picture", selection_panel(scene.image, found)),
    ]
    for text, panel in panels:
        label(panel, text, (8, 20), DARK)
    rows = [np.hstack([panel for _, panel in panels[i : i + 2]]) for i in (0, 2)]
    cv2.imwrite(str(OUT), np.vstack(rows), [cv2.IMWRITE_WEBP_QUALITY, 65])


if __name__ == "__main__":
    main()
