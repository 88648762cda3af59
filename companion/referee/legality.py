"""What the rules allow: the conditions that rules test, and a summary for screens and cameras."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from companion.cards import Card, Color, Face
from companion.editions.edition import Edition
from companion.editions.options import Stacking
from companion.editions.program import ChooseTarget, DrawUntil, Filter, PoolHands, Shed
from companion.referee.draft import Draft
from companion.referee.model.running import Demanded, step_of
from companion.referee.model.scoring import shown_cards
from companion.referee.phase import Phase
from companion.referee.state import MAX_PLAYERS, Header, State

IN_ROUND = frozenset(Phase) - {Phase.START, Phase.SCORING, Phase.OVER}
PLAYING = frozenset({Phase.TURN, Phase.DRAWN, Phase.DEBT})
OWING = frozenset({Phase.DEBT, Phase.CHALLENGE})
SHOWING = IN_ROUND | {Phase.SCORING}
LEAVING = IN_ROUND | {Phase.START}
RUNNING = SHOWING | {Phase.START}
_JUMPING = frozenset({Phase.TURN, Phase.DEBT})
CREEPER = Card(Face.WILD_CREEPER)


def matches(card: Card, top: Card, color: Color | None) -> bool:
    """Return whether the card may be played on this top card with this colour in force (R11)."""
    return card.color is None or card.color is color or card.face is top.face


def stacks(card: Card, top: Card, header: Header) -> bool:
    """Return whether the card may be stacked on this draw card (R35, R53), its colour left aside."""
    penalties = header.rules.penalties
    match header.options.stacking:
        case Stacking.OFF:
            return False
        case Stacking.SAME:
            return card.face is top.face
        case Stacking.ANY:
            return card.face in penalties
        case Stacking.RISING:
            return penalties.get(card.face, 0) >= penalties[top.face]


def may_stack(state: State) -> bool:
    """Return whether the player to answer a wild draw four may lay a card on it instead (R34, R53)."""
    return state.phase is Phase.CHALLENGE and state.header.rules.opens


def may_draw_on(state: State) -> bool:
    """Return whether a player who has drawn may draw once more (R45)."""
    return state.phase is Phase.DRAWN and state.header.options.draw_until_playable


def must_draw_on(state: State | Draft) -> bool:
    """Return whether a player who has drawn has to go on, there being cards to draw (R45)."""
    return state.header.options.draw_until_playable and state.drawable > 0


def may_jump_in(state: State, seat: int, card: Card) -> bool:
    """Return whether this player, who is not on turn, may play this card (R39, R40, R60)."""
    return card == state.top and seat in _jumpers(state)


def _jumpers(state: State) -> tuple[int, ...]:
    """Return who may play a copy of the top card out of turn: anybody (R39), or only its player (R60)."""
    if not _may_copy(state):
        return ()
    seats = range(len(state.hands)) if state.jump_open else () if state.doubler is None else (state.doubler,)
    return tuple(seat for seat in seats if seat != state.turn and seat not in state.out)


def _may_copy(state: State) -> bool:
    """Return whether a copy may be laid on the top card now; on a debt only with stacking (R40, R53, R60)."""
    if state.phase not in _JUMPING:
        return False
    stacking = state.header.options.stacking is not Stacking.OFF and state.demand is None
    return state.phase is Phase.TURN or stacking


def may_call_uno(state: State | Draft, seat: int) -> bool:
    """Return whether the player may call UNO: with one card, or with two when on turn and about to play (R27)."""
    about_to_play = (state.turn == seat and _may_play(state)) or (state.doubler == seat and state.phase in _JUMPING)
    return state.hands[seat] == 1 or (state.hands[seat] == 2 and about_to_play)


def may_call_wrongly(state: State | Draft, seat: int) -> bool:
    """Return whether the player may call UNO without being at it, for which cards are drawn (R58)."""
    return state.header.options.uno_false_penalty > 0 and seat not in state.out and not may_call_uno(state, seat)


def _may_play(state: State | Draft) -> bool:
    return state.phase in PLAYING or (state.phase is Phase.CHALLENGE and state.header.rules.opens)


def left_to_show(state: State | Draft, seat: int, face: Face) -> int:
    """Return how many more cards of this face the player's latest draw can have held (R31).

    At most those of the deck, without the one on top, those in hands already shown, and those shown from this draw.
    """
    elsewhere = sum(card.face is face for hand in state.leftover for card in shown_cards(hand))
    on_top = state.top is not None and state.top.face is face
    room = state.header.edition.copies.get(face, 0) - elsewhere - on_top - state.shown[seat].count(face)
    return max(0, min(state.fresh[seat], room))


def creepers_left(state: State | Draft, seat: int) -> int:
    """Return how many more cards that do something when drawn the player's latest draw can have held (R31)."""
    left = sum(left_to_show(state, seat, face) for face in state.header.edition.shown_when_drawn)
    return min(state.fresh[seat], left)


def may_be_caught(state: State | Draft, seat: int) -> bool:
    """Return whether the player has just played the last card but one and not called UNO (R27)."""
    return state.catchable == seat and state.hands[seat] == 1 and seat not in state.called


def may_target(state: State | Draft, seat: int) -> bool:
    """Return whether the player may be named for the step that waits (R52), or to swap hands with (R42)."""
    if seat in state.out:
        return False
    step = step_of(state.running)
    if isinstance(step, PoolHands):
        assert state.running is not None
        return seat not in state.running.picked
    return seat != state.turn or (isinstance(step, ChooseTarget) and not step.others)


