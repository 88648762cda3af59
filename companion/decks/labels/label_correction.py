"""Corrects the names of a deck's pictures by the design's consistency and by people's corrections.

A name is the statement of a witness with an error rate, as is each correction (Dawid and Skene, 1979). The appearance
of other cards of a face and a colour is further evidence, weighted by how well it fits the deck's other names.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from companion.cards import ALL_CARDS, Card
from companion.decks.labels.design import (
    ERROR_RATE,
    EXCLUDED,
    ROUNDS,
    STATEMENT_NATS,
    consistency_nats,
    expected_similarity,
    group_means,
    similarities,
)
from companion.decks.labels.hungarian import group_names
from companion.decks.model.prototypes import NOTHING, UNNAMED
from companion.vision.core.labels import Floats, log_softmax

# Bound on the design's evidence against a card: more than one witness, so that wrong names are found, less than two.
_MAX_DESIGN_NATS = 1.5 * STATEMENT_NATS
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
    group_of = _groups_by_name(units, given)
    means, sizes = group_means(units.mean(1), group_of), np.bincount(group_of)
    statements = np.zeros((len(sizes), UNNAMED + 1), np.float32)
    if votes is not None:
        np.add.at(statements[:, :NOTHING], group_of, votes)
    now = np.zeros(len(sizes), np.intp)
    now[group_of] = given
    # The pictures of a group have one name, which is one statement.
    statements[np.arange(len(now)), now] += 1
    statements = statements[:, :NOTHING]
    copies = np.maximum([held.get(card, 0) for card in ALL_CARDS], statements.max(0) > 0)
    stated = np.flatnonzero(statements.max(1)[group_of])
    for _ in range(ROUNDS):
        before = now
        evidence = STATEMENT_NATS * statements + _design_evidence(means, before, sizes, statements)
        now = group_names(evidence, group_of[stated], copies)
        if (now == before).all():
            break
    return [int(name) for name in _clear_names(now, evidence)[group_of]]


def _clear_names(names: NDArray[np.intp], evidence: Floats) -> NDArray[np.intp]:
    """Return the names (G,), UNNAMED where the evidence (G, 56) favours a card that other pictures show."""
    own = evidence[np.arange(len(names)), np.minimum(names, NOTHING - 1)]
    return np.where(own < evidence.max(1), UNNAMED, names)


def _groups_by_name(units: Floats, names: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return (N,) the groups of the pictures of each name, split where pictures of other names are more similar to each
    than they are to each other.
    """
    similarity = similarities(units)
    others = np.where(names[:, None] == names, -1.0, similarity).max(1)
    near = (names[:, None] == names) & (names != UNNAMED) & (similarity >= np.minimum(others[:, None], others))
    near |= np.eye(len(names), dtype=bool)
    # The first picture of each group, found by passing lower numbers on to near pictures.
    first = np.arange(len(names))
    while ((lower := np.where(near, first, len(first)).min(1)) < first).any():
        first = lower
    return np.unique(first, return_inverse=True)[1]


def _design_evidence(means: Floats, names: NDArray[np.intp], sizes: NDArray[np.intp], statements: Floats) -> Floats:
    """Return (G, 56) the design's evidence per card in nats, at most 0.

    means: (G, D) features of groups. names: (G,) current names. sizes: (G,) pictures per group. statements: (G, 56)
    statements per group and card.
    """
    named = np.flatnonzero(names < NOTHING)
    # The design cannot identify a wild or a picture named as one; only statements count there.
    evidence = np.where(statements > 0, 0, EXCLUDED).astype(np.float32)
    colored = named[~_IS_WILD[names[named]]]
    if len(colored):
        similarity = expected_similarity(means[named], names[named])[np.isin(named, colored)]

        def likely(nats: float) -> float:
            logs = log_softmax(nats * similarity)[np.arange(len(colored)), names[colored]]
            return float((np.log((1 - ERROR_RATE) * np.exp(logs) + ERROR_RATE / NOTHING) * sizes[colored]).sum())

        # Art without grounds or shapes in common says nothing about names.
        nats_by_card = max((0.0, consistency_nats()), key=likely) * similarity
        nats_by_card = np.maximum(nats_by_card - nats_by_card.max(1, keepdims=True), -_MAX_DESIGN_NATS)
        evidence[colored] = np.where(_IS_WILD[None] & (statements[colored] == 0), EXCLUDED, nats_by_card)
    return evidence
