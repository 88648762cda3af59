"""What the server answers where it cannot do what was asked."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class RefusalError(Exception):
    """A request is refused. `status` is the HTTP status, `code` names the reason, the message is for people.

    retry_after: seconds after which it is worth trying again, where that is known.
    """

    def __init__(self, status: int, code: str, message: str, retry_after: int | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.retry_after = retry_after

    @property
    def answer(self) -> RefusalAnswer:
        """The problem as it is sent."""
        return RefusalAnswer(error=self.code, message=str(self))


class RefusalAnswer(BaseModel):
    """Why a request was refused: `error` for programs, `message` for people."""

    model_config = ConfigDict(extra="forbid")

    error: str
    message: str
