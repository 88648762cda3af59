"""All ways a card seen on the pile can have landed, with weights: which card, and who laid it.

A weight is the joint probability of way and observation, up to a common factor of the observation. Readings contain no
prior and represent the camera; the rest models how people play.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from companion.cards import Card
from companion.referee.errors import RefereeError
from companion.referee.legality import IN_ROUND, legal
from companion.referee.match import Match
from companion.referee.moves import Count, Flip, Move, Play, Reshuffle, Shed, Start
from companion.referee.state import Phase
from companion.storage.journal import Line, ReadBy
from companion.table.hypotheses.timing import taken_from_pile_lately
from companion.table.hypotheses.unseen_moves import (
    choices_made,
    standing,
    turned,
    until_somebody_acts,
    with_other_color,
)
from companion.table.state import thresholds
from companion.table.state.debts import ECHO_SECONDS
from companion.table.state.observations import Sight
from companion.table.state.situation import Mode, Situation, Way
from companion.table.state.unseen_cards import draw_pile_size, seen_cards
from companion.vision.core.events import Arm

_AFTER_PLAY = (Phase.SCORING, Phase.OVER)


def sight_ways(situation: Situation, sight: Sight, mode: Mode, read_by: ReadBy = ReadBy.CAMERA) -> list[Way]:
    """Return the ways the card can have been seen; at least one, none with weight 0."""
    anybody = 1.0 if mode.arm(sight) is None else 1 / 360
    if situation.state.phase in _AFTER_PLAY:
        return [Way(situation, weight=thresholds.AFTER_ROUND * anybody)]
    reading = dict(sight.probabilities)
    nothing = max(1 - sum(reading.values()), thresholds.FLOOR)
    still = _share_still_there(situation, sight)
    none = thresholds.FALSE_LANDING_SAME_FACE if sight.same_face else thresholds.NOTHING
    found = [Way(situation, weight=none * nothing * anybody)]
    if still:
        assert situation.lying is not None
        found.append(Way(situation, weight=still * reading.get(situation.lying, 0.0) * anybody))
    if situation.state.phase in (Phase.TOOK, Phase.OUTCOME):
        # Only people know the number or the answer: until they tap it, the card waits as one that cannot stand yet.
        unruled = ((replace(situation, illegal_card=card), card, share) for card, share in sight.probabilities)
        return [*found, *(Way(after, card=card, weight=share * anybody) for after, card, share in unruled)]
    found += _finished_laying_off(Way(situation), sight, mode)
    by_arms = mode.sees_arms and (sight.arm is not None or situation.ring.seen)
    start = Way(replace(situation, noted=None, wrong_color=None), weight=1 - still)
    recolored = with_other_color(start, situation.wrong_color, sight.time)
    for way in (stood for other in recolored for stood in standing(other, sight.time)):
        if way.after.state.phase in _AFTER_PLAY:
            continue  # The card that stands was the last one.
        # All further factors are shares, except the density of arms from that direction.
        least = mode.least / most_by_arm(way.after, sight, mode)
        through = until_somebody_acts(way, sight.time, mode, least) if by_arms else choices_made(way, sight.time)
        left = _Left(way.after.journal.match)
        for ready in through:
            if ready.weight >= least:
                found += _landings(ready, sight, read_by, mode, left)
    if sight.landed_unseen and not mode.alone:
        found += _after_missed_card(start, sight, mode, read_by)
    return [way for way in found if way.weight > 0]


def _after_missed_card(start: Way, sight: Sight, mode: Mode, read_by: ReadBy) -> Iterator[Way]:
    """Yield the ways in which a card that does not match the known top was laid on one that landed out of view."""
    if start.after.lying is None:
        return
    matching = legal(start.after.state).cards
    for ready in choices_made(start, sight.time):
        state, left = ready.after.state, _Left(ready.after.journal.match)
        if state.phase not in (Phase.TURN, Phase.FLIP):
            continue
        allowed = legal(state).cards
        shares = _Shares(left, allowed, thresholds.IMPOSSIBLE)
        for missed in allowed:
            move = Flip(missed) if state.phase is Phase.FLIP else Play(missed)
            laid = ready.then(Line(move, ReadBy.INFERRED, sight.time), shares.of(missed))
            for way in choices_made(laid, sight.time):
                for landed in _landings(way, sight, read_by, mode, _Left(way.after.journal.match)):
                    if landed.card not in matching and landed.after.illegal_card is None:
                        yield landed


def _finished_laying_off(way: Way, sight: Sight, mode: Mode) -> Iterator[Way]:
    """Yield the way in which the cards laid off went beneath the played card, which is seen on top again."""
    top, shed = way.after.state.top, way.after.shed
    share = sum(probability for card, probability in sight.probabilities if card == top)
    if shed and share:
        for owned in _by_its_player(way.times(share), sight, mode):
            yield owned.then(Line(Shed(shed), ReadBy.CAMERA, sight.time, sight.reading))


def _share_still_there(situation: Situation, sight: Sight) -> float:
    """Return the prior probability that the card seen is the known one."""
    if situation.lying is None or sight.same_face:
        return 0.0
    if sight.first_look or taken_from_pile_lately(situation, sight.time):
        return thresholds.SAME_CARD
    lines = situation.journal.lines
    last = next((line for line in reversed(lines) if isinstance(line.entry, Start | Play | Flip)), None)
    if last is None or not 0 <= sight.time - last.time <= ECHO_SECONDS:
        return 0.0
    if last.reading is None:
        return thresholds.SAME_CARD
    return thresholds.REREAD_AFTER_CORRECTION if last.read_by is ReadBy.CORRECTED else 0.0


def most_by_arm(situation: Situation, sight: Sight, mode: Mode) -> float:
    """Return the maximum likelihood of the arm over all players."""
    if mode.arm(sight) is None:
        return 1.0
    return sum(share * situation.max_density(arm) for arm, share in sight.arms) + thresholds.OTHER_ARM_ALONE / 360


def _landings(way: Way, sight: Sight, read_by: ReadBy, mode: Mode, left: _Left) -> Iterator[Way]:
    """Yield a way for each possible card of the reading, laid now by the player to act.

    left: remaining copies of cards, none of which has landed on the way.
    """
    state = way.after.state
    may = legal(state)
    by_jump = None if mode.arm(sight) is None else may.jump
    by_turn = [*_by_its_player(way, sight, mode)]
    if not by_turn and by_jump is None:
        return
    pile = draw_pile_size(way.after.journal.match, left.seen)
    reshuffled = way.then(Line(Reshuffle(), ReadBy.INFERRED, sight.time)) if state.phase in IN_ROUND else None
    if reshuffled is not None and (pile < 0 or (pile == 0 and state.phase is Phase.FLIP)):
        way = reshuffled
        by_turn = [*_by_its_player(way, sight, mode)]
        left = _Left(way.after.journal.match)
        pile = draw_pile_size(way.after.journal.match, left.seen)
    low = pile <= thresholds.LOW_PILE
    allowed = may.cards
    shares = _Shares(left, allowed, thresholds.RESHUFFLED_IF_LOW if low else thresholds.IMPOSSIBLE)
    best, highest = sight.probabilities[0] if sight.probabilities else (None, 0.0)
    bends = highest >= thresholds.CLEAR_READING and best not in allowed
    for card, probability in sight.probabilities[: thresholds.CANDIDATES]:
        if (
            probability <= (thresholds.FAINT if mode.alone else thresholds.NEGLIGIBLE)
            or card not in state.header.edition.deck
        ):
            continue
        if state.phase is Phase.SHED and not _may_be_laid_off(way, card, sight.time):
            continue
        used_up = left.of(card) <= 0
        share = shares.of(card) * probability * _share_of_face(sight, card, way.after.lying)
        back_in_play = used_up and state.header.edition.deck[card] > (card == way.after.lying)
        starts = by_turn
        if back_in_play and reshuffled is not None:
            starts = [*_by_its_player(reshuffled, sight, mode)]
        unread = probability < thresholds.UNREAD or (bends and card in allowed)
        found_lying = sight.landed_unseen and way.after.lying is not None
        doubtful = way.doubtful or unread or (used_up and not low) or sight.early or found_lying
        for owned in starts:
            if owned.weight * share < mode.least:
                continue
            for counted in _counted(owned.times(share), card, allowed, sight.time, mode):
                found = _land(counted, card, allowed, sight, read_by)
                yield replace(found, used_up=used_up, doubtful=doubtful)
        if card == by_jump:
            start = reshuffled if back_in_play and reshuffled is not None else way
            for found in _jumped_in(start.times(share), card, may.jumpers, sight, read_by, mode):
                yield replace(found, used_up=used_up, doubtful=doubtful)


def _by_its_player(way: Way, sight: Sight, mode: Mode) -> Iterator[Way]:
    """Yield the way in which the seen arm is the player's to act; two if all seats may be new."""
    arm, seat = mode.arm(sight), way.after.state.turn
    if arm is None:
        yield way
        return
    if seat is None:
        dealer = way.after.state.dealer
        share = 1 - thresholds.NON_DEALER_STARTS
        dealt = replace(way, after=way.after.taught(dealer, arm))
        yield dealt.times(share * way.after.density(dealer, arm))
        yield way.times(thresholds.NON_DEALER_STARTS / 360)
        return
    weight = way.weight * _laid_by(way.after, seat, sight, mode)
    arm = most_probable_arm(way.after, seat, sight) or arm
    way = replace(way, by=seat)
    if weight >= mode.least:
        played = replace(way.after, debts=way.after.debts.played(seat)).taught(seat, arm)
        yield replace(way, after=played, weight=weight)
    may_be_turned = way.weight * thresholds.TURNED / 360 >= mode.least
    if may_be_turned and way.after.ring.is_stray(way.after.ring.density(seat, arm.direction, arm.spread)):
        yield turned(way, seat, arm.direction)


