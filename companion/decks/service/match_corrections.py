"""Turns corrections and confirmations made during a match into further views of a learnt deck."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from companion.cards import Card
from companion.decks.model.card_views import outline, stored_picture
from companion.decks.model.thumbnails import SAME_DESIGN, correlations, thumbnail
from companion.decks.storage.deck_file import MAX_FURTHER, MAX_PER_CARD, FurtherView, LearntDeck, encoded
from companion.vision.capture.image_files import PictureError, decode_picture
from companion.vision.core.geometry import Image

# Minimum shorter side (px) of a card's picture; its index then has about 8 px.
_MIN_SIDE = 40.0


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
    previous = {(view.reading, view.card): view for view in deck.further if view.match == match}
    views = [view for view in deck.further if view.match != match]
    for corrected in standing:
        view = previous.get((corrected.reading, corrected.card)) or _view(deck, match, corrected)
        if view is not None:
            views.append(view)
    kept: list[FurtherView] = []
    counts: Counter[Card] = Counter()
    for view in reversed(views):
        if counts[view.card] < MAX_PER_CARD and len(kept) < MAX_FURTHER:
            counts[view.card] += 1
            kept.append(view)
    return replace(deck, further=tuple(reversed(kept)))


def _view(deck: LearntDeck, match: str, corrected: Corrected) -> FurtherView | None:
    if corrected.picture is None or corrected.quad is None:
        return None
    quad = np.asarray(corrected.quad, np.float32)
    if float(np.linalg.norm(quad - np.roll(quad, 1, axis=0), axis=1).min()) < _MIN_SIDE:
        return None
    try:
        picture = stored_picture(decode_picture(corrected.picture), quad)
    except PictureError:
        return None
    return FurtherView(corrected.card, encoded(picture), match, corrected.reading) if _fits(deck, picture) else None


def _fits(deck: LearntDeck, picture: Image) -> bool:
    """Return whether a stored picture is as similar to the deck's as an unseen face would be."""
    known = np.stack([thumbnail(one, outline()) for one in deck.all_pictures])
    return float(correlations(thumbnail(picture, outline())[None], known).max()) >= SAME_DESIGN
