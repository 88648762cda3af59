"""The table without hands as the camera sees it: table top, draw pile, discard pile, camera, light.

The picture is an incremental composite: laying a card draws only that card.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.cards import Card
from companion.dataset.artist.press import CARD_HEIGHT, CARD_WIDTH
from companion.dataset.scenes.clutter import Owner, draw_object
from companion.dataset.scenes.compose import Deck, PhotoDeck
from companion.dataset.scenes.layouts import Placement
from companion.dataset.scenes.surfaces import SurfaceBank
from companion.dataset.simulated.sprites import Matrix, Sprite, blend, card_sprite, premultiplied, stack
from companion.vision.core.geometry import Image, Quad, project

_UNIT = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float64)

# Scale of the owner map: exact enough for shares of a card's area.
_OWNER_SCALE = 0.25
_DRAW_PILE_CARDS = 12
# Margins around the discard pile's and the draw pile's centres that should be visible, in card lengths: for cards that
# lie untidily, and for a finger beside the draw pile.
_ABOUT_DISCARD, _ABOUT_DRAW = 0.95, 0.65
# Disorder of the draw pile: standard deviations in mm and radians, its height as offset of each card in mm, and factors
# for neat and untidy piles.
_PILED, _PILED_TURN, _PILED_UP = 0.8, 0.02, 0.15
_UNTIDY = (0.3, 1.7)
# Limits: a wide camera must keep cards readable, a close one must keep the landing place.
_CARD_LENGTH = (0.2, 0.42)


@dataclass(frozen=True, eq=False)
class PileCard:
    """A face-up card of the pile, its placement (mm), and how its corners are bent (unit square)."""

    card: Card
    placement: Placement
    bend: Matrix


@dataclass(frozen=True, eq=False)
class Pile:
    """The discard pile's cards, bottom first, without hands.

    quads: outlines in the picture. owner: (H / 4, W / 4) number of the visible card, -1 for none.
    """

    cards: tuple[PileCard, ...]
    quads: tuple[Quad, ...]
    owner: Owner


def outline(matrix: Matrix) -> Quad:
    """Return the positions of the unit square's corners, clockwise from a card's own top left."""
    return project(matrix, _UNIT)


class Tabletop:
    """A random table with cards of `deck`.

    size: of the pictures in pixels. draw_pile: its position in mm from the discard pile. photos: photographed cards,
    used instead of those of `deck`. both_piles: whether the camera is set up for the draw pile too, or only for the
    discard pile.
    """

    def __init__(
        self,
        rng: np.random.Generator,
        deck: Deck,
        size: tuple[int, int] = (1280, 720),
        draw_pile: tuple[float, float] = (95.0, 0.0),
        surfaces: SurfaceBank | None = None,
        photos: PhotoDeck | None = None,
        both_piles: bool = False,
    ) -> None:
        self._rng = rng
        self._deck = deck
        self._photos = photos
        self._levels: dict[Card, list[Image]] = {}
        self._back = [premultiplied(level) for level in deck.back()]
        self.size = size
        self.draw_pile = draw_pile
        self.camera = _camera(rng, size)
        if both_piles:
            discard, draw = np.asarray(project(self.camera, np.array([(0.0, 0.0), draw_pile])), np.float64)
            self.camera = _in_view(discard, draw, self.card_length(), size) @ self.camera
        self._focus = float(rng.uniform(0.0, 0.9))
        self._shade = float(rng.uniform(0.15, 0.5))
        self._drop = rng.normal(0, 0.02, 2)
        self._bare = self._draw_table(surfaces or SurfaceBank(rng, 1))
        # A separate stream: draws must not change anything else.
        (self._wear,) = rng.spawn(1)
        self._untidy = float(self._wear.uniform(*_UNTIDY))
        self._piled = [_piled(rng, self._untidy) for _ in range(_DRAW_PILE_CARDS)]
        self._table = self._with_draw_pile()
        self._composite = self._table.copy()
        self._pose: Matrix = np.eye(3)
        self._picture: Image | None = None
        self.pile = self._nothing()

    @property
    def pose(self) -> Matrix:
        """The 3 x 3 homography from the initial picture to the current one, after knocks."""
        return self._pose

    @pose.setter
    def pose(self, pose: Matrix) -> None:
        self._pose = pose
        self._picture = None
        self.pile = self._seen(self.pile.cards)

    @property
    def picture(self) -> Image:
        """The (H, W, 3) BGR uint8 picture without hands, in even light; read-only."""
        if self._picture is None:
            picture = self._composite
            if not np.array_equal(self._pose, np.eye(3)):
                warped = cv2.warpPerspective(picture, self._pose, self.size, borderMode=cv2.BORDER_REFLECT)
                picture = np.asarray(warped, np.uint8)
            if self._focus > 0.3:
                picture = np.asarray(cv2.GaussianBlur(picture, (0, 0), self._focus), np.uint8)
            self._picture = picture
        return self._picture

    def matrix(self, item: PileCard) -> Matrix:
        """Return the homography from the card's unit square to the current picture."""
        return np.asarray(self._pose @ self._flat(item), np.float64)

    def new_card(self, card: Card, placement: Placement) -> PileCard:
        """Return a card to lay, slightly bent."""
        corners = (_UNIT + self._rng.normal(0, 0.006, (4, 2))).astype(np.float32)
        bend = cv2.getPerspectiveTransform(_UNIT.astype(np.float32), corners)
        return PileCard(card, placement, np.asarray(bend, np.float64))

    def lay(self, item: PileCard) -> None:
        """Put a card on top of the pile."""
        self._paste(item)
        self._picture = None
        self.pile = self._seen((*self.pile.cards, item))

    def draw(self, count: int) -> None:
        """Take cards from the draw pile; the next one lies slightly differently."""
        for _ in range(count):
            self._piled = [_piled(self._wear, self._untidy), *self._piled[:-1]]
        self._table = self._with_draw_pile()
        self.arrange(self.pile.cards)

    def arrange(self, items: Sequence[PileCard]) -> None:
        """Set the pile's cards, bottom first."""
        self._composite = self._table.copy()
        for item in items:
            self._paste(item)
        self._picture = None
        self.pile = self._seen(tuple(items))

    def sprite(self, item: PileCard) -> Sprite | None:
        """Return the card at its place as a sprite."""
        return card_sprite(self._face(item.card), self.matrix(item))

    def back_sprite(self, placement: Placement) -> Sprite | None:
        """Return a card face down."""
        return card_sprite(self._back, self._pose @ self.camera @ _card_to_table(placement))

    def pile_sprite(self) -> Sprite | None:
        """Return the whole pile as a sprite, None if it is empty."""
        sprites = [sprite for item in self.pile.cards if (sprite := self.sprite(item)) is not None]
        return stack(sprites) if sprites else None

    def point(self, x: float, y: float) -> NDArray[np.float64]:
        """Return the pixel position of a place of the table (mm)."""
        return np.asarray(project(self._pose @ self.camera, np.array([[x, y]]))[0], np.float64)

    def draw_pile_outline(self) -> Quad:
        """Return the outline of the draw pile's top card, (4, 2) pixels."""
        return outline(self._pose @ self.camera @ _card_to_table(self._piled_at(len(self._piled) - 1)))

    def card_length(self) -> float:
        """Return the approximate length of a card in pixels."""
        quad = outline(self.camera @ _card_to_table(Placement(0, 0, 0)))
        return float(np.hypot(*(quad[3] - quad[0])) + np.hypot(*(quad[1] - quad[0])) * CARD_HEIGHT / CARD_WIDTH) / 2

    def _flat(self, item: PileCard) -> Matrix:
        return np.asarray(self.camera @ _card_to_table(item.placement) @ item.bend, np.float64)

    def _face(self, card: Card) -> list[Image]:
        if card not in self._levels:
            photos = self._photos
            _, levels = photos.face(card) if photos is not None and card in photos.cards else self._deck.draw(card)
            self._levels[card] = [premultiplied(level) for level in levels]
        return self._levels[card]

    def _paste(self, item: PileCard) -> None:
        sprite = card_sprite(self._face(item.card), self._flat(item))
        if sprite is not None:
            _put(self._composite, sprite, self._drop * self.card_length(), self._shade)

    def _nothing(self) -> Pile:
        width, height = self.size
        owner = np.full((round(height * _OWNER_SCALE), round(width * _OWNER_SCALE)), -1, np.int16)
        return Pile((), (), owner)

    def _seen(self, items: tuple[PileCard, ...]) -> Pile:
        pile = self._nothing()
        quads = tuple(outline(self.matrix(item)) for item in items)
        for number, quad in enumerate(quads):
            cv2.fillConvexPoly(pile.owner, np.round(quad * _OWNER_SCALE * 16).astype(np.int32), number, shift=4)
        return replace(pile, cards=items, quads=quads)

    def _draw_table(self, surfaces: SurfaceBank) -> Image:
        rng, (width, height) = self._rng, self.size
        image = surfaces.view(rng, width, height)
        owner: Owner = np.full((height, width), -1, np.int16)
        for _ in range(int(rng.integers(0, 3))):
            draw_object(image, owner, rng, covers=False)
        return image

    def _piled_at(self, number: int) -> Placement:
        """Return the outline of a card of the draw pile, number 0 being the lowest."""
        lies, up = self._piled[number], _PILED_UP * number
        return Placement(self.draw_pile[0] + lies.x - up, self.draw_pile[1] + lies.y - up, lies.angle, face_up=False)

    def _with_draw_pile(self) -> Image:
        image = self._bare.copy()
        for number in range(len(self._piled)):
            sprite = card_sprite(self._back, self.camera @ _card_to_table(self._piled_at(number)))
            if sprite is not None:
                _put(image, sprite, self._drop * self.card_length(), self._shade)
        return image


