"""Trains a second neck and head of the detector, which boxes every card of any print by its whole outline.

The first layers stay as they are and are shared; what they yield is computed without gradients. Pictures come from
files of drawn scenes, which are read again while more are drawn.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import Progress
from torch import nn

from companion.models.networks.onnx_import import measure_norms
from companion.models.networks.outlines import Branch, load_detector, restore, shared_features
from companion.models.training.detector_tuning import DECAY, GREY, MAX_NORM, RATE, exact, lit
from companion.models.training.learner import Learner
from companion.models.training.readers import half, share_of_rate
from companion.models.training_data.print_scenes import PrintScene, Scenes
from companion.models.training_data.views import turned_box
from companion.vision.core.geometry import Image, sides

VISIBLE = 1 / 8
"""Visible share from which on a card is boxed."""
_MIN_SIDE = 8.0
# Range of the picture's size over the view's, and standard deviation (radians) of the turn beyond quarters.
_SCALES, _TURN = (0.6, 1.6), 0.2
# Share of the learning rate, and number of views for the statistics, when an exported head is continued.
_CONTINUED_RATE, _STATISTICS = 0.5, 48
_REPORT_SECONDS, _SAVE_SECONDS = 20.0, 300.0


def view(scene: PrintScene, size: int, rng: np.random.Generator) -> tuple[Image, NDArray[np.float32]]:
    """Return a random BGR view of `size` px and its boxes (M, 5): x, y, sides as shares of the view, and angle."""
    picture = scene.picture()
    side = picture.shape[0]
    scale = float(np.exp(rng.uniform(*np.log(_SCALES)))) * size / side
    turn = rng.integers(4) * np.pi / 2 + rng.normal(0, _TURN)
    cos, sin = np.cos(turn) * scale, np.sin(turn) * scale
    matrix = np.array([[cos, -sin, 0], [sin, cos, 0]])
    room = abs(side * scale - size) / 2 + 0.05 * size
    matrix[:, 2] = size / 2 + rng.uniform(-room, room, 2) - matrix[:, :2] @ (side / 2, side / 2)
    if scale < 0.75:
        picture = np.asarray(cv2.GaussianBlur(picture, (0, 0), 0.35 / scale), np.uint8)
    shown = cv2.warpAffine(picture, matrix, (size, size), flags=cv2.INTER_LINEAR, borderValue=(GREY,) * 3)
    frame = np.array([[0, 0], [size, 0], [size, size], [0, size]], np.float32)
    ends = np.array([[0, 0], [side, 0], [side, side], [0, side]], np.float32) @ matrix[:, :2].T + matrix[:, 2]
    area, seen = cv2.intersectConvexConvex(frame, np.asarray(ends, np.float32))
    boxes = []
    for quad, visible in zip(scene.quads, scene.visible, strict=True):
        moved = np.asarray(quad @ matrix[:, :2].T + matrix[:, 2], np.float32)
        if visible < VISIBLE or min(sides(moved)) < _MIN_SIDE or seen is None or area < 1:
            continue
        # The visible share is of the whole outline; what the picture showed of it may be cut by the view.
        whole = cv2.intersectConvexConvex(np.asarray(quad, np.float32), frame / size * side)[0] * scale**2
        left = cv2.intersectConvexConvex(moved, np.asarray(seen, np.float32).reshape(-1, 2))[0]
        if whole > 0 and visible * min(1.0, left / whole) >= VISIBLE:
            x, y, long, short, angle = turned_box(moved)
            boxes.append((x / size, y / size, long / size, short / size, angle))
    return np.asarray(shown, np.uint8), np.array(boxes, np.float32).reshape(-1, 5)


def batch(
    scenes: Sequence[PrintScene], count: int, size: int, rng: np.random.Generator, device: str
) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
    """Return `count` views (N, 3, size, size) in 0..1 and ultralytics' targets."""
    views, numbers, boxes = [], [], []
    for n in range(count):
        shown, outlines = view(_any(scenes, rng), size, rng)
        views.append(shown[..., ::-1].transpose(2, 0, 1))
        numbers += [n] * len(outlines)
        boxes.append(outlines)
    x = lit(torch.from_numpy(np.stack(views)).to(device).float() / 255)
    found = torch.from_numpy(np.concatenate(boxes)).to(device)
    of = torch.tensor(numbers, dtype=torch.float32, device=device)
    return x, {"batch_idx": of, "cls": torch.zeros_like(of), "bboxes": found}


