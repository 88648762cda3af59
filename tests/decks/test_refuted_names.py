"""What a learnt deck's pictures say of the names that they were given."""

from __future__ import annotations

import numpy as np
import pytest

from companion.decks.look import CLASSES, UNNAMED
from companion.decks.teaching import unrefuted
from companion.decks.views import CardViews


def _views(shows: int, says: int, rng: np.random.Generator) -> CardViews:
    """Return the views of a card that the reader takes for one, perhaps another."""
    features = (np.eye(8)[shows] + rng.normal(0, 0.05, (6, 8))).astype(np.float32)
    logs = np.full((6, CLASSES), -12.0, np.float32)
    logs[:, says] = -0.01
    return CardViews(features, logs, features, logs, features[None, :0], logs[None, :0])


@pytest.mark.parametrize("agrees", [True, False])
def test_a_wrong_name_is_doubted_where_reader_and_likeness_both_say_another(agrees: bool) -> None:
    rng = np.random.default_rng(2)
    shown = [0, 1, 2, 3] * 2
    views = [_views(card, card if agrees else 5, rng) for card in shown]
    named = [3, *shown[1:]]
    assert unrefuted(views, named) == ([UNNAMED, *shown[1:]] if agrees else named)
    assert unrefuted(views, shown) == shown
