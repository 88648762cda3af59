"""Corrects the names of a deck's pictures by the design's consistency and by people's corrections.

A name is the statement of a witness with an error rate, as is each correction (Dawid and Skene, 1979). The appearance
of other cards of a face and a colour is further evidence, weighted by how well it fits the deck's other names.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from companion.cards import ALL_CARDS, Card
from companion.decks.labels.design import ROUNDS, consistency_nats, expected_similarity
from companion.decks.labels.hungarian import assign
from companion.decks.model.prototypes import NOTHING, UNNAMED
from companion.vision.core.labels import Floats, log_softmax
from companion.vision.core.logit import log_odds

# Error rate of a witness, and the resulting log-odds (nats) per statement.
_ERROR_RATE = 0.1
_STATEMENT_NATS = float(np.log(NOTHING - 1)) - log_odds(_ERROR_RATE)
# Bound on the design's evidence against a card: more than one witness, so that wrong names are found, less than two.
_MAX_DESIGN_NATS = 1.5 * _STATEMENT_NATS
# Evidence that excludes a name.
_EXCLUDED = -1e3
_IS_WILD = np.array([card.color is None for card in ALL_CARDS])


def corrected_names(
    units: Floats, names: Sequence[int], held: Mapping[Card, int], votes: Floats | None = None
) -> list[int]:
    """Return the names of N pictures, changed where the evidence favours another one.

    units: (N, V, D) descriptors of unit length. names: numbers of ALL_CARDS, or UNNAMED. held: copies of each card in
    the deck. votes: (N, 56) number of statements that a picture shows a card, besides its name.

    A name changes if the design or more than one witness contradicts it; a single correction against a name the design
    supports has no effect. Cards without counterparts in other colours, such as wilds, and pictures without a name are
    named only by witnesses. A picture without evidence gets no name.
    """
    given = np.asarray(names)
    votes_cast = np.zeros((len(given), NOTHING), np.float32) if votes is None else votes
    groups = _groups_by_name(units, given)
    of = np.empty(len(given), np.intp)
    for g, members in enumerate(groups):
        of[members] = g
    means = np.stack([units[members].mean((0, 1)) for members in groups])
    current = np.array([given[members[0]] for members in groups])
    statements = np.stack([votes_cast[members].sum(0) for members in groups])
    named = current < NOTHING
    statements[named, current[named]] += 1
    sizes = np.array([len(members) for members in groups])
    now = current.copy()
    for _ in range(ROUNDS):
        before = now
        evidence = np.asarray(
            _STATEMENT_NATS * statements + _design_evidence(means, before, sizes, statements), np.float32
        )
        now = _assigned_names(evidence, statements, of, held)
        if (now == before).all():
            break
    return [int(name) for name in _clear_names(now, evidence)[of]]


def _clear_names(names: NDArray[np.intp], evidence: Floats) -> NDArray[np.intp]:
    """Return the names (G,), UNNAMED where the evidence (G, 56) favours a card that other pictures show."""
    own = evidence[np.arange(len(names)), np.minimum(names, NOTHING - 1)]
    return np.where(own < evidence.max(1), UNNAMED, names)


def _groups_by_name(units: Floats, names: NDArray[np.intp]) -> list[NDArray[np.intp]]:
    """Return the pictures of each name, split where pictures of other names are more similar to each than they are to
    each other.
    """
    similarity = np.einsum("nvd,mwd->nmvw", units, units, optimize=True).max((2, 3))
    np.fill_diagonal(similarity, -1.0)
    groups: list[NDArray[np.intp]] = []
    for name in dict.fromkeys(names.tolist()):
        left = np.flatnonzero(names == name).tolist()
        others = np.where(names == name, -1.0, similarity).max(1)
        while left:
            group, reached = [], [left.pop(0)]
            while reached:
                i = reached.pop()
                group.append(i)
                near = [j for j in left if name != UNNAMED and similarity[i, j] >= min(others[i], others[j])]
                reached += near
                left = [j for j in left if j not in near]
            groups.append(np.array(group))
    return groups


def _design_evidence(means: Floats, names: NDArray[np.intp], sizes: NDArray[np.intp], statements: Floats) -> Floats:
    """Return (G, 56) the design's evidence per card in nats, at most 0.

    means: (G, D) features of groups. names: (G,) current names. sizes: (G,) pictures per group. statements: (G, 56)
    statements per group and card.
    """
    named = np.flatnonzero(names < NOTHING)
    # The design cannot identify a wild or a picture named as one; only statements count there.
    evidence = np.where(statements > 0, 0, _EXCLUDED).astype(np.float32)
    colored = named[~_IS_WILD[names[named]]]
    if len(colored):
        similarity = expected_similarity(means[named], names[named])[np.isin(named, colored)]

        def likely(nats: float) -> float:
            logs = log_softmax(nats * similarity)[np.arange(len(colored)), names[colored]]
            return float((np.log((1 - _ERROR_RATE) * np.exp(logs) + _ERROR_RATE / NOTHING) * sizes[colored]).sum())

        # Art without grounds or shapes in common says nothing about names.
        nats_by_card = max((0.0, consistency_nats()), key=likely) * similarity
        nats_by_card = np.maximum(nats_by_card - nats_by_card.max(1, keepdims=True), -_MAX_DESIGN_NATS)
        evidence[colored] = np.where(_IS_WILD[None] & (statements[colored] == 0), _EXCLUDED, nats_by_card)
    return evidence


def _assigned_names(
    evidence: Floats, statements: Floats, of: NDArray[np.intp], held: Mapping[Card, int]
) -> NDArray[np.intp]:
    """Return (G,) the card of each group with the best total evidence (G, 56), within the deck's numbers of copies.

    of: (N,) the pictures' groups. Groups nobody named stay without a name.
    """
    stated = statements > 0
    stated_cards = np.flatnonzero(stated.max(0))
    slots = np.array([i for i, card in enumerate(ALL_CARDS) for _ in range(held.get(card, int(i in stated_cards)))])
    names = np.full(len(evidence), UNNAMED)
    rows = np.flatnonzero(stated.max(1)[of])
    costs = -evidence[of[rows]][:, slots].astype(np.float64)
    times = max(2, -(-len(rows) // len(slots)) + 1)
    # Some cards may be laid twice, and a wrong name leaves another card's place free: a copy more than the deck has
    # costs as much as one statement.
    costs = np.concatenate([costs + _STATEMENT_NATS * more for more in range(times)], axis=1)
    cards = np.tile(slots, times)[assign(costs)]
    for g in np.unique(of[rows]):
        own, counts = np.unique(cards[of[rows] == g], return_counts=True)
        names[g] = max(zip(counts, evidence[g, own], own, strict=True))[2]
    return names
