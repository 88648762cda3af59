"""Turns corrections and confirmations made during a match into further views of a learnt deck."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from companion.cards import Card
from companion.decks.model.card_views import straightened
from companion.decks.service.membership import fits
from companion.decks.storage.deck_file import MOST_FURTHER, MOST_OF_A_CARD, FurtherView, LearntDeck, encoded
from companion.vision.capture.image_files import PictureError, decode_picture

# Minimum shorter side (px) of a card's picture; its index then has about 8 px.
_TINY = 40.0


@dataclass(frozen=True)
class Corrected:
    """The true card of a reading, as stated by people.

    picture: JPEG bytes. quad: the card's outline there. None if unknown.
    """

    reading: str
    card: Card
    picture: bytes | None
    quad: Sequence[tuple[float, float]] | None


def with_corrections(deck: LearntDeck, match: str, standing: Sequence[Corrected]) -> LearntDeck:
    """Return the deck with the views of a match whose corrections still stand, in order; other matches keep theirs.

    Reverted corrections are removed. Small pictures, and pictures unlike the deck's, are not added. The oldest views
    are dropped beyond the limits per card and in total.
    """
    had = {(view.reading, view.card): view for view in deck.further if view.match == match}
    views = [view for view in deck.further if view.match != match]
    for one in standing:
        view = had.get((one.reading, one.card)) or _view(deck, match, one)
        if view is not None:
            views.append(view)
    kept: list[FurtherView] = []
    counts: Counter[Card] = Counter()
    for view in reversed(views):
        if counts[view.card] < MOST_OF_A_CARD and len(kept) < MOST_FURTHER:
            counts[view.card] += 1
            kept.append(view)
    return replace(deck, further=tuple(reversed(kept)))


def _view(deck: LearntDeck, match: str, one: Corrected) -> FurtherView | None:
    if one.picture is None or one.quad is None:
        return None
    quad = np.asarray(one.quad, np.float32)
    if float(np.linalg.norm(quad - np.roll(quad, 1, axis=0), axis=1).min()) < _TINY:
        return None
    try:
        picture = straightened(decode_picture(one.picture), quad)
    except PictureError:
        return None
    return FurtherView(one.card, encoded(picture), match, one.reading) if fits(deck, picture) else None
