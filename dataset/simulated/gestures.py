"""Gestures: the position of a hand at any time, what it holds, and what it does to the piles.

A gesture's pictures are drawn once and then only shifted. Offsets are in pixels from where the hand touches the pile.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.cards import Card
from companion.dataset.scenes.layouts import Placement
from companion.dataset.simulated.actions import (
    FLIP_SECONDS,
    CarryOff,
    Fetch,
    HandAction,
    Lay,
    Nudge,
    Reach,
    Rest,
    Straighten,
    TakeTop,
)
from companion.dataset.simulated.looks import DAYLIGHT, Light, cup, dressed_hand
from companion.dataset.simulated.seating import Chair
from companion.dataset.simulated.sprites import (
    HAND_REACH,
    HAND_TIP,
    Sprite,
    hand_sprite,
    stack,
    streaked,
    trimmed,
    warp,
    with_shadow,
)
from companion.dataset.simulated.tabletop import PileCard, Tabletop, outline
from companion.vision.core.geometry import Image, Quad

Vector = NDArray[np.float64]

# Length of the fingers over that of a card, and how far they reach over its edge, over the card's length.
_FINGERS = 0.85
_GRIP = 0.16
# Quantised motion blur of a hand in pixels: each value is rendered separately.
_STREAKS = (0, 12, 28)
# Sideways swing of a moving hand, in card lengths.
_SWING = 0.25
_COVER_SCALE = 0.25
# Resting position of a hand, over the way from the pile to the picture's edge; width of a cup, in card lengths.
_RESTS, _CUP = 0.8, 1.0


@dataclass(frozen=True, eq=False)
class Held:
    """A face-up card in a hand: its outline in the picture and its visible share."""

    card: Card
    quad: Quad
    visible: float


@dataclass(frozen=True, eq=False)
class _Load:
    """What moves together: its picture at offset 0, and its face-up card if any."""

    sprite: Sprite
    cover: Sprite
    """The same at a quarter of the size, without motion blur, to compute occlusion."""
    held: Held | None


@dataclass(frozen=True)
class _Leg:
    """A segment of a hand's path, with its load. `ease`: -1 decelerates, 1 accelerates, 0 does both."""

    start: float
    end: float
    origin: tuple[float, float]
    target: tuple[float, float]
    carries: bool
    ease: int
    swing: tuple[float, float] = (0.0, 0.0)

    def offset(self, now: float) -> Vector:
        """Return the hand's position."""
        share = min(1.0, max(0.0, (now - self.start) / max(1e-6, self.end - self.start)))
        eased = {-1: 1 - (1 - share) ** 2, 1: share**2, 0: share * share * (3 - 2 * share)}[self.ease]
        origin, target = np.array(self.origin), np.array(self.target)
        return np.asarray(origin + (target - origin) * eased + np.sin(np.pi * share) * np.array(self.swing))


