"""Instant replay: a clip of every observation of the camera, the evening's best, and a second look at a clip."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from companion.cards import Card
from companion.referee.moves import Play
from companion.referee.phase import Phase
from companion.server.archive.highlights import Highlight, Moment, best_of, highlights
from companion.server.capture.clips import Clip, Clips, Outline
from companion.server.capture.frame_ring import FrameRing, decoded
from companion.table.presentation.view import HistoryLine, Question, QuestionKind
from companion.table.session.table import Table
from companion.table.state.observations import Pending, Sight
from companion.vision.core.events import CardLanded, PileEvent, PileReached
from companion.vision.core.geometry import Image
from companion.vision.core.sightings import Sighting
from companion.vision.pile.pile_tracker import Detect

_FAINT = 0.01
"""Smallest share of a card that is worth mentioning after a second look."""
_HANDS_SHOWN = frozenset({Phase.CHALLENGE, Phase.REVEAL})
"""Phases in which a challenged hand may be in view."""


@dataclass(frozen=True, slots=True)
class Pace:
    """Durations of a clip in seconds.

    lead: before a landing whose arm was not seen. reach: before an arm's visit to the draw pile. most: before any
    landing. rest: after it.
    """

    lead: float = 2.5
    reach: float = 1.0
    most: float = 6.0
    rest: float = 1.0


@dataclass(frozen=True, slots=True)
class Reread:
    """A card as the pictures of a clip show it. share: mean of its confidence over these pictures, 0 to 1."""

    card: Card
    share: float


class Replays:
    """Clips of the running match and the best of those before it. In memory only.

    ring: the camera's last seconds.
    """

    def __init__(self, table: Table, ring: FrameRing, pace: Pace | None = None) -> None:
        self.clips = Clips()
        self._table, self._ring, self._pace = table, ring, pace or Pace()
        self._earlier: tuple[Highlight, ...] = ()
        self._wrong: tuple[Highlight, ...] = ()

    @property
    def records(self) -> bool:
        """Whether pictures may be kept now: during a match, but not while a challenged hand may be shown."""
        state = self._table.state
        return state is not None and state.phase not in _HANDS_SHOWN

    def saw(self, event: PileEvent, pending: Pending | None, size: tuple[int, int] | None, *, mirrored: bool) -> None:
        """Keep the clip of an event. pending: what the table made of it. size: width and height of the picture."""
        if pending is None:
            return
        self._lengthen()
        stills = self._ring.cut(self._begin(event), event.time + self._pace.rest)
        if not stills:
            return
        what = pending.what
        outline = None
        if isinstance(event, CardLanded) and event.quad is not None and size is not None:
            outline = tuple((float(x) / size[0], float(y) / size[1]) for x, y in event.quad)
        reading = what.reading if isinstance(what, Sight) else None
        view = self._table.view()
        clip = Clip(what.time, reading, stills, event.time, outline, mirrored)
        self.clips.keep(clip, self._best_times(view.history))
        if isinstance(what, Sight):
            self._note_wrong(what, view.questions)

    def of_line(self, n: int) -> Clip | None:
        """Return the clip of accepted move `n` (from 1), None if there is none."""
        self._lengthen()
        line = self._line(n)
        if line is None:
            return None
        return self.clips.at(line.time) or (None if line.picture is None else self.clips.of_reading(line.picture))

    def of_question(self, question_id: int) -> Clip | None:
        """Return the clip of the open question, None if there is none."""
        self._lengthen()
        for question in self._table.view().questions:
            if question.id == question_id and question.picture is not None:
                return self.clips.of_reading(question.picture)
        return None

    def best(self) -> tuple[Highlight, ...]:
        """Return the evening's best moments that have a clip, by time."""
        self._lengthen()
        return self._best(self._table.view().history)

    def _best(self, history: Sequence[HistoryLine]) -> tuple[Highlight, ...]:
        fitted = {line.time for line in history if isinstance(line.move, Play) and not line.move.force}
        wrong = [one for one in self._wrong if one.time not in fitted]
        found = [*self._earlier, *wrong, *highlights(history)]
        return best_of([one for one in found if self.clips.at(one.time) is not None])

    def match_changes(self) -> None:
        """Keep the best of the match that ends now, and drop its other clips."""
        self._earlier, self._wrong = self.best(), ()
        self._ring.clear()
        self.clips.keep_only({one.time for one in self._earlier})

    def forget(self) -> None:
        """Drop everything."""
        self._earlier = self._wrong = ()
        self._ring.clear()
        self.clips.keep_only(())

    def _lengthen(self) -> None:
        """Add what the ring has kept since the newest clip was cut: its event came before the clip's end."""
        clip = self.clips.newest
        if clip is None:
            return
        last = clip.stills[-1]
        stills = self._ring.cut(last.time, clip.landed + self._pace.rest)
        # A ring that was cleared may hold another source's pictures, with another clock.
        if len(stills) > 1 and stills[0] is last:
            self.clips.lengthen(clip, stills[1:], self._best_times(self._table.view().history))

    def _best_times(self, history: Sequence[HistoryLine]) -> set[float]:
        return {one.time for one in self._best(history)}

    def _begin(self, event: PileEvent) -> float:
        """Return the time at which the clip of an event begins, on the camera's clock."""
        if isinstance(event, PileReached):
            return max(event.began - self._pace.reach, event.time - self._pace.most)
        entered = event.entered if isinstance(event, CardLanded) else None
        return event.time - self._pace.lead if entered is None else max(entered, event.time - self._pace.most)

    def _line(self, n: int) -> HistoryLine | None:
        history = self._table.view().history
        return history[n - 1] if 1 <= n <= len(history) else None

    def _note_wrong(self, sight: Sight, questions: Sequence[Question]) -> None:
        """Note that this card does not match, if the table says so."""
        for question in questions:
            if question.kind is QuestionKind.ILLEGAL and question.picture == sight.reading:
                state = self._table.state
                player = None if state is None else state.actor
                card = sight.probabilities[0][0] if sight.probabilities else None
                wrong = Highlight(Moment.WRONG, sight.time, player, card, 0, (question.sentence,))
                self._wrong = (*self._wrong, wrong)


