"""The people who play here: numbers, hall of fame, and forgetting one."""

from __future__ import annotations

from companion.server.access.guests import Role
from companion.server.api.routing import Api
from companion.server.archive.hall_of_fame import HallOfFame
from companion.server.core.errors import RefusalError
from companion.server.schema.answers import Answer
from companion.server.schema.fields import Body, KnownName
from companion.server.services.services import services
from companion.storage.store import StoreError

api = Api()


class PeopleAnswer(Answer):
    """Who has played here, with their permanent numbers."""

    people: dict[str, int]


class ForgetBody(Body):
    """Whom to forget."""

    player: KnownName


@api.route("GET", "/api/people", role=Role.VIEWER, answer=PeopleAnswer)
def list_people() -> PeopleAnswer:
    """List who has played here."""
    return PeopleAnswer(people=services().people.numbers)


@api.route("GET", "/api/people/fame", role=Role.VIEWER, answer=HallOfFame, errors=(409,))
def get_fame() -> HallOfFame:
    """Return everybody's statistics over all finished matches, records and evenings."""
    try:
        return services().hall.show()
    except StoreError as error:
        raise RefusalError(409, "storage", str(error)) from error


@api.route("POST", "/api/people/forget", role=Role.HOST, body=ForgetBody, errors=(404, 409))
def forget_person(body: ForgetBody) -> None:
    """Forget a person: number, fame, records, place in the set-up, and the name in all matches. The matches stay."""
    try:
        services().forget(body.player)
    except KeyError as error:
        raise RefusalError(404, "no-such-person", "Nobody of that name has played here.") from error
    except StoreError as error:
        raise RefusalError(409, "storage", str(error)) from error
