"""The running table: accepts observations and taps from any thread and publishes the results."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Unpack

from companion.caller import Caller
from companion.cards import Card
from companion.editions import Edition
from companion.referee.errors import RefereeError
from companion.referee.match import Match, spelled_move
from companion.referee.moves import Amend, Flip, Move, Play, Start
from companion.referee.state import Header, State
from companion.storage.journal import Journal, Line, Reading
from companion.storage.records import Batch, StoreError
from companion.storage.store import Store, new_match_id
from companion.table.presentation.updates import Subscription, UpdateKind, Updates
from companion.table.presentation.view import Outcome, Question, View
from companion.table.presentation.voice import Voice
from companion.table.session.answers import answered, let_stand, typed
from companion.table.session.corrections import (
    AmendmentPreview,
    amendment_preview,
    attribution_lines,
    drawn_first_lines,
    missed_card_lines,
    redo_lines,
    removal_lines,
    taken_back_lines,
    tap_time,
    undo_lines,
)
from companion.table.session.errors import (
    NoMatchError,
    NoSuchQuestionError,
    NothingToRedoError,
    NothingToTakeBackError,
)
from companion.table.session.match_memory import memory_of
from companion.table.session.observe import EventInterpreter, Seen, reading_behind, reading_of
from companion.table.session.persistence import MatchPersistence
from companion.table.session.resume import resumed_session
from companion.table.session.running import Session
from companion.table.session.screen import Screen
from companion.table.session.step import StepInputs, advance, amendment, last_sight, with_reminders
from companion.table.state.observations import Pending, Tap
from companion.table.state.situation import Situation, Turns, situation
from companion.table.state.watch import Watch
from companion.vision.core.events import CameraStatus, Picture, PileEvent


class Table:
    """One running table. All methods are thread-safe; none waits for a listener or a camera.

    store: where matches are stored, None for memory only. caller: words the rulings. clock: seconds since the epoch.
    steady: monotonic seconds.
    """

    def __init__(
        self,
        store: Store | None = None,
        *,
        caller: Caller | None = None,
        clock: Callable[[], float] = time.time,
        steady: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store = store
        self._clock = clock
        self._lock = threading.RLock()
        self._updates = Updates()
        self._screen = Screen(self._updates, Voice(caller or Caller()), clock())
        self._persistence = MatchPersistence(store, steady)
        self._session: Session | None = None
        self._interpreter = EventInterpreter()

    def start_match(self, header: Header, *, turns: Turns = Turns.CAMERA) -> str:
        """Start another match and return its identifier. The previous one is kept.

        turns: how the table learns who played and who drew. A card that has already landed may be the start card; the
        table asks.
        """
        with self._lock:
            now = self._clock()
            session = Session(new_match_id(now), situation(Journal(Match(header))), watch=Watch(turns))
            relaxed = turns is Turns.RELAXED
            self._persistence.write(
                Batch(session.match_id, now, header=header, relaxed=relaxed, memory=memory_of(session))
            )
            self._begin(session)
            self._observe(self._interpreter.early(session, now))
            return session.match_id

    def resume(self, match_id: str | None = None) -> str | None:
        """Continue a stored match, by default the last unfinished one; return its identifier.

        None if there is none. Raises NoSuchMatchError for an unknown identifier, StoreError if the store cannot be read
        or does not hold the complete match yet, StoreDamagedError if the match is inconsistent.
        """
        with self._lock:
            if self._store is None:
                return None
            self._persistence.retry(now=True)
            match_id = match_id or self._store.unfinished()
            if match_id is None:
                return None
            if self._persistence.holds(match_id):
                if self.match_id == match_id:
                    return match_id
                raise StoreError("This match can be taken up again once all of it is saved.", self._store.path)
            session, pending = resumed_session(self._store.load(match_id), self._store.path)
            self._begin(session)
            if pending:
                self._advance(pending)
            self._next_card_may_be_old()
            return match_id

    def name_now(self, player: str) -> str:
        """Return the name that a player, renamed in this match or not, has now; other names as they are."""
        session = self._session
        return player if session is None else session.match.name_now(player)

    def see(self, event: PileEvent) -> Pending | None:
        """Process a camera event and return the observation that it became, None if there is nothing to rule on.

        Without a match it is only remembered.
        """
        # Reduce pictures before taking the lock.
        reading = reading_of(event, self._clock())
        with self._lock:
            if isinstance(event, CameraStatus):
                self._screen.camera_is(event, self._clock())
            seen = self._interpreter.take(event, reading, self._session, self._clock())
            self._observe(seen)
            return None if seen is None else seen.pending

    def camera_changed(self) -> None:
        """Note that another camera, or none, is used from now on: its first cards may have been there before."""
        with self._lock:
            self._next_card_may_be_old()
            self._screen.camera_is(None, self._clock())

    def tap(self, move: Move, picture: Picture = None, *, then: Move | None = None) -> Outcome:
        """Process a tapped or typed move. `by` names who taps, if it matters.

        picture: the picture it was read from, stored with its ruling. then: a second move of the same tap, made if it
        is legal after the first; both are undone together. While a question about the card is open, a typed card
        answers it. Raises NoMatchError; RefereeError if the rules refuse it, without any change.
        """
        # Reduce pictures before taking the lock.
        reading = reading_behind(picture, self._clock())
        with self._lock:
            now = tap_time(self._running().journal, self._clock())
            outcome = self._tapped(move, reading, now)
            if then is None or outcome.question is not None:
                return outcome
            try:
                second = self._tapped(then, None, now)
            except RefereeError:
                return outcome
            return Outcome((*outcome.rulings, *second.rulings), second.question)

    def _tapped(self, move: Move, reading: Reading | None, now: float) -> Outcome:
        session = self._running()
        move = spelled_move(session.state.header, move)
        if isinstance(move, Start | Play | Flip) and len(session.pending) == 1:
            question = self._screen.question
            named = None if question is None else typed(session, question, move, now)
            if named is not None:
                return self._advance(named.pending, corrections=named.corrections)
        tapped = Tap(now, move, reading=None if reading is None else reading.id)
        return self._add(Pending(tapped), readings=() if reading is None else (reading,), must_fit=True)

    def answer(self, question_id: int, answer: Card | int) -> Outcome:
        """Settle a question by the index of a choice, or by the card that landed, offered or not.

        Statements against the camera are stored for training. Raises NoMatchError, NoSuchQuestionError (also for a
        missing choice); NotInThisEditionError.
        """
        with self._lock:
            question = self._asked(question_id)
            result = answered(self._running(), question, answer, self._clock())
            return self._advance(result.pending, corrections=result.corrections)

    def let_stand(self, question_id: int) -> Outcome:
        """Accept the illegal card the question is about. Raises NoMatchError, NoSuchQuestionError."""
        with self._lock:
            return self._advance(let_stand(self._running(), self._asked(question_id)).pending)

    def nothing_happened(self, question_id: int) -> Outcome:
        """Drop the observation in question and rule on those behind it. Raises NoMatchError, NoSuchQuestionError."""
        with self._lock:
            self._asked(question_id)
            return self._advance(self._running().pending[1:])

    def take_back(self) -> Outcome:
        """Take the top card back: the illegal one, the one in question, or the last one ruled on.

        Later taps are undone with it. Raises NoMatchError, NothingToTakeBackError.
        """
        with self._lock:
            session = self._running()
            place = last_sight(session.pending)
            if place is not None:
                return self._advance(session.pending[:place])
            lines = taken_back_lines(session.known, self._clock())
            if lines is None:
                raise NothingToTakeBackError
            return self._advance(session.pending, lines=lines)

    def undo(self, *, scored: bool = False) -> Outcome:
        """Drop the last pending observation, or else undo the last ruling with the moves inferred for it.

        scored: whether a scored round may be reopened. Raises NoMatchError; RoundScoredError if it may not;
        NothingToUndoError without moves.
        """
        with self._lock:
            session = self._running()
            if session.pending:
                return self._advance(session.pending[:-1])
            lines = undo_lines(session.journal, self._clock(), scored=scored)
            taken = session.journal.lines[-len(lines) :]
            return self._advance((), lines=lines, undone=(*session.undone, *taken[::-1]))

    def redo(self) -> Outcome:
        """Redo what was undone last. Raises NoMatchError, NothingToRedoError."""
        with self._lock:
            session = self._running()
            if session.pending:
                raise NothingToRedoError
            lines, left = redo_lines(session.undone)
            return self._advance((), lines=lines, undone=left)

    def preview_amend(self, n: int, move: Move) -> AmendmentPreview:
        """Return the result of an amendment, dropping later moves that break, without applying it.

        Raises what `amend` does, except for broken later moves.
        """
        with self._lock:
            return amendment_preview(self._running().journal, n, move, self._clock())

    def say_who(self, n: int, player: str) -> Outcome:
        """Attribute accepted move `n` (from 1) to this player and recompute later moves from the observations.

        Raises NoMatchError, NobodysMoveError; NoSuchMoveError, NoSuchPlayerError.
        """
        with self._lock:
            session = self._running()
            known, lines = attribution_lines(session.known, n, player, self._clock())
            self._session = replace(session, known=known)
            return self._advance(session.pending, lines=lines)

    def say_drew(self, n: int) -> Outcome:
        """State that the card of accepted move `n` (from 1) was drawn first; later moves are recomputed.

        Raises NoMatchError, NobodysMoveError; NoSuchMoveError.
        """
        return self._recompute(lambda known, now: drawn_first_lines(known, n, now))

    def say_missed(self, n: int, card: Card) -> Outcome:
        """State that this card landed unseen just before accepted move `n`; later moves are recomputed.

        Raises NoMatchError, NobodysMoveError before a start card; the RefereeError with which it is refused.
        """
        return self._recompute(lambda known, now: missed_card_lines(known, n, card, now))

    def drop(self, n: int) -> Outcome:
        """Remove accepted move `n` (from 1); later moves are recomputed.

        Raises NoMatchError, NobodysMoveError for a start card; NoSuchMoveError.
        """
        return self._recompute(lambda known, now: removal_lines(known, n, now))

    def _recompute(self, lines: Callable[[Situation, float], tuple[Line, ...]]) -> Outcome:
        with self._lock:
            session = self._running()
            return self._advance(session.pending, lines=lines(session.known, self._clock()))

    def place(self, player: str, direction: float) -> None:
        """Set where this player sits, in degrees clockwise from up in the camera's picture.

        Raises NoMatchError, NoSuchPlayerError.
        """
        with self._lock:
            session = self._running()
            ring = session.known.ring.put(session.state.header.seat(player), direction % 360)
            self._session = replace(session, known=replace(session.known, ring=ring))
            self._advance(session.pending)

    def amend(self, n: int, move: Move, *, drop: bool = False) -> Outcome:
        """Change accepted move `n` (from 1); later moves are recomputed.

        drop: whether later moves that break are dropped. Raises NoMatchError; NoSuchMoveError,
        AmendBreaksLaterMoveError or the RefereeError with which it is refused, without any change.
        """
        with self._lock:
            session = self._running()
            if drop:
                before = amendment_preview(session.journal, n, move, self._clock())
                return self._advance((), lines=before.lines)
            line, corrections = amendment(session.journal, Amend(n, move), self._clock())
            return self._advance(session.pending, lines=(line,), corrections=corrections)

    def set_turns(self, turns: Turns) -> None:
        """Set how the table learns who played and who drew in this match. Raises NoMatchError."""
        with self._lock:
            session = self._running()
            self._session = replace(session, watch=replace(session.watch, turns=turns))
            self._advance(session.pending)

    def set_caller(self, caller: Caller) -> None:
        """Use another language from now on, for the history as well."""
        with self._lock:
            self._screen.speak(Voice(caller), self._session)
            self._notice()
            if self._session is not None:
                self._advance(self._session.pending)

    def view(self, caller: Caller | None = None) -> View:
        """Return a complete snapshot for screens. caller: words it in another language than the table's."""
        with self._lock:
            if caller is None:
                return self._screen.view(self._session, saved=self._persistence.saved)
            voice, session = Voice(caller), self._session
            asked = None
            if session is not None and session.pending and self._screen.question is not None:
                asked = advance(session, session.pending, self._clock(), voice).asked
            return self._screen.in_words_of(voice, session, asked).view(session, saved=self._persistence.saved)

    @property
    def session(self) -> Session | None:
        """The running match as an immutable value, None without one."""
        return self._session

    @property
    def match_id(self) -> str | None:
        """The running match's identifier in the store, None without a match."""
        session = self._session
        return None if session is None else session.match_id

    @property
    def edition(self) -> Edition | None:
        """The edition being played, None without a match."""
        state = self.state
        return None if state is None else state.header.edition

    @property
    def state(self) -> State | None:
        """State of the running match, None without one."""
        session = self._session
        return None if session is None else session.state

    @property
    def color_is_guessed(self) -> bool:
        """Whether nobody said which colour was chosen for the wild below the last card."""
        return self._session is not None and self._session.color_is_guessed

    def retry(self) -> None:
        """Write waiting data if it is time for another attempt, and publish changes."""
        with self._lock:
            self._persistence.retry()
            self._notice()
            self._remind()

    def picture(self, picture_id: str) -> bytes | None:
        """Return a picture of the running match as JPEG bytes, None if it is not stored."""
        with self._lock:
            return None if self._session is None else self._persistence.picture(self._session.match_id, picture_id)

    def corrected(self) -> tuple[tuple[str, Card], ...]:
        """Return the facts people stated in the running match, like `Journal.corrected`."""
        return () if self._session is None else self._session.journal.corrected()

    def subscribe(self, after: int | None = None) -> Subscription:
        """Return a subscription to the updates after this identifier, or to future ones."""
        return self._updates.subscribe(after)

    def close(self) -> None:
        """Write what can be written and wake all listeners permanently. The store stays open."""
        with self._lock:
            self._persistence.retry(now=True)
        self._updates.close()

    def _remind(self) -> None:
        """Announce each debt nobody has taken for a while, once."""
        if self._session is not None:
            session, sentences = with_reminders(self._session, self._clock(), self._screen.voice.sentences)
            self._note(session)
            for sentence in sentences:
                self._updates.publish(UpdateKind.REMINDER, sentences=(sentence,))

    def _notice(self) -> None:
        """Show changed notices."""
        self._screen.notice(self._persistence.trouble, self._session)

    def _running(self) -> Session:
        if self._session is None:
            raise NoMatchError
        return self._session

    def _asked(self, question_id: int) -> Question:
        self._running()
        question = self._screen.question
        if question is None or question.id != question_id:
            raise NoSuchQuestionError(question_id)
        return question

    def _next_card_may_be_old(self) -> None:
        """Treat the next card seen as one that may have been there before."""
        self._interpreter.changed()
        if self._session is not None:
            self._session = self._session.before_camera_clock()

    def _begin(self, session: Session) -> None:
        self._session = session
        self._interpreter.begin()
        self._screen.begin()
        self._notice()

    def _observe(self, seen: Seen | None) -> None:
        if seen is not None:
            if seen.pending is not None:
                self._session = seen.session
                self._add(seen.pending, readings=() if seen.reading is None else (seen.reading,))
            else:
                self._note(seen.session)

    def _note(self, session: Session) -> None:
        """Record a session whose interpretation changed although nothing happened in it."""
        before, self._session = self._session, session
        if before is None or session.has_same_state(before):
            return
        if session.pending:
            self._advance(session.pending)
        else:
            self._persistence.write(Batch(session.match_id, self._clock(), memory=memory_of(session)))
            self._notice()

    def _add(self, pending: Pending, *, readings: tuple[Reading, ...] = (), must_fit: bool = False) -> Outcome:
        session = self._running()
        return self._advance((*session.pending, pending), readings=readings, fresh=True, must_fit=must_fit)

    def _advance(self, pending: tuple[Pending, ...], **given: Unpack[StepInputs]) -> Outcome:
        """Compute a step, write it, and only then apply and publish it."""
        step = advance(self._running(), pending, self._clock(), self._screen.voice, **given)
        self._persistence.write(step.batch)
        self._session = step.session
        rulings = self._screen.show(step)
        self._notice()
        return Outcome(rulings, self._screen.question)
