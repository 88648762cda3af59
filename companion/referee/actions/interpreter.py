"""Runs programs of special cards, step by step, until one waits for a move (R52; EDITIONS.md, sections 3 and 4)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from companion.editions.options import TwoPlayerReverse
from companion.editions.program import (
    Ask,
    ChooseColor,
    ChooseTarget,
    Dare,
    Demand,
    DrawCards,
    DrawTo,
    DrawUntil,
    PeekAtHand,
    Penalty,
    PlayAgain,
    PoolHands,
    ReadRule,
    RefreshHand,
    Reveal,
    ReversePlay,
    RotateHands,
    Selector,
    Shed,
    ShedExactly,
    SkipTurns,
    SwapHands,
    TakeDiscards,
    TurnUp,
)
from companion.referee.draft import Draft
from companion.referee.effects import (
    Answered,
    CardsShed,
    CardsTaken,
    GoesAgain,
    HandRefreshed,
    HandSeen,
    HandsPooled,
    HandsRotated,
    HandsSwapped,
    RuleRead,
)
from companion.referee.model.running import Demanded, Origin, Running
from companion.referee.phase import Phase, Purpose


def run(draft: Draft, running: Running) -> None:
    """Run the program until a step waits or the program has ended."""
    going: Running | None = running
    while going is not None:
        step = going.step
        going = _end(draft, going) if step is None else _STEPS[type(step)](draft, going, step)


def resume_color(draft: Draft) -> None:
    """Go on after a colour was chosen: by a `color` step, or because none was in force."""
    running = _waiting(draft)
    run(draft, running.advanced() if isinstance(running.step, ChooseColor) else running)


def resume_target(draft: Draft, seat: int) -> None:
    """Go on after a player was named."""
    running = _waiting(draft)
    if isinstance(running.step, PoolHands):
        run(draft, replace(running, picked=(*running.picked, seat)))
    else:
        run(draft, replace(running.advanced(), chosen=seat))


def resume_took(draft: Draft, count: int) -> None:
    """Go on after the player to act has drawn so many cards."""
    running = _waiting(draft)
    draft.draw(draft.actor, count, running.why)
    run(draft, _served(running))


def resume_shed(draft: Draft, count: int) -> None:
    """Go on after the player to act has laid off so many cards; one without cards has gone out."""
    running = _waiting(draft)
    seat = draft.actor
    if not _shed(draft, running, seat, count, always=True):
        run(draft, _served(running))


def resume_outcome(draft: Draft, *, yes: bool) -> None:
    """Go on after the player asked has answered: with the steps for it, then with the next player."""
    running = _waiting(draft)
    step = running.step
    assert isinstance(step, Ask)
    seat = draft.actor
    draft.effects.append(Answered(draft.name(seat), yes))
    rest = _served(running)
    steps = step.yes if yes else step.no
    run(draft, replace(rest, steps=steps, queue=None, asked=seat, outer=rest) if steps else rest)


def _waiting(draft: Draft) -> Running:
    assert draft.running is not None
    return draft.running


def _served(running: Running) -> Running:
    """Return the program with the first player of its current step done."""
    assert running.queue
    return replace(running, queue=running.queue[1:])


def _wait(draft: Draft, running: Running, phase: Phase, seat: int) -> None:
    """Wait for a move of this player."""
    draft.phase = phase
    draft.turn = seat
    draft.purpose = Purpose.PROGRAM
    draft.running = running


def _lacks_color(draft: Draft, running: Running) -> bool:
    """Wait for `self` to choose a colour where none is in force; return whether that is so."""
    if draft.color is not None or not draft.header.edition.has_colors:
        return False
    _wait(draft, running, Phase.COLOR, running.seat)
    return True


def _end(draft: Draft, running: Running) -> Running | None:
    outer = running.outer
    if outer is not None:
        return replace(outer, chosen=running.chosen, skipped=running.skipped)
    if not _lacks_color(draft, running):
        draft.turn_to(_next_turn(draft, running))
    return None


def _next_turn(draft: Draft, running: Running) -> int:
    """Return who has the turn after the program: the next player who is not skipped."""
    seat = draft.after(running.seat)
    while seat in running.skipped and seat != running.seat:
        seat = draft.after(seat)
    return seat


def _hit(draft: Draft, running: Running) -> int:
    """Return whom a penalty or demand hits: who would have the turn, or the next one if that is `self`."""
    seat = _next_turn(draft, running)
    return draft.after(seat) if seat == running.seat else seat


def players(draft: Draft, running: Running, who: Selector) -> tuple[int, ...]:
    """Return the seats that a selector means now (EDITIONS.md, section 2)."""
    match who:
        case Selector.SELF:
            return (running.seat,)
        case Selector.NEXT:
            return (draft.after(running.seat),)
        case Selector.PREVIOUS:
            return (draft.before(running.seat),)
        case Selector.CHOSEN:
            return _present(draft, running.chosen)
        case Selector.ASKED:
            return _present(draft, running.asked)
        case Selector.AUTHOR:
            return _present(draft, running.author)
        case Selector.OTHERS:
            return draft.others(running.seat)
        case Selector.ALL:
            return (*draft.others(running.seat), running.seat)
    everybody = (*draft.others(running.seat), running.seat)
    counts = [draft.hands[seat] for seat in everybody]
    wanted = max(counts) if who is Selector.MOST else min(counts)
    return tuple(seat for seat, count in zip(everybody, counts, strict=True) if count == wanted)


def _present(draft: Draft, seat: int | None) -> tuple[int, ...]:
    return () if seat is None or seat in draft.out else (seat,)


def _queue(draft: Draft, running: Running, who: Selector) -> tuple[int, ...]:
    """Return whom the current step is still about: found out when it begins."""
    queue = players(draft, running, who) if running.queue is None else running.queue
    return tuple(seat for seat in queue if seat not in draft.out)


def _color(draft: Draft, running: Running, step: ChooseColor) -> None:
    seat = next(iter(players(draft, running, step.who)), running.seat)
    _wait(draft, running, Phase.COLOR, seat)


def _target(draft: Draft, running: Running, _: ChooseTarget) -> None:
    _wait(draft, running, Phase.TARGET, running.seat)


def _draw(draft: Draft, running: Running, step: DrawCards) -> Running | None:
    if step.count is None:
        return _take_up(draft, running, step.who)
    for seat in players(draft, running, step.who):
        draft.draw(seat, step.count, running.why)
    return running.advanced()


def _draw_until(draft: Draft, running: Running, step: DrawUntil) -> Running | None:
    return _take_up(draft, running, step.who)


def _take_up(draft: Draft, running: Running, who: Selector) -> Running | None:
    """Wait for how many cards each player has drawn; with nothing to draw nobody is asked."""
    queue = _queue(draft, running, who)
    while queue and not draft.drawable:
        draft.draw(queue[0], 0, running.why)
        queue = queue[1:]
    return _wait_for_each(draft, running, Phase.TOOK, queue)


def _wait_for_each(draft: Draft, running: Running, phase: Phase, queue: tuple[int, ...]) -> Running | None:
    if not queue:
        return running.advanced()
    _wait(draft, replace(running, queue=queue), phase, queue[0])
    return None


def _draw_to(draft: Draft, running: Running, step: DrawTo) -> Running:
    for seat in players(draft, running, step.who):
        missing = (max(draft.hands) if step.count is None else step.count) - draft.hands[seat]
        if missing > 0:
            draft.draw(seat, missing, running.why)
    return running.advanced()


def _skip(draft: Draft, running: Running, step: SkipTurns) -> Running:
    left = [seat for seat in draft.others(running.seat) if seat not in running.skipped]
    return _skipping(draft, running, left if step.count is None else left[: step.count]).advanced()


def _skipping(draft: Draft, running: Running, seats: list[int]) -> Running:
    for seat in seats:
        draft.skip(seat)
    return replace(running, skipped=running.skipped.union(seats))


def _reverse(draft: Draft, running: Running, _: ReversePlay) -> Running:
    draft.reverse()
    skips = draft.header.options.two_player_reverse is TwoPlayerReverse.SKIP
    if draft.present == 2 and skips and not any(isinstance(step, Penalty) for step in _rest(running)):
        others = [seat for seat in draft.others(running.seat) if seat not in running.skipped]
        running = _skipping(draft, running, others)
    return running.advanced()


def _rest(running: Running) -> tuple[Any, ...]:
    """Return the steps that remain, those of the outer program included."""
    return running.steps if running.outer is None else (*running.steps, *running.outer.steps)


def _again(draft: Draft, running: Running, _: PlayAgain) -> None:
    if not _lacks_color(draft, running):
        draft.effects.append(GoesAgain(draft.name(running.seat)))
        draft.turn_to(running.seat)


def _turn_up(draft: Draft, running: Running, _: TurnUp) -> None:
    _wait(draft, running, Phase.FLIP, running.seat)
    draft.purpose = None


def _shed_cards(draft: Draft, running: Running, step: Shed) -> Running | None:
    return _wait_for_each(draft, running, Phase.SHED, _queue(draft, running, step.who))


def _shed_exactly(draft: Draft, running: Running, step: ShedExactly) -> Running | None:
    for seat in players(draft, running, step.who):
        held = draft.hands[seat]
        count = held // 2 if step.count is None else min(step.count, held)
        if count and _shed(draft, running, seat, count):
            return None
    return running.advanced()


def _shed(draft: Draft, running: Running, seat: int, count: int, *, always: bool = False) -> bool:
    """Let the player lay off cards; return whether the round ended by it (EDITIONS.md, section 4)."""
    if count:
        draft.set_count(seat, draft.hands[seat] - count)
        if draft.hands[seat] == 1 and seat == running.seat:
            draft.catchable = seat
    if count or always:
        draft.effects.append(CardsShed(draft.name(seat), count))
    if draft.hands[seat] == 0:
        draft.end_round(seat)
        return True
    return False


def _swap(draft: Draft, running: Running, step: SwapHands) -> Running:
    for seat in players(draft, running, step.partner):
        if seat != running.seat:
            draft.move_hands({running.seat: seat, seat: running.seat})
            draft.effects.append(HandsSwapped(draft.name(running.seat), draft.name(seat)))
    return running.advanced()


def rotate_hands(draft: Draft) -> None:
    """Let every hand pass to the next player (R42)."""
    draft.move_hands({draft.after(seat): seat for seat in range(len(draft.hands)) if seat not in draft.out})
    draft.effects.append(HandsRotated(draft.direction))


def _rotate(draft: Draft, running: Running, _: RotateHands) -> Running:
    rotate_hands(draft)
    return running.advanced()


def _pool(draft: Draft, running: Running, step: PoolHands) -> Running | None:
    everybody = (*draft.others(running.seat), running.seat)
    if step.two and len(running.picked) < 2:
        _wait(draft, running, Phase.TARGET, running.seat)
        return None
    pooled = tuple(seat for seat in everybody if seat in running.picked) if step.two else everybody
    total = sum(draft.hands[seat] for seat in pooled)
    share, more = divmod(total, len(pooled))
    draft.deal_out({seat: share + (place < more) for place, seat in enumerate(pooled)})
    draft.effects.append(HandsPooled(tuple(map(draft.name, pooled))))
    return running.advanced()


def _refresh(draft: Draft, running: Running, step: RefreshHand) -> Running:
    for seat in players(draft, running, step.who):
        count = draft.hands[seat]
        draft.deal_out({seat: count})
        draft.set_fresh(seat, count)
        draft.effects.append(HandRefreshed(draft.name(seat), count))
    return running.advanced()


def _take(draft: Draft, running: Running, step: TakeDiscards) -> Running:
    for seat in players(draft, running, step.who):
        count = min(step.count, draft.drawable)
        if count:
            draft.set_count(seat, draft.hands[seat] + count)
        draft.effects.append(CardsTaken(draft.name(seat), count))
    return running.advanced()


def _peek(draft: Draft, running: Running, step: PeekAtHand) -> Running:
    for seat in players(draft, running, step.of):
        if seat != running.seat:
            draft.effects.append(HandSeen(draft.name(running.seat), draft.name(seat)))
    return running.advanced()


def _ask(draft: Draft, running: Running, step: Ask) -> Running | None:
    return _wait_for_each(draft, running, Phase.OUTCOME, _queue(draft, running, step.who))


def _rule(draft: Draft, running: Running, _: ReadRule) -> Running:
    draft.effects.append(RuleRead(draft.name(running.seat), running.why))
    return running.advanced()


def _penalty(draft: Draft, running: Running, step: Penalty) -> None:
    """R53; turned up by another card, a penalty is carried out at once (R20)."""
    if _lacks_color(draft, running):
        return
    seat = _hit(draft, running)
    if draft.header.rules.opens and running.origin is not Origin.FLIP:
        draft.owe(seat, step.count, laid_by=None if running.origin is Origin.START else running.seat)
        return
    draft.draw(seat, step.count, running.why)
    draft.turn_to(_next_turn(draft, _skipping(draft, running, [seat])))


def _demand(draft: Draft, running: Running, step: Demand) -> None:
    """R53."""
    if _lacks_color(draft, running):
        return
    draft.owe(_hit(draft, running), step.otherwise, laid_by=None)
    draft.demand = Demanded(step.filter, running.why)


_STEPS: dict[type, Callable[[Draft, Running, Any], Running | None]] = {
    ChooseColor: _color,
    ChooseTarget: _target,
    DrawCards: _draw,
    DrawUntil: _draw_until,
    DrawTo: _draw_to,
    SkipTurns: _skip,
    ReversePlay: _reverse,
    PlayAgain: _again,
    TurnUp: _turn_up,
    Shed: _shed_cards,
    ShedExactly: _shed_exactly,
    SwapHands: _swap,
    RotateHands: _rotate,
    PoolHands: _pool,
    RefreshHand: _refresh,
    TakeDiscards: _take,
    PeekAtHand: _peek,
    Reveal: _ask,
    Dare: _ask,
    ReadRule: _rule,
    Penalty: _penalty,
    Demand: _demand,
}
