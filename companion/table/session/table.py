"""The running table itself: takes what is seen and tapped, from any thread, and publishes what follows."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Unpack

from companion.caller import Caller
from companion.cards import Card, EditionName
from companion.journal import Journal, Line, Reading
from companion.records import Batch, StoreError
from companion.referee.match import Match, spelled_move
from companion.referee.moves import Amend, Flip, Move, Play, Start
from companion.referee.state import Header, State
from companion.store import Store, new_match_id
from companion.table.presentation.updates import Subscription, UpdateKind, Updates
from companion.table.presentation.view import Outcome, Question, View
from companion.table.presentation.voice import Voice
from companion.table.session.answers import answered, let_stand, typed
from companion.table.session.corrections import (
    Mended,
    card_taken_back,
    drawn_first,
    mended,
    missed,
    never_was,
    played_by,
    redoing,
    undoing,
)
from companion.table.session.errors import (
    NoMatchError,
    NoSuchQuestionError,
    NothingToRedoError,
    NothingToTakeBackError,
)
from companion.table.session.match_memory import Watch
from companion.table.session.observe import Eyes, Seen, reading_behind, reading_of
from companion.table.session.persistence import Keeper
from companion.table.session.screen import Screen
from companion.table.session.session import Given, Session, advance, amendment, reminded, taken_up
from companion.table.session.stage import last_sight
from companion.table.state.observations import Pending, Tap
from companion.table.state.situation import Situation, Turns, situation
from companion.vision.core.events import CameraStatus, Picture, PileEvent


class Table:
    """One running table. All methods may be called from any thread; none waits for a listener or a camera.

    store: where matches are kept; None keeps them in memory only. caller: what puts rulings into words. clock: returns
    seconds since the epoch, as people set them. steady: returns seconds that only go up.
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
        self._keeper = Keeper(store, steady)
        self._session: Session | None = None
        self._eyes = Eyes()

    def start_match(self, header: Header, *, turns: Turns = Turns.CAMERA) -> str:
        """Begin another match and return its id. The one that ran before is kept as it is.

        turns: how the table is to learn who played and who drew.
        A card that has landed already may be the one turned up to start: that is asked.
        """
        with self._lock:
            now = self._clock()
            session = Session(new_match_id(now), situation(Journal(Match(header))), watch=Watch(turns))
            relaxed = turns is Turns.RELAXED
            self._keeper.write(Batch(session.match_id, now, header=header, relaxed=relaxed, memory=session.memory))
            self._begin(session)
            self._observe(self._eyes.early(session, now))
            return session.match_id

    def resume(self, match_id: str | None = None) -> str | None:
        """Go on with a match of the store, by default the one played last if it is not over; return its id.

        Returns None where there is none to go on with. Raises NoSuchMatchError for an unknown id, StoreError where the
        store cannot be read or does not hold all of the match yet, StoreDamagedError where the match makes no sense.
        """
        with self._lock:
            if self._store is None:
                return None
            self._keeper.retry(now=True)
            match_id = match_id or self._store.unfinished()
            if match_id is None:
                return None
            if self._keeper.holds(match_id):
                if self.match_id == match_id:
                    return match_id
                raise StoreError("This match can be taken up again once all of it is saved.", self._store.path)
            session, pending = taken_up(self._store.load(match_id), self._store.path)
            self._begin(session)
            if pending:
                self._advance(pending)
            self._session = self._running().long_ago()
            return match_id

    def see(self, event: PileEvent) -> None:
        """Take in what the camera saw. Without a match it is remembered at most."""
        # Pictures are made small before anybody has to wait for it.
        reading = reading_of(event, self._clock())
        with self._lock:
            if isinstance(event, CameraStatus):
                self._screen.camera_is(event, self._clock())
            self._observe(self._eyes.take(event, reading, self._session, self._clock()))

    def camera_changed(self) -> None:
        """Take in that another camera looks from now on, or none: what it sees first may have lain there before."""
        with self._lock:
            self._eyes.changed()
            if self._session is not None:
                self._session = self._session.long_ago()
            self._screen.camera_is(None, self._clock())

    def tap(self, move: Move, picture: Picture = None) -> Outcome:
        """Take in a move made by button or typed. `by` says who taps, where that matters.

        picture: what it was read from, kept behind its ruling. While it is asked which card has landed, a card typed is
        the answer. Raises NoMatchError; RefereeError where the rules refuse it, and then nothing has changed.
        """
        # Pictures are made small before anybody has to wait for it.
        reading = reading_behind(picture, self._clock())
        with self._lock:
            session = self._running()
            move = spelled_move(session.state.header, move)
            if isinstance(move, Start | Play | Flip) and len(session.pending) == 1:
                question = self._screen.question
                named = None if question is None else typed(session, question, move, self._clock())
                if named is not None:
                    return self._advance(named.pending, corrections=named.corrections)
            tapped = Tap(self._clock(), move, reading=None if reading is None else reading.id)
            return self._add(Pending(tapped), readings=() if reading is None else (reading,), must_fit=True)

    def answer(self, question_id: int, answer: Card | int) -> Outcome:
        """Settle a question: by the index of one of its choices, or by the card that landed, offered or not.

        What people say against the camera is kept for training. Raises NoMatchError, NoSuchQuestionError (also for a
        choice that there is not); NotInThisEditionError.
        """
        with self._lock:
            question = self._asked(question_id)
            said = answered(self._running(), question, answer, self._clock())
            return self._advance(said.pending, corrections=said.corrections)

    def let_stand(self, question_id: int) -> Outcome:
        """Let the illegal card stand that the question is about. Raises NoMatchError, NoSuchQuestionError."""
        with self._lock:
            return self._advance(let_stand(self._running(), self._asked(question_id)).pending)

    def nothing_happened(self, question_id: int) -> Outcome:
        """Rule on what waits behind what is in question, which goes. Raises NoMatchError, NoSuchQuestionError."""
        with self._lock:
            self._asked(question_id)
            return self._advance(self._running().pending[1:])

    def take_back(self) -> Outcome:
        """Take the top card back: the illegal one, the one in question, or else the last one ruled on.

        Taps that followed it are undone with it. Raises NoMatchError, NothingToTakeBackError.
        """
        with self._lock:
            session = self._running()
            place = last_sight(session.pending)
            if place is not None:
                return self._advance(session.pending[:place])
            lines = card_taken_back(session.known, self._clock())
            if lines is None:
                raise NothingToTakeBackError
            return self._advance(session.pending, lines=lines)

    def undo(self, *, scored: bool = False) -> Outcome:
        """Drop the last of what waits to be ruled on, or else take the last ruling back, with what was inferred for it.

        scored: whether that may open a round again that has been scored. Raises NoMatchError; RoundScoredError where it
        would and may not; NothingToUndoError where there is no move.
        """
        with self._lock:
            session = self._running()
            if session.pending:
                return self._advance(session.pending[:-1])
            lines = undoing(session.journal, self._clock(), scored=scored)
            taken = session.journal.lines[-len(lines) :]
            return self._advance((), lines=lines, undone=(*session.undone, *taken[::-1]))

    def redo(self) -> Outcome:
        """Make again what was undone last. Raises NoMatchError, NothingToRedoError."""
        with self._lock:
            session = self._running()
            if session.pending:
                raise NothingToRedoError
            lines, left = redoing(session.undone)
            return self._advance((), lines=lines, undone=left)

    def preview_amend(self, n: int, move: Move) -> Mended:
        """Return what an amendment would come to, what no longer stands being dropped; nothing is changed.

        Raises what `amend` does, but where later moves break.
        """
        with self._lock:
            return mended(self._running().journal, n, move, self._clock())

    def say_who(self, n: int, player: str) -> Outcome:
        """Let accepted move `n`, counted from 1, be this player's; what followed is worked out anew from what was seen.

        Raises NoMatchError, NobodysMoveError; NoSuchMoveError, NoSuchPlayerError.
        """
        with self._lock:
            session = self._running()
            known, lines = played_by(session.known, n, player, self._clock())
            self._session = replace(session, known=known)
            return self._advance(session.pending, lines=lines)

    def say_drew(self, n: int) -> Outcome:
        """Let the card of accepted move `n`, counted from 1, have been drawn first; what followed is worked out anew.

        Raises NoMatchError, NobodysMoveError; NoSuchMoveError.
        """
        return self._reworked(lambda known, now: drawn_first(known, n, now))

    def say_missed(self, n: int, card: Card) -> Outcome:
        """Let this card have landed unseen just before accepted move `n`; what followed is worked out anew.

        Raises NoMatchError, NobodysMoveError for a card turned up to start; the RefereeError for which it is refused.
        """
        return self._reworked(lambda known, now: missed(known, n, card, now))

    def drop(self, n: int) -> Outcome:
        """Let accepted move `n`, counted from 1, never have been; what followed is worked out anew.

        Raises NoMatchError, NobodysMoveError for a card turned up to start; NoSuchMoveError.
        """
        return self._reworked(lambda known, now: never_was(known, n, now))

    def _reworked(self, lines: Callable[[Situation, float], tuple[Line, ...]]) -> Outcome:
        with self._lock:
            session = self._running()
            return self._advance(session.pending, lines=lines(session.known, self._clock()))

    def place(self, player: str, direction: float) -> None:
        """Let this player sit there, in degrees clockwise from up in the camera's picture.

        Raises NoMatchError, NoSuchPlayerError.
        """
        with self._lock:
            session = self._running()
            ring = session.known.ring.put(session.state.header.seat(player), direction % 360)
            self._session = replace(session, known=replace(session.known, ring=ring))
            self._advance(session.pending)

    def amend(self, n: int, move: Move, *, drop: bool = False) -> Outcome:
        """Let accepted move `n`, counted from 1, have been another one; all after it is worked out anew.

        drop: whether moves that then no longer stand are dropped. Raises NoMatchError; NoSuchMoveError,
        AmendBreaksLaterMoveError or the RefereeError for which it is refused, and then nothing has changed.
        """
        with self._lock:
            session = self._running()
            if drop:
                before = mended(session.journal, n, move, self._clock())
                return self._advance((), lines=before.lines)
            line, corrections = amendment(session.journal, Amend(n, move), self._clock())
            return self._advance(session.pending, lines=(line,), corrections=corrections)

    def set_turns(self, turns: Turns) -> None:
        """Set how the table learns who played and who drew in the running match. Raises NoMatchError."""
        with self._lock:
            session = self._running()
            self._session = replace(session, watch=replace(session.watch, turns=turns))
            self._advance(session.pending)

    def set_caller(self, caller: Caller) -> None:
        """Say everything in another language from now on; the history is put into it too."""
        with self._lock:
            self._screen.speak(Voice(caller))
            self._notice()
            if self._session is not None:
                self._advance(self._session.pending)

    def view(self) -> View:
        """Return a snapshot of everything that a screen shows."""
        with self._lock:
            return self._screen.view(self._session, saved=self._keeper.saved)

    @property
    def match_id(self) -> str | None:
        """The running match's id in the store, None where none runs."""
        session = self._session
        return None if session is None else session.match_id

    @property
    def edition(self) -> EditionName | None:
        """The edition that is played, None where no match runs."""
        state = self.state
        return None if state is None else state.header.edition.name

    @property
    def state(self) -> State | None:
        """How the running match stands, None where none runs."""
        session = self._session
        return None if session is None else session.state

    @property
    def color_is_guessed(self) -> bool:
        """Whether nobody said which colour was chosen for the wild card on which the last card lies."""
        return self._session is not None and self._session.color_is_guessed

    def retry(self) -> None:
        """Write what waits for the store, if it is time to try again, and say where that changes anything."""
        with self._lock:
            self._keeper.retry()
            self._notice()
            self._remind()

    def picture(self, picture_id: str) -> bytes | None:
        """Return a picture of the running match as JPEG bytes, None where it is not kept (any more)."""
        with self._lock:
            return None if self._session is None else self._keeper.picture(self._session.match_id, picture_id)

    def corrected(self) -> tuple[tuple[str, Card], ...]:
        """Return what stands by people's word of the running match, as `Journal.corrected` does."""
        return () if self._session is None else self._session.journal.corrected()

    def subscribe(self, after: int | None = None) -> Subscription:
        """Return a subscription to the updates after this id, or to those to come."""
        return self._updates.subscribe(after)

    def close(self) -> None:
        """Write what can be written and wake all listeners for good. The store stays open."""
        with self._lock:
            self._keeper.retry(now=True)
        self._updates.close()

    def _remind(self) -> None:
        """Speak once of each debt that nobody has taken for a while."""
        if self._session is not None:
            session, sentences = reminded(self._session, self._clock(), self._screen.voice.sentences)
            self._note(session)
            for sentence in sentences:
                self._updates.publish(UpdateKind.REMINDER, sentences=(sentence,))

    def _notice(self) -> None:
        """Show what the host should know, where that has changed."""
        self._screen.notice(self._keeper.trouble, self._session)

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

    def _begin(self, session: Session) -> None:
        self._session = session
        self._eyes.begin()
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
        """Take note of a session that is seen otherwise than before, though nothing has happened in it."""
        before, self._session = self._session, session
        if before is None or session.is_as_remembered(before):
            return
        if session.pending:
            self._advance(session.pending)
        else:
            self._keeper.write(Batch(session.match_id, self._clock(), memory=session.memory))
            self._notice()

    def _add(self, pending: Pending, *, readings: tuple[Reading, ...] = (), must_fit: bool = False) -> Outcome:
        session = self._running()
        return self._advance((*session.pending, pending), readings=readings, fresh=True, must_fit=must_fit)

    def _advance(self, pending: tuple[Pending, ...], **given: Unpack[Given]) -> Outcome:
        """Work out what all this comes to, write it, and only then let it be so and make it known."""
        step = advance(self._running(), pending, self._clock(), self._screen.voice, **given)
        self._keeper.write(step.batch)
        self._session = step.session
        rulings = self._screen.show(step)
        self._notice()
        return Outcome(rulings, self._screen.question)
