"""Hard-negative mining: false positives of the detector become the readers' 'no card' crops.

See Shrivastava, Gupta and Girshick, Training Region-based Object Detectors with Online Hard Example Mining, 2016. It
runs once, after the detector is trained.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
from rich.progress import track

from companion.vision.core.geometry import Image, Quad, intersection_over_smaller
from companion.vision.core.runtime import Network
from companion.vision.detection.box_detector import Box, BoxFinder, BoxKind

_THRESHOLD = 0.08
_PER_SCENE = 6


def false_file(data: Path, split: str) -> Path:
    """Return the file that holds a split's false boxes: a JSON line per scene."""
    return data / f"{split}.false.jsonl"


def miner(detector: Path, threads: int = 0) -> BoxFinder:
    """Return a box finder with a threshold low enough for mining; `threads` as for `Network`."""
    return BoxFinder(Network(detector, threads), min_score=_THRESHOLD)


def false_boxes(finder: BoxFinder, image: Image, cards: Sequence[Quad]) -> list[Box]:
    """Return the highest-scoring false boxes in a (H, W, 3) BGR uint8 picture with these card outlines, six at most.

    A box is false if it overlaps every card by less than a tenth of the smaller area.
    """
    return [box for box in finder.find(image) if not _touches(box, cards)][:_PER_SCENE]


def mine(data: Path, split: str, detector: Path, limit: int = 4000) -> int:
    """Write the false boxes of the first `limit` scenes of a split and return their number, see `false_boxes`."""
    finder = miner(detector)
    rows = [json.loads(line) for line in (data / f"{split}.jsonl").read_text().splitlines()][:limit]
    count = 0
    lines = []
    for row in track(rows, f"false boxes ({split})"):
        image = cv2.imread(str(data / "images" / split / f"{row['image']}.jpg"), cv2.IMREAD_COLOR)
        assert image is not None, f"{row['image']} is missing from {data}"
        cards = [np.array(entry["quad"], np.float32) for entry in row["cards"]]
        boxes = false_boxes(finder, np.asarray(image, np.uint8), cards)
        count += len(boxes)
        if boxes:
            lines.append(json.dumps({"image": row["image"], "boxes": [*map(_row, boxes)]}))
    false_file(data, split).write_text("\n".join(lines) + "\n")
    return count


def _touches(box: Box, cards: Sequence[Quad]) -> bool:
    return any(intersection_over_smaller(box.quad, card) > 0.1 for card in cards)


def _row(box: Box) -> dict[str, object]:
    quad = [[round(float(x), 1), round(float(y), 1)] for x, y in box.quad]
    return {"kind": "card" if box.kind is BoxKind.CARD else "index", "quad": quad}
