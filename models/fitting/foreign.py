"""Fits the small network for other makers' cards on crops of drawn decks and of other things.

The card reader stays as it is. Every fourth lot, of other decks and other things, is for the check.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional

from companion.dataset.others.scenes import Kind, other_scenes
from companion.dataset.scenes.generate import Recipe, maker
from companion.models.fitting.no_card import FAMILIES
from companion.models.networks.export import write_manifest
from companion.models.networks.foreign import Foreign, add_to, feature_maps
from companion.models.networks.readers import Reader
from companion.models.training_data.crops import LAMP_SHARE, CardCrop, FalseBox, crop_batch, false_crops, under_lamp
from companion.models.training_data.ring_buffer import lit, moved
from companion.models.training_data.stream import crops_of, spoilt
from companion.vision.core.labels import FACE_COUNT, NO_CARD
from companion.vision.detection.box_detector import BoxFinder, BoxKind

SCENES, OTHERS = 100, 7
"""Scenes of drawn decks, and rounds of other things, per lot."""
KINDS = (*Kind, *(Kind.FRENCH,) * 3, Kind.NUMBERS, Kind.SCREENS, Kind.TRACKS)
"""Kinds of other things per round: the ones most often taken for cards several times."""
# Boxes per picture of other things; every third lot of decks is of the families that resemble other makers' cards.
_MOST_BOXES, _EVERY = 14, 3
# Steps, crops of decks and of other things per step, rate, weight decay, smoothing of the target, and range of odds.
_STEPS, _BATCH, _RATE, _DECAY, _SMOOTH, _ODDS = 400, (384, 128), 1e-3, 0.05, 0.02, 10.0
_CHUNK = 64
_FIELDS = ("maps", "odds", "none", "other")


@dataclass(frozen=True, eq=False)
class Lot:
    """Crops of one lot. maps: (N, D) float16 feature maps. odds: (N,) log-odds of "no card" by the reader alone. none:
    (N,) whether no card of the deck is there. other: (N,) whether it is a crop of another thing.
    """

    maps: torch.Tensor
    odds: torch.Tensor
    none: torch.Tensor
    other: torch.Tensor


@dataclass(frozen=True)
class Checked:
    """Shares of other things recognised where one in a hundred cards is lost: by the reader alone, and now."""

    cards: int
    others: int
    before: float
    after: float

    def __str__(self) -> str:
        return (
            f"{self.others} other things, of which {self.before:.3f} are recognised by the reader alone and "
            f"{self.after:.3f} now, where 0.01 of {self.cards} cards are lost"
        )


@dataclass(frozen=True, eq=False)
class Correction:
    """The small network as a model that is stored in the card reader's file."""

    network: Foreign

    def save(self, path: Path) -> None:
        """Add it to an exported card reader, and renew the manifest beside it."""
        add_to(path, self.network)
        write_manifest(path.parent)


def drawn(reader: Reader, finder: BoxFinder, numbers: Iterable[int], seed: int) -> Iterator[Lot]:
    """Yield the crops of lots, given by number. finder: finds the detector's false boxes."""
    for number in numbers:
        rng = np.random.default_rng((seed, number))
        torch.manual_seed(int(rng.integers(2**31)))
        decks, things = _of_decks(finder, number, seed, rng), _of_others(finder, number, seed, rng)
        batch = crop_batch([*decks, *things], [], partial(spoilt, rng=rng))
        maps, scores = _maps(reader, torch.from_numpy(batch.card_images))
        none = torch.from_numpy(batch.card_targets["face"]) == NO_CARD
        yield Lot(maps, _none_odds(scores), none, torch.arange(len(none)) >= len(decks))


def _of_decks(finder: BoxFinder, number: int, seed: int, rng: np.random.Generator) -> list[CardCrop]:
    families = tuple(FAMILIES) if number % _EVERY == 1 else None
    scenes = maker(Recipe("train", 0, seed, 640, families=families, hard=0.35), number)
    return [crop for _ in range(SCENES) for crop in crops_of(scenes.make(), finder, rng)[0]]


def _of_others(finder: BoxFinder, number: int, seed: int, rng: np.random.Generator) -> list[CardCrop]:
    found: list[CardCrop] = []
    for scene in other_scenes(range(number * OTHERS, (number + 1) * OTHERS), seed, KINDS):
        boxes = finder.find(scene.image)[:_MOST_BOXES]
        false = [FalseBox(True, box.quad) for box in boxes if box.kind is BoxKind.CARD]
        for _ in range(2):
            picture = under_lamp(scene.image, rng) if rng.random() < LAMP_SHARE else scene.image
            found += false_crops(picture, false, rng)[0]
    return found


@torch.no_grad()
def _maps(reader: Reader, images: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the feature maps and the scores of (N, 3, H, W) uint8 RGB crops, half of them upside down."""
    found = []
    for number, some in enumerate(images.split(_CHUNK)):
        crops = some.float().flip((2, 3)) if number % 2 else some.float()
        maps, scores = feature_maps(reader, lit(moved(crops).images))
        found.append((maps.half(), scores))
    return torch.cat([maps for maps, _ in found]), torch.cat([scores for _, scores in found])


def _none_odds(scores: torch.Tensor) -> torch.Tensor:
    faces = scores[:, :FACE_COUNT].clone()
    none = faces[:, NO_CARD].clone()
    faces[:, NO_CARD] = -torch.inf
    return (none - faces.logsumexp(1)).clamp(-_ODDS, _ODDS)


def fitted(lots: Sequence[Lot], seed: int) -> Correction:
    """Return the network fitted by AdamW."""
    torch.manual_seed(seed)
    maps, _, none, other = (torch.cat([getattr(lot, name) for lot in lots]) for name in _FIELDS)
    network = Foreign(maps.float().mean(0), maps.float().std(0) + 0.05).train()
    optimizer = torch.optim.AdamW(network.parameters(), lr=_RATE, weight_decay=_DECAY)
    falling = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, _STEPS)
    groups = [torch.nonzero(~other)[:, 0], torch.nonzero(other)[:, 0]]
    for _ in range(_STEPS):
        lot = torch.cat([group[torch.randint(len(group), (n,))] for group, n in zip(groups, _BATCH, strict=True)])
        target = none[lot].float() * (1 - _SMOOTH) + _SMOOTH / 2
        cost = functional.binary_cross_entropy_with_logits(network(maps[lot].float()), target)
        optimizer.zero_grad()
        cost.backward()
        optimizer.step()
        falling.step()
    return Correction(network.eval())


@torch.no_grad()
def checked(lots: Sequence[Lot], network: Foreign) -> Checked:
    """Return how well the network recognises other things in these lots."""
    maps, odds, none, other = (torch.cat([getattr(lot, name) for lot in lots]) for name in _FIELDS)
    shares = [
        float((one[other] > torch.quantile(one[~none], 0.99)).float().mean()) for one in (odds, network(maps.float()))
    ]
    return Checked(int((~none).sum()), int(other.sum()), *shares)
