"""Which names of a deck's pictures hold, by the design itself and by what people said of further pictures.

A name is the word of a witness who errs now and then, as each correction is (Dawid and Skene, 1979). What the others of
a face and of a colour look like says besides how a card must look, as surely as the deck's other names bear that out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from companion.cards import ALL_CARDS, Card
from companion.decks.labels.design import composed
from companion.decks.labels.hungarian import assign
from companion.decks.model.prototypes import NOTHING, UNNAMED
from companion.vision.core.labels import Floats, log_softmax

# How often a witness errs, and the nats by which one speaks for a card so, not for any other one.
_ERRS = 0.1
_WITNESS = float(np.log((1 - _ERRS) / (_ERRS / (NOTHING - 1))))
# What is tried for how much likeness to how a card must look counts, in nats, and the most that the design says against
# a card: more than one witness, so that it finds whom people named wrongly, and less than two.
_LOOKS, _MOST = (0.0, 1.0, 2.0, 4.0, 6.0, 9.0, 12.0), 1.5 * _WITNESS
# A name that nobody gave must be likelier than the next one by so many nats, and one that people gave not less likely
# than another one by as many, or the picture is left without any.
_CLEAR = 2.0
# How often names and looks are found in turn.
_ROUNDS = 8
# Nats that it costs to have more pictures of a card than the deck has cards of it; and what rules a name out.
_TOO_MANY, _NEVER = 5.0, -1e3
_WILD = np.array([card.color is None for card in ALL_CARDS])


def upheld(units: Floats, names: Sequence[int], held: Mapping[Card, int], votes: Floats | None = None) -> list[int]:
    """Return the names of N pictures, each as it was or, where more speaks for it, another one.

    units: (N, V, D) what each looks like, of length one. names: numbers of ALL_CARDS, or UNNAMED. held: how
    often the deck has each card. votes: (N, 56) how many people said that a picture shows a card, besides its name.

    A name changes where the design speaks against it, or more than one witness does: one correction against a name that
    the design bears out is as good as none. What has no like in other colours, as wilds, witnesses alone can name, and
    pictures without a name. What nothing speaks for is left without one.
    """
    given = np.asarray(names)
    said = np.zeros((len(given), NOTHING), np.float32) if votes is None else votes
    groups = _of_one_name(units, given)
    of = np.empty(len(given), np.intp)
    for g, members in enumerate(groups):
        of[members] = g
    means = np.stack([units[members].mean((0, 1)) for members in groups])
    standing = np.array([given[members[0]] for members in groups])
    witnesses = np.stack([said[members].sum(0) for members in groups])
    named = standing < NOTHING
    witnesses[named, standing[named]] += 1
    sizes = np.array([len(members) for members in groups])
    now = standing.copy()
    for _ in range(_ROUNDS):
        before = now
        told = np.asarray(_WITNESS * witnesses + _by_design(means, before, sizes, witnesses), np.float32)
        now = _assigned(told, witnesses, of, held)
        if (now == before).all():
            break
    return [int(name) for name in _clear(now, told, witnesses)[of]]


def _clear(names: NDArray[np.intp], told: Floats, witnesses: Floats) -> NDArray[np.intp]:
    """Return the names (G,), UNNAMED where it is not clear what nobody said, and clearly wrong what people did."""
    kept = names.copy()
    for group in np.flatnonzero(names < NOTHING):
        name, said = names[group], witnesses[group] > 0
        ahead = np.full(NOTHING, -_CLEAR) if said[name] else np.where(said, 0, _CLEAR)
        if told[group, name] < np.delete(told[group] + ahead, name).max():
            kept[group] = UNNAMED
    return kept


def _of_one_name(units: Floats, names: NDArray[np.intp]) -> list[NDArray[np.intp]]:
    """Return the pictures of each name, apart where pictures of other names are more like either than it the other."""
    alike = np.einsum("nvd,mwd->nmvw", units, units, optimize=True).max((2, 3))
    np.fill_diagonal(alike, -1.0)
    groups: list[NDArray[np.intp]] = []
    for name in dict.fromkeys(names.tolist()):
        left = np.flatnonzero(names == name).tolist()
        others = np.where(names == name, -1.0, alike).max(1)
        while left:
            group, reached = [], [left.pop(0)]
            while reached:
                i = reached.pop()
                group.append(i)
                near = [j for j in left if name != UNNAMED and alike[i, j] >= min(others[i], others[j])]
                reached += near
                left = [j for j in left if j not in near]
            groups.append(np.array(group))
    return groups


def _by_design(means: Floats, names: NDArray[np.intp], sizes: NDArray[np.intp], witnesses: Floats) -> Floats:
    """Return (G, 56) nats by which the design speaks for each card, at most 0.

    means: (G, D) features of groups. names: (G,) what they are taken for. sizes: (G,) pictures of each. witnesses: (G,
    56) how many say that a group is a card.
    """
    named = np.flatnonzero(names < NOTHING)
    # No design tells a wild, nor what was named one: there only people's word counts.
    told = np.where(witnesses > 0, 0, _NEVER).astype(np.float32)
    colored = named[~_WILD[names[named]]]
    if len(colored):
        alike = composed(means[named], names[named])[np.isin(named, colored)]

        def likely(nats: float) -> float:
            logs = log_softmax(nats * alike)[np.arange(len(colored)), names[colored]]
            return float((np.log((1 - _ERRS) * np.exp(logs) + _ERRS / NOTHING) * sizes[colored]).sum())

        says = max(_LOOKS, key=likely) * alike
        says = np.maximum(says - says.max(1, keepdims=True), -_MOST)
        told[colored] = np.where(_WILD[None] & (witnesses[colored] == 0), _NEVER, says)
    return told


def _assigned(told: Floats, witnesses: Floats, of: NDArray[np.intp], held: Mapping[Card, int]) -> NDArray[np.intp]:
    """Return (G,) the card of each group under which what is told (G, 56) is best, as often as the deck has each.

    of: (N,) the pictures' groups. What nobody has named stays so.
    """
    said = witnesses > 0
    there = np.flatnonzero(said.max(0))
    slots = np.array([i for i, card in enumerate(ALL_CARDS) for _ in range(held.get(card, int(i in there)))])
    names = np.full(len(told), UNNAMED)
    rows = np.flatnonzero(said.max(1)[of])
    costs = -told[of[rows]][:, slots].astype(np.float64)
    times = max(2, -(-len(rows) // len(slots)) + 1)
    # Some may be laid twice, and a name that people gave wrongly leaves another one's place.
    costs = np.concatenate([costs + _TOO_MANY * more for more in range(times)], axis=1)
    cards = np.tile(slots, times)[assign(costs)]
    for g in np.unique(of[rows]):
        own, counts = np.unique(cards[of[rows] == g], return_counts=True)
        names[g] = max(zip(counts, told[g, own], own, strict=True))[2]
    return names
