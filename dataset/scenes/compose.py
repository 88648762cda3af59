"""Composes pictures of cards on a table with exact labels.

A scene is drawn back to front: table top, objects, cards (each warped by the camera's homography, with its shadow),
hands, light, lens, sensor. A map of the visible card at each pixel gives exact visibilities.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.cards import ALL_CARDS, Card, Color
from companion.dataset.artist.backs import render_back, render_other_back
from companion.dataset.artist.condition.handling import bowed, sleeved
from companion.dataset.artist.condition.wear import soften, wear
from companion.dataset.artist.drawing.chance import pick
from companion.dataset.artist.faces import CardArt, render
from companion.dataset.artist.families import StyleFamily
from companion.dataset.artist.press import CARD_HEIGHT, CARD_WIDTH
from companion.dataset.artist.styles import Style, sample_style
from companion.dataset.scenes import camera
from companion.dataset.scenes.clutter import Owner, draw_hand, draw_object
from companion.dataset.scenes.hardships import SHARES, Hardship, cover, suffer
from companion.dataset.scenes.layouts import Layout, Placement, place
from companion.dataset.scenes.surfaces import SurfaceBank
from companion.vision.core.geometry import Image, Quad


@dataclass(frozen=True)
class SceneIndex:
    """A corner index: its outline in the picture and the visible share of its area."""

    quad: Quad
    visible: float


@dataclass(frozen=True)
class SceneCard:
    """A face-up card, its whole outline even where hidden, its visible share, and its two indices."""

    card: Card
    quad: Quad
    visible: float
    indices: tuple[SceneIndex, ...]


@dataclass(frozen=True)
class Scene:
    """A picture (H, W, 3) BGR uint8, its face-up cards, bottom first, and the outlines of the mostly visible face-down
    cards.
    """

    image: Image
    cards: tuple[SceneCard, ...]
    layout: Layout
    backs: tuple[Quad, ...] = ()


_LAYOUT_WEIGHTS = {
    Layout.SINGLE: 0.19,
    Layout.PILE: 0.1,
    Layout.SPREAD: 0.13,
    Layout.GRID: 0.07,
    Layout.HEAP: 0.12,
    Layout.FAN: 0.19,
    Layout.CASCADE: 0.13,
    Layout.SEATS: 0.05,
    Layout.EMPTY: 0.04,
}

# Rare faces are sampled more often than a deck has them, otherwise training sees too few.
_WILD_SHARE = 0.16

FACE_HEIGHT = 352
"""Height in pixels at which faces are drawn: about the resolution of a card that fills the frame."""
_WORN_SHARE, _SOFT_SHARE, _SLEEVED_SHARE, _BOWED_SHARE = 0.35, 0.3, 0.12, 0.15
"""Shares of decks that are worn, coarsely printed, in plastic sleeves, bent."""
_DECK_CHANGE = 0.045
"""Share of scenes before which one of the current decks is replaced: variety against speed."""


class Deck:
    """The drawn cards of one style, as image pyramids, so that warping never reduces by more than two.

    other_back: whether the back is of another kind than printers' usual ones.
    """

    def __init__(self, style: Style, rng: np.random.Generator, other_back: bool = False) -> None:
        self._style = style
        self._rng = rng
        self._other_back = other_back
        self._worn = float(rng.uniform(0, 0.8)) if rng.random() < _WORN_SHARE else 0.0
        self._soft, self._sleeved, self._bowed = rng.random(3) < (_SOFT_SHARE, _SLEEVED_SHARE, _BOWED_SHARE)
        self._arts: dict[Card, tuple[CardArt, list[Image]]] = {}
        self._back: list[Image] | None = None

    @property
    def cards(self) -> tuple[Card, ...]:
        """All cards."""
        return ALL_CARDS

    def face(self, card: Card) -> tuple[CardArt, list[Image]]:
        """Return the card's art and its BGRA pyramid at full, half, quarter ... size; cached."""
        if card not in self._arts:
            self._arts[card] = self.draw(card)
        return self._arts[card]

    def render(self, card: Card) -> CardArt:
        """Return the card's art as new."""
        return render(card, self._style, FACE_HEIGHT)

    def draw(self, card: Card) -> tuple[CardArt, list[Image]]:
        """Return the same, drawn again and not cached."""
        art = self.render(card)
        if self._worn > 0:
            art = replace(art, image=wear(art.image, self._rng, self._worn))
        if self._soft:
            art = replace(art, image=soften(art.image, self._rng))
        if self._sleeved:
            art = sleeved(art, self._rng)
        if self._bowed:
            art = bowed(art, self._rng)
        return art, pyramid(art.image)

    def back(self) -> list[Image]:
        """Return the back's BGRA pyramid at full, half, quarter ... size."""
        if self._back is None:
            render = render_other_back if self._other_back else render_back
            self._back = pyramid(render(self._style, FACE_HEIGHT))
        return self._back


