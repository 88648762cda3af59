"""Reads a hand from pictures, with what is known about its owner."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from companion.referee.model.scoring import hand_points
from companion.referee.state import State
from companion.server.access.guests import Guest, Role
from companion.server.core.errors import RefusalError
from companion.server.services.services import Services
from companion.table.state.stored_pictures import kept_picture
from companion.vision.core.geometry import Image
from companion.vision.imaging.motion import are_cards_colorless
from companion.vision.recognition.hand_merging import HandReading, read_hand


@dataclass(frozen=True)
class Scan:
    """A scanned hand. expected: the referee's count, None without a player. points: in the edition that is played."""

    hand: HandReading
    expected: int | None
    points: int


def scan_hand(own: Services, images: Sequence[Image], player: str | None) -> Scan:
    """Read a hand from pictures of it, (H, W, 3) uint8 BGR.

    Raises RefusalError where the player is not playing or a picture has no colours.
    """
    state = own.table.state
    detect = own.reader()
    expected = None
    if state is not None and player is not None:
        if player not in state.players:
            raise RefusalError(409, "no-such-player", "Nobody of this name is playing.")
        expected = state.hands[state.header.seat(player)]
    seen = [detect(image) for image in images]
    cards = [(image, [sighting.quad for sighting in found]) for image, found in zip(images, seen, strict=True)]
    if any(are_cards_colorless(image, quads) for image, quads in cards):
        raise RefusalError(422, "no-colors", "The picture has no colours. Switch night mode off, or a light on.")
    edition = None if state is None else state.header.edition
    hand = read_hand(seen, expected, None if edition is None else edition.deck)
    return Scan(hand, expected, hand_points((held.card for held in hand.cards), edition))


def hold_picture(own: Services, images: Sequence[Image], hand: HandReading) -> str | None:
    """Hold the picture with the most cards until the hand is confirmed, and return its id."""
    shown = Counter(held.picture for held in hand.cards)
    jpeg, _ = kept_picture(images[max(range(len(images)), key=lambda number: shown[number])], None)
    return None if jpeg is None else own.scans.keep(jpeg)


def challenged_state(who: Guest, state: State | None) -> State:
    """Return the state in which this device may see a challenged hand (R19); raises RefusalError at other times."""
    if state is None or state.challenger is None:
        raise RefusalError(409, "no-challenge", "No wild draw four is being challenged.")
    if who.role is not Role.HOST and who.player != state.challenger:
        raise RefusalError(403, "not-allowed", f"The hand is shown to {state.challenger} alone.")
    return state
