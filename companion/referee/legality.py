"""What may be done next: the conditions that the rules test, and all of them at once for a screen or a camera."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from companion.cards import Card, Color, EditionName, Face
from companion.referee.draft import Draft
from companion.referee.editions import EDITIONS, Stacking
from companion.referee.phase import Phase, Purpose
from companion.referee.scoring import shown_cards
from companion.referee.state import MAX_PLAYERS, State

IN_ROUND = frozenset(Phase) - {Phase.START, Phase.SCORING, Phase.OVER}
PLAYING = frozenset({Phase.TURN, Phase.DRAWN, Phase.DEBT})
OWING = frozenset({Phase.DEBT, Phase.CHALLENGE})
SHOWING = IN_ROUND | {Phase.SCORING}
_JUMPING = frozenset({Phase.TURN, Phase.DEBT})
_DRAW_CARDS = frozenset({Face.DRAW_TWO, Face.WILD_DRAW_FOUR})
_CREEPER = Card(Face.WILD_CREEPER)


def matches(card: Card, top: Card, color: Color) -> bool:
    """Return whether the card may be played on this top card with this colour in force (R11)."""
    return card.color is None or card.color is color or card.face is top.face


def stacks(card: Card, top: Card, stacking: Stacking) -> bool:
    """Return whether the card may be laid on this draw card for which somebody owes (R35), its colour left aside."""
    return card.face in _DRAW_CARDS if stacking is Stacking.ANY else card.face is top.face


def may_stack(state: State) -> bool:
    """Return whether the player to answer a wild draw four may lay a card on it instead (R34)."""
    return state.phase is Phase.CHALLENGE and state.header.options.stacking is not Stacking.OFF


def may_draw_on(state: State) -> bool:
    """Return whether a player who has drawn may draw once more (R45)."""
    return state.phase is Phase.DRAWN and state.header.options.draw_until_playable


def must_draw_on(state: State | Draft) -> bool:
    """Return whether a player who has drawn has to go on, there being cards to draw (R45)."""
    return state.header.options.draw_until_playable and state.drawable > 0


def may_jump_in(state: State, seat: int, card: Card) -> bool:
    """Return whether this player, who is not on turn, may play this card (R39, R40)."""
    return state.jump_open and state.phase in _JUMPING and seat != state.turn and card == state.top


def may_call_uno(state: State | Draft, seat: int) -> bool:
    """Return whether the player may call UNO: with one card, or with two when on turn and about to play (R27)."""
    return state.hands[seat] == 1 or (state.hands[seat] == 2 and state.turn == seat and _may_play(state))


def _may_play(state: State | Draft) -> bool:
    return state.phase in PLAYING or (
        state.phase is Phase.CHALLENGE and state.header.options.stacking is not Stacking.OFF
    )


def creepers_left(state: State | Draft, seat: int) -> int:
    """Return how many more creepers the player's latest draw can have held (R31).

    At most those of the deck, without the one on top, those in hands already shown, and those shown from this draw.
    """
    elsewhere = sum(shown_cards(hand).count(_CREEPER) for hand in state.leftover) + (state.top == _CREEPER)
    room = state.header.edition.deck.get(_CREEPER, 0) - elsewhere - state.shown[seat]
    return max(0, min(state.fresh[seat], room))


def may_be_caught(state: State | Draft, seat: int) -> bool:
    """Return whether the player has just played the last card but one and not called UNO (R27)."""
    return state.catchable == seat and state.hands[seat] == 1 and seat not in state.called


def may_target(state: State | Draft, seat: int) -> bool:
    """Return whether the player may be named: for the green shell (R24), or to exchange hands with (R42)."""
    if seat != state.turn:
        return True
    return state.purpose is not Purpose.SEVEN and state.header.options.green_shell_self


def may_seat_another(state: State | Draft) -> bool:
    """Return whether table and deck have room for another player (R48)."""
    players = len(state.header.players)
    return players < MAX_PLAYERS and (players + 1) * state.header.options.hand_size < state.header.edition.size


@dataclass(frozen=True, slots=True)
class Legal:
    """What the rules allow in a state. Players are named; empty means that nobody may."""

    phase: Phase
    actor: str | None
    """The player to act: to play, draw, pass, flip, choose, answer, take a debt or show."""
    cards: frozenset[Card]
    """The cards that may land on the discard pile now: started, played by the actor, stacked or flipped."""
    jump: Card | None
    """The card that may be played out of turn (R39)."""
    jumpers: tuple[str, ...]
    """Who may play it: everybody but the actor, in seat order."""
    draw: bool
    """Whether the actor may draw a card; with `draw_until_playable` one more."""
    can_pass: bool
    color: bool
    debt: int
    """How many cards are owed (R34)."""
    answer: bool
    """Whether the actor may accept or challenge a wild draw four."""
    take: bool
    """Whether the actor may take the debt, which cannot be challenged: a transcript's `accept` in `debt`."""
    reveal: bool
    targets: tuple[str, ...]
    """Whom the green shell may hit, or with whom hands may be exchanged; which of them, the state's purpose tells."""
    uno: tuple[str, ...]
    """Who may call UNO."""
    catch: tuple[str, ...]
    """Who can be caught not having called."""
    creeper: tuple[str, ...]
    """Who may show a creeper just drawn."""
    hand: tuple[str, ...]
    """Whose leftover hand is awaited."""
    in_round: bool
    """Whether counts may be corrected."""
    reshuffle: bool
    """Whether the discard pile may become the draw pile."""
    seating: bool
    """Whether people may join and leave: between two rounds (R48)."""


