"""The caption says what matters in two lines, on phones too, in every language."""

from __future__ import annotations

from itertools import islice
from random import Random

import pytest
from browsing import Open, Server

from companion.caller import Caller
from companion.editions.library import shipped
from companion.languages import Language
from companion.referee.random_player import random_match
from companion.referee.state import Header, opening
from companion.server.access.guests import Role

PLAYERS = ("Alexandra", "Maximilian-Alexander Kai", "Christina", "Ben")
# Editions with long sentences: faces to make, dares, hands that are mixed.
EDITIONS = ("emoji", "dare", "harry-potter", "shuffle-hands", "house-rules")
SHOWN = 60
LEAST_LETTERS = 13

# Shows each ruling with what the table waits for, and returns those that are cut off, too small, or lack their end.
CUT = """async ([captions, least]) => {
  const { drawCaption } = await import(document.querySelector('link[href$="/stage.js"]').href);
  return captions.flatMap(([sentences, prompt]) => {
    drawCaption({ ruling: { sentences }, history: [], prompt, state: { turn: null, winners: [] } });
    const lines = document.querySelector('#caption .caption-lines');
    const letters = parseFloat(getComputedStyle(lines).fontSize);
    const cut = lines.scrollHeight - lines.clientHeight > letters / 3;
    const all = [...sentences, prompt].filter(Boolean);
    return cut || letters < least || !lines.textContent.endsWith(all.at(-1)) ? [[lines.textContent, letters, cut]] : [];
  });
}"""


def captions(language: Language) -> list[tuple[list[str], str]]:
    """Return the longest rulings of random matches with what the table waits for after them."""
    caller, found = Caller(language), []
    for seed, name in enumerate(EDITIONS):
        edition = shipped()[name]
        header = Header(edition, PLAYERS, 0, edition.options)
        before = opening(header)
        for _, state, effects in islice(random_match(header, Random(seed)), 150):
            said, prompt = caller.say(effects, before, state), caller.prompt(state)
            found.append((said, "" if prompt in said else prompt))
            before = state
    return [
        *sorted(found, key=lambda one: -len(" ".join(one[0])))[:SHOWN],
        *sorted(found, key=lambda one: -max(map(len, [*one[0], one[1]])))[:SHOWN],
    ]


@pytest.mark.parametrize("language", Language)
def test_the_longest_sentences_fit_a_phone(language: Language, playing: Server, open_as: Open) -> None:
    page = open_as(Role.VIEWER)
    page.wait_for_selector("#caption span")
    playing.services.speak(language)
    page.evaluate("document.fonts.ready")
    longest = captions(language)
    assert max(len(sentence) for said, _ in longest for sentence in said) > LEAST_LETTERS * 5
    for width, height in ((360, 640), (390, 844), (1280, 800)):
        page.set_viewport_size({"width": width, "height": height})
        assert page.evaluate(CUT, [longest, LEAST_LETTERS]) == [], width


def test_what_is_too_long_loses_its_oldest_sentence(playing: Server, open_as: Open) -> None:
    page = open_as(Role.VIEWER, viewport={"width": 390, "height": 844})
    page.wait_for_selector("#caption span")
    said = [f"The sentence number {number} is a rather long one." for number in range(5)]
    page.evaluate(CUT, [[[said, "It is Ann’s turn."]], LEAST_LETTERS])
    text = page.locator("#caption").inner_text()
    assert "number 0" not in text
    assert text.endswith("number 4 is a rather long one. It is Ann’s turn.")