class PhotoDeck:
    """Photographed cards, whose pictures take turns; backs come from a drawn deck."""

    def __init__(self, arts: Mapping[Card, Sequence[CardArt]], rng: np.random.Generator) -> None:
        self._faces = {card: [(art, pyramid(art.image)) for art in pictures] for card, pictures in arts.items()}
        self._rng = rng
        self._back = pyramid(render_back(sample_style(rng), FACE_HEIGHT))

    @property
    def cards(self) -> tuple[Card, ...]:
        """The cards with pictures."""
        return tuple(self._faces)

    def face(self, card: Card) -> tuple[CardArt, list[Image]]:
        """Return one of the card's pictures and its BGRA pyramid at full, half, quarter ... size."""
        pictures = self._faces[card]
        return pictures[int(self._rng.integers(len(pictures)))]

    def back(self) -> list[Image]:
        """Return the back's BGRA pyramid at full, half, quarter ... size."""
        return self._back


def pyramid(image: Image) -> list[Image]:
    """Return the pyramid of a card's BGRA picture at full, half, quarter ... size."""
    levels = [image]
    while min(levels[-1].shape[:2]) > 40:
        height, width = levels[-1].shape[:2]
        half = cv2.resize(levels[-1], (width // 2, height // 2), interpolation=cv2.INTER_AREA)
        levels.append(np.asarray(half, np.uint8))
    return levels


class _Choice:
    """Which cards a scene shows: more wilds than in a deck, and only one colour if that is given."""

    def __init__(self, cards: Sequence[Card], color: Color | None) -> None:
        self._wilds = [card for card in cards if card.color is None]
        self._colored = [card for card in cards if card.color is not None and color in (None, card.color)]

    def pick(self, rng: np.random.Generator) -> Card:
        """Return a random card."""
        wild = not self._colored or (bool(self._wilds) and rng.random() < _WILD_SHARE)
        cards = self._wilds if wild else self._colored
        return cards[int(rng.integers(len(cards)))]


class SceneMaker:
    """Makes scenes from one random stream; the same arguments give the same scenes.

    families: style families to sample, with weights if these differ from people's decks; fonts: font files, by default
    those of the system; layouts: arrangements to sample; photos: photographed cards, used in `photo_share` of the
    scenes; pictures: files for grounds of homemade cards; hard: share of the scenes with a hardship, see `hardships`;
    decks: fixed decks to use, by default sampled ones.
    """

    def __init__(
        self,
        seed: int | Sequence[int],
        size: tuple[int, int] = (640, 640),
        families: Sequence[StyleFamily] | Mapping[StyleFamily, float] | None = None,
        fonts: Sequence[str] | None = None,
        surfaces: SurfaceBank | None = None,
        layouts: Sequence[Layout] | None = None,
        deck_count: int = 10,
        photos: Mapping[Card, Sequence[CardArt]] | None = None,
        photo_share: float = 0.3,
        pictures: Sequence[str] = (),
        hard: float = 0.0,
        decks: Sequence[Deck] = (),
    ) -> None:
        self._rng = np.random.default_rng(seed)
        self._width, self._height = size
        self._families = families
        self._fonts = fonts
        self._pictures = tuple(pictures)
        self._hard = hard
        self._surfaces = surfaces or SurfaceBank(self._rng)
        self._layouts = tuple(layouts or _LAYOUT_WEIGHTS)
        weights = np.array([_LAYOUT_WEIGHTS[layout] for layout in self._layouts])
        self._weights = weights / weights.sum()
        self._given = bool(decks)
        self._decks = list(decks) or [self._new_deck() for _ in range(deck_count)]
        self._photo_deck = PhotoDeck(photos, self._rng) if photos else None
        self._photo_share = photo_share

    def _new_deck(self) -> Deck:
        rng = self._rng
        family = None
        if isinstance(self._families, Mapping):
            family = pick(rng, list(self._families.items()))
        elif self._families is not None:
            family = self._families[int(rng.integers(len(self._families)))]
        return Deck(sample_style(rng, family, self._fonts, self._pictures), rng)

    def _pick_deck(self) -> Deck | PhotoDeck:
        if self._photo_deck is not None and self._rng.random() < self._photo_share:
            return self._photo_deck
        # Decks are replaced now and then: often enough for variety, rarely enough to reuse their faces.
        i = int(self._rng.integers(len(self._decks)))
        if not self._given and self._rng.random() < _DECK_CHANGE:
            self._decks[i] = self._new_deck()
        return self._decks[i]

    def make(self, layout: Layout | None = None, cards: Sequence[Card] | None = None) -> Scene:
        """Return the next scene, of the given arrangement or a random one.

        `cards`: the cards of a heap, fan or cascade, bottom first, random by default.
        """
        rng = self._rng
        if layout is None:
            layout = self._layouts[int(rng.choice(len(self._layouts), p=self._weights))]
        placements = place(layout, rng, None if cards is None else len(cards))
        width, height = self._width, self._height
        image = self._surfaces.view(rng, width, height)
        owner: Owner = np.full((height, width), -1, np.int16)
        if rng.random() < 0.35:
            for _ in range(int(rng.integers(1, 5))):
                draw_object(image, owner, rng, covers=False)
        hardship = pick(rng, list(SHARES.items())) if self._hard and rng.random() < self._hard else None
        circle, fill = _circle(placements), _fill(layout, rng)
        if hardship is Hardship.FAR:
            # A card 30 to 95 pixels long.
            fill = 2 * circle[1] / CARD_HEIGHT * float(rng.uniform(30, 95)) / min(width, height)
        matrix = camera.table_homography(rng, *circle, width, height, fill, hardship is Hardship.SLANTED)
        laid = self._lay_cards(image, owner, placements, matrix, cards)
        if layout is Layout.FAN and rng.random() < 0.5:
            self._hold(image, owner, placements, matrix)
        elif placements and rng.random() < 0.16:
            self._reach_in(image, owner, matrix, placements)
        if rng.random() < 0.04:
            draw_object(image, owner, rng, covers=True)
        if hardship is Hardship.FINGER:
            cover(image, owner, [card.quad for card in laid if isinstance(card, SceneCard)], rng)
        seen = tuple(_with_visibility(card, i, owner) for i, card in enumerate(laid) if isinstance(card, SceneCard))
        backs = tuple(q for i, q in enumerate(laid) if not isinstance(q, SceneCard) and _share(q, i, owner) > 0.5)
        image = camera.light(image, rng)
        if rng.random() < 0.3:
            lens = camera.Lens(float(rng.uniform(-0.12, 0.06)), width, height)
            image, seen = lens.bend(image), tuple(_bent(card, lens) for card in seen)
            backs = tuple(lens.bend_points(back) for back in backs)
        if hardship is not None:
            image = suffer(image, hardship, [card.quad for card in seen], rng)
        return Scene(camera.develop(image, rng), seen, layout, backs)

    def _lay_cards(
        self,
        image: Image,
        owner: Owner,
        placements: Sequence[Placement],
        matrix: NDArray[np.float64],
        given: Sequence[Card] | None,
    ) -> tuple[SceneCard | Quad, ...]:
        """Draw the cards in order and return one entry per placement: only the outline if the card is face down."""
        rng = self._rng
        deck = self._pick_deck()
        color = ALL_CARDS[int(rng.integers(52))].color if rng.random() < 0.05 else None
        choice = _Choice(deck.cards, color)
        shade = rng.uniform(0.0, 0.55)
        drop = rng.normal(0, 0.035, 2)
        cards: list[SceneCard | Quad] = []
        for i, placement in enumerate(placements):
            source_matrix = matrix @ card_to_table(placement) @ _lift(rng)
            if placement.face_up:
                card = choice.pick(rng) if given is None else given[i]
                art, levels = deck.face(card)
                quad = paste(image, owner, levels, source_matrix, i, shade, drop)
                indices = tuple(SceneIndex(_project(source_matrix, _box_corners(box, art)), 1.0) for box in art.indices)
                cards.append(SceneCard(card, quad, 1.0, indices))
            else:
                cards.append(paste(image, owner, deck.back(), source_matrix, i, shade, drop))
        return tuple(cards)

    def _hold(self, image: Image, owner: Owner, placements: Sequence[Placement], matrix: NDArray[np.float64]) -> None:
        """Draw a hand that holds a fan by its lower edge."""
        middle = placements[len(placements) // 2]
        grip = _project(matrix, np.array([[middle.x, middle.y + 62.0], [middle.x, middle.y + 112.0]]))
        away = grip[1] - grip[0]
        reach = float(np.hypot(*away))
        draw_hand(
            image, owner, self._rng, (float(grip[0, 0]), float(grip[0, 1])), reach, float(np.arctan2(*away[::-1]))
        )

    def _reach_in(
        self, image: Image, owner: Owner, matrix: NDArray[np.float64], placements: Sequence[Placement]
    ) -> None:
        """Draw a hand that touches one of the cards, from a random direction."""
        rng = self._rng
        target = placements[int(rng.integers(len(placements)))]
        spot = np.array([target.x, target.y]) + rng.normal(0, 38, 2)
        near = _project(matrix, np.array([spot, [spot[0], spot[1] + 70.0]]))
        reach = float(np.clip(np.hypot(*(near[1] - near[0])), 12, self._height))
        draw_hand(image, owner, rng, (float(near[0, 0]), float(near[0, 1])), reach, float(rng.uniform(-np.pi, np.pi)))


def _fill(layout: Layout, rng: np.random.Generator) -> float:
    """The share of the frame that the arrangement takes: single cards from a tenth to more than the frame."""
    if layout is Layout.SINGLE:
        return float(np.exp(rng.uniform(np.log(0.12), np.log(1.5))))
    if layout in (Layout.PILE, Layout.EMPTY):
        return float(np.exp(rng.uniform(np.log(0.2), np.log(1.4))))
    return float(rng.uniform(0.55, 1.35))


def _circle(placements: Sequence[Placement]) -> tuple[tuple[float, float], float]:
    """Return centre and radius (mm) of a circle around the cards."""
    if not placements:
        return (0.0, 0.0), 150.0
    spots = np.array([(p.x, p.y) for p in placements])
    center = (spots.min(0) + spots.max(0)) / 2
    radius = float(np.hypot(*(spots - center).T).max() + 46.0)
    return (float(center[0]), float(center[1])), radius


def card_to_table(placement: Placement) -> NDArray[np.float64]:
    """Return the 3 x 3 matrix from the unit square of the card (its top left is 0, 0) to the table (mm)."""
    cos, sin = np.cos(placement.angle), np.sin(placement.angle)
    turn = np.array([[cos, -sin, placement.x], [sin, cos, placement.y], [0, 0, 1]])
    size = np.array([[CARD_WIDTH, 0, -CARD_WIDTH / 2], [0, CARD_HEIGHT, -CARD_HEIGHT / 2], [0, 0, 1.0]])
    return np.asarray(turn @ size, np.float64)


def _lift(rng: np.random.Generator) -> NDArray[np.float64]:
    """Return a small random perspective change of the unit square: cards are bent and not quite flat."""
    square = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
    moved = square + rng.normal(0, 0.007, (4, 2)).astype(np.float32)
    return np.asarray(cv2.getPerspectiveTransform(square, moved), np.float64)


def _project(matrix: NDArray[np.float64], points: NDArray[np.floating]) -> Quad:
    mapped = np.column_stack([points, np.ones(len(points))]) @ matrix.T
    return np.asarray(mapped[:, :2] / mapped[:, 2:], np.float32)


def _box_corners(box: tuple[float, float, float, float], art: CardArt) -> NDArray[np.float64]:
    """Corners of a box of the art in the unit square, clockwise from the index's own top left."""
    height, width = art.image.shape[:2]
    x0, y0, x1, y1 = box[0] / width, box[1] / height, box[2] / width, box[3] / height
    corners = np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]])
    upside_down = (y0 + y1) / 2 > 0.5
    return np.roll(corners, 2, axis=0) if upside_down else corners


