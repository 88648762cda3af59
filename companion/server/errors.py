"""What the server answers where it cannot do what was asked."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from pydantic import BaseModel, ConfigDict


class Rule(Enum):
    """What a value that was sent does not keep to; the pages have words for each in every language."""

    MISSING = "missing"
    TOO_LONG = "too-long"  # a text, with `limit` letters at most
    TOO_SMALL = "too-small"
    TOO_LARGE = "too-large"
    NO_NUMBER = "no-number"
    NO_NAME = "no-name"
    HIDDEN_LETTERS = "hidden-letters"
    SPACES = "spaces"
    TOO_MANY = "too-many"
    TOO_FEW = "too-few"
    UNKNOWN = "unknown"  # none of those that there are
    OPTION = "option"  # an option's value that does not go with the rest
    OTHER = "other"


@dataclass(frozen=True)
class Fault:
    """What is wrong with a request: the value's place in it, parts joined by dots, and the number in its rule."""

    field: str
    rule: Rule
    limit: float | None = None


class RefusalError(Exception):
    """A request is refused. `status` is the HTTP status, `code` names the reason, the message is for people.

    retry_after: seconds after which it is worth trying again, where that is known. fault: of a value that was sent.
    """

    def __init__(
        self, status: int, code: str, message: str, retry_after: int | None = None, fault: Fault | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.retry_after = retry_after
        self.fault = fault

    @property
    def answer(self) -> RefusalAnswer:
        """The problem as it is sent."""
        fault = self.fault
        return RefusalAnswer(
            error=self.code,
            message=str(self),
            field=None if fault is None else fault.field,
            rule=None if fault is None else fault.rule,
            limit=None if fault is None else fault.limit,
        )


class RefusalAnswer(BaseModel):
    """Why a request was refused: `error` for programs, `message` for people.

    Of a value that was sent besides: its place, the rule that it does not keep to, and the number in that.
    """

    model_config = ConfigDict(extra="forbid")

    error: str
    message: str
    field: str | None = None
    rule: Rule | None = None
    limit: float | None = None