def _any(scenes: Sequence[PrintScene], rng: np.random.Generator) -> PrintScene:
    return scenes[int(rng.integers(len(scenes)))]


class _Whole(nn.Module):
    """The shared layers with a branch."""

    def __init__(self, detector: Any, branch: Branch) -> None:
        super().__init__()
        self._detector, self._branch = detector, branch

    def forward(self, x: torch.Tensor) -> Any:
        return self._branch(shared_features(self._detector.model, x))


@dataclass(frozen=True)
class PrintHeadRun:
    """How to train: for `minutes`, in batches of views of `size` px. scenes: folder, which may be filled meanwhile.

    detector: the checkpoint whose first layers are used, and to start from unless `exported`, a file of
    `export_outlines`, is given. output: the file for the weights.
    """

    detector: Path
    scenes: Path
    output: Path
    minutes: float = 50.0
    seed: int = 1
    device: str = "cpu"
    exported: Path | None = None
    size: int = 416
    batch: int = 16


def train(run: PrintHeadRun, console: Console | None = None) -> None:
    """Train at a rate that follows the clock (see `share_of_rate`).

    Writes the averaged weights every few minutes and at the end.
    """
    from ultralytics.utils.loss import v8OBBLoss

    torch.manual_seed(run.seed)
    rng = np.random.default_rng(run.seed)
    detector = load_detector(run.detector)
    branch = Branch(detector)
    detector.fuse(verbose=False)
    if run.exported:
        restore(branch, run.exported)
    for model in (detector, branch):
        model.to(run.device, memory_format=torch.channels_last)
    scenes = Scenes(run.scenes)
    if run.exported:
        views = [view(_any(scenes.every, rng), run.size, rng)[0] for _ in range(_STATISTICS)]
        crops = torch.from_numpy(np.stack(views)[..., ::-1].transpose(0, 3, 1, 2).copy()).to(run.device)
        measure_norms(_Whole(detector, branch), crops)
    branch.train()
    criterion = v8OBBLoss(branch)
    learner = Learner(branch, RATE * (_CONTINUED_RATE if run.exported else 1), DECAY, MAX_NORM)
    begun = reported = saved = time.monotonic()
    steps = 0
    with Progress(console=console) as progress:
        bar = progress.add_task("training", total=run.minutes * 60)
        while (elapsed := time.monotonic() - begun) < run.minutes * 60:
            x, targets = batch(scenes.every, run.batch, run.size, rng, run.device)
            with half(run.device):
                with torch.no_grad():
                    features = shared_features(detector.model, x)
                answers = branch(features)
            costs, _ = criterion(exact(answers), targets)
            learner.learn(costs.sum() / run.batch, share_of_rate(round(elapsed), round(run.minutes * 60)))
            steps += 1
            now = time.monotonic()
            if now - reported > _REPORT_SECONDS:
                reported = now
                scenes.refresh()
                cost = float(costs.detach().sum()) / run.batch
                text = f"{steps} steps, {len(scenes.every)} scenes, cost {cost:.2f}"
                progress.update(bar, completed=now - begun, description=text)
            if now - saved > _SAVE_SECONDS:
                saved = now
                _save(learner, run.output)
    _save(learner, run.output)


def _save(learner: Learner, output: Path) -> None:
    output.parent.mkdir(parents=True, exist_ok=True)
    torch.save(learner.mean.state_dict(), output.with_suffix(".part"))
    output.with_suffix(".part").replace(output)
