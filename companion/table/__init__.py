"""One running table: what is seen and tapped becomes moves of the referee, questions, and numbered updates."""

from companion.table.errors import NoMatchError, NoSuchQuestionError, NothingToTakeBackError, TableError
from companion.table.table import Outcome, Table
from companion.table.updates import Subscription, Update, UpdateKind
from companion.table.view import (
    CameraView,
    HistoryLine,
    Notice,
    NoticeKind,
    Offer,
    Question,
    QuestionKind,
    ReadBy,
    Ruling,
    SeatView,
    Turns,
    View,
)

__all__ = [
    "CameraView",
    "HistoryLine",
    "NoMatchError",
    "NoSuchQuestionError",
    "NothingToTakeBackError",
    "Notice",
    "NoticeKind",
    "Offer",
    "Outcome",
    "Question",
    "QuestionKind",
    "ReadBy",
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
