"""A running table: turns observations and taps into moves of the referee, questions and numbered updates."""

from companion.table.presentation.updates import Subscription, Update, UpdateKind
from companion.table.presentation.view import (
    CameraView,
    HistoryLine,
    Known,
    Notice,
    NoticeKind,
    Offer,
    Outcome,
    Question,
    QuestionKind,
    ReadBy,
    Ruling,
    SeatView,
    Turns,
    View,
)
from companion.table.session.corrections import AmendmentPreview
from companion.table.session.errors import (
    NobodysMoveError,
    NoMatchError,
    NoSuchQuestionError,
    NothingToRedoError,
    NothingToTakeBackError,
    RoundScoredError,
    TableError,
)
from companion.table.session.table import Table

__all__ = [
    "AmendmentPreview",
    "CameraView",
    "HistoryLine",
    "Known",
    "NoMatchError",
    "NoSuchQuestionError",
    "NobodysMoveError",
    "NothingToRedoError",
    "NothingToTakeBackError",
    "Notice",
    "NoticeKind",
    "Offer",
    "Outcome",
    "Question",
    "QuestionKind",
    "ReadBy",
    "RoundScoredError",
    "Ruling",
    "SeatView",
    "Subscription",
    "Table",
    "TableError",
    "Turns",
    "Update",
    "UpdateKind",
    "View",
]