def _piled(rng: np.random.Generator, untidy: float) -> Placement:
    """Return the placement of a card of the draw pile."""
    x, y = rng.normal(0, _PILED * untidy, 2)
    return Placement(float(x), float(y), float(rng.normal(0, _PILED_TURN * untidy)), face_up=False)


def _camera(rng: np.random.Generator, size: tuple[int, int]) -> Matrix:
    """Return the homography from the table (mm) to the picture of a camera on a stand that looks at the pile."""
    width, height = size
    focal = width * rng.uniform(0.8, 1.5)
    length = height * rng.uniform(*_CARD_LENGTH)
    distance = focal * CARD_HEIGHT / length
    turn, tilt = rng.uniform(-np.pi, np.pi), np.radians(rng.uniform(0, 38))
    rotate = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    columns = np.array([[1, 0], [0, np.cos(tilt)], [0, -np.sin(tilt)]]) @ rotate
    aim = rng.normal(0, 0.04, 2).clip(-0.08, 0.08) * size
    intrinsics = np.array([[focal, 0, width / 2 + aim[0]], [0, focal, height / 2 + aim[1]], [0, 0, 1.0]])
    return np.asarray(intrinsics @ np.column_stack([columns, [0, 0, distance]]), np.float64)


def _in_view(discard: NDArray[np.float64], draw: NDArray[np.float64], length: float, size: tuple[int, int]) -> Matrix:
    """Return the smallest shift and reduction of the picture that shows both piles."""
    around = ((discard, _ABOUT_DISCARD * length), (draw, _ABOUT_DRAW * length))
    low = np.min([middle - about for middle, about in around], axis=0)
    high = np.max([middle + about for middle, about in around], axis=0)
    shrink = float(min(1.0, (np.array(size) / (high - low)).min()))
    half = (high - low) / 2 * shrink
    x, y = np.clip((low + high) / 2, half, size - half) - shrink * (low + high) / 2
    return np.array([[shrink, 0, x], [0, shrink, y], [0, 0, 1.0]])


