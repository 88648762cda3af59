"""The people at a simulated table: they tap what no camera sees, answer what is asked, and mend what is wrong.

They know the true match, so they can also tell how each ruling turned out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from enum import Enum

from companion.cards import Card, Color
from companion.dataset.simulated.actions import FLIP_SECONDS, Lay
from companion.dataset.simulated.script import Script
from companion.referee.errors import RefereeError
from companion.referee.legality import legal
from companion.referee.match import Match
from companion.referee.moves import (
    ActorMove,
    Amend,
    Catch,
    Challenge,
    ChooseColor,
    Creeper,
    Draw,
    Entry,
    Flip,
    Judge,
    Move,
    Play,
    Reshuffle,
    Reveal,
    Start,
    Target,
    Undo,
    Uno,
)
from companion.table import Offer, Question, QuestionKind, Table, TableError

# What the camera sees; the rest is tapped.
_SEEN = (Start, Play, Flip, Reshuffle, Undo)
_LANDINGS = (Start, Play, Flip)
# What no camera could see nor anybody infer from what follows: all that people tap who leave the rest to the camera.
_UNSEEN = (Uno, Catch, Challenge, Reveal, Judge, Target, Creeper)
# A card may lie in its place for this long (s) while the hand has not let go of it.
_EARLY = 0.25
# How long people look at a question before they answer it, wait before they try a tap again, and wait for a ruling
# before they mend the table themselves; in seconds.
_HESITATION, _AGAIN, _PATIENCE = 1.5, 0.25, 5.0
# So long (s) they wait where they leave draws and colours to the camera, which may be told by the next card alone.
_LONG_PATIENCE = 30.0


class Ruling(Enum):
    """How the table did with a card that landed, or a card taken back; `NEEDLESS` is a question about nothing."""

    RIGHT = "right"
    ASKED = "asked"
    WRONG = "wrong"
    MENDED = "wrong at first, mended by itself"
    MISSED = "missed"
    INVENTED = "invented"
    NEEDLESS = "needless question"
    CALLED = "illegal card called"
    UNCALLED = "illegal card not called"


class Draws(Enum):
    """What is counted of draws on a turn, as the table ruled on them."""

    TRUE = "draws on a turn"
    RULED = "draws ruled on"
    INVENTED = "draws ruled on that were none"


@dataclass(frozen=True)
class Slip:
    """Something that went wrong: when (s), how, what was true, and what was said."""

    time: float
    kind: str
    truth: str
    said: str


@dataclass(frozen=True)
class _Standing:
    """The moves that truly stand from a moment on, without reshuffles, and the one that led there."""

    time: float
    moves: tuple[Move, ...]
    entry: Entry | None


@dataclass(frozen=True)
class _Due:
    """Something to be tapped, and when."""

    time: float
    move: Move


@dataclass
class People:
    """Plays along at `table`, which runs the script's match; `now` is footage time in seconds.

    hands_free: whether they tap only what no camera could see.
    """

    table: Table
    script: Script
    hands_free: bool = False
    rulings: Counter[Ruling] = field(default_factory=Counter)
    slips: list[Slip] = field(default_factory=list)
    questions: Counter[QuestionKind] = field(default_factory=Counter)
    draws: Counter[Draws] = field(default_factory=Counter)
    refused: int = 0
    """How many taps had to be tried again."""
    taps: int = 0
    """How many taps there were, answers and corrections among them."""
    derailed: bool = False
    """Whether the table was wrong about two cards on end with nobody asked."""

    def __post_init__(self) -> None:
        self._truth, self._taps = _truth(self.script)
        if self.hands_free:
            self._taps = [due for due in self._taps if isinstance(due.move, _UNSEEN)]
        self._patience = _LONG_PATIENCE if self.hands_free else _PATIENCE
        self._strayed = False
        self._stray_since: float | None = None
        self._illegal = _illegal_lays(self.script, self._truth)
        landings = (place for place, standing in enumerate(self._truth) if isinstance(standing.entry, _LANDINGS))
        self._last_landing = max(landings, default=0)
        self._at = 0
        self._tapped = 0
        self._try_at = 0.0
        self._seen_update = -1
        self._question: Question | None = None
        self._asked_at = 0.0
        self._was_asked = False

    def live(self, now: float) -> None:
        """Do what people do at this moment. To be called for every frame, after what the camera saw was taken in."""
        self._tap(now)
        self._look(now)
        if self._question is not None and now >= self._asked_at + _HESITATION and not self._may_wait(self._question):
            self._answer(self._question, now)
            self._look(now)
        if self._stray_since is not None and now >= self._stray_since + _HESITATION:
            self._mend(now, self._stands())
        self._lose_patience(now)
        while self._illegal and now > self._illegal[0][0] + _PATIENCE:
            self._note_illegal(Ruling.UNCALLED)

    def finish(self, now: float) -> None:
        """Grade what is left when the match is over. What the next card would have told is left open."""
        self._look(now)
        if self._question is not None:
            self._answer(self._question, now)
            self._look(now)
        left = self._truth[self._at + 1 :]
        if self._stray_since is not None:
            self._mend(now, self._stands())
        elif (left and not self.hands_free) or any(isinstance(s.entry, (*_LANDINGS, Undo)) for s in left):
            self._mend(now, None)

    def _may_wait(self, question: Question) -> bool:
        """Return whether it asks about a card where none has landed, of which who wants to tap little takes no notice.

        The next card shows the table that there was none; where it does not, they tell it after all.
        """
        about_a_card = question.kind in (QuestionKind.CARD, QuestionKind.DOUBT)
        nothing = about_a_card and self._card_in_question(self._asked_at) is None
        return self.hands_free and nothing and not question.waiting

    def _tap(self, now: float) -> None:
        while self._tapped < len(self._taps) and now >= max(self._taps[self._tapped].time, self._try_at):
            try:
                self.table.tap(self._taps[self._tapped].move)
            except (RefereeError, TableError):
                self.refused += 1
                self._try_at = now + _AGAIN
                return
            self._tapped += 1
            self.taps += 1
            self._look(now)

    def _look(self, now: float) -> None:
        """Compare what the table says with the truth."""
        view = self.table.view()
        if view.update == self._seen_update:
            return
        self._seen_update = view.update
        question = view.questions[0] if view.questions else None
        if question is not None and (self._question is None or question.id != self._question.id):
            self._asked_at = now
            self._hear(question, now)
        self._question = question
        stands = self._stands()
        place = self._place_of(stands, now)
        if place is None:
            # Who leaves the rest to the camera needs a moment to see that it is wrong, in which it may see that itself.
            if not self.hands_free:
                self._mend(now, stands)
            elif self._stray_since is None:
                self._stray_since = now
            return
        self._grade_up_to(place, now)
        self._was_asked = question is not None

    def _stands(self) -> tuple[Move, ...]:
        return _bare(line.move for line in self.table.view().history)

    def _hear(self, question: Question, now: float) -> None:
        self.questions[question.kind] += 1
        self._was_asked = True
        if question.kind is not QuestionKind.ILLEGAL:
            return
        card = question.choices[0].entries[-1]
        assert isinstance(card, Play)
        if self._illegal and self._illegal[0][0] <= now + _EARLY:
            right = self._illegal[0][1] == card.card
            self._note_illegal(Ruling.CALLED if right else Ruling.UNCALLED, card.card.name, now)
            return
        true = self._next_landing(now)
        if not (isinstance(true, Play) and true.force):
            self._slip(now, Ruling.WRONG, _named(true), f"{card.card} called illegal")

    def _note_illegal(self, ruling: Ruling, said: str = "", now: float | None = None) -> None:
        time, card = self._illegal.pop(0)
        self.rulings[ruling] += 1
        if ruling is Ruling.UNCALLED:
            self._slips_add(time if now is None else now, ruling, f"illegal {card}", said)

    def _place_of(self, stands: tuple[Move, ...], now: float) -> int | None:
        """Return the first place in the truth, not before the present one and not ahead of now, where these stand."""
        for place in range(self._at, len(self._truth)):
            if self._truth[place].time > now + _EARLY:
                return None
            if self._truth[place].moves == stands:
                return place
        return None

    def _grade_up_to(self, place: int, now: float) -> None:
        for i in range(self._at + 1, place + 1):
            entry = self._truth[i].entry
            self._count_draw(i, ruled=True)
            if not isinstance(entry, (*_LANDINGS, Undo)):
                continue
            if self._stray_since is not None:
                self._slip(now, Ruling.MENDED, _named(entry), "something else at first")
            else:
                self.rulings[Ruling.ASKED if self._was_asked else Ruling.RIGHT] += 1
            self._strayed, self._stray_since = False, None
            while self._illegal and self._illegal[0][0] < self._truth[i].time:
                self._note_illegal(Ruling.UNCALLED)
        self._at, self._stray_since = place, None

    def _count_draw(self, place: int, *, ruled: bool) -> None:
        """Count the draw that leads to this place in the truth, if one does: not where no card has followed to tell."""
        if isinstance(self._truth[place].entry, Draw) and place < self._last_landing:
            self.draws[Draws.TRUE] += 1
            self.draws[Draws.RULED] += ruled

    def _answer(self, question: Question, now: float) -> None:
        """Answer by the truth; where no answer is true, wait, or mend the table in the end."""
        kind = question.kind
        before = self.table.view().update
        with suppress(RefereeError, TableError):
            if kind in (QuestionKind.CARD, QuestionKind.DOUBT):
                card = self._card_in_question(self._asked_at)
                if card is not None:
                    self.table.answer(question.id, card)
                else:
                    self._slip(now, Ruling.NEEDLESS, "nothing", question.sentence)
                    self.table.undo(scored=True)
            elif kind is QuestionKind.ILLEGAL:
                true = self._next_landing(now)
                if isinstance(true, Play) and true.force:
                    self.table.let_stand(question.id)
                elif true is not None:
                    self.table.answer(question.id, true.card)
            else:
                choice = self._truest(question, now)
                if choice is not None:
                    self.table.answer(question.id, choice)
        self.taps += self.table.view().update != before

    def _card_in_question(self, asked_at: float) -> Card | None:
        """Return the first card that had landed by then and is not ruled on, None where none had."""
        true = next((s for s in self._ahead(asked_at) if isinstance(s.entry, _LANDINGS)), None)
        if self._illegal and self._illegal[0][0] <= (asked_at if true is None else min(asked_at, true.time)):
            return self._illegal[0][1]
        return true.entry.card if true is not None and isinstance(true.entry, _LANDINGS) else None

    def _next_landing(self, now: float) -> Start | Play | Flip | None:
        return next((s.entry for s in self._ahead(now) if isinstance(s.entry, _LANDINGS)), None)

    def _ahead(self, now: float) -> list[_Standing]:
        return [s for s in self._truth[self._at + 1 :] if s.time <= now + _EARLY]

    def _truest(self, question: Question, now: float) -> int | None:
        """Return the first of the choices that come nearest to how the match stands, None where all are wrong.

        One by which nothing happened is true only while nothing truly has.
        """
        places = [self._place_after(choice, now) for choice in question.choices]
        known = [place for place in places if place is not None and (place > self._at or not self._ahead(now))]
        return places.index(max(known)) if known else None

    def _place_after(self, choice: Offer, now: float) -> int | None:
        moves: list[Move] = [line.move for line in self.table.view().history]
        for entry in choice.entries:
            if isinstance(entry, Undo):
                moves.pop()
            elif not isinstance(entry, Amend):
                moves.append(entry)
        return self._place_of(_bare(moves), now)

    def _lose_patience(self, now: float) -> None:
        """Mend the table where it has not told for long what happened."""
        ahead = self._truth[self._at + 1 :]
        if ahead and ahead[0].time + self._patience < now:
            self._mend(now, None)

    def _mend(self, now: float, stands: tuple[Move, ...] | None) -> None:
        """Write down how the table strayed, `stands` being what it wrongly accepted, and put it right by taps."""
        true = self._truth[self._at + 1 :]
        happened = [s for s in true if s.time <= now]
        self._count_draws(happened, stands)
        missed = [s for s in happened if isinstance(s.entry, (*_LANDINGS, Undo))]
        if stands is not None:
            self._note_stray(now, stands[len(self._truth[self._at].moves) :], missed)
        for standing in missed:
            self._slip(standing.time, Ruling.MISSED, _named(standing.entry), "")
        if stands is None and not missed and happened:
            self._slips_add(now, Ruling.MISSED, f"tapped: {_named(happened[0].entry)}", "")
        if stands is not None or missed:
            self.derailed |= self._strayed and not self._was_asked
            self._strayed = True
        self._at += len(happened)
        self._put_right()
        self._stray_since = None
        self._was_asked = False
        self._question = None
        self._seen_update = self.table.view().update

    def _count_draws(self, happened: Sequence[_Standing], stands: tuple[Move, ...] | None) -> None:
        """Count what truly was drawn, and what the table made of it: right as far as it went along with the truth."""
        said = () if stands is None else stands[len(self._truth[self._at].moves) :]
        agreed = 0
        for standing, move in zip(happened, said, strict=False):
            if standing.entry != move:
                break
            agreed += 1
        for place in range(len(happened)):
            self._count_draw(self._at + 1 + place, ruled=place < agreed)
        self.draws[Draws.INVENTED] += sum(isinstance(move, Draw) for move in said[agreed:])

    def _note_stray(self, now: float, said: tuple[Move, ...], missed: list[_Standing]) -> None:
        """Write down that the table wrongly accepted `said`, and take from `missed` what it was meant to be.

        A card that was said as it was played, but after another had been missed, led to a wrong ruling all the same.
        """
        landed = [move for move in said if isinstance(move, _LANDINGS)]
        told = ", ".join(map(_named, said)) or "taken back"
        meant = next((s for s in missed if landed and s.entry == landed[0]), missed[0] if missed else None)
        if meant is not None:
            missed.remove(meant)
            self._slip(now, Ruling.WRONG, _named(meant.entry), told)
        elif self._illegal and self._illegal[0][0] <= now + _EARLY:
            self._slip(now, Ruling.WRONG, f"illegal {self._illegal.pop(0)[1]}", told)
        else:
            self._slip(now, Ruling.INVENTED, "nothing", told)

    def _put_right(self) -> None:
        wanted = self._truth[self._at].moves
        while self.table.view().questions:
            self.table.undo(scored=True)
            self.taps += 1
        if self.hands_free:
            self._say_who(wanted)
        while (moves := self._stands()) != wanted[: len(moves)]:
            self.table.undo(scored=True)
            self.taps += 1
        for move in wanted[len(moves) :]:
            self.table.tap(move)
            self.taps += 1
        done = self._truth[self._at].time
        while self._tapped < len(self._taps) and self._taps[self._tapped].time <= done:
            self._tapped += 1

    def _say_who(self, wanted: tuple[Move, ...]) -> None:
        """Tap the right player for the first card that the table holds to be another one's, where that is wrong."""
        players: list[str] = []
        match = Match(self.script.header)
        for move in wanted:
            players.append(match.state.actor or "")
            match = match.apply(move)
        cards = [place for place, move in enumerate(wanted) if isinstance(move, Play)]
        history = self.table.view().history
        laid = [(n, line) for n, line in enumerate(history, 1) if isinstance(line.move, Play)]
        for place, (n, line) in zip(cards, laid, strict=False):
            move = wanted[place]
            assert isinstance(move, Play)
            assert isinstance(line.move, Play)
            if move.card != line.move.card:
                return
            if line.player != players[place]:
                with suppress(RefereeError, TableError):
                    self.table.say_who(n, players[place])
                    self.taps += 1
                return

    def _slip(self, now: float, ruling: Ruling, truth: str, said: str) -> None:
        self.rulings[ruling] += 1
        self._slips_add(now, ruling, truth, said)

    def _slips_add(self, now: float, ruling: Ruling, truth: str, said: str) -> None:
        self.slips.append(Slip(round(now, 2), ruling.value, truth, said))


