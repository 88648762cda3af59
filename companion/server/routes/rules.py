"""The rules sheet of the running match with its options."""

from __future__ import annotations

from collections.abc import Sequence

from companion.caller import Caller, SheetEntry
from companion.languages import Language
from companion.server.access.guests import Role
from companion.server.api.routing import Api
from companion.server.core.errors import RefusalError
from companion.server.schema.answers import Answer
from companion.server.schema.fields import Body
from companion.server.services.services import services

api = Api()


class RulesQuery(Body):
    """Language of the sheet; the caller's by default."""

    language: Language | None = None


class RuleAnswer(Answer):
    """One entry of a rules sheet: an `item`, a `card` or a `rule`, with the numbers of its rules ("R23")."""

    part: str
    key: str
    title: str
    text: str
    rules: list[str]


class RulesAnswer(Answer):
    """The sheet in reading order."""

    entries: list[RuleAnswer]


@api.route("GET", "/api/rules", role=Role.VIEWER, query=RulesQuery, answer=RulesAnswer, errors=(409,))
def get_rules(query: RulesQuery) -> RulesAnswer:
    """Return what each item, card and rule of the running match does."""
    own = services()
    state = own.table.state
    if state is None:
        raise RefusalError(409, "no-match", "No match is running.")
    sheet = Caller(query.language or own.language).rules_sheet(state.header)
    return RulesAnswer(entries=rule_answers(sheet))


def rule_answers(sheet: Sequence[SheetEntry]) -> list[RuleAnswer]:
    """Convert the entries of a rules sheet."""
    return [
        RuleAnswer(part=each.part.value, key=each.key, title=each.title, text=each.text, rules=list(each.rules))
        for each in sheet
    ]
