"""State of the screens: the open question, the latest ruling, history, notices, camera."""

from __future__ import annotations

from copy import copy
from dataclasses import replace

from companion.referee.legality import legal
from companion.storage.journal import Journal
from companion.storage.records import StoreError
from companion.table.presentation.questions import Asked
from companion.table.presentation.sentences import Sentences
from companion.table.presentation.updates import UpdateKind, Updates
from companion.table.presentation.view import (
    CameraView,
    HistoryLine,
    Notice,
    NoticeKind,
    Question,
    QuestionKind,
    Ruling,
    SeatView,
    View,
)
from companion.table.presentation.voice import Voice
from companion.table.session.running import Advance, Session
from companion.table.state.situation import Turns
from companion.vision.core.events import CameraStatus


def seats(session: Session) -> tuple[SeatView, ...]:
    """Return each player's seat and debt."""
    ring, debts = session.known.ring, session.known.debts
    return tuple(
        SeatView(name, ring.direction(seat), round(ring.certainty(seat), 3), debt.cards, min(debt.cards, debt.taken))
        for seat, (name, debt) in enumerate(zip(session.state.players, debts.seats, strict=True))
    )


def _fallen_back(session: Session, say: Sentences) -> str | None:
    """Return why turns are not followed by camera although requested; None if they are."""
    watch = session.watch
    if watch.turns is not Turns.CAMERA:
        return None
    if watch.in_force(session.known.ring) is not Turns.CAMERA:
        return say.directions_tell_nothing()
    return None if watch.sees_both_piles else say.draw_pile_unseen()


class Screen:
    """Holds what is shown and publishes changes. Not thread-safe.

    now: seconds since the epoch.
    """

    def __init__(self, updates: Updates, voice: Voice, now: float) -> None:
        self.voice = voice
        self.question: Question | None = None
        self._updates = updates
        self._last_question = 0
        self._ruling: Ruling | None = None
        self._history: tuple[HistoryLine, ...] = ()
        self._camera = CameraView(None, "", now)
        self._notices: dict[NoticeKind, Notice] = {}

    def begin(self) -> None:
        """Show another match."""
        self._settle_question()
        self._ruling, self._history = None, ()
        self._updates.publish(UpdateKind.MATCH)

    def speak(self, voice: Voice, session: Session | None) -> None:
        """Use another language from now on, for the last ruling as well."""
        self.voice = voice
        self._history = ()
        self._notices.clear()
        if self._ruling is not None and session is not None:
            self._ruling = voice.reworded(self._ruling, session.journal)

    def in_words_of(self, voice: Voice, session: Session | None, asked: Asked | None) -> Screen:
        """Return a copy of the screen in another language. asked: the open question in that language."""
        other = copy(self)
        other._notices = {}
        other.speak(voice, session)
        if session is not None and (sentence := _fallen_back(session, voice.sentences)) is not None:
            other._notices[NoticeKind.TURNS] = Notice(NoticeKind.TURNS, sentence)
        if NoticeKind.STORAGE in self._notices:
            other._notices[NoticeKind.STORAGE] = self._notices[NoticeKind.STORAGE]
        if self.question is not None and asked is not None and asked.kind is self.question.kind:
            other.question = replace(self.question, sentence=asked.sentence, choices=asked.choices)
        return other

    def show(self, step: Advance) -> tuple[Ruling, ...]:
        """Publish a step's announcements, ask its question, and return its rulings."""
        rulings = []
        for announcement in step.announcements:
            if announcement.ruling is None:
                self._updates.publish(UpdateKind.REFUSED, sentences=announcement.sentences)
                continue
            kind = UpdateKind.CORRECTED if announcement.corrects else UpdateKind.RULING
            self._ruling = announcement.ruling
            rulings.append(announcement.ruling)
            self._updates.publish(kind, sentences=announcement.sentences, ruling=announcement.ruling)
        self._pose(step)
        return tuple(rulings)

    def camera_is(self, status: CameraStatus | None, now: float) -> None:
        """Show the camera's state; None before the first report."""
        health, detail = (None, "") if status is None else (status.health, status.detail)
        self._camera = CameraView(health, detail, now)
        self._updates.publish(UpdateKind.CAMERA, sentences=(detail,) if detail else ())

    def notice(self, trouble: StoreError | None, session: Session | None) -> None:
        """Show or remove the notices that the store cannot be written and that turns cannot be followed by camera."""
        say = self.voice.sentences
        sentences = {
            NoticeKind.STORAGE: None if trouble is None else say.not_saved(trouble),
            NoticeKind.TURNS: None if session is None else _fallen_back(session, say),
        }
        for kind, sentence in sentences.items():
            wanted = None if sentence is None else Notice(kind, sentence)
            if self._notices.get(kind) == wanted:
                continue
            if wanted is None:
                del self._notices[kind]
            else:
                self._notices[kind] = wanted
            self._updates.publish(UpdateKind.NOTICE, notice=wanted)

    def view(self, session: Session | None, *, saved: bool) -> View:
        """Return a complete snapshot for this session."""
        self._history = ()
        empty = View(
            update=self._updates.last,
            match_id=None,
            header=None,
            state=None,
            legal=None,
            prompt=self.voice.sentences.no_match(),
            ruling=self._ruling,
            questions=() if self.question is None else (self.question,),
            history=(),
            camera=self._camera,
            notices=tuple(self._notices.values()),
            turns=Turns.CAMERA,
            turns_in_force=Turns.CAMERA,
            seats=(),
            saved=saved,
        )
        if session is None:
            return empty
        self._history = self._lines(session.journal)
        return replace(
            empty,
            match_id=session.match_id,
            header=session.state.header,
            state=session.state,
            legal=legal(session.state),
            prompt=self.voice.caller.prompt(session.state),
            history=self._history,
            turns=session.watch.turns,
            turns_in_force=session.watch.in_force(session.known.ring),
            seats=seats(session),
        )

    def _pose(self, step: Advance) -> None:
        """Ask the open question, keeping its number if it was asked before."""
        asked, old = step.asked, self.question
        waiting = max(0, len(step.session.pending) - 1)
        if asked is None:
            self._settle_question()
        elif old is not None and (old.kind, old.sentence, old.picture) == (asked.kind, asked.sentence, asked.reading):
            self.question = replace(old, choices=asked.choices, waiting=waiting)
            if self.question != old:
                self._updates.publish(UpdateKind.QUESTION, question=self.question)
        else:
            self._settle_question()
            self._last_question += 1
            self.question = Question(
                self._last_question, asked.kind, asked.sentence, asked.choices, asked.reading, waiting
            )
            illegal = asked.kind is QuestionKind.ILLEGAL
            self._updates.publish(
                UpdateKind.ILLEGAL if illegal else UpdateKind.QUESTION,
                sentences=(asked.sentence,) if illegal else (),
                question=self.question,
            )

    def _settle_question(self) -> None:
        if self.question is not None:
            self._updates.publish(UpdateKind.SETTLED, question=self.question)
            self.question = None

    def _lines(self, journal: Journal) -> tuple[HistoryLine, ...]:
        """Return the history, reworded only from the first change on."""
        kept = 0
        for shown, line, step in zip(self._history, journal.lines, journal.match.history, strict=False):
            if shown.move is not step.move or shown.effects is not step.effects or shown.time != line.time:
                break
            kept += 1
        fresh = (self.voice.line(journal, place) for place in range(kept, len(journal.lines)))
        return (*self._history[:kept], *fresh)