def _bare(moves: Iterable[Move]) -> tuple[Move, ...]:
    """Return moves without reshuffles, which the table may have worked out at another moment, and without `by`.

    A colour over which another wild came to lie is left open: no camera can tell it, and nothing hangs on it.
    """
    bare: list[Move] = []
    covered = False
    for move in reversed([move for move in moves if not isinstance(move, Reshuffle)]):
        if isinstance(move, _LANDINGS):
            covered = move.card.face.is_wild
        elif isinstance(move, ChooseColor) and covered:
            move = replace(move, color=Color.RED)
        bare.append(replace(move, by=None) if isinstance(move, ActorMove) else move)
    return tuple(reversed(bare))


def _named(entry: Entry | None) -> str:
    if entry is None:
        return "nothing"
    card = getattr(entry, "card", None)
    return f"{type(entry).__name__.lower()}{f' {card}' if card else ''}"


def _truth(script: Script) -> tuple[list[_Standing], list[_Due]]:
    """Return what truly stands from when on, and what is to be tapped, each by the player to act."""
    match = Match(script.header)
    truth = [_Standing(0.0, (), None)]
    taps = []
    for timed in script.moves:
        actor = match.state.actor
        if isinstance(timed.entry, Undo):
            match = match.undo()
        else:
            match = match.apply(timed.entry)
            if not isinstance(timed.entry, _SEEN):
                move = replace(timed.entry, by=actor) if isinstance(timed.entry, ActorMove) else timed.entry
                taps.append(_Due(timed.time, move))
        if not isinstance(timed.entry, Reshuffle):
            truth.append(_Standing(timed.time, _bare(match.moves), timed.entry))
    return truth, taps


def _illegal_lays(script: Script, truth: Sequence[_Standing]) -> list[tuple[float, Card]]:
    """Return when which cards land that do not match, and are taken back."""
    noted = {round(s.time, 6) for s in truth if isinstance(s.entry, _LANDINGS)}
    match, lays = Match(script.header), []
    moves = list(script.moves)
    for step in script.steps:
        if not isinstance(step.action, Lay):
            continue
        lay = step.action
        landed = step.time + lay.pace.contact + FLIP_SECONDS * lay.from_draw_pile
        while moves and moves[0].time < landed - 1e-6:
            entry = moves.pop(0).entry
            match = match.undo() if isinstance(entry, Undo) else match.apply(entry)
        if round(landed, 6) not in noted and lay.card not in (*legal(match.state).cards, match.state.top):
            lays.append((landed, lay.card))
    return lays
