"""Snapshots of the running table for screens: immutable and self-contained."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from companion.cards import Card
from companion.referee.effects import Effect
from companion.referee.legality import Legal
from companion.referee.moves import Entry, Move
from companion.referee.state import Header, State
from companion.storage.journal import Known, ReadBy
from companion.table.state.situation import Turns
from companion.vision.core.events import CameraHealth

__all__ = [
    "CameraView",
    "HistoryLine",
    "Known",
    "Notice",
    "NoticeKind",
    "Offer",
    "Outcome",
    "Question",
    "QuestionKind",
    "ReadBy",
    "Ruling",
    "SeatView",
    "Turns",
    "View",
]


class QuestionKind(Enum):
    """What is in doubt."""

    CARD = "card"  # Which card landed.
    DOUBT = "doubt"  # All copies of the card read should be used up since the last reshuffle.
    ILLEGAL = "illegal"  # A card that does not match lies on the pile.
    PLAYER = "player"  # Who laid a card or drew one.
    TURN = "turn"  # Whether the players in between drew and passed.
    COLOR = "color"  # Which colour was chosen for a wild.
    TARGET = "target"  # Whom the green shell hit.
    CHALLENGE = "challenge"  # How a challenge ended.
    TAKE_BACK = "take back"  # Whether, and how many, cards were taken back.


@dataclass(frozen=True, slots=True)
class Offer:
    """One answer to a question.

    label: text of its button. card: the card that landed, if the answer implies one. entries: for the referee, empty if
    nothing happened. probability: its probability, 0 to 1.
    """

    label: str
    card: Card | None
    entries: tuple[Entry, ...]
    probability: float


@dataclass(frozen=True, slots=True)
class Question:
    """An open question. Play continues meanwhile; a later observation or tap may settle it.

    id: counts up within a running table. choices: most probable first; for cards the two best. picture: identifier of
    its picture, see `Table.picture`. waiting: number of later observations that will be ruled on once it is settled.
    """

    id: int
    kind: QuestionKind
    sentence: str
    choices: tuple[Offer, ...]
    picture: str | None
    waiting: int = 0


@dataclass(frozen=True, slots=True)
class HistoryLine:
    """An accepted move in the history: `n` counts from 1, `time` is seconds since the epoch.

    picture: identifier of the picture it was read from, None without one. player: whose move it is, None if nobody's.
    known: how that is known.
    """

    n: int
    move: Move
    effects: tuple[Effect, ...]
    sentences: tuple[str, ...]
    read_by: ReadBy
    picture: str | None
    time: float
    player: str | None = None
    known: Known = Known.INFERRED


@dataclass(frozen=True, slots=True)
class Ruling:
    """A ruling: entries accepted together, and what is announced about them.

    n: number of accepted moves now. effects: of the moves, in order. sentences: to be spoken and shown.
    """

    n: int
    entries: tuple[Entry, ...]
    effects: tuple[Effect, ...]
    sentences: tuple[str, ...]
    read_by: ReadBy
    picture: str | None
    time: float


@dataclass(frozen=True, slots=True)
class Outcome:
    """Result of a tap or an answer.

    rulings: those made at once. question: the question that must be settled first, else None. Neither: nothing new.
    """

    rulings: tuple[Ruling, ...]
    question: Question | None


class NoticeKind(Enum):
    """Subject of a notice; at most one of each kind exists."""

    STORAGE = "storage"  # The match cannot be written to disk.
    TURNS = "turns"  # The camera cannot tell who played and drew.


@dataclass(frozen=True, slots=True)
class Notice:
    """A notice for the host: one sentence."""

    kind: NoticeKind
    sentence: str


@dataclass(frozen=True, slots=True)
class CameraView:
    """State of the camera; `health` is None before the first report. since: seconds since the epoch."""

    health: CameraHealth | None
    detail: str
    since: float


@dataclass(frozen=True, slots=True)
class SeatView:
    """What is known of one player's seat.

    direction: where the arms come from, degrees clockwise from up in the camera's picture, None until one was seen.
    certainty: probability of a correct attribution, 0 to 1. owed: penalty cards to be taken from the draw pile; taken:
    how many of them were seen to be taken.
    """

    player: str
    direction: float | None
    certainty: float
    owed: int
    taken: int


@dataclass(frozen=True, slots=True)
class View:
    """Everything a screen needs as of update number `update`. Without a match most fields are None or empty.

    match_id: identifier of the match in the store. saved: whether all of it is on disk. turns: the host's setting;
    turns_in_force: how turns can be followed now. seats: in the players' order. prompt: what the table is waiting for,
    as a request. The players' names are in `header`.
    """

    update: int
    match_id: str | None
    header: Header | None
    state: State | None
    legal: Legal | None
    prompt: str
    ruling: Ruling | None
    questions: tuple[Question, ...]
    history: tuple[HistoryLine, ...]
    camera: CameraView
    notices: tuple[Notice, ...]
    turns: Turns
    turns_in_force: Turns
    seats: tuple[SeatView, ...]
    saved: bool
