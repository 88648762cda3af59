"""Infers where people sat in a film from the arms of all landings, before anything is ruled on.

The player of the next card is a hidden Markov chain: usually the neighbour in the direction of play, sometimes one
further on, rarely anybody. Its emissions, the directions of each player's arms, are fitted by expectation maximisation
(Baum and Welch) from many rotations of an even ring, and from the most common directions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from companion.cards import Face
from companion.referee.state import Header
from companion.table.state.seat_model import SeatRing, seat_of
from companion.table.state.thresholds import NON_DEALER_STARTS
from companion.vision.core.events import CardLanded

_NEXT = (0.62, 0.2, 0.06)
"""Probabilities that the player to act, the second or the third next lays the next card, as those between have drawn;
the rest is anybody (missed, retracted or misread cards). Assumes a draw in every fourth turn.
"""

_TURNED = 0.02
"""Probability that the direction of play changes without a reverse being read."""

_ANYBODYS = 0.1
"""Probability that an arm carries no information, because it is another's or a stray one."""

_WIDEST, _OWN = 32.0, 11.0
"""Initial and final spread of one person's arms in degrees; annealed so that distant starts converge."""

_ROUNDS = 14
"""Iterations of expectation maximisation; the likelihood changes little after ten."""

_TURNS = 4
"""Number of initial rotations of an even ring per player: a quarter of the distance between neighbours."""

_NEIGHBOURS = 25.0
"""Assumed minimum angle between neighbours; the specification is 40 degrees."""

_COUNTS = 3.0
"""Maximum weight in arms of an inferred seat, and minimum number of arms to infer one."""
_LEAST = 0.7

_HELD = 0.3
"""Weight in arms of the previous estimate, which keeps unseen seats in place."""

Floats = NDArray[np.float64]


def suggested_seatings(header: Header, landings: Sequence[CardLanded]) -> list[SeatRing]:
    """Return the most probable ring for these landings, and all its rotations: who began decides between them.

    landings: in order of time, starting with the card turned up. Empty if too few arms were seen, or no ring in the
    players' order fits.
    """
    players = len(header.players)
    if sum(event.arm is not None for event in landings) < players:
        return []
    film = _film(header, landings)
    middles = _starts(film, players)
    for spread in np.geomspace(_WIDEST, _OWN, _ROUNDS):
        _, owners = _owners(film, middles, spread)
        middles, weights = _refitted(film, owners, middles)
    likely, _ = _owners(film, middles, _OWN)
    for place in np.argsort(-likely):
        if abs(((np.roll(middles[place], -1) - middles[place]) % 360).sum() - 360) < 1:
            counts = np.minimum(weights[place], _COUNTS)
            seats = [
                seat_of([(float(arm), float(count))] if count >= _LEAST else [])
                for arm, count in zip(middles[place], counts, strict=True)
            ]
            return [SeatRing((*seats[turn:], *seats[:turn])) for turn in range(players)]
    return []


@dataclass(frozen=True)
class _Film:
    """Data of the chain in order of the landings.

    arms: (T,) degrees, NaN if not seen. spreads: (T,) degrees. moves: (T - 1, S, S) transitions between states, player
    times two plus whether play goes counterclockwise. first: (S,) prior at the start card.
    """

    arms: Floats
    spreads: Floats
    moves: Floats
    first: Floats


def _film(header: Header, landings: Sequence[CardLanded]) -> _Film:
    players = len(header.players)
    arms = np.array([np.nan if event.arm is None else event.arm.direction for event in landings])
    spreads = np.array([0.0 if event.arm is None else event.arm.spread for event in landings])
    moves = {key: _transitions(players, *key) for key in ((1, False), (2, False), (1, True), (2, True))}
    first = np.zeros(2 * players)
    first[::2] = NON_DEALER_STARTS / players
    first[2 * header.dealer] += 1 - NON_DEALER_STARTS
    keys = [_step(event, players) for event in landings[:-1]]
    return _Film(arms, spreads, np.array([moves[key] for key in keys]).reshape(-1, 2 * players, 2 * players), first)


