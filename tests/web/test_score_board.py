"""The score board after rounds and matches: who won, the way on, streaks, print, and looking back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from browsing import Open, Server, at_rest, box_of
from playwright.sync_api import expect

from companion.cards import Card, EditionName
from companion.editions import EDITIONS
from companion.referee import moves
from companion.referee.state import Header
from companion.server.access.guests import Role

PLAYERS = ("Ann", "Ben", "Cy")


def play(server: Server, winners: Sequence[str], target: int = 500, players: Sequence[str] = PLAYERS) -> str:
    """Play a round for each winner; every other hand is a seven. Return the match's id."""
    edition = EDITIONS[EditionName.CLASSIC]
    server.services.start(Header(edition, tuple(players), 2, replace(edition.options, target=target)))
    for winner in winners:
        round_(server, winner, players)
    match_id = server.services.table.match_id
    assert match_id is not None
    return match_id


def round_(server: Server, winner: str, players: Sequence[str] = PLAYERS) -> None:
    table = server.services.table
    table.tap(moves.Start(Card.parse("red 5")))
    table.tap(moves.Count(winner, 0))
    for player, color in zip(players, ("red", "yellow", "green", "blue"), strict=False):
        if player != winner:
            table.tap(moves.Hand(player, (Card.parse(f"{color} 7"),)))


def test_after_a_round_the_board_shows_winner_hands_race_and_the_way_on(server: Server, open_as: Open) -> None:
    play(server, ["Ben"])
    page = open_as(Role.HOST)
    page.goto(f"{server.url}/scores")
    after = page.locator(".after-round")
    expect(after.locator("h2")).to_have_text("Ben wins round 1")
    expect(after.locator("[data-hand]")).to_have_count(2)
    expect(after.locator("[data-hand=Cy]")).to_contain_text("7 points")
    expect(after.locator(".lane[data-player=Ben] .lane-score")).to_have_text("14")
    expect(after.locator(".avatar")).to_have_count(1)
    # The points stand beside the name they belong to.
    name, points = box_of(page, "[data-hand=Cy] .person"), box_of(page, "[data-hand=Cy] strong")
    assert 0 < points["x"] - name["x"] - name["width"] < 40
    # A round that ends while the board is open is shown at once.
    round_(server, "Cy")
    expect(after.locator("h2")).to_have_text("Cy wins round 2")
    page.click("#next-round")
    page.wait_for_url("**/table")


def test_no_board_says_how_much_is_missing_before_a_round_is_scored(server: Server, open_as: Open) -> None:
    play(server, [])
    page = open_as(Role.HOST)
    page.goto(f"{server.url}/scores")
    expect(page.locator(".leader")).to_have_count(3)
    expect(page.locator("#leaders")).not_to_contain_text("short of")
    expect(page.locator("#after")).to_be_empty()


def test_after_a_match_all_on_the_podium_are_shown_and_a_rematch_is_one_tap(server: Server, open_as: Open) -> None:
    players = ("Ann", "Ben", "Cy", "Dee")
    play(server, ["Ben", "Ann", "Ben"], target=35, players=players)
    page = open_as(Role.HOST)
    page.goto(f"{server.url}/scores")
    steps = page.locator("#after .step")
    # Cy and Dee share the third place.
    expect(steps).to_have_count(4)
    expect(page.locator("#after .step-3")).to_have_count(2)
    expect(page.locator(".leader[data-player=Ben]")).to_contain_text("winner")
    page.click("[data-act=rematch]")
    page.wait_for_url("**/table")
    assert server.services.table.state is not None
    assert server.services.table.state.standings == dict.fromkeys(players, 0)


@pytest.mark.parametrize("path", ["table", "scores"])
def test_four_on_the_podium_stand_in_one_row_on_a_phone(path: str, server: Server, open_as: Open) -> None:
    play(server, ["Ben", "Ann", "Ben"], target=35, players=("Ann", "Ben", "Cy", "Dee"))
    page = open_as(Role.VIEWER, viewport={"width": 360, "height": 640})
    page.goto(f"{server.url}/{path}")
    expect(page.locator(".podium .step")).to_have_count(4)
    at_rest(page)
    places = page.locator(".podium .step").evaluate_all(
        "(all) => all.map((one) => one.getBoundingClientRect()).map(({ bottom, left }) => ({ bottom, left }))"
    )
    feet = [one["bottom"] for one in places]
    assert max(feet) - min(feet) < 1
    # From left to right stand a third, the second, the first, the other third.
    assert sorted(range(4), key=lambda step: places[step]["left"]) == [3, 1, 0, 2]


def test_a_watcher_sees_the_podium_without_a_rematch(server: Server, open_as: Open) -> None:
    play(server, ["Ben"], target=10)
    page = open_as(Role.VIEWER)
    page.goto(f"{server.url}/scores")
    expect(page.locator("#after .step-1")).to_contain_text("Ben")
    expect(page.locator("[data-act=rematch]")).to_have_count(0)


