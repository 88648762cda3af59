"""Errors of the table, each with one sentence for people."""

from __future__ import annotations


class TableError(Exception):
    """The table cannot do this now; the message is one sentence for people."""


class NoMatchError(TableError):
    """No match is running."""

    def __init__(self) -> None:
        super().__init__("No match is running.")


class NoSuchQuestionError(TableError):
    """The question is not open, or has no such answer. `question` is its identifier."""

    def __init__(self, question: int) -> None:
        super().__init__("That question is not open any more.")
        self.question = question


class NothingToTakeBackError(TableError):
    """The pile has no card that could be taken back."""

    def __init__(self) -> None:
        super().__init__("There is no card to take back.")


class NobodysMoveError(TableError):
    """The move cannot have been that player's."""

    def __init__(self) -> None:
        super().__init__("That move cannot have been that player’s.")


class RoundScoredError(TableError):
    """The last move ended a scored round; reopening it must be requested explicitly."""

    def __init__(self) -> None:
        super().__init__("The round is scored. Taking this back opens it again: confirm that.")


class NothingToRedoError(TableError):
    """Nothing was undone since the last move."""

    def __init__(self) -> None:
        super().__init__("There is nothing to do again.")
