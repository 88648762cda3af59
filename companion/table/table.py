"""The running table itself: takes what is seen and tapped, from any thread, and publishes what follows."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from companion.caller import Caller
from companion.cards import Card
from companion.referee.moves import Move
from companion.referee.state import Header
from companion.store import Store
from companion.table.updates import Subscription, Updates
from companion.table.view import Question, Ruling, View
from companion.vision.events import PileEvent


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


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a tap or an answer.

    rulings: those made at once. question: what is asked before it can be ruled on, else None.
    Neither: it told nothing new.
    """

    rulings: tuple[Ruling, ...]
    question: Question | None


class Table:
    """One running table. All methods may be called from any thread; none waits for a listener or a camera.

    store: where matches are kept; None keeps them in memory only. caller: what puts rulings into words. clock: returns
    seconds since the epoch.
    """

    def __init__(
        self, store: Store | None = None, *, caller: Caller | None = None, clock: Callable[[], float] = time.time
    ) -> None:
        self._store = store
        self._caller = caller or Caller()
        self._clock = clock
        self._lock = threading.RLock()
        self._updates = Updates()

    def start_match(self, header: Header, *, relaxed_turns: bool = False) -> str:
        """Begin another match and return its id. The one that ran before is kept as it is.

        relaxed_turns: whether players between the one to act and the one who acts are taken to have drawn and passed.
        """
        raise NotImplementedError

    def resume(self, match_id: str | None = None) -> str | None:
        """Go on with a match of the store, the latest one that is not over where no id is given; return its id.

        Returns None where there is none to go on with; raises NoSuchMatchError for an unknown id, StoreError where the
        store cannot be read.
        """
        raise NotImplementedError

    def see(self, event: PileEvent) -> None:
        """Take in what the camera saw. Never raises for what it means; without a match it is ignored."""
        raise NotImplementedError

    def tap(self, move: Move) -> Outcome:
        """Take in a move made by button or typed. `by` says who taps, where that matters.

        Raises NoMatchError; RefereeError where the rules refuse it, and then nothing has changed.
        """
        raise NotImplementedError

    def answer(self, question_id: int, answer: Card | int) -> Outcome:
        """Settle a question: by the index of one of its choices, or by the card that landed, offered or not.

        What people say against the camera is kept for training. Raises NoMatchError, NoSuchQuestionError;
        RefereeError where nothing could have happened with that card.
        """
        raise NotImplementedError

    def let_stand(self, question_id: int) -> Outcome:
        """Let the illegal card stand that the question is about. Raises NoMatchError, NoSuchQuestionError."""
        raise NotImplementedError

    def take_back(self) -> Outcome:
        """Take the top card back: the illegal one, the one in question, or else the last one ruled on.

        Taps that followed it are undone with it. Raises NoMatchError, NothingToTakeBackError.
        """
        raise NotImplementedError

    def undo(self) -> Outcome:
        """Drop what is being asked about, or else take the last accepted move back.

        Raises NoMatchError; NothingToUndoError where there is none.
        """
        raise NotImplementedError

    def amend(self, n: int, move: Move) -> Outcome:
        """Let accepted move `n`, counted from 1, have been another one; all after it is worked out anew.

        Raises NoMatchError; NoSuchMoveError, AmendBreaksLaterMoveError or the RefereeError for which it is refused,
        and then nothing has changed.
        """
        raise NotImplementedError

    def set_relaxed_turns(self, relaxed: bool) -> None:
        """Set the host's option for the running match. Raises NoMatchError."""
        raise NotImplementedError

    def view(self) -> View:
        """Return a snapshot of everything that a screen shows."""
        raise NotImplementedError

    def picture(self, picture_id: str) -> bytes | None:
        """Return a picture of the running match as JPEG bytes, None where it is not kept (any more)."""
        raise NotImplementedError

    def subscribe(self, after: int | None = None) -> Subscription:
        """Return a subscription to the updates after this id, or to those to come."""
        return self._updates.subscribe(after)

    def close(self) -> None:
        """Write what can be written and wake all listeners for good."""
        raise NotImplementedError
