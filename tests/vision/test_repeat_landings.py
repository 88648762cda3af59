"""Cards that look like the one below: whether one landed is inferred from the hands present."""

from __future__ import annotations

import pytest

from companion.cards import Card
from companion.vision.core.events import CardLanded
from companion.vision.tracking.repeat_landings import doubted_without_arm, is_unlikely, reweighted_by_carried

RED_7, RED_8 = Card.parse("red 7"), Card.parse("red 8")


def landed(belief: float, same_face: bool = True) -> CardLanded:
    """Return a landing that is as likely as that; a twentieth of it is another card's."""
    return CardLanded(3.0, ((RED_7, 0.95 * belief), (RED_8, 0.05 * belief)), same_face=same_face)


def test_a_like_card_that_no_arm_brought_is_barely_one() -> None:
    new = landed(0.9, same_face=False)
    assert doubted_without_arm(new) is new  # a new face is seen, whoever brought it
    assert is_unlikely(landed(0.3))
    assert not is_unlikely(landed(0.6))
    assert doubted_without_arm(landed(0.9)).probabilities[0] == (RED_7, pytest.approx(0.95 * 0.045))


@pytest.mark.parametrize(
    ("belief", "similarity", "reported"),
    [(0.3, 0.8, 0.79), (0.3, 0.62, 0.3), (0.3, 0.4, 0.03), (0.3, 0.95, 0.9), (0.95, 0.4, 0.58), (0.95, 0.8, 0.99)],
)
def test_a_like_card_is_more_probable_the_more_what_its_hand_carried_looked_like_it(
    belief: float, similarity: float, reported: float
) -> None:
    weighed = reweighted_by_carried(landed(belief), similarity).probabilities
    assert sum(share for _, share in weighed) == pytest.approx(reported, abs=0.01)
    assert weighed[0][1] == pytest.approx(19 * weighed[1][1])


def test_hand_color_is_no_evidence_if_unseen_or_face_is_new_or_certain() -> None:
    for event, similarity in ((landed(0.3), None), (landed(0.3, same_face=False), 0.1), (landed(1.0), 0.1)):
        assert reweighted_by_carried(event, similarity) is event
