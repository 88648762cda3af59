"""What several looks agree on, and when the agreement is reported."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from companion.cards import Card
from companion.vision.capture.frames import Frame
from companion.vision.core.geometry import Quad
from companion.vision.core.sightings import Sighting
from companion.vision.pile.consensus import Look, PileConsensus, is_new_for_certain, mean_probabilities
from companion.vision.pile.features import KnownCard
from companion.vision.pile.motion_gate import Still, View
from companion.vision.pile.pile_change import Change, Judgement
from companion.vision.pile.pile_state import KnownPile

RED_7, BLUE_3, GREEN_9 = Card.parse("red 7"), Card.parse("blue 3"), Card.parse("green 9")
QUAD: Quad = np.array([[10, 10], [40, 10], [40, 55], [10, 55]], np.float32)
BESIDE: Quad = QUAD + np.array([16, 20], np.float32)
PILE = KnownPile((KnownCard(GREEN_9, QUAD), KnownCard(RED_7, QUAD)))
BLANK = np.full((64, 96, 3), 128, np.uint8)


def seen(card: Card, confidence: float = 0.9) -> Sighting:
    return Sighting(QUAD, (card, GREEN_9), (confidence, 0.005), whole=True)


def lying(card: Card, quad: Quad) -> Sighting:
    return Sighting(quad, (card,), (0.995,), whole=True)


def landed(card: Card = BLUE_3, confidence: float = 0.9, landing_probability: float = 1.0) -> Judgement:
    return Judgement(Change.LANDED, seen(card, confidence), landing_probability)


NOTHING, GONE = Judgement(Change.NONE, seen(RED_7)), Judgement(Change.GONE, None)
DOUBTFUL, UNCLEAR = Judgement(Change.UNCLEAR, None), Judgement(Change.UNCLEAR, seen(BLUE_3), 0.5)


def agreed(judgements: Sequence[Judgement], apart: float = 0.03, isolated: bool = False) -> list[Judgement]:
    """Return what looks at a picture that lies still agree on, after the last of them."""
    looks, agreement = PileConsensus(), list[Judgement]()
    for n, judgement in enumerate(judgements):
        looks.add(Look(n * apart, judgement, ()), settled=True)
        picture = View(Frame(BLANK, n * apart, n))
        still = Still(picture, 0.0, n * apart, settled=True, isolated=isolated, moved=False)
        agreement = looks.agreed(still, PILE, is_first=False)
    return agreement


@pytest.mark.parametrize(
    ("judgements", "reported"),
    [
        ([landed(confidence=0.995)], Change.LANDED),
        ([landed()], None),
        ([landed(), landed()], Change.LANDED),
        ([landed(), landed(GREEN_9)], None),
        ([landed(confidence=0.6)] * 4, None),
        ([landed(confidence=0.6)] * 5, Change.LANDED),
        ([landed(landing_probability=0.3)] * 4, None),
        ([landed(landing_probability=0.3)] * 5, Change.LANDED),
        ([NOTHING], None),
        ([NOTHING, NOTHING], Change.NONE),
        # A card that every other look shows is there.
        ([landed(), NOTHING, NOTHING], None),
        ([landed(), NOTHING, NOTHING, NOTHING], Change.NONE),
        ([DOUBTFUL] * 5, None),
        ([UNCLEAR] * 4, None),
        ([UNCLEAR] * 5, Change.UNCLEAR),
        ([landed(), *[DOUBTFUL] * 5], Change.LANDED),
        ([Judgement(Change.TAKEN_BACK, seen(GREEN_9), remaining=1)] * 2, Change.TAKEN_BACK),
        ([landed(), *[Judgement(Change.TAKEN_BACK, seen(GREEN_9))] * 2], None),
    ],
)
def test_looks_agree_sooner_the_more_confident_they_are(
    judgements: Sequence[Judgement], reported: Change | None
) -> None:
    agreement = agreed(judgements)
    assert (agreement[-1].change if agreement else None) is reported


@pytest.mark.parametrize(("apart", "reported"), [(0.1, False), (0.4, True)])
def test_a_bare_place_must_stay_bare_for_a_while(apart: float, reported: bool) -> None:
    assert bool(agreed([GONE] * 3, apart)) is reported


@pytest.mark.parametrize("judgement", [landed(confidence=0.4), NOTHING, GONE])
def test_a_picture_that_none_will_confirm_is_taken_as_it_is(judgement: Judgement) -> None:
    assert agreed([judgement], isolated=True) == [judgement]


def test_probabilities_are_the_looks_mean_and_beliefs_their_geometric_mean() -> None:
    looks = [landed(confidence=0.9, landing_probability=0.9), landed(confidence=0.7, landing_probability=0.4)]
    (card, probability), *_ = mean_probabilities(looks)
    assert card == BLUE_3
    assert probability == pytest.approx(0.6 * 0.8)


@pytest.mark.parametrize(
    ("judgement", "certain"),
    [
        (landed(confidence=0.995), True),
        (landed(confidence=0.985), True),
        (landed(confidence=0.977), False),
        (landed(confidence=0.995, landing_probability=0.95), False),
        # What lies on the pile already may only have come to light.
        (landed(RED_7, 0.995), False),
        (landed(GREEN_9, 0.995), False),
        (Judgement(Change.LANDED, lying(GREEN_9, BESIDE)), True),
        (Judgement(Change.MOVED, seen(BLUE_3, 0.995)), False),
    ],
)
def test_past_an_arm_only_a_new_card_that_is_read_beyond_doubt_is_certain(judgement: Judgement, certain: bool) -> None:
    assert is_new_for_certain(Look(0.0, judgement, ()), PILE) is certain


@pytest.mark.parametrize(
    ("place", "old", "certain"), [(BESIDE, QUAD, True), (BESIDE, None, False), (QUAD + 2, QUAD, False)]
)
def test_a_card_like_the_top_one_is_certain_only_beside_that(place: Quad, old: Quad | None, certain: bool) -> None:
    new = lying(RED_7, place)
    sightings = [new] if old is None else [new, lying(RED_7, old)]
    assert is_new_for_certain(Look(0.0, Judgement(Change.LANDED, new), sightings), PILE) is certain