class Gesture:
    """One hand's approach, action and retreat. `settled`: whether its effect on the pile is complete."""

    def __init__(self, action: HandAction, table: Tabletop, legs: Sequence[_Leg], loads: dict[bool, _Load]) -> None:
        self.action = action
        self.ends = legs[-1].end
        self.settled = False
        self._table = table
        self._legs = legs
        self._loads = loads
        self._streaks: dict[tuple[int, int], Sprite] = {}
        self._contact = next((leg.start for leg in legs if leg is not legs[0] and leg.end == legs[-1].end), self.ends)
        self._before = table.pile.cards
        self._after = _rearranged(action, table.pile.cards)
        self._item: PileCard | None = None
        self._draws: tuple[float, int] | None = None

    def draw(self, time: float, count: int) -> None:
        """Take cards from the draw pile at a time."""
        self._draws = time, count

    def bring(self, item: PileCard, contact: float) -> None:
        """Lay this card at a time."""
        self._item = item
        self._contact = contact

    def take(self, contact: float) -> None:
        """Apply an effect to the pile at a time."""
        self._contact = contact

    def progress(self, now: float) -> None:
        """Apply the effects that are due."""
        if self._draws is not None and now >= self._draws[0]:
            self._table.draw(self._draws[1])
            self._draws = None
        if self.settled:
            return
        if isinstance(self.action, Nudge | Straighten):
            hold = self.action.pace.hold
            share = min(1.0, max(0.0, (now - self._contact) / hold))
            if share > 0:
                self._table.arrange([_between(a, b, share) for a, b in zip(self._before, self._after, strict=True)])
            self.settled = share >= 1
        elif now >= self._contact:
            self.settled = True
            if self._item is not None:
                self._table.lay(self._item)
            elif isinstance(self.action, TakeTop):
                self._table.arrange(self._before[:-1])
            elif isinstance(self.action, CarryOff):
                self._table.arrange(())

    def sprite(self, now: float, exposure: float) -> Sprite:
        """Return the hand and its load, with motion blur for an exposure (s)."""
        number = self._leg(now)
        leg = self._legs[number]
        offset = leg.offset(now)
        way = offset - leg.offset(now - exposure)
        speed = float(np.hypot(*way))
        level = max(i for i, streak in enumerate(_STREAKS) if speed >= streak * 0.6)
        key = number, level
        if key not in self._streaks:
            dx, dy = way / max(speed, 1e-6) * _STREAKS[level]
            self._streaks[key] = streaked(self._loads[leg.carries].sprite, float(dx), float(dy))
        dx, dy = np.round(offset).astype(int)
        return self._streaks[key].moved(int(dx), int(dy))

    def truth(self, now: float) -> tuple[NDArray[np.uint8], Held | None]:
        """Return the (H / 4, W / 4) alpha of the hand with its load, and the face-up card that it holds."""
        leg = self._legs[self._leg(now)]
        load, offset = self._loads[leg.carries], leg.offset(now)
        width, height = (round(side * _COVER_SCALE) for side in self._table.size)
        dx, dy = np.round(offset * _COVER_SCALE).astype(int)
        cover = load.cover.moved(int(dx), int(dy)).alpha_at(0, 0, width, height)
        if load.held is None:
            return cover, None
        quad = np.asarray(load.held.quad + offset, np.float32)
        visible = load.held.visible * _share_in_frame(quad, self._table.size)
        return cover, Held(load.held.card, quad, visible)

    def _leg(self, now: float) -> int:
        return next((i for i, leg in enumerate(self._legs) if now < leg.end), len(self._legs) - 1)


@dataclass(frozen=True)
class Owner:
    """A player's hand.

    seed: of its looks. side: the seat's position around the table, in turns. chair: origin of the arm instead, with
    lifelike looks. light: how the hand shades the table.
    """

    seed: int
    side: float
    chair: Chair | None = None
    light: Light = DAYLIGHT
    _hands: dict[bool, Image] = field(default_factory=dict, compare=False)
    """The pictures of the left (True) and right hand, drawn on first use: 4 MB each."""

    def hand(self, left: bool) -> Image:
        """Return the hand as a premultiplied picture pointing up; see HAND_TIP and HAND_REACH."""
        if left not in self._hands:
            self._hands[left] = hand_sprite(self.seed) if self.chair is None else dressed_hand(self.seed, left)
        return self._hands[left]


def begin(action: HandAction, start: float, table: Tabletop, rng: np.random.Generator, owner: Owner) -> Gesture:
    """Return the gesture of an action that starts at `start` (s)."""
    item = table.new_card(action.card, action.placement) if isinstance(action, Lay) else None
    goal = _goal(action, table, item)
    center = goal.mean(0).astype(np.float64)
    shoulder, left = (None, False) if owner.chair is None else owner.chair.shoulder(rng)
    outward = _outward(table, center, owner.side, shoulder)
    if isinstance(action, Rest):
        center = center + outward * _way_out(center, outward, table.size) * _RESTS
        goal = np.repeat(center[None], 4, axis=0).astype(np.float32)
    tip = _tip(action, goal, outward, table.card_length())
    aside = _aside(action) * table.card_length()
    edge = max(_way_out(end, outward, table.size) for end in (tip, tip + aside)) + 1.3 * table.card_length()
    away = outward * edge
    sideways = np.array([-outward[1], outward[0]]) * table.card_length() * _SWING
    pace = action.pace
    fetch = FLIP_SECONDS if isinstance(action, Lay) and action.from_draw_pile else 0.0
    first = table.point(*table.draw_pile) - center if fetch else np.zeros(2)
    there, contact = start + pace.approach, start + fetch + pace.contact
    swings = rng.normal(0, 1, 2)
    margin = int(np.hypot(*first)) + int(np.hypot(*sideways) * 3) + int(aside)
    hand = _hand(table, tip, outward, owner.hand(left), margin)
    loads = {carried: _load(hand, action, table, item, carried, owner) for carried in (False, True)}
    brings = isinstance(action, Lay)
    slide = _slide(action, table)
    legs = [_Leg(start, there, _xy(first + away), _xy(first), brings and not fetch, -1, _xy(sideways * swings[0]))]
    if fetch:
        legs.append(_Leg(there, there + fetch * 0.3, _xy(first), _xy(first), False, 0))
        legs.append(_Leg(there + fetch * 0.3, there + fetch, _xy(first), (0.0, 0.0), True, 0))
    legs.append(_Leg(there + fetch, contact, (0.0, 0.0), _xy(slide / 2), brings, 0))
    let_go = start + fetch + pace.approach + pace.hold
    legs.append(_Leg(contact, let_go, _xy(slide / 2), _xy(slide), not brings, 0))
    swing = _xy(sideways * swings[1])
    legs.append(_Leg(let_go, start + fetch + pace.total, _xy(slide), _xy(slide + away), not brings, 1, swing))
    gesture = Gesture(action, table, legs, loads)
    if item is not None:
        gesture.bring(item, contact)
    else:
        gesture.take(there if isinstance(action, Nudge | Straighten) else contact)
    if fetch:
        gesture.draw(there + fetch * 0.3, 1)
    elif isinstance(action, Reach) and action.draws:
        gesture.draw(contact, action.count)
    return gesture


