"""Reading whole pictures with the shipped networks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import cast

import cv2
import numpy as np
import pytest
from drawn_card import bare_table, outline, with_card

from companion.cards import ALL_CARDS, Card, EditionName, deck
from companion.dataset.artist.faces import render
from companion.dataset.artist.families import KEPT_OUT, StyleFamily
from companion.dataset.artist.styles import sample_style
from companion.dataset.scenes.compose import SceneMaker
from companion.dataset.scenes.layouts import Layout
from companion.dataset.simulated.simulation import SimulatedTable
from companion.vision.core.calibration import Calibration
from companion.vision.core.geometry import (
    INDEX_REACH,
    Quad,
    corner_frames,
    homography,
    intersection_over_union,
    project,
    unit_square,
)
from companion.vision.core.limits import ReadingLimits
from companion.vision.core.reading import MaskedSoftmax, Reading
from companion.vision.core.runtime import Network, model_folder
from companion.vision.core.sightings import Handedness, Sighting
from companion.vision.detection.box_detector import Box, BoxFinder
from companion.vision.detection.crops import CardPrediction
from companion.vision.recognition.card_detector import OUTLINE_SCALES, CardDetector
from companion.vision.recognition.corners import (
    USUAL_SHARE,
    CardIndices,
    are_opposite,
    index_share,
    is_another_card,
    merge_duplicates,
    one_per_card,
    outline_from_index,
    outline_from_pair,
    unread_frames,
)
from companion.vision.recognition.fusion import shipped
from companion.vision.recognition.occluded_cards import OccludedCards
from companion.vision.recognition.outlines import touches_similar_card
from companion.vision.recognition.reader import Reader

CARD = np.array([[100, 50], [212, 50], [212, 224], [100, 224]], np.float32)
ANY = MaskedSoftmax(1.0, np.ones(len(ALL_CARDS) + 1, bool))


@pytest.fixture(scope="module")
def detector() -> CardDetector:
    return CardDetector.shipped(EditionName.CLASSIC)


def test_an_empty_table_has_no_cards(detector: CardDetector) -> None:
    rng = np.random.default_rng(0)
    assert detector.detect(np.full((480, 640, 3), (60, 90, 120), np.uint8)) == []
    noise = rng.integers(0, 255, (360, 640, 3)).astype(np.uint8)
    assert detector.detect(noise) == []


@pytest.mark.parametrize("seed", [4202, 4203])
def test_a_back_that_the_rim_cuts_through_is_a_back(detector: CardDetector, seed: int) -> None:
    table = SimulatedTable(seed, edition=EditionName.CLASSIC, size=(960, 540))
    top, picture = table.new_tabletop(), next(table.frames()).image
    x, y = top.point(*table.script.draw_pile).astype(int)
    for part, middle in ((picture[:, x:], (0, y)), (picture[:, :x], (x, y))):
        backs = detector.backs(np.ascontiguousarray(part))
        assert any(np.hypot(*(back.quad.mean(0) - middle)) < 0.5 * top.card_length() for back in backs)


@pytest.mark.slow
def test_where_all_scores_are_low_the_outlines_of_the_best_are_candidates() -> None:
    finder = BoxFinder(Network.shared(model_folder() / "detector.onnx")).with_outlines()
    place = outline((320, 240), 30)
    picture = with_card(bare_table(), "red 7", place)
    blurred = np.asarray(cv2.GaussianBlur(picture, (0, 0), 18), np.uint8)
    found = finder.propose_outlines(blurred, OUTLINE_SCALES)
    assert max(intersection_over_union(quad, place) for quad in found) > 0.6
    # Sharp, it has high scores, and what is far less likely than it is left out.
    assert len(finder.propose_outlines(picture, OUTLINE_SCALES)) < len(found)
    assert not finder.propose_outlines(bare_table(), OUTLINE_SCALES)


def test_open_cards_are_read_where_they_lie(detector: CardDetector) -> None:
    scenes = SceneMaker(3, (800, 600), families=[StyleFamily.CLASSIC_OVAL, StyleFamily.WHITE_OVAL], fonts=())
    there: Counter[Card] = Counter()
    right: Counter[Card] = Counter()
    for _ in range(12):
        scene = scenes.make(Layout.GRID)
        sightings = detector.detect(scene.image)
        for truth in scene.cards:
            large = np.hypot(*(truth.quad[1] - truth.quad[0])) > 45
            if not large or truth.visible < 0.95 or truth.card not in deck(EditionName.CLASSIC):
                continue
            there[truth.card] += 1
            near = [s for s in sightings if np.hypot(*(s.quad.mean(0) - truth.quad.mean(0))) < 12]
            right[truth.card] += any(s.card == truth.card for s in near)
    assert there.total() > 20
    assert right.total() / there.total() >= 0.85


@pytest.mark.parametrize(("layout", "searched"), [(Layout.SINGLE, [320]), (Layout.CASCADE, [320, 640])])
def test_a_picture_of_one_card_is_searched_at_the_coarse_scale_alone(
    layout: Layout, searched: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    longest: list[int] = []
    find = BoxFinder.find

    def counted(
        boxes: BoxFinder, image: np.ndarray, scales: Sequence[int] | None = None, *args: object, **how: object
    ) -> list[Box]:
        longest.extend(boxes.scales if scales is None else scales)
        return find(boxes, image, scales, *args, **how)

    monkeypatch.setattr(BoxFinder, "find", counted)
    scene = SceneMaker(5, (960, 720), families=[StyleFamily.CLASSIC_OVAL], fonts=()).make(layout)
    found = CardDetector.shipped(EditionName.CLASSIC).detect(scene.image)
    assert len(found) >= len(scene.cards) - 1
    assert longest[: len(searched)] == searched
    assert (len(longest) == 1) == (len(scene.cards) == 1)


def cascade(seed: int) -> tuple[np.ndarray, Counter[Card]]:
    """Return a picture of six UNO Mario Kart cards of which only the first lies open, and the cards."""
    cards = [ALL_CARDS[int(i)] for i in np.random.default_rng((seed, 0)).integers(0, 48, 6)]
    scenes = SceneMaker(seed, (800, 800), families=[StyleFamily.MARIO_KART], fonts=())
    return scenes.make(Layout.CASCADE, cards).image, Counter(cards)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [9, 20, 27])
def test_items_in_the_free_corners_of_cards_are_no_cards(seed: int) -> None:
    image, cards = cascade(seed)
    assert Counter(sighting.card for sighting in CardDetector.shipped(None).detect(image)) <= cards


def test_in_a_fan_corners_that_are_boxed_weakly_are_read_too() -> None:
    image, cards = cascade(5)
    assert cards <= Counter(sighting.card for sighting in CardDetector.shipped(None).detect(image))


@pytest.mark.slow
@pytest.mark.parametrize("seed", [68, 143])
def test_a_card_whose_corner_signs_stand_far_in_is_seen_whole(detector: CardDetector, seed: int) -> None:
    scene = SceneMaker(seed, (640, 640), families=KEPT_OUT, fonts=(), deck_count=1).make(Layout.SINGLE)
    seen = [(sighting.card, sighting.whole) for sighting in detector.detect(scene.image)]
    assert seen == [(card.card, True) for card in scene.cards]


@pytest.mark.slow
@pytest.mark.parametrize("seed", [30, 60, 101, 226])
def test_the_top_card_of_a_pile_is_read_though_others_lie_across_under_it(seed: int) -> None:
    families = [StyleFamily.CLASSIC_OVAL, StyleFamily.WHITE_OVAL]
    scene = SceneMaker(seed, (640, 640), families=families, fonts=(), deck_count=1).make(Layout.PILE)
    seen = [sighting.card for sighting in CardDetector.shipped(None).detect_pile(scene.image) if sighting.whole]
    assert scene.cards[-1].card in seen


@pytest.mark.parametrize(("under", "top"), [("yellow 3", "blue 3"), ("red 5", "yellow 6"), ("green 1", "blue 1")])
def test_a_card_under_the_middle_of_another_is_read_by_its_corners_alone(
    detector: CardDetector, under: str, top: str
) -> None:
    degrees = -30 if under == "yellow 3" else -45
    picture = with_card(with_card(bare_table(), under, outline((320, 240), degrees)), top, outline((320, 240)))
    found = {str(sighting.card): sighting for sighting in detector.detect(picture)}
    assert set(found) == {under, top}
    assert found[top].whole
    assert not found[under].whole
    assert found[under].confidence > 0.9


def test_a_pile_on_which_no_card_is_found_is_searched_turned_by_a_quarter() -> None:
    scene = SceneMaker(81, (640, 640), families=KEPT_OUT, fonts=(), deck_count=1).make(Layout.PILE)
    assert scene.cards[-1].card in [s.card for s in CardDetector.shipped(None).detect_pile(scene.image) if s.whole]


def test_only_cards_of_the_edition_are_candidates() -> None:
    scene = SceneMaker(5, (640, 480), families=[StyleFamily.MARIO_KART], fonts=()).make(Layout.SINGLE)
    for edition in EditionName:
        for sighting in CardDetector.shipped(edition).detect(scene.image):
            assert set(sighting.cards) <= set(deck(edition))
            assert list(sighting.probabilities) == sorted(sighting.probabilities, reverse=True)
            assert sum(sighting.probabilities) <= 1 + 1e-4


def reading(quad: np.ndarray) -> Reading:
    return Reading(np.asarray(quad, np.float32), np.zeros(57, np.float32), ANY)


def test_an_index_shows_where_its_card_lies() -> None:
    top_left, bottom_right = corner_frames(CARD)
    # The frame about an index is 1.9 times its length, the frame of a whole card's corner 0.3 of its width.
    scale = 1.9 * 0.135 / 0.3
    a = reading((top_left - top_left.mean(0)) * scale + top_left.mean(0))
    b = reading((bottom_right - bottom_right.mean(0)) * scale + bottom_right.mean(0))
    assert np.abs(outline_from_index(a) - CARD).max() < 4
    assert np.abs(outline_from_index(b) - np.roll(CARD, 2, axis=0)).max() < 4
    assert are_opposite(a, b)
    assert not are_opposite(a, a)
    assert np.abs(outline_from_pair(a, b) - CARD).max() < 4


def test_cards_that_lie_open_show_how_large_the_indices_of_their_deck_are() -> None:
    top_left, _ = corner_frames(CARD)
    large = (top_left - top_left.mean(0)) * 1.9 * 0.25 / 0.3 + top_left.mean(0)
    share = index_share([CARD], [large])
    assert share == pytest.approx(0.25, abs=0.005)
    assert np.abs(outline_from_index(reading(large), share) - CARD).max() < 4
    (reported,) = one_per_card([reading(large)], share)
    assert np.abs(reported.quad - CARD).max() < 4
    assert index_share([CARD + 4000], [large]) == index_share([], []) == USUAL_SHARE


def test_a_card_claims_its_own_indices_only() -> None:
    top_left, bottom_right = corner_frames(CARD)
    matrix = homography(unit_square(), CARD)
    top_right = project(matrix, np.array([[0.7, 0.05], [0.95, 0.05], [0.95, 0.2], [0.7, 0.2]]))
    neighbour = top_left - np.array([0.25 * 112, 0], np.float32)
    far = top_left + 300
    indices = [top_right, top_left, neighbour, bottom_right, far]
    assert CardIndices(CARD, indices).at_spots() == {1, 3}
    assert CardIndices(CARD, indices).strangers() == 1
    assert CardIndices(CARD, [top_left]).at_spots() == {0}
    assert CardIndices(CARD, []).at_spots() == set()
    assert CardIndices(CARD, []).strangers() == 0


def test_the_corners_without_an_index_are_free() -> None:
    top_left, bottom_right = corner_frames(CARD)
    free = project(homography(unit_square(), CARD), np.array([[0.14, 0.9], [0.86, 0.1]], np.float32))
    bottom_left, top_right = (top_left - top_left.mean(0) + center for center in free)
    assert CardIndices(CARD, [top_left, bottom_left, CARD, top_right, bottom_right]).in_free_corners() == {1, 3}
    assert CardIndices(CARD, []).in_free_corners() == set()


def test_corners_show_which_way_round_a_card_is_seen() -> None:
    corners = list(corner_frames(CARD))
    turned = [frame * np.float32([-1, 1]) + 2 * np.float32([CARD[:, 0].mean(), 0]) for frame in corners]
    assert CardIndices(CARD, corners).handedness() is Handedness.PRINTED
    assert CardIndices(CARD, corners[1:]).handedness() is Handedness.PRINTED
    assert CardIndices(CARD, turned).handedness() is Handedness.MIRRORED
    # Some editions print something in all four corners, others in none; a card seen from low may be wider than high.
    assert CardIndices(CARD, [*corners, *turned]).handedness() is Handedness.UNKNOWN
    assert CardIndices(CARD, []).handedness() is Handedness.UNKNOWN
    low = np.float32([1, 0.4])
    assert CardIndices(CARD * low, [frame * low for frame in corners]).handedness() is Handedness.UNKNOWN


def test_a_card_with_both_its_corners_in_view_lies_across_the_one_about_it() -> None:
    def logs(best: int) -> np.ndarray:
        return np.where(np.arange(57) == best, 0.0, -5.0).astype(np.float32)

    card, other = Reading(CARD, logs(3), ANY), Reading(CARD + 15, logs(8), ANY)
    top_left, bottom_right = (Reading(frame, logs(3), ANY) for frame in corner_frames(CARD))
    assert is_another_card(card, other, [top_left, bottom_right])
    assert not is_another_card(card, other, [top_left])
    assert not is_another_card(card, other, [top_left, Reading(bottom_right.quad, logs(8), ANY)])
    # What reads alike in almost one place is one card boxed twice.
    assert not is_another_card(card, Reading(CARD + 15, logs(3), ANY), [top_left, bottom_right])


def test_one_index_boxed_twice_is_one_card() -> None:
    top_left, bottom_right = corner_frames(CARD)
    twice = [reading(top_left), reading(top_left + 2)]
    assert len(merge_duplicates(twice)) == 1
    # What `apart` would take for the same index is not worth a look.
    assert len(unread_frames([twice[1].quad, top_left + 60], twice[:1])) == 1
    assert len(one_per_card(merge_duplicates([*twice, reading(bottom_right)]))) == 1
    assert len(one_per_card(merge_duplicates([*twice, reading(top_left + 60)]))) == 2


def test_a_part_of_an_index_that_reads_alike_is_no_second_one() -> None:
    (whole, _), other = corner_frames(CARD), np.where(np.arange(57) == 8, 0.0, -5.0).astype(np.float32)
    side = float(np.hypot(*(whole[1] - whole[0])))
    # As of a "+2" the 2: centred on its ink, which reaches farther than its own.
    part = (whole - whole.mean(0)) / 2 + whole.mean(0) + np.float32([0.45 * side / INDEX_REACH, 0])
    assert len(merge_duplicates([reading(whole), reading(part)])) == 1
    assert len(merge_duplicates([reading(whole), replace(reading(part), logs=other)])) == 2


def test_a_rough_outline_still_finds_its_own_index() -> None:
    top_left, bottom_right = corner_frames(CARD)
    lower = bottom_right + np.array([0, 0.24 * 174], np.float32)
    assert CardIndices(CARD, [top_left, lower]).at_spots() == {0}


def test_cards_of_a_fan_are_company() -> None:
    assert touches_similar_card(CARD, [CARD + 40])
    assert not touches_similar_card(CARD, [CARD + 400])
    assert not touches_similar_card(CARD, [CARD / 3 + 100])
    assert not touches_similar_card(CARD, [])


class PileConsensus:
    """A network that counts what it is asked."""

    def __init__(self, network: Network) -> None:
        self._network = network
        self.count = 0

    def __call__(self, x: np.ndarray) -> np.ndarray:
        self.count += len(x)
        return self._network(x)


@pytest.mark.slow
def test_a_hand_of_ten_takes_few_looks() -> None:
    folder = model_folder()
    scenes = SceneMaker(4, (1280, 720), families=[StyleFamily.CLASSIC_OVAL], fonts=(), deck_count=1)
    image = scenes.make(Layout.CASCADE, list(ALL_CARDS[:10])).image
    cards, indices = (PileConsensus(Network(folder / f"{kind}-reader.onnx")) for kind in ("card", "index"))
    calibration, limits = Calibration.load(folder / "calibration.json"), ReadingLimits.load(folder / "limits.json")
    reader = Reader(cards, indices, calibration)  # type: ignore[arg-type]
    found = CardDetector(BoxFinder(Network(folder / "detector.onnx")), reader, limits).detect(image)
    assert {sighting.card for sighting in found} == set(ALL_CARDS[:10])
    # Where all that is boxed is looked at in every way they are 31 and 54.
    assert cards.count <= 20
    assert indices.count <= 45


@pytest.mark.parametrize(("name", "seed"), [("blue 3", 6), ("yellow 7", 8)])
def test_a_card_too_small_for_a_first_look_is_found_at_a_finer_scale(name: str, seed: int) -> None:
    style = sample_style(np.random.default_rng(seed), StyleFamily.CLASSIC_OVAL, ())
    face = render(Card.parse(name), style, 448).image
    small = cv2.resize(face, (16, 25), interpolation=cv2.INTER_AREA)
    table = np.full((720, 1280, 3), (60, 90, 120), np.uint8)
    share = small[..., 3:] / np.float32(255)
    table[330:355, 600:616] = small[..., :3] * share + table[330:355, 600:616] * (1 - share)
    assert [sighting.card.name for sighting in CardDetector.shipped(EditionName.CLASSIC).detect(table)] == [name]


class SeesCards:
    """A card reader to which every outline shows a card."""

    searches_deck = False

    def predict_cards(self, image: np.ndarray, quads: list[Quad]) -> list[CardPrediction]:
        logs = np.full(len(ALL_CARDS) + 1, -np.log(len(ALL_CARDS)), np.float32)
        logs[-1] = -9
        return [CardPrediction(quad, logs, 0.0) for quad in quads]


def test_an_unsure_corner_of_a_card_that_lies_open_is_that_card_seen_twice() -> None:
    hidden = OccludedCards(cast(Reader, SeesCards()), ReadingLimits.load(model_folder() / "limits.json"), shipped())
    image = np.zeros((400, 400, 3), np.uint8)

    def corner(quad: Quad, *chances: float) -> Reading:
        logs = np.full(len(ALL_CARDS) + 1, -9, np.float32)
        logs[: len(chances)] = np.log(chances)
        return Reading(corner_frames(quad)[0], logs, ANY)

    def behind(quad: Quad, *chances: float) -> list[str]:
        loose = [corner(quad, *chances)]
        return [s.card.name for s in hidden.find(image, loose, [open_card], *[loose] * 3)]

    open_card = Sighting(CARD, (ALL_CARDS[0],), (0.99,), True)
    name = ALL_CARDS[0].name
    assert behind(CARD + 12, 0.6, 0.3) == []
    # A sure one is a like card on it, so is one that lies farther off, and what reads otherwise is another one.
    assert behind(CARD + 12, 0.95, 0.02) == [name]
    assert behind(CARD + np.float32([80, 0]), 0.6, 0.3) == [name]
    assert behind(CARD + 12, 0.3, 0.6) == [ALL_CARDS[1].name]


@pytest.mark.parametrize("unlike", [False, True])
@pytest.mark.parametrize(("chance", "cards"), [(0.35, 0), (0.5, 1)])
def test_a_covered_card_needs_a_legible_corner(chance: float, unlike: bool, cards: int) -> None:
    hidden = OccludedCards(cast(Reader, SeesCards()), ReadingLimits.load(model_folder() / "limits.json"), shipped())
    beside = Sighting(CARD + np.float32([130, 0]), (Card.parse("red 1"),), (0.99,), True)
    logs = np.full(57, np.log((1 - chance) / 56), np.float32)
    logs[ALL_CARDS.index(Card.parse("green reverse"))] = np.log(chance)
    corner = Reading(corner_frames(CARD)[0], logs, ANY, is_out_of_deck=unlike)
    assert len(hidden.find(np.zeros((900, 900, 3), np.uint8), [corner], [beside], *[[corner]] * 3)) == cards
