"""The rules sheet of the running match, with the options that it is played with."""

from __future__ import annotations

from companion.caller import Caller
from companion.languages import Language
from companion.server.access.guests import Role
from companion.server.errors import RefusalError
from companion.server.routes.api import Api
from companion.server.routes.fields import Body
from companion.server.routes.payloads import Answer
from companion.server.services import services

api = Api()


class RulesQuery(Body):
    """The language of the sheet; the caller's where none is given."""

    language: Language | None = None


class RuleAnswer(Answer):
    """One entry of a rules sheet: an `item`, a `card` or a `rule`, the rules that it tells by number ("R23")."""

    part: str
    key: str
    title: str
    text: str
    rules: list[str]


class RulesAnswer(Answer):
    """The sheet, in the order in which it is read."""

    entries: list[RuleAnswer]


@api.route("GET", "/api/rules", role=Role.VIEWER, query=RulesQuery, answer=RulesAnswer, errors=(409,))
def get_rules(query: RulesQuery) -> RulesAnswer:
    """Say what each item, card and rule of the running match does."""
    own = services()
    state = own.table.state
    if state is None:
        raise RefusalError(409, "no-match", "No match is running.")
    sheet = Caller(query.language or own.language).rules_sheet(state.header)
    return RulesAnswer(
        entries=[
            RuleAnswer(part=each.part.value, key=each.key, title=each.title, text=each.text, rules=list(each.rules))
            for each in sheet
        ]
    )
