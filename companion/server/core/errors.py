"""Errors that the API reports to its clients."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from pydantic import BaseModel, ConfigDict


class Rule(Enum):
    """The constraint that a submitted value violates. The pages have a text for each."""

    MISSING = "missing"
    TOO_LONG = "too-long"  # a text longer than `limit` characters
    TOO_SMALL = "too-small"
    TOO_LARGE = "too-large"
    NO_NUMBER = "no-number"
    NO_NAME = "no-name"
    HIDDEN_LETTERS = "hidden-letters"
    SPACES = "spaces"
    TOO_MANY = "too-many"
    TOO_FEW = "too-few"
    UNKNOWN = "unknown"  # not one of the known values
    OPTION = "option"  # a rule option that conflicts with others
    OTHER = "other"


@dataclass(frozen=True)
class Fault:
    """What is wrong with a request: the value's path, parts joined by dots, the violated rule and its number."""

    field: str
    rule: Rule
    limit: float | None = None


class RefusalError(Exception):
    """A request is rejected. `status` is the HTTP status, `code` a machine-readable reason, the message is for people.

    retry_after: seconds until a retry makes sense, if known. fault: details about a submitted value.
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
        """The response body."""
        fault = self.fault
        return RefusalAnswer(
            error=self.code,
            message=str(self),
            field=None if fault is None else fault.field,
            rule=None if fault is None else fault.rule,
            limit=None if fault is None else fault.limit,
        )


class RefusalAnswer(BaseModel):
    """Why a request was rejected: `error` for programs, `message` for people.

    For a submitted value also its path, the violated rule and the number in it.
    """

    model_config = ConfigDict(extra="forbid")

    error: str
    message: str
    field: str | None = None
    rule: Rule | None = None
    limit: float | None = None
