"""People at a simulated table: they tap what no camera sees, answer questions, and correct errors.

They know the true match, so they also score each ruling.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from companion.bench.simulation.corrections import accepted, correct_table
from companion.bench.simulation.rulings import Draws, Ruling, Slip
from companion.bench.simulation.truth import EARLY, LANDINGS, Course, Due, Standing, bare, laid_by, named
from companion.dataset.simulated.script import Script
from companion.referee.errors import RefereeError
from companion.referee.moves import (
    Amend,
    Catch,
    Challenge,
    ChooseColor,
    Creeper,
    Draw,
    Judge,
    Move,
    Play,
    Reveal,
    Undo,
    Uno,
)
from companion.table.presentation.view import Offer, Question, QuestionKind
from companion.table.session.errors import TableError
from companion.table.session.table import Table
from companion.table.state.observations import Sight

# What no camera can see and nobody can infer from later moves: all that hands-free people tap.
_UNSEEN = (Uno, Catch, Challenge, Reveal, Judge, Creeper)
# Questions that need no answer in most cases, because the camera sees the next card and its player.
_NEXT_CARD_TELLS = (QuestionKind.PLAYER, QuestionKind.TURN, QuestionKind.COLOR)
# Seconds before people answer a question, before they retry a tap, and before they correct a missing ruling.
_HESITATION, _AGAIN, _PATIENCE = 1.5, 0.25, 5.0
# Seconds they wait when draws and colours are left to the camera, which may need the next card to infer them.
_LONG_PATIENCE = 30.0


@dataclass
class People:
    """Play along at `table`, which runs the script's match. `now` is footage time in seconds.

    hands_free: whether they tap only what no camera can see.
    """

    table: Table
    script: Script
    hands_free: bool = False
    rulings: Counter[Ruling] = field(default_factory=Counter)
    slips: list[Slip] = field(default_factory=list)
    questions: Counter[QuestionKind] = field(default_factory=Counter)
    draws: Counter[Draws] = field(default_factory=Counter)
    refused: int = 0
    """Number of taps that had to be retried."""
    taps: int = 0
    """Number of taps, including answers and corrections."""
    derailed: bool = False
    """Whether the table attributed two consecutive cards to the wrong players without a question."""

    def __post_init__(self) -> None:
        self._course = Course(self.script)
        self._taps = [due for due in self._course.taps if not self.hands_free or isinstance(due.move, _UNSEEN)]
        self._patience = _LONG_PATIENCE if self.hands_free else _PATIENCE
        self._strayed = False
        self._stray_since: float | None = None
        self._tapped = 0
        self._try_at = 0.0
        self._seen_update = -1
        self._question: Question | None = None
        self._asked_at = 0.0
        self._was_asked = False

    def live(self, now: float) -> None:
        """Act for this moment. Call for every frame, after the camera's events were processed."""
        self._tap(now)
        self._look(now)
        if (
            self._question is not None
            and now >= self._asked_at + _HESITATION
            and not self._may_wait(self._question, now)
        ):
            self._answer(self._question, now)
            self._look(now)
        if self._stray_since is not None and now >= self._stray_since + _HESITATION:
            stands = accepted(self.table)
            # A card that does not match is taken back by hand, which the camera sees.
            if not self.hands_free or not self._course.taken_back_by_hand(stands, now - _PATIENCE):
                self._mend(now, stands)
        self._lose_patience(now)
        while self._course.illegal and now > self._course.illegal[0][0] + _PATIENCE:
            self._note_illegal(Ruling.UNCALLED)

    def finish(self, now: float) -> None:
        """Score the rest when the match is over. What only the next card would have shown is left open."""
        self._look(now)
        open_colour = self.hands_free and self._question is not None and self._question.kind is QuestionKind.COLOR
        if self._question is not None and not (open_colour and self._course.next_landing(now) is None):
            self._answer(self._question, now)
            self._look(now)
        left = self._course.truth[self._course.at + 1 :]
        if self._stray_since is not None:
            self._mend(now, accepted(self.table))
        elif (left and not self.hands_free) or any(isinstance(s.entry, (*LANDINGS, Undo)) for s in left):
            self._mend(now, None)

    def _may_wait(self, question: Question, now: float) -> bool:
        """Whether hands-free people ignore a question for now because the next card may answer it.

        This holds for a card's player, for a colour, and for a card that did not land. If it is still asked some time
        after the next card has landed, they answer.
        """
        if not self.hands_free:
            return False
        if question.kind in _NEXT_CARD_TELLS:
            since = self._asked_at if question.kind is QuestionKind.COLOR else self._course.landed_last(self._asked_at)
            return not any(
                since < s.time < now - _PATIENCE for s in self._course.truth if isinstance(s.entry, LANDINGS)
            )
        about_a_card = question.kind in (QuestionKind.CARD, QuestionKind.DOUBT)
        return about_a_card and self._course.card_in_question(self._asked_at) is None and not question.waiting

    def _tap(self, now: float) -> None:
        while self._tapped < len(self._taps) and now >= max(self._taps[self._tapped].time, self._try_at):
            due = self._taps[self._tapped]
            try:
                self._name_contested(due)
                self.table.tap(due.move)
            except (RefereeError, TableError):
                self.refused += 1
                self._try_at = now + _AGAIN
                return
            self._tapped += 1
            self.taps += 1
            self._look(now)

    def _name_contested(self, due: Due) -> None:
        """Name the colour below a challenged wild draw four if the table has guessed it."""
        if due.contested is None or not isinstance(due.move, Reveal) or not self.table.color_is_guessed:
            return
        landed = max(n for n, line in enumerate(self.table.view().history, 1) if isinstance(line.move, Play))
        self.table.amend(landed - 1, ChooseColor(due.contested))
        self.taps += 1

    def _look(self, now: float) -> None:
        """Compare the table's state with the truth."""
        view = self.table.view()
        if view.update == self._seen_update:
            return
        self._seen_update = view.update
        question = view.questions[0] if view.questions else None
        if question is not None and (self._question is None or question.id != self._question.id):
            self._asked_at = now
            self._hear(question, now)
        self._question = question
        stands = accepted(self.table)
        place = self._course.place_of(stands, now)
        if place is None:
            agreed = self._course.agreed(stands, now)
            if agreed > self._course.at:
                self._grade_up_to(agreed, now)
            # Hands-free people need a moment to notice an error, in which the table may correct it.
            if not self.hands_free:
                self._mend(now, stands)
            elif self._stray_since is None:
                self._stray_since = now
            return
        self._grade_up_to(place, now)
        self._was_asked = question is not None

    def _hear(self, question: Question, now: float) -> None:
        self.questions[question.kind] += 1
        self._was_asked = True
        if question.kind is not QuestionKind.ILLEGAL:
            return
        card = question.choices[0].entries[-1]
        assert isinstance(card, Play)
        if self._course.illegal and self._course.illegal[0][0] <= now + EARLY:
            right = self._course.illegal[0][1] == card.card
            self._note_illegal(Ruling.CALLED if right else Ruling.UNCALLED, card.card.name, now)
            return
        true = self._course.next_landing(now)
        if not (isinstance(true, Play) and true.force):
            self._slip(now, Ruling.WRONG, named(true), f"{card.card} called illegal")

    def _note_illegal(self, ruling: Ruling, said: str = "", now: float | None = None) -> None:
        time, card = self._course.illegal.pop(0)
        self.rulings[ruling] += 1
        if ruling is Ruling.UNCALLED:
            self._slips_add(time if now is None else now, ruling, f"illegal {card}", said)

    def _grade_up_to(self, place: int, now: float) -> None:
        truth = self._course.truth
        for i in range(self._course.at + 1, place + 1):
            entry = truth[i].entry
            self._count_draw(i, ruled=True)
            if not isinstance(entry, (*LANDINGS, Undo)):
                continue
            if self._stray_since is not None:
                self._slip(now, Ruling.MENDED, named(entry), "something else at first")
            else:
                # A later landing that answered the question was ruled on at once.
                waited = (
                    self._course.truth[i].time <= self._asked_at + EARLY or now > self._course.truth[i].time + _PATIENCE
                )
                self.rulings[Ruling.ASKED if self._was_asked and waited else Ruling.RIGHT] += 1
            self._strayed, self._stray_since = False, None
            while self._course.illegal and self._course.illegal[0][0] < self._course.truth[i].time:
                self._note_illegal(Ruling.UNCALLED)
        self._course.at, self._stray_since = place, None

    def _count_draw(self, place: int, *, ruled: bool) -> None:
        """Count the draw that leads to this place in the truth, if any; not if no card has followed to reveal it."""
        if isinstance(self._course.truth[place].entry, Draw) and place < self._course.last_landing:
            self.draws[Draws.TRUE] += 1
            self.draws[Draws.RULED] += ruled

    def _answer(self, question: Question, now: float) -> None:
        """Answer by the truth; if no answer is true, wait, and finally correct the table."""
        kind = question.kind
        before = self.table.view().update
        with suppress(RefereeError, TableError):
            if kind in (QuestionKind.CARD, QuestionKind.DOUBT):
                card = self._course.card_in_question(self._asked_at)
                found_lying = self._answers_as_missed(question, now)
                if card is not None and not found_lying:
                    self.table.answer(question.id, card)
                elif not found_lying:
                    self._slip(now, Ruling.NEEDLESS, "nothing", question.sentence)
                    self.table.nothing_happened(question.id)
            elif kind is QuestionKind.ILLEGAL:
                true = self._course.next_landing(now)
                if isinstance(true, Play) and true.force:
                    self.table.let_stand(question.id)
                elif true is not None:
                    self.table.answer(question.id, true.card)
            else:
                choice = self._truest(question, now)
                if choice is not None:
                    self.table.answer(question.id, choice)
        self.taps += self.table.view().update != before

    def _answers_as_missed(self, question: Question, now: float) -> bool:
        """Answer about a card that the camera found lying there, if the table does not know what happened below it.

        If the answers do not offer that, it is tapped first.
        """
        what = None if self.table.session is None else self.table.session.pending[0].what
        if not (isinstance(what, Sight) and what.landed_unseen):
            return False
        missed = self._course.missed_below_top(self._asked_at)
        choice, top = self._truest(question, now), self._course.place_of_top(self._asked_at)
        if choice is not None and question.choices[choice].entries:
            place = self._place_after(question.choices[choice], now)
            if place is not None and place >= top:
                self.table.answer(question.id, choice)
                return True
        if missed:
            for standing in missed:
                self._slip(standing.time, Ruling.MISSED, named(standing.entry), "")
            self.rulings[Ruling.ASKED] += 1
            place = self._course.place_before_next_landing(self._asked_at, now)
            self._put_right(place, at_least=place)
        return bool(missed)

    def _truest(self, question: Question, now: float) -> int | None:
        """Return the first of the choices closest to the truth, None if all are wrong.

        A choice by which nothing happened is true only while nothing has happened.
        """
        places = [self._place_after(choice, now) for choice in question.choices]
        known = [
            place for place in places if place is not None and (place > self._course.at or not self._course.ahead(now))
        ]
        return places.index(max(known)) if known else None

    def _place_after(self, choice: Offer, now: float) -> int | None:
        moves: list[Move] = [line.move for line in self.table.view().history]
        for entry in choice.entries:
            if isinstance(entry, Undo):
                moves.pop()
            elif not isinstance(entry, Amend):
                moves.append(entry)
        return self._course.place_of(bare(moves), now)

    def _lose_patience(self, now: float) -> None:
        """Correct the table if it has not ruled for long and the next card cannot help it."""
        seen = (*LANDINGS, Undo, *_UNSEEN)
        ahead = (
            s for s in self._course.truth[self._course.at + 1 :] if not self.hands_free or isinstance(s.entry, seen)
        )
        oldest = next(ahead, None)
        if oldest is not None and oldest.time + self._patience < now:
            self._mend(now, None)

    def _mend(self, now: float, stands: tuple[Move, ...] | None) -> None:
        """Record how the table deviated, `stands` being its wrong moves, and correct it by taps."""
        true = self._course.truth[self._course.at + 1 :]
        happened = [s for s in true if s.time <= now]
        self._count_draws(happened, stands)
        missed = [s for s in happened if isinstance(s.entry, (*LANDINGS, Undo))]
        said = () if stands is None else stands[len(self._course.truth[self._course.at].moves) :]
        if stands is not None and not (said and missed and self._course.was_only_tapped(said, now)):
            self._note_stray(now, said, missed)
        for standing in missed:
            self._slip(standing.time, Ruling.MISSED, named(standing.entry), "")
        if stands is None and not missed and happened:
            self._slips_add(now, Ruling.MISSED, f"tapped: {named(happened[0].entry)}", "")
        if stands is not None or missed:
            astray = stands is None or not self._players_are_right(happened)
            self.derailed |= astray and self._strayed and not self._was_asked
            self._strayed = astray
        self._put_right(self._course.at + len(happened), at_least=self._must_correct_to(happened, stands))
        self._stray_since = None
        self._was_asked = False
        self._question = None
        self._seen_update = self.table.view().update

    def _count_draws(self, happened: Sequence[Standing], stands: tuple[Move, ...] | None) -> None:
        """Count the true draws and how the table ruled on them: right as far as its moves agree with the truth.

        A wrong colour is no evidence about draws.
        """
        said = () if stands is None else stands[len(self._course.truth[self._course.at].moves) :]
        agreed = 0
        for standing, move in zip(happened, said, strict=False):
            colors = isinstance(standing.entry, ChooseColor) and isinstance(move, ChooseColor)
            if standing.entry != move and not colors:
                break
            agreed += 1
        for place in range(len(happened)):
            self._count_draw(self._course.at + 1 + place, ruled=place < agreed)
        self.draws[Draws.INVENTED] += sum(isinstance(move, Draw) for move in said[agreed:])

    def _note_stray(self, now: float, said: tuple[Move, ...], missed: list[Standing]) -> None:
        """Record that the table wrongly accepted `said`, and remove from `missed` what it stood for.

        A card reported as played, but after a missed one, also led to a wrong ruling.
        """
        landed = [move for move in said if isinstance(move, LANDINGS)]
        reported = ", ".join(map(named, said)) or "taken back"
        meant = next((s for s in missed if landed and s.entry == landed[0]), missed[0] if missed else None)
        if meant is not None:
            missed.remove(meant)
            self._slip(now, Ruling.WRONG, named(meant.entry), reported)
        elif self._course.illegal and self._course.illegal[0][0] <= now + EARLY:
            self._slip(now, Ruling.WRONG, f"illegal {self._course.illegal.pop(0)[1]}", reported)
        else:
            self._slip(now, Ruling.INVENTED, "nothing", reported)

    def _players_are_right(self, happened: Sequence[Standing]) -> bool:
        """Whether each card is attributed to its player: a wrong draw alone does not affect turns."""
        moves = happened[-1].moves if happened else self._course.truth[self._course.at].moves
        history = self.table.view().history
        said = [(line.move.card, line.player) for line in history if isinstance(line.move, LANDINGS)]
        return said == laid_by(self.script.header, moves)

    def _must_correct_to(self, happened: Sequence[Standing], stands: tuple[Move, ...] | None) -> int:
        """Return the place in the truth up to which the table must be corrected, without what the camera may report."""
        if not self.hands_free or stands is None:
            return self._course.at + len(happened)
        reported = (*LANDINGS, Undo, *_UNSEEN)
        last = max((n for n, standing in enumerate(happened, 1) if isinstance(standing.entry, reported)), default=0)
        return self._course.at + last

    def _put_right(self, place: int, *, at_least: int) -> None:
        """Bring the table to this place in the truth, or to a later one that it reaches by itself."""
        moves = self._course.truth[place].moves
        least = len(self._course.truth[at_least].moves)
        self.taps += correct_table(self.table, moves, least, self.script.header, by_line=self.hands_free)
        stands = accepted(self.table)
        while self._course.truth[place].moves != stands and place > at_least:
            place -= 1
        self._course.at = place
        while self._tapped < len(self._taps) and self._taps[self._tapped].time <= self._course.truth[place].time:
            self._tapped += 1

    def _slip(self, now: float, ruling: Ruling, truth: str, said: str) -> None:
        self.rulings[ruling] += 1
        self._slips_add(now, ruling, truth, said)

    def _slips_add(self, now: float, ruling: Ruling, truth: str, said: str) -> None:
        self.slips.append(Slip(round(now, 2), ruling.value, truth, said))
