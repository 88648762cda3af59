"""The table's questions and assumptions exist in every language."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from babel.messages.extract import extract_from_file
from babel.messages.pofile import read_po

import companion.table.presentation.sentences
from companion.caller import CATALOGUES, LANGUAGES, Caller
from companion.cards import Color
from companion.referee.moves import Play, Start
from companion.storage.records import StoreFullError
from companion.table.presentation.sentences import DOMAIN, Sentences
from companion.table.session.table import Table

from .conftest import card, header, probabilities

_SOURCE = Path(companion.table.presentation.sentences.__file__)
_TRANSLATED = [language for language in LANGUAGES if language != "en"]


def _in_the_code() -> set[str]:
    found = extract_from_file("python", str(_SOURCE), keywords={"message": None, "_text": None})
    return {str(text) for _, text, _, _ in found}


@pytest.mark.parametrize("language", _TRANSLATED)
def test_catalogue_matches_the_code(language: str) -> None:
    folder = CATALOGUES / language / "LC_MESSAGES"
    with (folder / f"{DOMAIN}.po").open("rb") as file:
        catalogue = read_po(file)
    assert {str(entry.id) for entry in catalogue if entry.id} == _in_the_code()
    for entry in catalogue:
        assert entry.string
        assert set(re.findall(r"{\w+}", str(entry.id))) == set(re.findall(r"{\w+}", str(entry.string)))


def test_table_switches_language() -> None:
    from companion.vision.core.events import CardLanded

    table = Table(caller=Caller("de"))
    table.start_match(header())
    table.see(CardLanded(0.0, probabilities("red 7")))
    table.see(CardLanded(0.0, probabilities({"red 3": 0.6, "red 8": 0.4})))
    assert table.view().questions[0].sentence.startswith("Ist es Rot 3 oder Rot 8?")
    table.set_caller(Caller("en"))
    assert table.view().questions[0].sentence == "Is it the red 3 or the red 8?"
    assert table.view().prompt == "It is Ann’s turn."
    assert table.view().history[0].sentences == ("Ann begins.",)


def test_the_last_ruling_is_reworded_in_another_language() -> None:
    table = Table(caller=Caller("de"))
    table.start_match(header())
    table.tap(Start(card("red 7")))
    table.tap(Play(card("red skip")))
    table.set_caller(Caller("en"))
    ruling = table.view().ruling
    assert ruling is not None
    assert ruling.sentences == table.view().history[-1].sentences
    assert "is skipped" in ruling.sentences[0]


def test_sentences_name_cards_colors_and_errors(tmp_path: Path) -> None:
    say = Sentences(Caller("fr"))
    assert say.color(Color.RED) == "rouge"
    assert say.which_card(card("red 7"), None).endswith("?")
    assert say.not_saved(StoreFullError("", tmp_path)).startswith("Le disque est plein.")
