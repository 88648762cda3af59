"""Handles people's answers: a tapped choice, a named or typed card, and their effect on pending observations."""

from __future__ import annotations

from dataclasses import dataclass, replace

from companion.cards import Card
from companion.referee.errors import DoesNotMatchError, NotInThisEditionError
from companion.referee.moves import Flip, Play, Start
from companion.storage.records import Correction
from companion.table.presentation.view import Offer, Question, QuestionKind
from companion.table.session.errors import NoSuchQuestionError
from companion.table.session.running import Session
from companion.table.state.observations import Pending, Sight

_NAMING = (QuestionKind.CARD, QuestionKind.DOUBT, QuestionKind.ILLEGAL)


@dataclass(frozen=True, slots=True)
class Answered:
    """The pending observations after an answer, and what the answer says about a reading."""

    pending: tuple[Pending, ...]
    corrections: tuple[Correction, ...] = ()


def answered(session: Session, question: Question, answer: Card | int, now: float) -> Answered:
    """Return the result of an answer: the index of one of the question's choices, or the card that landed.

    now: seconds since the epoch. Raises NoSuchQuestionError, also for a missing choice; NotInThisEditionError.
    """
    if isinstance(answer, Card):
        return _with_card(session, question, answer, now)
    if not 0 <= answer < len(question.choices):
        raise NoSuchQuestionError(question.id)
    choice = question.choices[answer]
    if question.kind in _NAMING and choice.card is not None:
        return _with_card(session, question, choice.card, now)
    return _stated(session, choice)


def let_stand(session: Session, question: Question) -> Answered:
    """Return the result of accepting the illegal card the question is about; raises NoSuchQuestionError."""
    if question.kind is not QuestionKind.ILLEGAL:
        raise NoSuchQuestionError(question.id)
    return _stated(session, question.choices[0])


def typed(session: Session, question: Question, move: Start | Play | Flip, now: float) -> Answered | None:
    """Return the result of a typed card as the answer to the open question; None if it is not one.

    Raises NotInThisEditionError; DoesNotMatchError for the illegal card unless it is accepted.
    """
    by = None if isinstance(move, Start) else move.by
    if by not in (None, session.state.actor):
        return None
    if question.kind in (QuestionKind.CARD, QuestionKind.DOUBT):
        return _with_card(session, question, move.card, now)
    if question.kind is not QuestionKind.ILLEGAL or not isinstance(move, Play):
        return None
    stands = question.choices[0]
    if stands.entries[-1:] != (Play(move.card, force=True),):
        return None
    state = session.state
    if not move.force and state.top is not None and state.color is not None:
        raise DoesNotMatchError(move.card, state.top, state.color)
    return _stated(session, stands)


def _with_card(session: Session, question: Question, card: Card, now: float) -> Answered:
    """Set the card the question is about."""
    waiting = session.pending[0]
    if not isinstance(waiting.what, Sight):
        raise NoSuchQuestionError(question.id)
    if card not in session.match.header.edition.deck:
        raise NotInThisEditionError(card)
    correction = Correction(waiting.what.reading, card, now)
    return Answered((replace(waiting, card=card), *session.pending[1:]), (correction,))


def _stated(session: Session, choice: Offer) -> Answered:
    """Accept a choice as what happened."""
    return Answered((replace(session.pending[0], said=choice.entries), *session.pending[1:]))
