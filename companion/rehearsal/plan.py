"""Which photographs are shown in which order: a match dealt from the cards that were photographed.

Every photograph of one card is a card of the deck, at most as often as the edition's deck holds it; with these a random
table plays by the rules. Photographs of several cards are the hands that are left at the end of the round.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from companion.cards import Card, EditionName
from companion.editions import EDITIONS, Scoring
from companion.models.evaluate import Labelled, labelled_photos
from companion.referee.engine import apply
from companion.referee.moves import Flip, Move, Play, Start
from companion.referee.random_player import RandomTable
from companion.referee.state import Header, Phase, State, opening

Laid = Start | Play | Flip
"""Moves that put a card on the pile, where the camera sees it."""

_TRIES = 3000
# Points that one round brings its winner, so that the match is over with it.
_TARGET = 1
# More than one move can make players draw: with so many left, nothing has to be reshuffled and shown again.
_ENOUGH_LEFT = 12


class PlanError(ValueError):
    """The photographs make no match; the message is one sentence for people."""


@dataclass(frozen=True)
class PlannedMove:
    """A move of the match, and the photograph that shows its card; None where a camera sees nothing of the move."""

    move: Move
    photo: Path | None


@dataclass(frozen=True)
class LeftHand:
    """A hand that is left at the end of the round, and the photograph of its cards."""

    player: str
    cards: Counter[Card]
    photo: Path


@dataclass(frozen=True)
class Plan:
    """One round: its set-up, its moves up to the last card played, and the hands that are left then."""

    header: Header
    moves: tuple[PlannedMove, ...]
    hands: tuple[LeftHand, ...]


def plan_match(
    folder: Path, edition: EditionName, seed: int, players: Sequence[str] = ("Ann", "Ben", "Cy"), hand_size: int = 5
) -> Plan:
    """Return a round played with the photographs of a folder: `labels.json` beside `images/`, as for `train evaluate`.

    The same arguments plan the same round. Raises PlanError where the labels cannot be read, and where no round comes
    about of which each card, and each hand left, is shown by a photograph of its own.
    """
    try:
        photos = [photo for photo in labelled_photos(folder) if not photo.lenient]
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise PlanError(f"{folder / 'labels.json'} cannot be read: {error}") from error
    rules = EDITIONS[edition]
    singles: dict[Card, list[Path]] = {}
    for photo in photos:
        if photo.cards.total() == 1:
            singles.setdefault(next(iter(photo.cards)), []).append(photo.path)
    several = [photo for photo in photos if photo.cards.total() > 1 and not photo.cards - Counter(rules.deck)]
    options = replace(rules.options, scoring=Scoring.WINNER_TAKES_ALL, target=_TARGET, hand_size=hand_size)
    header = Header(rules, tuple(players), len(players) - 1, options)
    cards = [card for card, paths in singles.items() for _ in range(min(len(paths), rules.deck.get(card, 0)))]
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
    """Return the moves of a random round dealt from these cards, and how it stands then; None where it is no good.

    It is not where cards run out, where one is laid on its like, which a camera that was moved meanwhile cannot tell,
    or where one is laid that does not match.
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
    """Return a photograph of as many cards as each player has left, together such as one deck holds; else None."""
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
