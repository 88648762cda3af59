"""The rules sheet lists the deck and the active rules in every language."""

from __future__ import annotations

import re

import pytest

from companion.caller import LANGUAGES, Caller
from companion.cards import EditionName
from companion.editions import EDITIONS, Options, Scoring, Stacking, TwoPlayerReverse
from companion.editions.library import edition_of
from companion.referee.state import Header

ON = Options(
    stacking=Stacking.SAME,
    jump_in=True,
    seven_zero=True,
    draw_until_playable=True,
    uno_penalty=4,
    green_shell_self=False,
)


def sheet(edition: EditionName, options: Options, *players: str, language: str = "en") -> dict[str, str]:
    header = Header(EDITIONS[edition], players or ("Ann", "Ben", "Cy"), 0, options)
    return {entry.key: entry.text for entry in Caller(language).rules_sheet(header)}


@pytest.mark.parametrize("edition", list(EditionName))
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_rules_sheet_shows_all_that_is_in_the_deck_and_on(edition: EditionName, language: str) -> None:
    for options in (EDITIONS[edition].options, ON, Options(challenge=False, scoring=Scoring.LOW_TOTAL)):
        header = Header(EDITIONS[edition], ("Ann", "Ben"), 0, options)
        entries = Caller(language).rules_sheet(header)
        assert len({entry.key for entry in entries}) == len(entries)
        assert len({entry.title for entry in entries}) == len(entries)
        assert all(entry.text.endswith((".", ")")) and "{" not in entry.text for entry in entries)
        assert all(re.fullmatch(r"R\d+", rule) for entry in entries for rule in entry.rules)
        actions = {face.face.value for face in header.edition.deck if not face.face.is_number}
        assert actions <= {entry.key for entry in entries}
        assert ("banana peel" in {entry.key for entry in entries}) == (edition is EditionName.MARIO_KART)


def test_the_rules_sheet_follows_the_options() -> None:
    plain, house = sheet(EditionName.MARIO_KART, Options()), sheet(EditionName.MARIO_KART, ON)
    assert plain["banana peel"] == "The previous player draws two cards."
    assert set(house) - set(plain) == {"0", "7", "stacking", "jump_in", "draw_until_playable"}
    assert set(plain) - set(house) == {"draw"}
    assert plain["draw two"] == "The next player draws two cards and is skipped."
    assert house["draw two"].startswith("The next player owes two cards")
    assert house["stacking"].endswith("(only the same card)")
    assert house["green shell"] == f"{plain['green shell']} They may not choose themselves."
    assert plain["uno"].endswith("draws two cards.")
    assert house["uno"].endswith("draws four cards.")
    assert "challenge" in plain["wild draw four"]
    wilds_count = sheet(EditionName.CLASSIC, Options(wild_counts_as_color=True))["wild draw four"]
    assert wilds_count.endswith("Another wild in hand also makes a wild draw four illegal.")
    assert "Another wild" not in sheet(EditionName.CLASSIC, Options(wild_counts_as_color=False))["wild draw four"]
    assert "challenge" not in sheet(EditionName.CLASSIC, Options(challenge=False))["wild draw four"]
    assert plain["reverse"] == "Play changes direction."
    assert (
        sheet(EditionName.CLASSIC, Options(), "A", "B")["reverse"]
        == "Play changes direction. The next player is skipped."
    )
    turns = Options(two_player_reverse=TwoPlayerReverse.TURN)
    assert sheet(EditionName.CLASSIC, turns, "A", "B")["reverse"] == "Play changes direction."
    assert "points" not in sheet(EditionName.CLASSIC, Options(scoring=Scoring.SINGLE_ROUND))
    assert "200 points" in sheet(EditionName.CLASSIC, Options(target=200))["scoring"]


def test_a_deck_of_ones_own_is_described_by_what_it_does_not_by_its_names() -> None:
    edition = edition_of(
        {
            "format": 1,
            "id": "storm",
            "based_on": "mario-kart",
            "name": {"en": "Storm"},
            "deck": {"wild creeper": 2},
            "faces": {"wild creeper": {"when_played": [{"draw": 1, "who": "next"}]}},
            "marks": {"lightning": {"bears": [{"color": "blue"}], "when_turned_up": [{"draw": 5, "who": "next"}]}},
        }
    )
    header = Header(edition, ("Ann", "Ben", "Cy"), 0, edition.options)
    entries = {entry.key: entry.text for entry in Caller().rules_sheet(header)}
    assert entries["lightning"] == "The next player: draw five cards."
    assert entries["wild creeper"].startswith("The next player: draw one card.")
    # What stays as it is printed keeps its sentence.
    assert entries["banana peel"] == "The previous player draws two cards."
    assert entries["wild item box"].startswith("Can be played on any card.")
