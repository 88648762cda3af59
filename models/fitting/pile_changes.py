"""Fits and checks how changes of a pile are recognised, on films of simulated piles whose cards are known.

Every fourth table is for the check, the others for the fit. The tracker is taught: it accepts what truly happened.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from companion.cards import Card, EditionName
from companion.cards import deck as cards_of
from companion.dataset.simulated.script import Script, Writer, write_script
from companion.dataset.simulated.seating import draw_chairs
from companion.dataset.simulated.simulation import SimulatedFrame, SimulatedTable
from companion.dataset.simulated.tabletop import Pile
from companion.models.fitting.logistic import Checked, calibration_error
from companion.vision.capture.frames import Frame
from companion.vision.core.geometry import intersection_over_union
from companion.vision.pile.features import LOOK, OUTLINE, Evidence
from companion.vision.pile.pile_change import OF_LOOK, OF_OUTLINE, ChangeModel, Hypothesis, Scores, Way, features
from companion.vision.pile.pile_tracker import PileTracker
from companion.vision.recognition.card_detector import CardDetector

Values = NDArray[np.float64]

# Actions at each table; frames per second.
ACTIONS, _RATE = 40, 15.0
# Minimum IoU of an outline with a card's to be that card.
_IS_IT = 0.6
# One look in so many is repeated as if the detector had missed the card, and one landing as if it had misread it.
_VARIED = 15
# The features that need a comparison of the pictures, those of changes, and those of the old card's edge.
_PICTURED = range(OUTLINE.index("likeness to the top"), OUTLINE.index("change of the rim") + 1)
_CHANGES = range(OUTLINE.index("change"), OUTLINE.index("change around it") + 1)
_EDGES = range(OUTLINE.index("rim of the top"), OUTLINE.index("change of the rim") + 1)
# Units of the hidden layers for outlines and for looks; penalty on squared weights.
_UNITS, _DECAY = (12, 6), 0.5
# What happens, with its probability.
_WHAT = {
    "lay": 0.5,
    "lay two": 0.04,
    "take": 0.11,
    "carry off": 0.02,
    "nudge": 0.12,
    "straighten": 0.06,
    "pass": 0.08,
    "light": 0.04,
    "knock": 0.03,
}


@dataclass(frozen=True, eq=False)
class Look:
    """One look at a pile. outlines: (N, len(OUTLINE)) features of its hypotheses. look: (len(LOOK),). right: number."""

    ways: tuple[Way, ...]
    outlines: Values
    look: Values
    right: int


def nothing(size: int, ways: int) -> Scores:
    """Return a network that gives all ways the same score."""
    return Scores(np.zeros(size), np.ones(size), np.zeros((size + 1, 1)), np.zeros((2, ways)))


@dataclass(frozen=True, eq=False)
class _Teacher(ChangeModel):
    """Knows what happened, and keeps the looks. frames: those seen so far; piles: the pile in each by its time."""

    piles: dict[float, Pile] = field(default_factory=dict)
    looks: list[Look] = field(default_factory=list)

    def show(self, frame: SimulatedFrame) -> None:
        """Set the current frame."""
        self.piles[frame.time] = frame.pile

    def probabilities(self, look: Evidence, ways: Sequence[Hypothesis]) -> Values:
        """Return 1 for the true hypothesis and 0 for the others."""
        right = self._right(look, ways)
        self.looks.append(Look(tuple(one.way for one in ways), *features(look, ways), right))
        return np.eye(len(ways))[right]

    def _right(self, look: Evidence, ways: Sequence[Hypothesis]) -> int:
        since = [pile for time, pile in self.piles.items() if time >= look.since]
        before, now, kept = since[0], since[-1], min(len(pile.cards) for pile in since)
        if not now.cards:
            return [one.way for one in ways].index(Way.GONE)
        came, left = len(now.cards) > kept, len(now.cards) < len(before.cards)
        wanted = Way.LANDED if came else Way.REVEALED if left else Way.TOP
        top, quad = now.cards[-1].card, now.quads[-1]
        fits = [
            (intersection_over_union(one.outline.quad, quad), number)
            for number, one in enumerate(ways)
            if one.outline is not None and one.way is wanted
        ]
        best, number = max(fits, default=(0.0, 0))
        if best > _IS_IT:
            outline = ways[number].outline
            wrong = came and outline is not None and look.top.card == outline.card != top
            return (
                next(n for n, one in enumerate(ways) if one.way is Way.MISREAD and one.outline is outline)
                if wrong
                else number
            )
        corners = [
            number
            for number, one in enumerate(ways)
            if one.way is Way.CORNER and one.outline is not None and came and one.outline.card == top
        ]
        return (
            corners[0]
            if corners
            else [one.way for one in ways].index(Way.UNCHANGED if wanted is Way.TOP else Way.HIDDEN)
        )


def missed(look: Look, corner: bool = False) -> Look:
    """Return the look as if the detector had missed the true outline, or all outlines if none shows what happened.

    corner: whether a corner of a card that landed is read nevertheless.
    """
    right, row = look.ways[look.right], look.outlines[look.right]
    gone = [
        way in OF_OUTLINE and (right in OF_LOOK or np.array_equal(other, row))
        for way, other in zip(look.ways, look.outlines, strict=True)
    ]
    kept = np.flatnonzero(~np.array(gone))
    ways, outlines, values = [look.ways[number] for number in kept], look.outlines[kept], look.look.copy()
    left = np.array([way in OF_OUTLINE and way is not Way.CORNER for way in ways])
    in_place = outlines[left, OUTLINE.index("overlap with the top")] * outlines[left, OUTLINE.index("face of the top")]
    values[LOOK.index("outlines")] = left.any()
    values[LOOK.index("top in its place")] = in_place.max(initial=0.0)
    if corner and right is Way.LANDED:
        seen = row.copy()
        seen[list(_PICTURED)] = 0.0
        values[LOOK.index("corners")] = 1.0
        return Look((*ways, Way.CORNER), np.vstack([outlines, seen]), values, len(ways))
    now = right if right in OF_LOOK else Way.UNCHANGED if right is Way.TOP else Way.HIDDEN
    return Look(tuple(ways), outlines, values, ways.index(now))


def misread(look: Look, like: Values) -> Look:
    """Return the look as if the card that landed had been read as the previous top card.

    like: (len(OUTLINE),) features of a card that landed on its like, the edges of which are used.
    """
    row = look.outlines[look.right].copy()
    row[[OUTLINE.index("face of the top"), OUTLINE.index("colour of the top")]] = 1.0
    row[list(_EDGES)] = like[list(_EDGES)]
    same = [np.array_equal(other, look.outlines[look.right]) for other in look.outlines]
    ways = [way for way, gone in zip(look.ways, same, strict=True) if not gone]
    outlines = look.outlines[~np.array(same)]
    return Look(
        (*ways, Way.LANDED, Way.TOP, Way.MISREAD), np.vstack([outlines, row, row, row]), look.look, len(ways) + 2
    )


def faint(look: Look) -> Look:
    """Return the look at a card that landed as if the faces differed too little for the small picture to change."""
    outlines, values = look.outlines.copy(), look.look.copy()
    outlines[:, list(_CHANGES)] = 0.0
    values[[LOOK.index("change of the top"), LOOK.index("change of the picture")]] = 0.0
    outlines[look.right, OUTLINE.index("overlap with the top")] = 0.97
    return Look(look.ways, outlines, values, look.right)


def renamed(look: Look) -> Look:
    """Return the look at the previous top card as if it had been read as another face."""
    same = [np.array_equal(other, look.outlines[look.right]) for other in look.outlines]
    ways = [way for way, gone in zip(look.ways, same, strict=True) if not gone]
    row, values = look.outlines[look.right].copy(), look.look.copy()
    row[[OUTLINE.index("face of the top"), OUTLINE.index("colour of the top"), *_EDGES]] = 0.0
    values[LOOK.index("top in its place")] = 0.0
    outlines = np.vstack([look.outlines[~np.array(same)], row])
    return Look((*ways, Way.LANDED), outlines, values, ways.index(Way.UNCHANGED))


def _varied(looks: Sequence[Look]) -> list[Look]:
    """Return the looks, and some of them as if the detector had missed or misread the card."""
    same = OUTLINE.index("face of the top")
    landed = [one for one in looks if one.ways[one.right] is Way.LANDED]
    like = [one.outlines[one.right] for one in landed if one.outlines[one.right, same]]
    unlike = [one for one in landed if not one.outlines[one.right, same]][::_VARIED]
    wrong = [misread(one, like[number % len(like)]) for number, one in enumerate(unlike) if like]
    corners = [missed(one, corner=True) for one in landed[1::_VARIED]]
    others = [renamed(one) for one in looks if one.ways[one.right] is Way.TOP][::_VARIED]
    return [*looks, *map(missed, looks[2::_VARIED]), *corners, *wrong, *map(faint, unlike), *others]


def drawn(detector: CardDetector, numbers: Iterable[int], seed: int) -> Iterator[Look]:
    """Yield the looks at simulated piles."""
    for number in numbers:
        rng = np.random.default_rng([seed, number])
        edition = list(EditionName)[number % len(EditionName)]
        table = SimulatedTable(seed + number, _script(rng, edition, lively=number % 2 == 0), edition, rate=_RATE)
        teacher = _Teacher(nothing(len(OUTLINE), len(OF_OUTLINE)), nothing(len(LOOK), len(OF_LOOK)))
        tracker = PileTracker(detector.detect_pile, detect_closeup=detector.detect_closeup, changes=teacher)
        # A camera that is switched on late knows only the top of the pile.
        begins = float(rng.choice([0.0, 20.0], p=[0.8, 0.2]))
        for frame in table.frames():
            teacher.show(frame)
            if frame.time >= begins:
                tracker.feed(Frame(frame.image, frame.time, frame.number))
        yield from teacher.looks


def fitted(looks: Sequence[Look]) -> ChangeModel:
    """Return the networks that maximise the likelihood of what happened, by L-BFGS (Liu and Nocedal, 1989)."""
    import torch

    torch.manual_seed(0)
    looks = _varied(looks)
    outlines = np.concatenate([one.outlines[_shown(one)] for one in looks])
    means = [(rows.mean(0), rows.std(0) + 1e-3) for rows in (outlines, np.array([one.look for one in looks]))]
    shapes = [(len(OUTLINE) + 1, _UNITS[0]), (_UNITS[0] + 1, len(OF_OUTLINE))]
    shapes += [(len(LOOK) + 1, _UNITS[1]), (_UNITS[1] + 1, len(OF_LOOK))]
    weights = [torch.nn.Parameter(torch.randn(shape, dtype=torch.float64) / shape[0] ** 0.5) for shape in shapes]
    rows, ways, group, right = _stacked(looks, means)

    def loss() -> torch.Tensor:
        scores = [
            torch.tanh(row @ hidden[:-1] + hidden[-1]) @ out[:-1] + out[-1]
            for row, hidden, out in zip(rows, weights[::2], weights[1::2], strict=True)
        ]
        each = torch.cat([scores[0], scores[1][group]], 1).gather(1, ways[:, None])[:, 0]
        total = torch.full((len(looks),), -torch.inf, dtype=torch.float64)
        highest = total.scatter_reduce(0, group, each.detach(), "amax")
        odds = torch.zeros(len(looks), dtype=torch.float64).scatter_add(0, group, torch.exp(each - highest[group]))
        likelihood = (each[right] - highest - torch.log(odds)).sum()
        return _DECAY * sum((one[:-1] ** 2).sum() for one in weights) - likelihood

    search = torch.optim.LBFGS(weights, max_iter=600, history_size=20, line_search_fn="strong_wolfe")

    def step() -> float:
        search.zero_grad()
        value = loss()
        value.backward()
        return float(value.detach())

    search.step(step)
    found = [one.detach().numpy() for one in weights]
    return ChangeModel(Scores(*means[0], *found[:2]), Scores(*means[1], *found[2:]))


def _shown(look: Look) -> NDArray[np.bool_]:
    """Return (N,) whether a hypothesis has an outline."""
    return np.array([way in OF_OUTLINE for way in look.ways])


def _stacked(looks: Sequence[Look], means: Sequence[tuple[Values, Values]]) -> tuple[list[Any], Any, Any, Any]:
    """Return standardised features of all hypotheses and of all looks, numbers of the ways and of the looks, and the
    rows of the true hypotheses, as tensors.
    """
    import torch

    numbers = {way: number for number, way in enumerate((*OF_OUTLINE, *OF_LOOK))}
    rows = [np.concatenate([one.outlines for one in looks]), np.array([one.look for one in looks])]
    tensors = [torch.tensor((row - mean) / spread) for row, (mean, spread) in zip(rows, means, strict=True)]
    sizes = [len(one.ways) for one in looks]
    ways = torch.tensor([numbers[way] for one in looks for way in one.ways])
    group = torch.tensor(np.repeat(np.arange(len(looks)), sizes))
    right = torch.tensor(np.cumsum([0, *sizes[:-1]]) + [one.right for one in looks])
    return tensors, ways, group, right


def checked(looks: Sequence[Look], model: ChangeModel) -> Checked:
    """Return how well a model rates these looks, and the expected calibration error."""
    chosen = []
    for look in looks:
        chances = model.of_features(look.ways, look.outlines, look.look)
        best = int(chances.argmax())
        # Whether the previous top card is read or missed makes no difference where nothing else happened.
        is_right = best == look.right or {look.ways[best], look.ways[look.right]} == {Way.TOP, Way.UNCHANGED}
        chosen.append((float(chances[best]), is_right))
    said, right = (np.array(values) for values in zip(*chosen, strict=True))
    return Checked.of("looks are rated right", said, right, calibration_error(said, right))


def _script(rng: np.random.Generator, edition: EditionName, lively: bool) -> Script:
    """Return a film's actions: half of them lay a card, often one like the top; others push, take and disturb."""
    header = write_script(0, edition, longest=1).header
    seats = len(header.players)
    pile = write_script(0, edition, longest=1).draw_pile
    writer = Writer(rng, seats, float(rng.uniform(0.5, 22)), float(rng.uniform(0.1, 1.0)), pile, lively)
    deck = sorted(set(cards_of(edition)), key=str)
    few = [deck[number] for number in rng.choice(len(deck), int(rng.integers(3, 9)), replace=False)]
    cards: list[Card] = []
    for _ in range(ACTIONS):
        _act(writer, cards, few)
        writer.wait(0.35, 0.8)
    writer.wait(1.0, 1.1)
    chairs = draw_chairs(rng, seats) if lively else ()
    return Script(header, tuple(writer.steps), (), writer.now, chairs, pile)


def _act(writer: Writer, cards: list[Card], few: Sequence[Card]) -> None:
    """Do one thing to a pile of `cards`, which are updated."""
    rng, seat = writer.rng, writer.any_seat()
    what = rng.choice(list(_WHAT), p=list(_WHAT.values())) if cards else "lay"
    match what:
        case "take":
            writer.take_top(seat)
            cards.pop()
        case "carry off":
            writer.carry_off(seat)
            cards.clear()
        case "nudge":
            writer.nudge(seat)
        case "straighten":
            writer.straighten(seat)
        case "pass":
            writer.pass_hand(seat)
        case "light":
            writer.switch_light()
        case "knock":
            writer.knock()
        case _:
            for _ in range(2 if what == "lay two" else 1):
                card = cards[-1] if cards and rng.random() < 0.25 else few[int(rng.integers(len(few)))]
                writer.lay(writer.any_seat(), card)
                cards.append(card)