def _step(event: CardLanded, players: int) -> tuple[int, bool]:
    """Return the number of seats to the next player after this card, and whether the direction reverses."""
    face = event.probabilities[0][0].face if event.probabilities else None
    if face is Face.REVERSE:
        return (2, True) if players == 2 else (1, True)
    return (2 if face in (Face.SKIP, Face.DRAW_TWO, Face.WILD_DRAW_FOUR) else 1), False


def _transitions(players: int, step: int, turns: bool) -> Floats:
    states = 2 * players
    found = np.full((states, states), (1 - sum(_NEXT)) / states)
    for player in range(players):
        for backward in (0, 1):
            for then, share in ((backward ^ turns, 1 - _TURNED), (backward ^ (not turns), _TURNED)):
                way = -1 if then else 1
                for further, chance in enumerate(_NEXT):
                    to = (player + way * (step + further)) % players
                    found[2 * player + backward, 2 * to + then] += chance * share
    return found


def _starts(film: _Film, players: int) -> Floats:
    """Return (R, players) initial directions in degrees."""
    even = np.arange(players) * 360 / players
    found = [(even + turn * 360 / (players * _TURNS)) % 360 for turn in range(players * _TURNS)]
    arms = film.arms[~np.isnan(film.arms)]
    density = np.exp(-0.5 * (_angle(np.arange(360.0)[:, None], arms) / _OWN) ** 2).sum(axis=1)
    peaks: list[float] = []
    for place in np.argsort(-density):
        if len(peaks) < players and all(abs(_angle(float(place), peak)) >= _NEIGHBOURS for peak in peaks):
            peaks.append(float(place))
    if len(peaks) == players:
        found += [np.roll(np.sort(peaks), turn) for turn in range(players)]
    return np.array(found)


def _owners(film: _Film, middles: Floats, spread: float) -> tuple[Floats, Floats]:
    """Return (R,) log likelihoods and (R, T, players) posterior ownership of each arm."""
    near = _near(film, middles, spread)
    emission = np.where(np.isnan(film.arms)[:, None], 1.0, near + _ANYBODYS / 360)
    seen = np.repeat(emission, 2, axis=2)
    count = len(film.arms)
    forward = np.empty_like(seen)
    likely = np.zeros(len(middles))
    now = np.broadcast_to(film.first, seen[:, 0].shape)
    for at in range(count):
        now = (now if not at else now @ film.moves[at - 1]) * seen[:, at]
        total = now.sum(axis=1, keepdims=True)
        likely += np.log(total[:, 0])
        now = now / total
        forward[:, at] = now
    back = np.ones_like(seen[:, 0])
    both = np.empty_like(forward)
    for at in range(count - 1, -1, -1):
        both[:, at] = forward[:, at] * back
        if at:
            back = (back * seen[:, at]) @ film.moves[at - 1].T
            back /= back.sum(axis=1, keepdims=True)
    both /= both.sum(axis=2, keepdims=True)
    owners = both[:, :, ::2] + both[:, :, 1::2]
    return likely, owners * np.where(np.isnan(film.arms)[:, None], 0.0, near / (near + _ANYBODYS / 360))


def _near(film: _Film, middles: Floats, spread: float) -> Floats:
    """Return (R, T, players) density of each arm for each player, per degree, without stray arms."""
    own = np.hypot(spread, film.spreads)[None, :, None]
    off = _angle(np.nan_to_num(film.arms)[None, :, None], middles[:, None, :])
    return np.asarray((1 - _ANYBODYS) * np.exp(-0.5 * (off / own) ** 2) / (own * np.sqrt(2 * np.pi)))


def _refitted(film: _Film, owners: Floats, middles: Floats) -> tuple[Floats, Floats]:
    """Return (R, players) updated directions of the players' arms, and their counts."""
    off = _angle(np.nan_to_num(film.arms)[None, :, None], middles[:, None, :])
    weights = owners.sum(axis=1)
    return (middles + (owners * off).sum(axis=1) / (weights + _HELD)) % 360, weights


def _angle(one: Floats | float, other: Floats | float) -> Floats:
    """Return the signed angles between directions, -180 to 180 degrees."""
    return np.asarray((np.asarray(one) - other + 180) % 360 - 180)