def test_streaks_and_head_to_head_count_all_matches(server: Server, open_as: Open) -> None:
    for winner in ("Cy", "Ann", "Ann"):
        play(server, [winner], target=10)
    page = open_as(Role.VIEWER)
    page.goto(f"{server.url}/scores")
    expect(page.locator(".leader[data-player=Ann]")).to_contain_text("2 matches in a row")
    expect(page.locator(".leader[data-player=Cy]")).not_to_contain_text("in a row")
    expect(page.locator("#versus [data-player=Ann] [data-against=Cy]")).to_have_text("2 : 1")
    expect(page.locator("#versus [data-player=Ben] [data-against=Cy]")).to_have_text("0 : 1")


def test_the_score_sheet_prints_names_and_rounds_and_nothing_to_tap(server: Server, open_as: Open) -> None:
    play(server, ["Ben", "Cy"])
    page = open_as(Role.HOST)
    page.goto(f"{server.url}/scores")
    expect(page.locator("#rounds tbody tr")).to_have_count(2)
    page.emulate_media(media="print")
    expect(page.locator("#printed")).to_contain_text("Ann, Ben, Cy")
    expect(page.locator("#rounds")).to_be_visible()
    for part in (".bar", "#next-round", "#print", "#past", "#fame", "#chart"):
        expect(page.locator(part)).to_be_hidden()


@pytest.mark.parametrize("size", [{"width": 1280, "height": 800}, {"width": 390, "height": 844}])
def test_a_match_is_looked_back_on_move_by_move(size: dict[str, int], server: Server, open_as: Open) -> None:
    play(server, ["Ben"])
    server.services.table.tap(moves.Start(Card.parse("green 3")))
    page = open_as(Role.VIEWER, viewport=size)
    page.goto(f"{server.url}/scores")
    page.get_by_role("link", name="Look back").click()
    page.wait_for_url("**/replay?match=*")
    expect(page.locator("#top .card")).to_have_attribute("aria-label", "red 5")
    expect(page.locator(".seat")).to_have_count(3)
    expect(page.locator(".slider-track i")).to_have_text(["round 1", "round 2"])
    page.click("#on")
    expect(page.locator('[data-player="Ben"] .seat-count')).to_contain_text("0")
    expect(page.locator("#caption")).to_contain_text("Ben")
    page.locator("#moment").press("End")
    expect(page.locator("#top .card")).to_have_attribute("aria-label", "green 3")
    expect(page.locator("output")).to_have_text("5 / 5")
    expect(page.locator("#seen")).to_contain_text("no picture")
    # The way through lies in view.
    box = page.locator("#moment").bounding_box()
    assert box is not None
    assert box["y"] + box["height"] <= size["height"]
    # From the end it plays again from the start, by itself.
    page.evaluate(
        """() => {
          window.shown = [];
          const output = document.querySelector('output');
          const note = () => window.shown.push([output.textContent, document.querySelector('#top .card').ariaLabel]);
          new MutationObserver(note).observe(document.querySelector('main'), {
            childList: true, subtree: true, characterData: true });
        }"""
    )
    page.click("#play")
    page.wait_for_function("() => window.shown.some(([place]) => place === '2 / 5')")
    assert page.evaluate("window.shown[0]") == ["1 / 5", "red 5"]


def test_looking_back_keeps_the_cards_of_its_own_edition(server: Server, open_as: Open) -> None:
    past = play(server, ["Ben"])
    karts = EDITIONS[EditionName.MARIO_KART]
    server.services.start(Header(karts, PLAYERS, 2, karts.options))
    server.services.table.tap(moves.Start(Card.parse("red 5")))
    page = open_as(Role.VIEWER)
    page.goto(f"{server.url}/replay?match={past}")
    expect(page.locator("#top .card")).to_have_attribute("aria-label", "red 5")
    page.click("#speak")
    server.services.table.tap(moves.Play(Card.parse("red skip")))
    page.wait_for_function("() => window.spoken.includes('Ben is skipped.')")
    page.click("#on")
    page.locator("#moment").press("Home")
    # A card of the karts has an item in its corner.
    assert page.locator('#top .card circle[cx="81"]').count() == 0


def test_a_match_that_is_gone_says_so(server: Server, open_as: Open) -> None:
    page = open_as(Role.VIEWER)
    page.goto(f"{server.url}/replay?match=nothing")
    expect(page.locator("#caption")).to_have_text("There is nothing to look back on.")
    # No empty table stands there, and a way leads to the matches.
    expect(page.locator(".felt")).to_be_hidden()
    page.click("#slider a")
    page.wait_for_url("**/scores")
