"""The people who play here: their numbers, the hall of fame, and forgetting one of them."""

from __future__ import annotations

from dataclasses import asdict

from companion.server.access.guests import Role
from companion.server.errors import RefusalError
from companion.server.routes.api import Api
from companion.server.routes.fields import Body, KnownName
from companion.server.routes.payloads import Answer
from companion.server.services import services
from companion.store import StoreError

api = Api()


class PeopleAnswer(Answer):
    """Who has played here, each with a number of their own that stays theirs."""

    people: dict[str, int]


class FameAnswer(Answer):
    """What one person did over all matches that came to an end.

    `points` and `best_round` are of matches in which points are wanted; `hits_*` are those of items.
    """

    matches: int
    won: int
    rounds_won: int
    points: int
    best_round: int
    hits_given: int
    hits_taken: int
    uno_forgotten: int


class RecordAnswer(Answer):
    """The most of something in one match: whose it is, how many or how many seconds, and the match's id."""

    kind: str
    players: list[str]
    amount: int
    match: str


class HallAnswer(Answer):
    """The hall of fame, who won most first, and the records."""

    people: dict[str, FameAnswer]
    records: list[RecordAnswer]


class ForgetBody(Body):
    """Whom to forget."""

    player: KnownName


@api.route("GET", "/api/people", role=Role.VIEWER, answer=PeopleAnswer)
def list_people() -> PeopleAnswer:
    """List who has played here."""
    return PeopleAnswer(people=services().people.numbers)


@api.route("GET", "/api/people/fame", role=Role.VIEWER, answer=HallAnswer, errors=(409,))
def get_fame() -> HallAnswer:
    """Return what everybody did over all matches that came to an end, and the records."""
    try:
        fame, records = services().hall.show()
    except StoreError as error:
        raise RefusalError(409, "storage", str(error)) from error
    return HallAnswer(
        people={name: FameAnswer(**asdict(each)) for name, each in fame.items()},
        records=[
            RecordAnswer(
                kind=each.found.kind.value,
                players=list(each.found.players),
                amount=each.found.amount,
                match=each.match,
            )
            for each in records
        ],
    )


@api.route("POST", "/api/people/forget", role=Role.HOST, body=ForgetBody, errors=(404, 409))
def forget_person(body: ForgetBody) -> None:
    """Forget a person: number, fame, records, place in the next set-up, and the name in all matches, which stay."""
    try:
        services().forget(body.player)
    except KeyError as error:
        raise RefusalError(404, "no-such-person", "Nobody of that name has played here.") from error
    except StoreError as error:
        raise RefusalError(409, "storage", str(error)) from error