def _laid_by(situation: Situation, seat: int, sight: Sight, mode: Mode) -> float:
    """Return the likelihood of the possible arms if that player laid the card, per degree."""
    anothers = thresholds.OTHER_ARM_ALONE if mode.alone else thresholds.OTHER_ARM
    own = sum(share * situation.density(seat, arm) for arm, share in sight.arms)
    return (1 - anothers) * own + anothers / 360


def most_probable_arm(situation: Situation, seat: int, sight: Sight) -> Arm | None:
    """Return the most probable arm if that player laid the card, None if none was seen."""
    if not sight.rivals:
        return sight.arm
    return max(sight.arms, key=lambda one: one[1] * situation.density(seat, one[0]))[0]


def _jumped_in(
    way: Way, card: Card, jumpers: tuple[str, ...], sight: Sight, read_by: ReadBy, mode: Mode
) -> Iterator[Way]:
    """Yield the ways in which a player out of turn jumped in with an identical card (R39)."""
    for player in jumpers:
        seat = way.after.state.header.seat(player)
        arm = most_probable_arm(way.after, seat, sight)
        assert arm is not None
        after = replace(way.after, debts=way.after.debts.played(seat)).taught(seat, arm)
        jumped = replace(way, after=after, by=seat).times(thresholds.JUMPED_IN * _laid_by(way.after, seat, sight, mode))
        line = Line(Play(card, by=player), read_by, sight.time, sight.reading, arm.direction)
        yield replace(jumped.then(line), card=card)


