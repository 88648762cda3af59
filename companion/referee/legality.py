"""What may be done next: the conditions that the rules test, and all of them at once for a screen or a camera."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from companion.cards import Card, Color, EditionName
from companion.referee.draft import Draft
from companion.referee.editions import EDITIONS
from companion.referee.state import Phase, State

IN_ROUND = frozenset(Phase) - {Phase.START, Phase.SCORING, Phase.OVER}
PLAYING = frozenset({Phase.TURN, Phase.DRAWN})
SHOWING = IN_ROUND | {Phase.SCORING}


def matches(card: Card, top: Card, color: Color) -> bool:
    """Return whether the card may be played on this top card with this colour in force (R11)."""
    return card.color is None or card.color is color or card.face is top.face


def may_call_uno(state: State | Draft, seat: int) -> bool:
    """Return whether the player may call UNO: with one card, or with two on the player's own turn (R27)."""
    return state.hands[seat] == 1 or (state.hands[seat] == 2 and state.turn == seat)


def may_be_caught(state: State | Draft, seat: int) -> bool:
    """Return whether the player has just played the last card but one and not called UNO (R27)."""
    return state.catchable == seat and state.hands[seat] == 1 and seat not in state.called


def may_target(state: State | Draft, seat: int) -> bool:
    """Return whether the green shell may hit the player (R24)."""
    return state.header.options.green_shell_self or seat != state.turn


@dataclass(frozen=True, slots=True)
class Legal:
    """What the rules allow in a state. Players are named; empty means that nobody may."""

    phase: Phase
    actor: str | None
    """The player to act: to play, draw, pass, flip, choose, answer or show."""
    cards: frozenset[Card]
    """The cards that may land on the discard pile now: started, played or flipped."""
    draw: bool
    can_pass: bool
    color: bool
    answer: bool
    """Whether the actor may accept or challenge a wild draw four."""
    reveal: bool
    targets: tuple[str, ...]
    """Whom the green shell may hit."""
    uno: tuple[str, ...]
    """Who may call UNO."""
    catch: tuple[str, ...]
    """Who can be caught not having called."""
    creeper: tuple[str, ...]
    """Who may show a creeper just drawn."""
    hand: tuple[str, ...]
    """Whose leftover hand is awaited."""
    in_round: bool
    """Whether the piles may be reshuffled and counts corrected."""


def legal(state: State) -> Legal:
    """Return what may be done next, and by whom. Undoing and amending are the match's business."""
    phase = state.phase
    in_round = phase in IN_ROUND
    players = state.players
    seats = range(len(players))
    shows = phase in SHOWING and state.header.edition.has_creepers
    return Legal(
        phase=phase,
        actor=state.actor,
        cards=_landing(state),
        draw=phase is Phase.TURN,
        can_pass=phase is Phase.DRAWN,
        color=phase is Phase.COLOR,
        answer=phase is Phase.CHALLENGE,
        reveal=phase is Phase.REVEAL,
        targets=tuple(players[seat] for seat in seats if phase is Phase.TARGET and may_target(state, seat)),
        uno=tuple(players[seat] for seat in seats if in_round and may_call_uno(state, seat)),
        catch=tuple(players[seat] for seat in seats if in_round and may_be_caught(state, seat)),
        creeper=tuple(players[seat] for seat in seats if shows and state.fresh[seat]),
        hand=tuple(players[seat] for seat in seats if phase is Phase.SCORING and state.leftover[seat] is None),
        in_round=in_round,
    )


def _landing(state: State) -> frozenset[Card]:
    edition = state.header.edition.name
    if state.phase in PLAYING:
        assert state.top is not None
        assert state.color is not None
        return _playable(edition, state.top, state.color)
    return _all_cards(edition) if state.phase in (Phase.START, Phase.FLIP) else frozenset()


@cache
def _all_cards(edition: EditionName) -> frozenset[Card]:
    return frozenset(EDITIONS[edition].deck)


@cache
def _playable(edition: EditionName, top: Card, color: Color) -> frozenset[Card]:
    return frozenset(card for card in _all_cards(edition) if matches(card, top, color))