def read_again(clip: Clip, detect: Detect) -> tuple[int, tuple[Reread, ...]]:
    """Read every picture of a clip in which the card lies still.

    Returns how many there are, and the cards that they show at its place, by their share; at most three. A clip without
    an outline shows nothing. Raises what the detector raises.
    """
    if clip.outline is None:
        return 0, ()
    shares: dict[Card, float] = {}
    stills = [still for still in clip.stills if still.time >= clip.landed]
    for still in stills:
        image = decoded(still.jpeg)
        for sighting in _at(clip.outline, image, detect(image)):
            for card, probability in zip(sighting.cards, sighting.probabilities, strict=True):
                shares[card] = shares.get(card, 0.0) + probability / len(stills)
    found = [Reread(card, share) for card, share in shares.items() if share >= _FAINT]
    return len(stills), tuple(sorted(found, key=lambda one: -one.share)[:3])


def _at(outline: Outline, image: Image, found: Sequence[Sighting]) -> Iterator[Sighting]:
    """Yield the sighting whose middle is nearest to the outline's, if it lies inside the outline."""
    height, width = image.shape[:2]
    corners = (np.asarray(outline) * [width, height]).astype(np.float32)
    middle = corners.mean(axis=0)
    inside = [one for one in found if cv2.pointPolygonTest(corners, _point(one), measureDist=False) >= 0]
    if inside:
        yield min(inside, key=lambda one: float(np.hypot(*(one.quad.mean(axis=0) - middle))))


def _point(sighting: Sighting) -> tuple[float, float]:
    x, y = sighting.quad.mean(axis=0)
    return float(x), float(y)
