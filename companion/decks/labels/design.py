"""What a design tells of itself: one colour is one ground, one digit one shape; and what could as well be swapped."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from companion.cards import ALL_CARDS
from companion.vision.core.labels import COLORS, Floats, color_class, face_class

LOOKS = 12.0
"""What the looks count beside what the reader says: nats for a likeness of one."""
# What colours count beside the reader's features, which are of the shape before all. Without and with them groups of
# copies were pure to 0.82 and 0.91 on a design with letters for faces, to 0.90 and 1.00 on one of pictures, to 0.94 and
# 1.00 on one like parchment; on seven plainer designs to 1.00 either way.
_INKS = 0.8
# Where the reader prefers two faces (or colours) to their swap by less than so many nats a group, only people can tell:
# over seven designs, skips and reverses named for each other as a whole had 2.4, and two pairs that were right 0.4
# and 0.3.
_DOUBTFUL = 2.5
# Up to twice as much is looked at again when a name of theirs is known: an answer may refute the reader.
_REFUTED = 5.0
# Two faces are not swapped where one was laid so many more times: a deck has its zeros once, its wilds four times.
_UNEVEN = 2
_FACES = np.array([face_class(card.face) for card in ALL_CARDS])
_COLORS = np.array([color_class(card.color) for card in ALL_CARDS])
_NUMBERS = {(int(f), int(c)): i for i, (f, c) in enumerate(zip(_FACES, _COLORS, strict=True))}


@dataclass(frozen=True, eq=False)
class Swap:
    """Two faces, or two colours, that could as well be each other.

    groups: (K,) those named so. names: (K,) what they would be called instead. margin: by how many nats a group the
    reader prefers the names that they have.
    """

    groups: NDArray[np.intp]
    names: NDArray[np.intp]
    margin: float


def swaps(base: Floats, names: NDArray[np.intp], sizes: NDArray[np.intp]) -> Iterator[Swap]:
    """Yield what two faces, or two colours, would be if each were the other, where that can be by their copies.

    base: (G, 56) what the reader says of the groups. names: (G,) numbers of ALL_CARDS. sizes: (G,) pictures of each.
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
            first = kind[names[chosen]] == a
            if None in turned or abs(int(sizes[chosen][first].sum()) - int(sizes[chosen][~first].sum())) > _UNEVEN:
                continue
            instead = np.array(turned, np.intp)
            margin = float((base[chosen, names[chosen]] - base[chosen, instead]).mean())
            yield Swap(chosen, instead, margin)


def swapped(
    base: Floats, means: Floats, names: NDArray[np.intp], sizes: NDArray[np.intp], fixed: Collection[int]
) -> NDArray[np.intp]:
    """Return the names, swapped wholly where that agrees better with the reader, the design and the known groups."""
    names, worth = names.copy(), _worth(base, means, names)
    before = names.copy()
    for swap in swaps(base, before, sizes):
        if (names[swap.groups] != before[swap.groups]).any():
            continue  # part of it was swapped otherwise by now
        if swap.margin > (_DOUBTFUL if set(fixed).isdisjoint(swap.groups.tolist()) else _REFUTED):
            continue
        # Where one of two is known, assigning the cards has named the other already.
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


def doubtful(base: Floats, names: NDArray[np.intp], sizes: NDArray[np.intp], fixed: Collection[int]) -> list[Swap]:
    """Return the swaps that nothing speaks against clearly: no group of theirs is known. Least clear first."""
    found = [
        swap
        for swap in swaps(base, names, sizes)
        if swap.margin <= _DOUBTFUL and not set(swap.groups.tolist()) & set(fixed)
    ]
    return sorted(found, key=lambda swap: swap.margin)


def _worth(base: Floats, means: Floats, names: NDArray[np.intp]) -> float:
    rows = np.arange(len(names))
    return float((base[rows, names] + LOOKS * composed(means, names)[rows, names]).sum())


def shown(features: Floats, inks: Floats) -> Floats:
    """Return (N, V, D + E) what N pictures look like, of length one.

    features: (N, V, D) of the views of each as it is; inks: (N, E) what colours it is of.
    """
    faces, colors = unit(features - features.mean((0, 1))), unit(inks - inks.mean(0))
    both = np.repeat(_INKS * colors[:, None], faces.shape[1], axis=1)
    return unit(np.concatenate([faces, np.asarray(both, np.float32)], axis=2))


def unit(features: Floats) -> Floats:
    """Return features (..., D) of length one."""
    return np.asarray(features / np.maximum(np.linalg.norm(features, axis=-1, keepdims=True), 1e-6), np.float32)


def composed(means: Floats, names: NDArray[np.intp]) -> Floats:
    """Return (G, 56) how like each group is to how each card must look by the others of its face and of its colour.

    means: (G, D) features of the groups. names: (G,) numbers of ALL_CARDS.
    """
    all_faces, all_colors = _FACES[names], _COLORS[names]
    answer = np.zeros((len(means), len(ALL_CARDS)), np.float32)
    if len(means) < 2:
        return answer
    for g in range(len(means)):
        others = np.arange(len(means)) != g
        looks = {}
        center = means[others].mean(0)
        face_off = {f: means[others & (all_faces == f)].mean(0) - center for f in set(all_faces[others])}
        color_off = {c: means[others & (all_colors == c)].mean(0) - center for c in set(all_colors[others])}
        for i in range(len(ALL_CARDS)):
            face, color = face_off.get(_FACES[i]), color_off.get(_COLORS[i])
            if color is None or _COLORS[i] >= len(COLORS):
                continue
            looks[i] = center + color + (0 if face is None else face)
        if not looks:
            continue
        rows = unit(np.stack(list(looks.values())).astype(np.float32))
        alike = rows @ unit(means[g])
        answer[g, list(looks)] = alike
        wild = [i for i in range(len(ALL_CARDS)) if i not in looks]
        # What has no like in other colours is judged by the reader alone: as likely as the middling of the others.
        answer[g, wild] = float(np.median(alike))
    return answer
