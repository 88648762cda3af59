"""Reading hands from pictures: leftover ones for the score, and a challenged one for one player's eyes."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from companion.referee.state import Phase, State
from companion.server.api import MOST_PICTURES, Api, known_guest
from companion.server.errors import RefusalError
from companion.server.fields import Body, KnownName
from companion.server.guests import Guest, Role
from companion.server.house import house
from companion.server.payloads import Answer, SeenCardAnswer, seen_card
from companion.server.uploads import read_picture
from companion.vision.hands import read_hand

api = Api()


class HandQuery(Body):
    """Whose hand it is, and what for. Without a player no count is expected."""

    player: KnownName | None = None
    purpose: Literal["hand", "challenge"] = "hand"


class SizeAnswer(Answer):
    """A picture's size in pixels."""

    width: int
    height: int


class HandAnswer(Answer):
    """A hand read. expected: the count kept by the referee. impossible: cards of which the deck holds fewer."""

    pictures: list[SizeAnswer]
    cards: list[SeenCardAnswer]
    points: int
    expected: int | None
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
    """Read one hand from one or several pictures of it. Nothing of it is kept."""
    state = house().table.view().state
    if query.purpose == "challenge":
        _check_challenger(known_guest(), state)
    images = [read_picture(data) for data in pictures]
    detect = house().reader()
    expected = None
    if state is not None and query.player is not None:
        if query.player not in state.players:
            raise RefusalError(409, "no-such-player", "Nobody of this name is playing.")
        expected = state.hands[state.header.seat(query.player)]
    edition = None if state is None else state.header.edition.name
    hand = read_hand([detect(image) for image in images], expected, edition)
    return HandAnswer(
        pictures=[SizeAnswer(width=image.shape[1], height=image.shape[0]) for image in images],
        cards=[seen_card(held.sighting, held.picture) for held in hand.cards],
        points=hand.points,
        expected=expected,
        impossible=[card.name for card in hand.impossible],
    )


def _check_challenger(who: Guest, state: State | None) -> None:
    if state is None or state.phase is not Phase.REVEAL or state.turn is None:
        raise RefusalError(409, "no-challenge", "No wild draw four is being challenged.")
    challenger = state.players[state.seat_after(state.turn)]
    if who.role is not Role.HOST and who.player != challenger:
        raise RefusalError(403, "not-allowed", f"The hand is shown to {challenger} alone.")
