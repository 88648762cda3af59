"""What became of a match: rounds, totals, who did what."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from companion.journal import Journal
from companion.referee import effects, moves
from companion.referee.match import Match
from companion.referee.scoring import hand_points


@dataclass(frozen=True)
class ShownHand:
    """A hand left over at the end of a round, what it counts, and the id of its picture, None where there is none."""

    player: str
    cards: list[str]
    points: int
    picture: str | None


@dataclass(frozen=True)
class Round:
    """One round: its number, who went out, the points that each player got in it, by name, and the hands left over."""

    number: int
    winner: str
    points: dict[str, int]
    hands: list[ShownHand]


@dataclass(frozen=True)
class Deeds:
    """What one player did in a match."""

    played: int
    drawn: int
    rounds_won: int
    uno_calls: int
    caught: int
    challenges_won: int
    challenges_lost: int


def rounds(journal: Journal) -> list[Round]:
    """Return the rounds that are decided, scored or not."""
    found: list[Round] = []
    number = 1
    for line, step in zip(journal.lines, journal.match.history, strict=True):
        if isinstance(step.move, moves.Hand):
            cards = step.move.cards
            points = hand_points(cards)
            found[-1].hands.append(ShownHand(step.move.player, [card.name for card in cards], points, line.reading))
        if isinstance(step.move, moves.Tally):
            found[-1].hands.append(ShownHand(step.move.player, [], step.move.points, line.reading))
        for effect in step.effects:
            match effect:
                case effects.RoundWon(winner):
                    found.append(Round(number, winner, {}, []))
                case effects.Scored(player, points) if found:
                    found[-1].points[player] = points
                case effects.Dealt(_, count):
                    number = count
    return found


def totals(journal: Journal) -> list[dict[str, int]]:
    """Return everybody's total after each scored round, by name; who had not joined yet has none."""
    return [
        {player: step.state.standings.get(player, 0) for player in journal.match.everyone}
        for step in journal.match.history
        if any(isinstance(effect, effects.Scored) for effect in step.effects)
    ]


def deeds(match: Match) -> dict[str, Deeds]:
    """Return what each player did, by name."""
    counts: dict[str, Counter[str]] = {player: Counter() for player in match.everyone}
    actor: str | None = None
    for step in match.history:
        if isinstance(step.move, moves.Play) and actor is not None:
            counts[actor]["played"] += 1
        for effect in step.effects:
            match effect:
                case effects.Drawn(player, count, why):
                    counts[player]["drawn"] += count
                    counts[player]["caught"] += why is effects.Why.UNO
                case effects.UnoCalled(player):
                    counts[player]["uno_calls"] += 1
                case effects.RoundWon(player):
                    counts[player]["rounds_won"] += 1
                case effects.ChallengeSettled(_, by, guilty):
                    counts[by]["challenges_won" if guilty else "challenges_lost"] += 1
        actor = step.state.actor
    names = Deeds.__dataclass_fields__
    return {player: Deeds(**{name: count[name] for name in names}) for player, count in counts.items()}
