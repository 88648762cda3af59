"""Plans a match that is dealt from the photographed cards, and the order of their photographs.

Every photograph of one card is a card of the deck, up to the edition's number of copies; a random table plays with
these by the edition. Photographs of several cards serve as the leftover hands at the end of the round.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from companion.cards import Card
from companion.editions import Edition, Scoring
from companion.models.evaluation.pictures import Labelled, labelled_photos
from companion.referee.engine import apply
from companion.referee.moves import Flip, Move, Play, Start
from companion.referee.random_player import RandomTable
from companion.referee.state import Header, Phase, State, opening

Laid = Start | Play | Flip
"""Moves that put a card on the pile, visible to the camera."""

_TRIES = 3000
# Target score that one round reaches, so that the match ends with it.
_TARGET = 1
# Minimum number of cards left in the draw pile, so that no move forces a reshuffle.
_ENOUGH_LEFT = 12


class PlanError(ValueError):
    """The photographs allow no match; the message is one sentence for people."""


@dataclass(frozen=True)
class PlannedMove:
    """A move of the match, and the photograph of its card; None if no camera sees the move."""

    move: Move
    photo: Path | None


@dataclass(frozen=True)
class LeftHand:
    """A leftover hand at the end of the round, and the photograph of its cards."""

    player: str
    cards: Counter[Card]
    photo: Path


@dataclass(frozen=True)
class Plan:
    """One round: its set-up, its moves up to the last card played, and the leftover hands."""

    header: Header
    moves: tuple[PlannedMove, ...]
    hands: tuple[LeftHand, ...]


def plan_match(
    folder: Path, edition: Edition, seed: int, players: Sequence[str] = ("Ann", "Ben", "Cy"), hand_size: int = 5
) -> Plan:
    """Return a round played with the photographs of a folder: `labels.json` beside `images/`, as for `train evaluate`.

    Deterministic. Raises PlanError if the labels cannot be read, or if no round is found in which each card, and each
    leftover hand, has its own photograph.
    """
    try:
        photos = [photo for photo in labelled_photos(folder) if not photo.lenient]
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise PlanError(f"{folder / 'labels.json'} cannot be read: {error}") from error
    singles: dict[Card, list[Path]] = {}
    for photo in photos:
        if photo.cards.total() == 1:
            singles.setdefault(next(iter(photo.cards)), []).append(photo.path)
    several = [photo for photo in photos if photo.cards.total() > 1 and not photo.cards - Counter(edition.deck)]
    options = replace(edition.options, scoring=Scoring.WINNER_TAKES_ALL, target=_TARGET, hand_size=hand_size)
    header = Header(edition, tuple(players), len(players) - 1, options)
    cards = [card for card, paths in singles.items() for _ in range(min(len(paths), edition.deck.get(card, 0)))]
    if len(cards) < len(players) * hand_size + _ENOUGH_LEFT:
        raise PlanError(f"{folder} holds photographs of {len(cards)} cards of this edition: too few to play with.")
    for attempt in range(_TRIES):
        random = Random(f"{seed}.{attempt}")
        played = _play(header, cards, random)
        hands = None if played is None else _hands(played[1], several, random)
        if played is not None and hands is not None:
            return Plan(header, _shown(played[0], singles, random), hands)
    raise PlanError(f"With the photographs in {folder} no round could be played to its end.")


def _play(header: Header, cards: Sequence[Card], random: Random) -> tuple[list[Move], State] | None:
    """Return the moves of a random round dealt from these cards, and the final state; None if it is unsuitable.

    It is unsuitable if cards run out, if a card is laid on an identical one, which a moving camera cannot distinguish,
    or if an illegal card is laid.
    """
    table = RandomTable(header, random, cards)
    state = opening(header)
    moves: list[Move] = []
    while state.phase is not Phase.SCORING:
        if len(table.draw_pile) < _ENOUGH_LEFT:
            return None
        move = table.next_move(state)
        if isinstance(move, Laid) and (move.card == state.top or (isinstance(move, Play) and move.force)):
            return None
        state, effects = apply(state, move)
        table.follow(effects)
        moves.append(move)
    return moves, state


def _hands(state: State, several: Sequence[Labelled], random: Random) -> tuple[LeftHand, ...] | None:
    """Return a photograph for each player's leftover hand, together within one deck; None if there are none."""
    found = []
    assert state.top is not None
    seen = Counter([state.top])
    rest = random.sample(several, len(several))
    for seat, player in enumerate(state.players):
        if state.leftover[seat] is not None:
            continue
        fit = (photo for photo in rest if photo.cards.total() == state.hands[seat])
        photo = next((photo for photo in fit if seen + photo.cards <= Counter(state.header.edition.deck)), None)
        if photo is None:
            return None
        rest.remove(photo)
        seen += photo.cards
        found.append(LeftHand(player, photo.cards, photo.path))
    return tuple(found)


def _shown(moves: Sequence[Move], singles: dict[Card, list[Path]], random: Random) -> tuple[PlannedMove, ...]:
    left = {card: random.sample(paths, len(paths)) for card, paths in singles.items()}
    return tuple(PlannedMove(move, left[move.card].pop() if isinstance(move, Laid) else None) for move in moves)
