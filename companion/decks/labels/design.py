"""Consistency of a design: cards of one colour share a ground, cards of one face a shape; and ambiguous swaps."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from companion.cards import ALL_CARDS
from companion.decks.model.decision import shipped_decisions, unit
from companion.vision.core.labels import COLORS, Floats, color_class, face_class
from companion.vision.core.logit import logistic
from companion.vision.core.sightings import NEARLY

ROUNDS = 8
"""Number of alternations between names and appearance, and of other iterations that settle as fast."""
_FACES = np.array([face_class(card.face) for card in ALL_CARDS])
_COLORS = np.array([color_class(card.color) for card in ALL_CARDS])
_NUMBERS = {(int(f), int(c)): i for i, (f, c) in enumerate(zip(_FACES, _COLORS, strict=True))}


@dataclass(frozen=True, eq=False)
class Swap:
    """Two faces, or two colours, that may be exchanged.

    groups: (K,) the groups with those names. names: (K,) their names after a swap. margin: the reader's preference for
    the current names in nats per group.
    """

    groups: NDArray[np.intp]
    names: NDArray[np.intp]
    margin: float

    @property
    def is_clear(self) -> bool:
        """Whether the reader nearly certainly prefers the current names."""
        return bool(logistic(np.array(self.margin)) > NEARLY)


def swaps(base: Floats, names: NDArray[np.intp], held: NDArray[np.intp]) -> Iterator[Swap]:
    """Yield the possible swaps of two faces or two colours of which the deck has equally many cards.

    base: (G, 56) the reader's scores of the groups. names: (G,) numbers of ALL_CARDS. held: (56,) the deck's copies.
    """
    for kind, other in ((_FACES, 0), (_COLORS, 1)):
        for a, b in itertools.combinations(sorted(set(kind[names].tolist())), 2):
            chosen = np.flatnonzero((kind[names] == a) | (kind[names] == b))
            turned = [
                _NUMBERS.get(
                    (b if f == a else a, c) if other == 0 else (f, b if c == a else a),
                )
                for f, c in zip(_FACES[names[chosen]].tolist(), _COLORS[names[chosen]].tolist(), strict=True)
            ]
            if None in turned:
                continue
            instead = np.array(turned, np.intp)
            if (held[names[chosen]] != held[instead]).any():
                continue
            margin = float((base[chosen, names[chosen]] - base[chosen, instead]).mean())
            yield Swap(chosen, instead, margin)


def swapped(
    base: Floats, means: Floats, names: NDArray[np.intp], held: NDArray[np.intp], fixed: Collection[int]
) -> NDArray[np.intp]:
    """Return the names, with swaps applied that improve the agreement with reader, design and known groups."""
    names, worth = names.copy(), _worth(base, means, names)
    before = names.copy()
    for swap in swaps(base, before, held):
        if (names[swap.groups] != before[swap.groups]).any():
            continue  # A part of it was swapped already.
        if swap.is_clear:
            continue
        # If one of two is known, the assignment has already named the other.
        known = {int(names[g]) for g in fixed}
        free = np.array([not known & {int(names[g]), name} for g, name in zip(swap.groups, swap.names, strict=True)])
        if not free.any():
            continue
        other = names.copy()
        other[swap.groups[free]] = swap.names[free]
        better = _worth(base, means, other)
        if better > worth:
            names, worth = other, better
    return names


def doubtful(base: Floats, names: NDArray[np.intp], held: NDArray[np.intp], fixed: Collection[int]) -> list[Swap]:
    """Return the swaps without clear evidence and without known groups, least clear first."""
    found = [
        swap for swap in swaps(base, names, held) if not swap.is_clear and not set(swap.groups.tolist()) & set(fixed)
    ]
    return sorted(found, key=lambda swap: swap.margin)


def _worth(base: Floats, means: Floats, names: NDArray[np.intp]) -> float:
    rows = np.arange(len(names))
    return float((base[rows, names] + consistency_nats() * expected_similarity(means, names)[rows, names]).sum())


def consistency_nats() -> float:
    """Return the weight of visual consistency relative to the reader: the nats per unit of similarity of one face."""
    return shipped_decisions().card.slope


def descriptors(features: Floats) -> Floats:
    """Return (N, V, D) descriptors of N pictures, of unit length, from features (N, V, D) of the plain views."""
    return shipped_decisions().card.centred(features, features.mean((0, 1)))


def expected_similarity(means: Floats, names: NDArray[np.intp]) -> Floats:
    """Return (G, 56) similarities of each group to the expected appearance of each card, from others of its face and
    colour.

    means: (G, D) features of the groups. names: (G,) numbers of ALL_CARDS.
    """
    all_faces, all_colors = _FACES[names], _COLORS[names]
    result = np.zeros((len(means), len(ALL_CARDS)), np.float32)
    if len(means) < 2:
        return result
    for g in range(len(means)):
        others = np.arange(len(means)) != g
        looks = {}
        center = means[others].mean(0)
        face_deviation = {f: means[others & (all_faces == f)].mean(0) - center for f in set(all_faces[others])}
        color_deviation = {c: means[others & (all_colors == c)].mean(0) - center for c in set(all_colors[others])}
        for i in range(len(ALL_CARDS)):
            face, color = face_deviation.get(_FACES[i]), color_deviation.get(_COLORS[i])
            if color is None or _COLORS[i] >= len(COLORS):
                continue
            looks[i] = center + color + (0 if face is None else face)
        if not looks:
            continue
        rows = unit(np.stack(list(looks.values())).astype(np.float32))
        similarity = rows @ unit(means[g])
        result[g, list(looks)] = similarity
        wild = [i for i in range(len(ALL_CARDS)) if i not in looks]
        # A card without counterparts in other colours gets the median, so that only the reader decides.
        result[g, wild] = float(np.median(similarity))
    return result
