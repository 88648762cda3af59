"""The shipped editions conserve cards and have all texts; the laboratory agrees with known limits."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from companion.caller import LANGUAGES, Caller
from companion.cards import Card, Face
from companion.editions import Edition, Scoring
from companion.editions.definition.files import read_edition
from companion.editions.edition import Checked
from companion.editions.library import Library, printed, shipped
from companion.laboratory import report
from companion.referee.engine import apply, legal
from companion.referee.match import replay
from companion.referee.phase import Phase
from companion.referee.random_player import RandomTable
from companion.referee.state import Header, opening
from companion.referee.transcript import read_entry, read_header, write_entry, write_header

NAMES = ("Ann", "Ben", "Cy", "Di", "Eve")
ROUNDS = 12
THEMED = [edition for edition in shipped().values() if not edition.is_printed]


@pytest.mark.slow
@pytest.mark.parametrize("edition", THEMED, ids=[edition.id for edition in THEMED])
def test_cards_are_conserved_and_a_match_reads_back(edition: Edition) -> None:
    random = Random(edition.id)
    for number in range(ROUNDS):
        options = replace(edition.options, scoring=Scoring.SINGLE_ROUND, jump_in=number % 2 == 0)
        header = Header(edition, NAMES[: 2 + number % 4], 0, options)
        table = RandomTable(header, random)
        state = opening(header)
        made = []
        while state.phase is not Phase.OVER and len(made) < 600:
            move = table.next_move(state)
            state, effects = apply(state, move)
            table.follow(effects)
            made.append(move)
            assert state.hands == tuple(map(len, table.hands)), move
            assert legal(state).asked is None or state.phase in (Phase.TOOK, Phase.SHED, Phase.OUTCOME)
        cards = Counter([*table.draw_pile, *table.discard_pile, *(card for hand in table.hands for card in hand)])
        assert cards == dict(edition.deck)
        again = read_header(write_header(header))
        assert again == header
        entries = [read_entry(write_entry(move), again.edition) for move in made]
        assert replay(again, entries).state == state  # type: ignore[arg-type]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_special_card_has_words(language: str) -> None:
    caller = Caller(language)
    for edition in shipped().values():
        header = Header(edition, ("Ann", "Ben", "Cy"), 0, edition.options)
        entries = caller.rules_sheet(header)
        assert len({entry.key for entry in entries}) == len(entries)
        for entry in entries:
            assert entry.text.strip()
            assert "{" not in entry.text
        for face in edition.faces:
            assert caller.face(face, edition)


def test_what_ships_names_its_sources() -> None:
    for edition in THEMED:
        assert edition.checked is not Checked.SHEET
        assert edition.sources, edition.id
        assert edition.cards_read_as(Card.parse("red 7")) or not edition.has_colors


def test_the_users_own_editions(tmp_path: Path) -> None:
    folder = tmp_path / "editions"
    library = Library(lambda: folder)
    assert list(library) == list(shipped())
    text = Library().export("zelda").replace("else = 3", "else = 5")
    assert library.add(text.encode(), "zelda.toml", replace=True).id == "zelda"
    assert library.is_own("zelda")
    assert library["zelda"] != shipped()["zelda"]
    library.remove("zelda")
    assert library["zelda"] == shipped()["zelda"]


def variant(more: str) -> Edition:
    head = 'format = 1\nid = "zoo"\nname = { en = "Zoo" }\n[deck]\nwild = 0\n"wild lion" = 4\n'
    text = f'{head}[faces."wild lion"]\n{more}'
    return read_edition(text.encode(), "zoo.toml", printed())


def test_a_card_without_effect_changes_nothing() -> None:
    plain, same = variant(""), variant("when_played = [{ draw_to = 1 }]")
    assert report(plain, plain.options, 3, 150) == report(same, same.options, 3, 150)


@pytest.mark.slow
def test_a_card_that_makes_all_others_draw_makes_them_draw() -> None:
    edition = variant('when_played = [{ draw = 5, who = "others" }]')
    found = report(edition, edition.options, 4, 100)
    assert found.drawn["wild lion"] > 1
    assert sum(found.wins) + found.unfinished == found.rounds


@pytest.mark.slow
def test_symmetric_seats_have_equal_odds() -> None:
    plain = printed()["classic"]
    rounds = 1200
    found = report(plain, plain.options, 3, rounds, seed=4)
    spread = (rounds * 1 / 3 * 2 / 3) ** 0.5
    assert all(abs(wins - rounds / 3) < 4 * spread for wins in found.wins)


def test_the_edition_of_the_tutorial_is_read() -> None:
    page = (Path(__file__).parents[2] / "docs" / "pages" / "editions.md").read_text("utf-8")
    found = re.search(r"```toml\n(.*?)```", page, re.DOTALL)
    assert found
    assert len(found[1].splitlines()) == 12
    edition = read_edition(found[1].encode(), "zoo.toml", printed())
    reported = Caller().describe_face(edition.faces[Face.named("wild lion")], edition, edition.options)
    assert reported == (
        "The player chooses the colour. The player chooses another player. The chosen player: do what the card says. "
        "If not: The player asked: draw two cards."
    )