def _goal(action: HandAction, table: Tabletop, item: PileCard | None) -> Quad:
    """Return the outline of the hand's target."""
    if item is not None:
        return outline(table.matrix(item))
    if isinstance(action, Reach | Fetch | Rest) or not table.pile.quads:
        x, y = (action.x, action.y) if isinstance(action, Reach | Fetch) else (0.0, 0.0)
        place = table.point(x, y) - _aside(action) * table.card_length()
        return np.repeat(place[None], 4, axis=0).astype(np.float32)
    return table.pile.quads[-1]


def _aside(action: HandAction) -> float:
    """Return how far aside of a hand its shadow falls, in card lengths; 0 for a hand at the table."""
    return action.aside if isinstance(action, Reach) else 0.0


def _outward(table: Tabletop, center: Vector, side: float, shoulder: tuple[float, float] | None) -> Vector:
    """Return the direction in the picture towards a seat, or towards a shoulder (mm)."""
    if shoulder is not None:
        away = table.point(*shoulder) - center
        return np.asarray(away / max(1e-6, float(np.hypot(*away))))
    angle = 2 * np.pi * side + 0.4
    far = table.point(120 * np.cos(angle), 120 * np.sin(angle)) - table.point(0, 0)
    return np.asarray(far / max(1e-6, float(np.hypot(*far))))


def _tip(action: HandAction, goal: Quad, outward: Vector, length: float) -> Vector:
    """Return where the fingers end: on the card's edge nearer to the player, or beside the target."""
    center = goal.mean(0).astype(np.float64)
    reach = float(((goal - center) @ outward).max())
    return np.asarray(center + outward * max(0.0, reach - _GRIP * length))


def _way_out(tip: Vector, outward: Vector, size: tuple[int, int]) -> float:
    """Return the distance in pixels from a point to the picture's edge in a direction."""
    limits = np.where(outward > 0, np.array(size) - tip, tip)
    return float(max(0.0, (limits / np.maximum(np.abs(outward), 1e-6)).min()))


def _slide(action: HandAction, table: Tabletop) -> Vector:
    """Return how far the hand moves while it touches the pile."""
    if isinstance(action, Nudge):
        return np.asarray(table.point(action.dx, action.dy) - table.point(0, 0))
    return np.zeros(2)


def _hand(table: Tabletop, tip: Vector, outward: Vector, look: Image, margin: int) -> Sprite:
    scale = table.card_length() * _FINGERS / HAND_REACH
    # The sprite's arm points to (0, 1); rotate it to `outward`.
    cos, sin = outward[1] * scale, -outward[0] * scale
    turn = np.array([[cos, -sin, tip[0]], [sin, cos, tip[1]], [0, 0, 1.0]])
    start = np.array([[1, 0, -HAND_TIP[0]], [0, 1, -HAND_TIP[1]], [0, 0, 1.0]])
    width, height = table.size
    return trimmed(warp(look, turn @ start, (-margin, -margin, width + 2 * margin, height + 2 * margin)))


