"""A simulated evening: a random match, seen through a noisy but calibrated reader, with people who forget to tap.

The reader's noise is Gaussian in a space of colour and face; the resulting likelihoods are exactly calibrated, so the
table's decisions can be checked against them.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from random import Random

from companion.cards import ALL_CARDS, Card, Color, Face
from companion.referee.engine import apply
from companion.referee.errors import RefereeError
from companion.referee.legality import legal
from companion.referee.moves import Accept, ChooseColor, Flip, Move, Play, Reshuffle, Start
from companion.referee.random_player import RandomTable
from companion.referee.state import Header, Phase, State, opening
from companion.table.presentation.view import QuestionKind
from companion.table.session.table import Table
from companion.vision.core.events import CardLanded, CardTakenBack, PileGone, Probabilities

_COLORS = (None, *Color)
_FACES = tuple(Face)
_SPREAD = 3.0  # distance between two colours, or two faces, in the reader's space


@dataclass(frozen=True)
class Noise:
    """The reader's noise as standard deviations: usually `clear`, in a share `unsure` of the readings `blurred`."""

    clear: float = 0.4
    blurred: float = 1.1
    unsure: float = 0.05


def read(card: Card, deck: list[Card], noise: Noise, random: Random) -> Probabilities:
    """Return calibrated probabilities without prior over the deck's cards for one view of this card."""
    sigma = noise.blurred if random.random() < noise.unsure else noise.clear
    point = {key: value + random.gauss(0, sigma) for key, value in _place(card).items()}

    def log_likelihood(other: Card) -> float:
        place = _place(other)
        return -sum((point[key] - place[key]) ** 2 for key in place) / (2 * sigma**2)

    logs = {other: log_likelihood(other) for other in deck}
    top = max(logs.values())
    weights = {other: math.exp(log - top) for other, log in logs.items()}
    total = sum(weights.values())
    return tuple(sorted(((other, weight / total) for other, weight in weights.items()), key=lambda pair: -pair[1]))


def _place(card: Card) -> dict[object, float]:
    place: dict[object, float] = dict.fromkeys((*_COLORS, *_FACES), 0.0)
    place[card.color] = place[card.face] = _SPREAD / math.sqrt(2)
    return place


@dataclass(frozen=True)
class People:
    """Probabilities that people forget a colour or an acceptance, take a card back, or answer a question at once."""

    forget_color: float = 0.2
    forget_accept: float = 0.2
    take_back: float = 0.03
    answer: float = 0.5


@dataclass
class Tally:
    """Result of an evening. `wrong` holds pairs of true and ruled card."""

    landed: int = 0
    asked: Counter[QuestionKind] = field(default_factory=Counter)
    wrong: list[tuple[Card, Card, str]] = field(default_factory=list)
    illegal: int = 0
    false_illegal: int = 0
    inferred: int = 0
    moves: int = 0
    corrected: int = 0

    def add(self, other: Tally) -> None:
        """Add another evening's result."""
        self.landed += other.landed
        self.asked += other.asked
        self.wrong += other.wrong
        self.illegal += other.illegal
        self.false_illegal += other.false_illegal
        self.inferred += other.inferred
        self.moves += other.moves
        self.corrected += other.corrected