def may_seat_another(state: State | Draft) -> bool:
    """Return whether table and deck have room for another player (R48)."""
    players = len(state.header.players)
    return players < MAX_PLAYERS and (players + 1) * state.header.options.hand_size < state.header.edition.size


def took_limits(state: State | Draft) -> tuple[int, int] | None:
    """Return the least and the most cards that the player to act can have drawn, None where that is not asked."""
    if state.phase is not Phase.TOOK:
        return None
    return int(isinstance(step_of(state.running), DrawUntil)), state.drawable


def most_to_shed(state: State | Draft) -> int | None:
    """Return how many cards the player to act may lay off at most, None where that is not asked."""
    if state.phase is not Phase.SHED:
        return None
    step = step_of(state.running)
    assert isinstance(step, Shed)
    assert state.turn is not None
    held = state.hands[state.turn]
    return held if step.up_to is None else min(held, step.up_to)


@dataclass(frozen=True, slots=True)
class Asked:
    """What a program waits for in `took`, `shed` and `outcome`: the verb, and the face or mark that asks."""

    verb: str
    why: str


def asked(state: State) -> Asked | None:
    """Return what a program waits for in one of the three phases that only programs have."""
    if state.phase not in (Phase.TOOK, Phase.SHED, Phase.OUTCOME):
        return None
    running = state.running
    assert running is not None
    assert running.step is not None
    return Asked(running.step.verb, running.why)


@dataclass(frozen=True, slots=True)
class Legal:
    """What the rules allow in a state. Players are given by name; empty means nobody."""

    phase: Phase
    actor: str | None
    """The player to act: to play, draw, pass, flip, choose, answer, take a debt or show."""
    cards: frozenset[Card]
    """The cards that may land on the discard pile now: started, played by the actor, stacked or flipped."""
    jump: Card | None
    """The card that may be played out of turn (R39, R60)."""
    jumpers: tuple[str, ...]
    """Who may play it, in seat order: everybody but the actor, or only who laid the top card (R60)."""
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
    """Who may be named, for a card or to swap hands with; the state's purpose says which."""
    uno: tuple[str, ...]
    """Who may call UNO."""
    catch: tuple[str, ...]
    """Who can be caught not having called."""
    creeper: tuple[str, ...]
    """Who may show a card just drawn that does something when drawn."""
    hand: tuple[str, ...]
    """Whose leftover hand is awaited."""
    in_round: bool
    """Whether counts may be corrected."""
    reshuffle: bool
    """Whether the discard pile may become the draw pile."""
    seating: bool
    """Whether people may join: between two rounds (R48). They may leave then and in a round (R55)."""
    asked: Asked | None = None
    """What a program waits for, where the actor says a number, cards, or yes or no."""
    took: tuple[int, int] | None = None
    """The least and the most cards that the actor can have drawn."""
    shed: int | None = None
    """How many cards the actor may lay off at most; `cards` are those that fit."""
    outcome: bool = False
    """Whether the actor answers yes or no."""
    wrong_uno: tuple[str, ...] = ()
    """Who draws cards for calling UNO now, because the call is wrong (R58)."""
    doubler: str | None = None
    """Who may lay a second copy of the card on top (R60)."""


def legal(state: State) -> Legal:
    """Return what may be done next, and by whom. Undoing and amending are the match's business."""
    phase = state.phase
    in_round = phase in IN_ROUND
    players = state.players
    seats = range(len(players))
    shows = phase in SHOWING and bool(state.header.edition.shown_when_drawn)
    jumpers = _jumpers(state)
    return Legal(
        phase=phase,
        actor=state.actor,
        cards=_landing(state),
        jump=state.top if jumpers else None,
        jumpers=tuple(players[seat] for seat in jumpers),
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
        doubler=players[state.doubler] if state.doubler in jumpers else None,
        wrong_uno=tuple(players[seat] for seat in seats if in_round and may_call_wrongly(state, seat)),
        asked=asked(state),
        took=took_limits(state),
        shed=most_to_shed(state),
        outcome=phase is Phase.OUTCOME,
    )


def _landing(state: State) -> frozenset[Card]:
    edition = state.header.edition
    if state.phase in PLAYING or may_stack(state):
        assert state.top is not None
        if state.phase in OWING:
            return _laid_on_debt(state.header, state.top, state.color, state.demand)
        return _playable(edition, state.top, state.color)
    if state.phase is Phase.SHED:
        step = step_of(state.running)
        assert isinstance(step, Shed)
        return _fitting(edition, step.filter, state.color)
    return frozenset(edition.deck) if state.phase in (Phase.START, Phase.FLIP) else frozenset()


@lru_cache(maxsize=4096)
def _playable(edition: Edition, top: Card, color: Color | None) -> frozenset[Card]:
    return frozenset(card for card in edition.deck if matches(card, top, color))


@lru_cache(maxsize=4096)
def _fitting(edition: Edition, condition: Filter, color: Color | None) -> frozenset[Card]:
    return frozenset(card for card in edition.deck if condition.fits(card, color))


def _laid_on_debt(header: Header, top: Card, color: Color | None, demand: Demanded | None) -> frozenset[Card]:
    return frozenset(card for card in header.edition.deck if may_lay(card, top, color, header, demand))


def may_lay(card: Card, top: Card, color: Color | None, header: Header, demand: Demanded | None) -> bool:
    """Return whether the player who owes may play the card: it meets the demand, answers, or stacks (R34, R53)."""
    if demand is not None:
        return demand.filter.fits(card, color)
    any_color = header.options.stacking is Stacking.RISING
    return card.face in header.rules.answers or (stacks(card, top, header) and (any_color or matches(card, top, color)))
