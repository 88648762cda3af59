"""What is no UNO card: drawn chess boards, diagrams, logos and poker cards, read by the shipped networks."""

from __future__ import annotations

import pytest
from other_things import THINGS, other_things

from companion.table.state.thresholds import CLEAR
from companion.vision.core.sightings import UNSURE_BELOW
from companion.vision.recognition.card_detector import CardDetector


@pytest.mark.slow
def test_no_other_thing_leads_to_a_ruling_and_few_are_named_without_a_question() -> None:
    """Of 20 pictures, drawn otherwise than those that the models are fitted on. Without any fit 15 are named so,
    without the small network for other makers' cards four.
    """
    detector = CardDetector.shipped(None, None)
    named = dict.fromkeys((thing.__name__ for thing in THINGS), 0)
    for number, picture in enumerate(other_things()):
        found = [sighting.confidence for sighting in detector.detect(picture)]
        assert max(found, default=0.0) < CLEAR
        named[THINGS[number % len(THINGS)].__name__] += sum(confidence >= UNSURE_BELOW for confidence in found)
    assert named["logos"] == named["wiring_diagram"] == 0
    assert sum(named.values()) <= 2, named
