"""Reading hands from pictures: leftover ones for the score, and a challenged one for one player's eyes."""

from __future__ import annotations

from enum import Enum

from pydantic import Field

from companion.referee.state import Phase, State
from companion.server.access.guests import Guest, Role
from companion.server.errors import RefusalError
from companion.server.routes.api import MOST_PICTURES, Api, known_guest
from companion.server.routes.fields import Body, KnownName
from companion.server.routes.payloads import Answer, SeenCardAnswer, seen_card
from companion.server.routes.uploads import read_picture
from companion.server.scanning import hold_picture, scan_hand
from companion.server.services import services

api = Api()


class Purpose(Enum):
    """What a hand is read for: the score, or to settle a challenge, which only one player may see."""

    HAND = "hand"
    CHALLENGE = "challenge"


class HandQuery(Body):
    """Whose hand it is, and what for. Without a player no count is expected."""

    player: KnownName | None = None
    purpose: Purpose = Purpose.HAND


class SizeAnswer(Answer):
    """A picture's size in pixels."""

    width: int
    height: int


class HandAnswer(Answer):
    """A hand read. expected: the count kept by the referee. impossible: cards of which the deck holds fewer.

    scan: to be sent with the hand when it is confirmed, so that its picture is kept; None for a challenged hand.
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
    """Read one hand from pictures of it. The one that shows most is kept if the hand is confirmed, else nothing is."""
    state = services().table.state
    if query.purpose is Purpose.CHALLENGE:
        _check_challenger(known_guest(), state)
    images = [read_picture(data) for data in pictures]
    found = scan_hand(services(), images, query.player)
    hand = found.hand
    return HandAnswer(
        pictures=[SizeAnswer(width=image.shape[1], height=image.shape[0]) for image in images],
        cards=[seen_card(held.sighting, held.picture) for held in hand.cards],
        points=hand.points,
        expected=found.expected,
        scan=None if query.purpose is Purpose.CHALLENGE else hold_picture(services(), images, hand),
        impossible=[card.name for card in hand.impossible],
    )


def _check_challenger(who: Guest, state: State | None) -> None:
    if state is None or state.phase is not Phase.REVEAL or state.turn is None:
        raise RefusalError(409, "no-challenge", "No wild draw four is being challenged.")
    challenger = state.players[state.seat_after(state.turn)]
    if who.role is not Role.HOST and who.player != challenger:
        raise RefusalError(403, "not-allowed", f"The hand is shown to {challenger} alone.")
