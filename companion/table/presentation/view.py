"""What a screen is shown of the running table: frozen snapshots, complete in themselves."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from companion.cards import Card
from companion.journal import Known, ReadBy
from companion.referee.effects import Effect
from companion.referee.legality import Legal
from companion.referee.moves import Entry, Move
from companion.referee.state import Header, State
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

    CARD = "card"  # which card landed
    DOUBT = "doubt"  # the card read should all be used up since the last reshuffle
    ILLEGAL = "illegal"  # a card that does not match lies on the pile
    PLAYER = "player"  # who laid a card or drew one
    TURN = "turn"  # whether the players in between drew and passed
    COLOR = "color"  # which colour was chosen for a wild
    TARGET = "target"  # whom the green shell hit
    CHALLENGE = "challenge"  # how a challenge was settled
    TAKE_BACK = "take back"  # whether, and how far, cards were taken back


@dataclass(frozen=True, slots=True)
class Offer:
    """One answer to a question.

    label: what to write on its button. card: the card that it says landed, if it says so. entries: what the referee
    would be told, none where it means that nothing happened. probability: how likely it is held to be, 0 to 1.
    """

    label: str
    card: Card | None
    entries: tuple[Entry, ...]
    probability: float


@dataclass(frozen=True, slots=True)
class Question:
    """What the table is unsure of. Play goes on meanwhile; a later sight or tap may settle it.

    id: counts up within a running table. choices: likeliest first; for cards the two likeliest. picture: the id of the
    picture behind it, to be had from `Table.picture`. `waiting` counts what was seen or tapped since, which is kept and
    ruled on when this is settled.
    """

    id: int
    kind: QuestionKind
    sentence: str
    choices: tuple[Offer, ...]
    picture: str | None
    waiting: int = 0


@dataclass(frozen=True, slots=True)
class HistoryLine:
    """An accepted move as it stands in the match: `n` counts from 1, `time` is seconds since the epoch.

    picture: the id of the picture that it was read from, None where there is none. player: whose move it is, None where
    it is nobody's. known: how that is known.
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
    """What has just been accepted, all at once: one or several entries and what there is to say about them.

    n: how many moves stand accepted now. effects: of the moves, in order. sentences: to be said and shown.
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
    """What came of a tap or an answer.

    rulings: those made at once. question: what is asked before it can be ruled on, else None.
    Neither: it told nothing new.
    """

    rulings: tuple[Ruling, ...]
    question: Question | None


class NoticeKind(Enum):
    """What a notice is about; there is at most one of each kind."""

    STORAGE = "storage"  # the match cannot be written
    TURNS = "turns"  # who played and drew cannot be told by camera


@dataclass(frozen=True, slots=True)
class Notice:
    """Something that the host should know: one sentence."""

    kind: NoticeKind
    sentence: str


@dataclass(frozen=True, slots=True)
class CameraView:
    """How the camera does; `health` is None until it was heard of. since: seconds since the epoch."""

    health: CameraHealth | None
    detail: str
    since: float


@dataclass(frozen=True, slots=True)
class SeatView:
    """What is known of one player's seat.

    direction: where the arms come from, degrees clockwise from up in the camera's picture, None until one was seen.
    certainty: how surely one of them is told from the others', 0 to 1. owed: cards to be taken from the draw pile for a
    penalty; taken: how many of them were seen to be taken.
    """

    player: str
    direction: float | None
    certainty: float
    owed: int
    taken: int


@dataclass(frozen=True, slots=True)
class View:
    """Everything that a screen needs, as of update number `update`. Without a match most of it is None or empty.

    match_id: the match's id in the store. saved: whether all of it is on disk. turns: the host's option;
    turns_in_force: how turns can be followed now. seats: in the players' order.
    prompt: what the table is waiting for, as a request. players' names are in `header`.
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