class Evening:
    """Plays one random match at a table and corrects the table as people would."""

    def __init__(self, header: Header, random: Random, noise: Noise, people: People) -> None:
        self.header = header
        self.random = random
        self.noise = noise
        self.people = people
        self.now = 1_000_000.0
        self.table = Table(clock=lambda: self.now)
        self.deck = [card for card in ALL_CARDS if card in header.edition.deck]
        self.truth: list[Move] = []
        self.tally = Tally()
        self._asked: set[int] = set()

    def play(self, most: int = 400) -> Tally:
        """Play the match to its end, at most `most` moves; return the result."""
        true = RandomTable(self.header, self.random)
        state = opening(self.header)
        self.table.start_match(self.header)
        while state.phase is not Phase.OVER and len(self.truth) < most:
            move = true.next_move(state)
            self.now += self.random.uniform(40, 60)
            if isinstance(move, Play) and self.random.random() < self.people.take_back:
                self._play_and_take_back(state)
            state, effects = apply(state, move)
            true.follow(effects)
            self.truth.append(move)
            self._live(move)
        self._settle()
        self._mend()
        self.tally.moves = len(self.truth)
        return self.tally

    def _play_and_take_back(self, state: State) -> None:
        cards = sorted(legal(state).cards, key=lambda card: card.name)
        assert state.top is not None
        self._see(self.random.choice(cards))
        self.table.see(CardTakenBack(0.0, read(state.top, self.deck, self.noise, self.random)))
        for question in self.table.view().questions:
            if question.kind is QuestionKind.TAKE_BACK and question.waiting == 0:
                self.tally.asked[question.kind] += 1
                labels = [choice.label for choice in question.choices]
                self.table.answer(question.id, labels.index(f"{state.top} is on top again"))

    def _live(self, move: Move) -> None:
        if isinstance(move, Start | Play | Flip):
            self.tally.landed += 1
            self._see(move.card)
            self._answer(move)
        elif isinstance(move, Reshuffle):
            self.table.see(PileGone(0.0))
        elif self.random.random() < {ChooseColor: self.people.forget_color, Accept: self.people.forget_accept}.get(
            type(move), 0.0
        ):
            return
        else:
            self._tap(move)
        self._check()

    def _see(self, card: Card) -> None:
        view = self.table.view()
        same = view.state is not None and view.state.top == card
        self.table.see(CardLanded(0.0, read(card, self.deck, self.noise, self.random), same_face=same))

    def _answer(self, move: Start | Play | Flip) -> None:
        """Answer the open question at once or never."""
        while (questions := self.table.view().questions) and self._pending() == 1:
            question = questions[0]
            if question.id not in self._asked:
                self._asked.add(question.id)
                if question.kind is QuestionKind.ILLEGAL:
                    self.tally.illegal += 1
                    self.tally.false_illegal += not (isinstance(move, Play) and move.force)
                else:
                    self.tally.asked[question.kind] += 1
            if question.kind is QuestionKind.ILLEGAL:
                if isinstance(move, Play) and move.force:
                    self.table.let_stand(question.id)
                else:
                    self.table.answer(question.id, move.card)
                return
            if question.kind not in (QuestionKind.CARD, QuestionKind.DOUBT):
                self._choose()
            elif self.random.random() < self.people.answer:
                self.table.answer(question.id, move.card)
            else:
                return

    def _choose(self) -> None:
        """Answer a question for a colour, a target or a challenge truthfully."""
        question = self.table.view().questions[0]
        entries = list(self.truth[-8:])
        best = max(range(len(question.choices)), key=lambda n: sum(e in entries for e in question.choices[n].entries))
        self.table.answer(question.id, best)

    def _tap(self, move: Move) -> None:
        try:
            self.table.tap(move)
        except RefereeError:
            self._settle()
            self._mend()

    def _pending(self) -> int:
        questions = self.table.view().questions
        return questions[0].waiting + 1 if questions else 0

    def _settle(self) -> None:
        """Drop the open questions; corrections then enter the truth."""
        while self._pending():
            self.table.undo(scored=True)

    def _check(self) -> None:
        """Compare the state with the truth and correct it if it is wrong."""
        if self._pending():
            return
        stands = [line.move.card for line in self.table.view().history if isinstance(line.move, Start | Play | Flip)]
        true = [move.card for move in self.truth if isinstance(move, Start | Play | Flip)]
        for n, (ruled, card) in enumerate(zip(stands, true, strict=False)):
            if ruled != card:
                self.tally.wrong.append((card, ruled, f"landing {n}"))
        if stands != true:
            if len(stands) != len(true) and len(self.tally.wrong) < 99:
                self.tally.wrong.append((true[-1], stands[-1] if stands else true[-1], "count"))
            self._mend()

    def _mend(self) -> None:
        """Bring the table to the true state by corrections alone, as a host could."""
        stands = [line.move for line in self.table.view().history]
        kept, true = _but_reshuffles(stands), _but_reshuffles(self.truth)
        if kept == true:
            return
        same = 0
        while same < min(len(kept), len(true)) and kept[same] == true[same]:
            same += 1
        while _but_reshuffles([line.move for line in self.table.view().history]) != true[:same]:
            self.table.undo(scored=True)
        self.tally.corrected += 1
        for move in true[same:]:
            self.table.tap(move)


def _but_reshuffles(moves: list[Move]) -> list[Move]:
    """Return the moves without reshuffles, which the table may have inferred at another moment."""
    return [move for move in moves if not isinstance(move, Reshuffle)]