def _card_to_table(placement: Placement) -> Matrix:
    """Return the 3 x 3 matrix from a card's unit square (its top left is 0, 0) to the table (mm)."""
    cos, sin = np.cos(placement.angle), np.sin(placement.angle)
    turn = np.array([[cos, -sin, placement.x], [sin, cos, placement.y], [0, 0, 1]])
    size = np.array([[CARD_WIDTH, 0, -CARD_WIDTH / 2], [0, CARD_HEIGHT, -CARD_HEIGHT / 2], [0, 0, 1.0]])
    return np.asarray(turn @ size, np.float64)


def _put(image: Image, sprite: Sprite, drop: NDArray[np.float64], shade: float) -> None:
    """Draw a card on the picture with the narrow shadow of a flat object."""
    pad = 6
    alpha = cv2.copyMakeBorder(sprite.image[..., 3], pad, pad, pad, pad, cv2.BORDER_CONSTANT)
    soft = cv2.convertScaleAbs(cv2.blur(alpha, (7, 7)), alpha=shade)
    cast = np.zeros((*soft.shape, 4), np.uint8)
    cast[..., 3] = soft
    dx, dy = np.round(np.clip(drop, -pad, pad)).astype(int)
    blend(image, Sprite(cast, sprite.x - pad + int(dx), sprite.y - pad + int(dy)))
    blend(image, sprite)
