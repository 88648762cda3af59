"""Every sentence of the caller is in each language's catalogue, and each catalogue is compiled."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_file
from babel.messages.mofile import read_mo
from babel.messages.pofile import read_po

import companion.caller
import companion.referee
from companion.caller import CATALOGUES, DOMAIN, LANGUAGES, Caller
from companion.editions import OPTIONS, OptionKind

KEYWORDS = {"message": None, "_text": None, "_plural": (1, 2)}


def extracted() -> set[str | tuple[str, ...]]:
    found: set[str | tuple[str, ...]] = set()
    for package in (companion.caller, companion.referee):
        for path in Path(str(package.__file__)).parent.rglob("*.py"):
            for _, text, _, _ in extract_from_file("python", path, KEYWORDS):
                found.add(text)
    return found


def catalogue(language: str) -> Catalog:
    path = CATALOGUES / language / "LC_MESSAGES" / f"{DOMAIN}.po"
    with path.open("rb") as file:
        return read_po(file, locale=language, domain=DOMAIN)


def messages(catalog: Catalog) -> set[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Each message with its plural, translated; which release of Babel wrote the header is no part of it."""
    return {(forms(entry.id), forms(entry.string)) for entry in catalog if entry.id}


def forms(text: str | Iterable[str]) -> tuple[str, ...]:
    return (text,) if isinstance(text, str) else tuple(text)


def fields(text: str) -> set[str]:
    return set(re.findall(r"\{(\w+)\}", text))


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_sentence_is_in_the_catalogue(language: str) -> None:
    entries = [entry for entry in catalogue(language) if entry.id]
    assert {entry.id if isinstance(entry.id, str) else tuple(entry.id) for entry in entries} == extracted()
    for entry in entries:
        assert not entry.fuzzy, entry.id
        wanted = fields(entry.id if isinstance(entry.id, str) else entry.id[-1])
        texts = [entry.string] if isinstance(entry.string, str) else entry.string
        assert len(texts) == (1 if isinstance(entry.id, str) else 2)
        for text in texts:
            assert text, f"{entry.id} lacks a sentence"
            assert fields(text) <= wanted, entry.id
        assert fields(texts[-1]) == wanted, entry.id


@pytest.mark.parametrize("po", sorted(CATALOGUES.rglob("*.po")), ids=lambda po: f"{po.parts[-3]}-{po.stem}")
def test_the_compiled_catalogue_is_current(po: Path) -> None:
    with po.open("rb") as source, po.with_suffix(".mo").open("rb") as file:
        written, compiled = read_po(source), read_mo(file)
    assert messages(compiled) == messages(written), f"compile {po} again"
    assert compiled.plural_forms == written.plural_forms


def test_the_english_catalogue_says_what_the_code_says() -> None:
    for entry in catalogue("en"):
        if entry.id:
            assert entry.string == (entry.id if isinstance(entry.id, str) else tuple(entry.id))


def test_there_is_a_catalogue_for_each_language_and_no_other() -> None:
    assert {path.name for path in Path(CATALOGUES).iterdir()} == set(LANGUAGES)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_option_has_a_title_a_sentence_and_words_for_its_values(language: str) -> None:
    caller = Caller(language)
    assert len({caller.option_title(name) for name in OPTIONS}) == len(OPTIONS)
    for name, option in OPTIONS.items():
        assert caller.option(name).endswith(".")
        if option.kind is OptionKind.CHOICE:
            words = [caller.option_value(name, str(value)) for value in option.values]
            assert len(set(words)) == len(words)
    with pytest.raises(KeyError):
        caller.option("nothing")