def _load(
    hand: Sprite, action: HandAction, table: Tabletop, item: PileCard | None, carried: bool, owner: Owner
) -> _Load:
    parts: list[Sprite] = []
    held = None
    if carried and isinstance(action, Lay | TakeTop | CarryOff):
        card = item or (table.pile.cards[-1] if table.pile.cards else None)
        sprite = None if card is None else table.sprite(card)
        if isinstance(action, CarryOff):
            sprite = table.pile_sprite()
        if card is not None and sprite is not None:
            parts.append(sprite)
            quad = outline(table.matrix(card))
            held = Held(card.card, quad, 1 - _hidden(quad, hand))
    elif carried and isinstance(action, Reach) and action.draws:
        for number in range(min(action.count, 4)):
            back = table.back_sprite(Placement(action.x + 3.0 * number, action.y, 0.05 * number, face_up=False))
            parts += [back] if back is not None else []
    elif carried and isinstance(action, Fetch):
        picture = cup(owner.seed, round(table.card_length() * _CUP))
        x, y = np.round(table.point(action.x, action.y) - np.array(picture.shape[:2]) / 2).astype(int)
        parts.append(Sprite(picture, int(x), int(y)))
    both = stack([*parts, hand])
    small = Sprite(_reduced(both), round(both.x * _COVER_SCALE), round(both.y * _COVER_SCALE))
    light, aside = owner.light, _aside(action)
    shadow = (aside, light.soft / 4) if aside else (light.shift, light.soft)
    return _Load(trimmed(with_shadow(both, table.card_length(), light.dark, *shadow)), small, held)


def _reduced(sprite: Sprite) -> Image:
    height, width = (max(1, round(side * _COVER_SCALE)) for side in sprite.image.shape[:2])
    return np.asarray(cv2.resize(sprite.image, (width, height), interpolation=cv2.INTER_AREA), np.uint8)


def _hidden(quad: Quad, hand: Sprite) -> float:
    """Return the share of an outline that the hand covers."""
    x0, y0 = np.floor(quad.min(0)).astype(int)
    x1, y1 = np.ceil(quad.max(0)).astype(int) + 1
    mask = np.zeros((int(y1 - y0), int(x1 - x0)), np.uint8)
    cv2.fillConvexPoly(mask, np.round((quad - (x0, y0)) * 16).astype(np.int32), 255, shift=4)
    cover = hand.alpha_at(int(x0), int(y0), mask.shape[1], mask.shape[0])
    return float(np.count_nonzero(cover[mask > 0] > 127)) / max(1, int(np.count_nonzero(mask)))


def _share_in_frame(quad: Quad, size: tuple[int, int]) -> float:
    width, height = size
    frame = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    return float(cv2.intersectConvexConvex(quad, frame)[0]) / max(1.0, abs(cv2.contourArea(quad)))


def _rearranged(action: HandAction, items: tuple[PileCard, ...]) -> tuple[PileCard, ...]:
    """Return the placements of the cards after a nudge or a straightening."""
    if isinstance(action, Straighten) and items:
        rng = np.random.default_rng(len(items))
        x = float(np.mean([item.placement.x for item in items]))
        y = float(np.mean([item.placement.y for item in items]))
        angle = items[-1].placement.angle
        return tuple(_straightened(item, x, y, angle, action.wobble * rng.standard_normal(3)) for item in items)
    if isinstance(action, Nudge) and items:
        first = 0 if action.count is None else max(0, len(items) - action.count)
        pivot = items[-1].placement
        return items[:first] + tuple(_nudged(item, action, pivot) for item in items[first:])
    return items


def _straightened(item: PileCard, x: float, y: float, angle: float, wobble: Vector) -> PileCard:
    # A straightened card keeps its orientation, up or down.
    turns = round((item.placement.angle - angle) / np.pi) * np.pi
    turned = angle + turns + wobble[2] / 100
    return replace(item, placement=Placement(x + float(wobble[0]), y + float(wobble[1]), float(turned)))


def _nudged(item: PileCard, nudge: Nudge, pivot: Placement) -> PileCard:
    cos, sin = np.cos(nudge.turn), np.sin(nudge.turn)
    dx, dy = item.placement.x - pivot.x, item.placement.y - pivot.y
    x = pivot.x + cos * dx - sin * dy + nudge.dx
    y = pivot.y + sin * dx + cos * dy + nudge.dy
    return replace(item, placement=Placement(float(x), float(y), item.placement.angle + nudge.turn))


def _between(a: PileCard, b: PileCard, share: float) -> PileCard:
    p, q = a.placement, b.placement
    x, y, angle = (u + (v - u) * share for u, v in ((p.x, q.x), (p.y, q.y), (p.angle, q.angle)))
    return replace(b, placement=Placement(x, y, angle))


def _xy(vector: Vector) -> tuple[float, float]:
    return float(vector[0]), float(vector[1])
