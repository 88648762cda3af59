"""Reads hands from pictures: leftover hands for the score, a challenged hand for the challenger only."""

from __future__ import annotations

from enum import Enum

from pydantic import Field

from companion.server.access.guests import Role
from companion.server.api.routing import Api, known_guest
from companion.server.api.uploads import read_picture
from companion.server.schema.answers import Answer, SeenCardAnswer, seen_card
from companion.server.schema.fields import Body, KnownName
from companion.server.schema.limits import MOST_PICTURES
from companion.server.services.hand_scanning import challenged_state, hold_picture, scan_hand
from companion.server.services.services import services

api = Api()


class Purpose(Enum):
    """What a hand is read for: scoring, or a challenge, whose hand only one player may see."""

    HAND = "hand"
    CHALLENGE = "challenge"


class HandQuery(Body):
    """Whose hand it is, and why it is read. Without a player no count is expected."""

    player: KnownName | None = None
    purpose: Purpose = Purpose.HAND


class SizeAnswer(Answer):
    """A picture's size in pixels."""

    width: int
    height: int


class HandAnswer(Answer):
    """A hand as read. expected: the referee's count. impossible: cards beyond those that the deck holds.

    scan: send it when confirming the hand, to keep its picture; null for a challenged hand.
    """

    pictures: list[SizeAnswer]
    cards: list[SeenCardAnswer]
    points: int
    expected: int | None
    scan: str | None
    impossible: list[str] = Field(description="Cards of which more were read than the deck holds.")


@api.route(
    "POST",
    "/api/hands/read",
    role=Role.PLAYER,
    query=HandQuery,
    pictures=MOST_PICTURES,
    answer=HandAnswer,
    errors=(409,),
)
def read_hands(query: HandQuery, pictures: list[bytes]) -> HandAnswer:
    """Read one hand from pictures. The picture with the most cards is kept if the hand is confirmed."""
    if query.purpose is Purpose.CHALLENGE:
        challenged_state(known_guest(), services().table.state)
    images = [read_picture(data) for data in pictures]
    found = scan_hand(services(), images, query.player)
    hand = found.hand
    return HandAnswer(
        pictures=[SizeAnswer(width=image.shape[1], height=image.shape[0]) for image in images],
        cards=[seen_card(held.sighting, held.picture) for held in hand.cards],
        points=found.points,
        expected=found.expected,
        scan=None if query.purpose is Purpose.CHALLENGE else hold_picture(services(), images, hand),
        impossible=[card.name for card in hand.impossible],
    )
