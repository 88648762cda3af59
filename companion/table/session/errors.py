"""What the table cannot do, and says in one sentence."""

from __future__ import annotations


class TableError(Exception):
    """Something was asked of the table that it cannot do now; the message is one sentence for people."""


class NoMatchError(TableError):
    """No match is running."""

    def __init__(self) -> None:
        super().__init__("No match is running.")


class NoSuchQuestionError(TableError):
    """The question is not open (any more), or has no such answer. `question` is its id."""

    def __init__(self, question: int) -> None:
        super().__init__("That question is not open any more.")
        self.question = question


class NothingToTakeBackError(TableError):
    """No card lies on the pile that could be taken back."""

    def __init__(self) -> None:
        super().__init__("There is no card to take back.")


class NobodysMoveError(TableError):
    """The move cannot have been that player's."""

    def __init__(self) -> None:
        super().__init__("That move cannot have been that player’s.")


class RoundScoredError(TableError):
    """The last move ended a round that is scored; it is taken back only when that is meant."""

    def __init__(self) -> None:
        super().__init__("The round is scored. Taking this back opens it again: confirm that.")


class NothingToRedoError(TableError):
    """Nothing was undone since the last move."""

    def __init__(self) -> None:
        super().__init__("There is nothing to do again.")