def _counted(way: Way, card: Card, allowed: frozenset[Card], time: float, mode: Mode) -> Iterator[Way]:
    """Yield the way, and if nobody can be asked, the one in which its player holds more cards."""
    state = way.after.state
    seat = state.turn
    yield way
    plays = state.phase in (Phase.TURN, Phase.DRAWN) and card in allowed
    if mode.alone and plays and seat is not None and state.hands[seat] == 1:
        more = Count(state.players[seat], 2)
        yield way.then(Line(more, ReadBy.INFERRED, time), thresholds.MISCOUNTED)


def _land(way: Way, card: Card, allowed: frozenset[Card], sight: Sight, read_by: ReadBy) -> Way:
    state = way.after.state
    if state.phase is Phase.SHED:
        return replace(way, after=replace(way.after, shed=(*way.after.shed, card)), card=card)
    if card not in allowed:
        return replace(way, after=replace(way.after, illegal_card=card), card=card)
    move: Move = Start(card) if state.phase is Phase.START else Flip(card) if state.phase is Phase.FLIP else Play(card)
    arm = sight.arm if way.by is None else most_probable_arm(way.after, way.by, sight)
    direction = None if arm is None else arm.direction
    return replace(way.then(Line(move, read_by, sight.time, sight.reading, direction)), card=card)


def _may_be_laid_off(way: Way, card: Card, time: float) -> bool:
    """Return whether the referee accepts the card together with those laid off before it.

    After another card, a copy of the played card is taken for that one, which ends it (EDITIONS.md, section 8).
    """
    if way.after.shed and card == way.after.state.top:
        return False
    try:
        way.then(Line(Shed((*way.after.shed, card)), ReadBy.CAMERA, time))
    except RefereeError:
        return False
    return True


class _Left:
    """Remaining copies of each card. seen: those that are or were face up since the last shuffle."""

    def __init__(self, match: Match) -> None:
        self.seen = seen_cards(match)
        self._deck = match.header.edition.deck
        self._copies: dict[float, dict[Card, float]] = {}

    def of(self, card: Card) -> int:
        return self._deck[card] - self.seen[card]

    def copies(self, used_up: float) -> dict[Card, float]:
        """Return the remaining copies of every card, `used_up` if none can be left."""
        if used_up not in self._copies:
            self._copies[used_up] = {card: max(count - self.seen[card], used_up) for card, count in self._deck.items()}
        return self._copies[used_up]


class _Shares:
    """Prior probability of each card to land: by the rules and by its remaining copies.

    used_up: assumed copies of a card that should be used up.
    """

    def __init__(self, left: _Left, allowed: frozenset[Card], used_up: float) -> None:
        self._copies = left.copies(used_up)
        self._allowed = allowed
        inside = sum(self._copies[card] for card in allowed)
        illegal = thresholds.ILLEGAL if len(allowed) < len(self._copies) else 0.0
        outside = sum(self._copies.values()) - inside
        self._legal_factor = (1 - illegal) / inside if inside else 0.0
        self._illegal_factor = illegal / outside if illegal else 0.0

    def of(self, card: Card) -> float:
        return (self._legal_factor if card in self._allowed else self._illegal_factor) * self._copies[card]


def _share_of_face(sight: Sight, card: Card, lying: Card | None) -> float:
    """Return the probability of the pile tracker's report whether the faces are the same."""
    share = thresholds.SAME_FACE_RECOGNISED if card == lying else thresholds.SAME_FACE_FALSE
    return share if sight.same_face else 1 - share