def legal(state: State) -> Legal:
    """Return what may be done next, and by whom. Undoing and amending are the match's business."""
    phase = state.phase
    in_round = phase in IN_ROUND
    players = state.players
    seats = range(len(players))
    shows = phase in SHOWING and state.header.edition.has_creepers
    jump = state.top if state.jump_open and phase in _JUMPING else None
    return Legal(
        phase=phase,
        actor=state.actor,
        cards=_landing(state),
        jump=jump,
        jumpers=() if jump is None else tuple(players[seat] for seat in seats if seat != state.turn),
        draw=phase is Phase.TURN or may_draw_on(state),
        can_pass=phase is Phase.DRAWN and not must_draw_on(state),
        color=phase is Phase.COLOR,
        debt=state.debt,
        answer=phase is Phase.CHALLENGE,
        take=phase is Phase.DEBT,
        reveal=phase is Phase.REVEAL,
        targets=tuple(players[seat] for seat in seats if phase is Phase.TARGET and may_target(state, seat)),
        uno=tuple(players[seat] for seat in seats if in_round and may_call_uno(state, seat)),
        catch=tuple(players[seat] for seat in seats if in_round and may_be_caught(state, seat)),
        creeper=tuple(players[seat] for seat in seats if shows and creepers_left(state, seat)),
        hand=tuple(players[seat] for seat in seats if phase is Phase.SCORING and state.leftover[seat] is None),
        in_round=in_round,
        reshuffle=phase in SHOWING,
        seating=phase is Phase.START,
    )


def _landing(state: State) -> frozenset[Card]:
    edition = state.header.edition.name
    if state.phase in PLAYING or may_stack(state):
        assert state.top is not None
        assert state.color is not None
        if state.phase in OWING:
            return _stackable(edition, state.top, state.color, state.header.options.stacking)
        return _playable(edition, state.top, state.color)
    return _all_cards(edition) if state.phase in (Phase.START, Phase.FLIP) else frozenset()


@cache
def _all_cards(edition: EditionName) -> frozenset[Card]:
    return frozenset(EDITIONS[edition].deck)


@cache
def _playable(edition: EditionName, top: Card, color: Color) -> frozenset[Card]:
    return frozenset(card for card in _all_cards(edition) if matches(card, top, color))


@cache
def _stackable(edition: EditionName, top: Card, color: Color, stacking: Stacking) -> frozenset[Card]:
    return frozenset(card for card in _playable(edition, top, color) if stacks(card, top, stacking))
