"""One running table: what is seen and tapped becomes moves of the referee, questions, and numbered updates."""

from companion.table.corrections import Mended
from companion.table.errors import (
    NobodysMoveError,
    NoMatchError,
    NoSuchQuestionError,
    NothingToRedoError,
    NothingToTakeBackError,
    RoundScoredError,
    TableError,
)
from companion.table.table import Table
from companion.table.updates import Subscription, Update, UpdateKind
from companion.table.view import (
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

__all__ = [
    "CameraView",
    "HistoryLine",
    "Known",
    "Mended",
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
