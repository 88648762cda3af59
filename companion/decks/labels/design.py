"""Consistency of a design: cards of one colour share a ground, cards of one face a shape; and ambiguous swaps."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from companion.cards import ALL_CARDS
from companion.decks.model.decision import shipped_decisions, unit
from companion.vision.core.labels import COLORS, Floats, card_classes
from companion.vision.core.logit import log_odds, logistic
from companion.vision.core.sightings import NEARLY

ROUNDS = 8
"""Number of alternations between names and appearance, and of other iterations that settle as fast."""
ERROR_RATE = 0.1
STATEMENT_NATS = float(np.log(len(ALL_CARDS) - 1)) - log_odds(ERROR_RATE)
"""Error rate of a person or a reader who names a card, and the log-odds (nats) that follow from each statement."""
EXCLUDED = -1e3
"""Evidence (nats) that excludes a name."""
_FACES, _COLORS = card_classes()
_NUMBERS = {kinds: i for i, kinds in enumerate(zip(_FACES.tolist(), _COLORS.tolist(), strict=True))}


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
    for which, kind in enumerate((_FACES, _COLORS)):
        for pair in itertools.combinations(np.unique(kind[names]).tolist(), 2):
            chosen = np.flatnonzero(np.isin(kind[names], pair))
            kinds = np.stack([_FACES, _COLORS])[:, names[chosen]]
            kinds[which] = sum(pair) - kinds[which]
            turned = [_NUMBERS.get((face, color)) for face, color in kinds.T.tolist()]
            if None in turned:
                continue
            instead = np.array(turned, np.intp)
            if (held[names[chosen]] == held[instead]).all():
                margin = float((base[chosen, names[chosen]] - base[chosen, instead]).mean())
                yield Swap(chosen, instead, margin)


def swapped(
    base: Floats, means: Floats, names: NDArray[np.intp], held: NDArray[np.intp], fixed: Collection[int]
) -> NDArray[np.intp]:
    """Return the names, with swaps applied that improve the agreement with reader, design and known groups."""
    before, names = names, names.copy()
    # If one of two is known, the assignment has already named the other.
    known = before[list(fixed)]
    for swap in swaps(base, before, held):
        was_swapped = (names[swap.groups] != before[swap.groups]).any()
        if swap.is_clear or was_swapped:
            continue
        free = ~(np.isin(before[swap.groups], known) | np.isin(swap.names, known))
        other = names.copy()
        other[swap.groups[free]] = swap.names[free]
        if _worth(base, means, other) > _worth(base, means, names):
            names = other
    return names


def doubtful(base: Floats, names: NDArray[np.intp], held: NDArray[np.intp], fixed: Collection[int]) -> list[Swap]:
    """Return the swaps without clear evidence and without known groups, least clear first."""
    unclear = (swap for swap in swaps(base, names, held) if not swap.is_clear)
    return sorted(
        (swap for swap in unclear if set(fixed).isdisjoint(swap.groups.tolist())), key=lambda swap: swap.margin
    )


def _worth(base: Floats, means: Floats, names: NDArray[np.intp]) -> float:
    rows = np.arange(len(names))
    return float((base[rows, names] + consistency_nats() * expected_similarity(means, names)[rows, names]).sum())


def consistency_nats() -> float:
    """Return the weight of visual consistency relative to the reader: the nats per unit of similarity of one face."""
    return shipped_decisions().card.slope


def descriptors(features: Floats) -> Floats:
    """Return (N, V, D) descriptors of N pictures, of unit length, from features (N, V, D) of the plain views."""
    return shipped_decisions().card.centred(features, features.mean((0, 1)))


def similarities(units: Floats) -> Floats:
    """Return (N, N) the greatest similarity of any views of two pictures, from their descriptors (N, V, D)."""
    return np.asarray(np.einsum("nvd,mwd->nmvw", units, units, optimize=True).max((2, 3)), np.float32)


def group_means(rows: Floats, group_of: NDArray[np.intp]) -> Floats:
    """Return (G, ...) the means of the rows (N, ...) of each group. group_of: (N,) the group of each row."""
    return np.stack([rows[group_of == g].mean(0) for g in range(group_of.max() + 1)])


def expected_similarity(means: Floats, names: NDArray[np.intp]) -> Floats:
    """Return (G, 56) similarities of each group to the expected appearance of each card, from others of its face and
    colour.

    means: (G, D) features of the groups. names: (G,) numbers of ALL_CARDS.
    """
    result = np.zeros((len(means), len(ALL_CARDS)), np.float32)
    for g in range(len(means)):
        others = np.delete(means, g, axis=0)
        if not len(others):
            break
        center = others.mean(0)
        faces, colors = (_deviations(others - center, kind[np.delete(names, g)]) for kind in (_FACES, _COLORS))
        expected = {
            i: center + colors[color] + faces.get(face, 0)
            for i, (face, color) in enumerate(zip(_FACES.tolist(), _COLORS.tolist(), strict=True))
            if color in colors and color < len(COLORS)
        }
        if expected:
            similarity = unit(np.stack(list(expected.values()))) @ unit(means[g])
            # A card without counterparts in other colours gets the median, so that only the reader decides.
            result[g] = np.median(similarity)
            result[g, list(expected)] = similarity
    return result


def _deviations(means: Floats, kinds: NDArray[np.intp]) -> dict[int, Floats]:
    """Return the mean (D,) of the rows (N, D) of each face or colour (N,)."""
    return {kind: means[kinds == kind].mean(0) for kind in set(kinds.tolist())}