_UNIT = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float64)


def paste(
    image: Image,
    owner: Owner,
    levels: Sequence[Image],
    matrix: NDArray[np.float64],
    number: int,
    shade: float,
    drop: NDArray[np.float64],
) -> Quad:
    """Draw a card (a BGRA pyramid of the unit square) and its shadow; return its outline."""
    quad = _project(matrix, _UNIT)
    height, width = owner.shape
    longest = float(np.hypot(*(quad[3] - quad[0])))
    margin = int(longest * 0.08) + 3
    x0, y0 = np.maximum(np.floor(quad.min(0)).astype(int) - margin, 0)
    x1, y1 = np.minimum(np.ceil(quad.max(0)).astype(int) + margin, (width, height))
    if x0 >= x1 or y0 >= y1:
        return quad
    source = next((level for level in reversed(levels) if level.shape[0] >= longest * 0.95), levels[0])
    to_unit = np.diag([1 / source.shape[1], 1 / source.shape[0], 1.0])
    shift = np.array([[1, 0, -x0], [0, 1, -y0], [0, 0, 1.0]])
    size = (int(x1 - x0), int(y1 - y0))
    warped = cv2.warpPerspective(source, shift @ matrix @ to_unit, size, flags=cv2.INTER_LINEAR)
    part = (slice(int(y0), int(y1)), slice(int(x0), int(x1)))
    target = image[part]
    alpha = warped[..., 3].astype(np.float32) * (1 / 255)
    if shade > 0.05:
        offset = drop * longest
        cast = cv2.warpAffine(alpha, np.array([[1, 0, offset[0]], [0, 1, offset[1]]]), size)
        blur = max(0.8, longest * 0.015)
        keep = 1 - shade * cv2.GaussianBlur(cast, (0, 0), blur)
        target = np.asarray(cv2.multiply(target, cv2.merge([keep] * 3), dtype=cv2.CV_8U), np.uint8)
    card = np.ascontiguousarray(warped[..., :3])
    image[part] = cv2.blendLinear(card, np.ascontiguousarray(target), alpha, 1 - alpha)
    owner[part][warped[..., 3] > 127] = number
    return quad


def _share(quad: Quad, number: int, owner: Owner) -> float:
    """Return the share of the outline's area where the card with this number is visible."""
    area = abs(float(cv2.contourArea(quad)))
    height, width = owner.shape
    x0, y0 = np.maximum(np.floor(quad.min(0)).astype(int), 0)
    x1, y1 = np.minimum(np.ceil(quad.max(0)).astype(int) + 1, (width, height))
    if area < 1 or x0 >= x1 or y0 >= y1:
        return 0.0
    mask = np.zeros((int(y1 - y0), int(x1 - x0)), np.uint8)
    cv2.fillConvexPoly(mask, np.round((quad - (x0, y0)) * 16).astype(np.int32), 1, shift=4)
    seen = np.count_nonzero(mask.astype(bool) & (owner[y0:y1, x0:x1] == number))
    return min(1.0, seen / area)


def _with_visibility(card: SceneCard, number: int, owner: Owner) -> SceneCard:
    indices = tuple(replace(index, visible=_share(index.quad, number, owner)) for index in card.indices)
    return replace(card, visible=_share(card.quad, number, owner), indices=indices)


def _bent(card: SceneCard, lens: camera.Lens) -> SceneCard:
    indices = tuple(replace(index, quad=lens.bend_points(index.quad)) for index in card.indices)
    return replace(card, quad=lens.bend_points(card.quad), indices=indices)
