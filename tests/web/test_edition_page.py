"""The page of editions: from nothing to a running match with a deck that was not there before."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from browsing import PATIENCE_MS, Open, Server, downloads, lay
from playwright.sync_api import BrowserContext, Page, Route, expect
from test_house_rules import faults

from companion.cards import Card, EditionName
from companion.decks.storage.deck_file import LearntDeck
from companion.editions import EDITIONS
from companion.editions.library import shipped
from companion.referee import moves
from companion.server.access.guests import Role
from companion.server.routes import lab

ZOO = """format = 1
id = "zoo"
name = { en = "Zoo", de = "Tiergarten" }
[deck]
"wild lion" = 4
[faces."wild lion"]
name = { en = "Lion" }
text = { en = "Roar." }
when_played = [{ target = "others" }, { dare = true, who = "chosen", no = [{ draw = 3, who = "asked" }] }]
"""


def begin(page: Page, server: Server, name: str = "Zoo") -> None:
    """Open the form for a deck of this name."""
    page.goto(f"{server.url}/edition")
    page.click("#make")
    page.fill("#edition-name", name)


def say(page: Page, place: int, **parts: str) -> None:
    """Choose the parts of a sentence of the only special card."""
    for part, value in parts.items():
        page.locator(f'.rule-step[data-path$="when_played[{place}]"] [id$=".{part}"]').first.select_option(value)


def test_a_deck_is_made_from_nothing_and_played(server: Server, open_as: Open) -> None:
    page = open_as(Role.HOST, page="")
    page.click("#own-edition")
    page.click("#make")
    page.fill("#edition-name", "Zoo")
    page.click("#add-special")
    page.fill("[id^=face-name-]", "Lion")
    page.keyboard.press("Tab")
    expect(page.locator("[data-key='face-wild lion']")).to_be_visible()
    # "Who plays it chooses a player", "The player chosen draws until a green card comes".
    say(page, 0, verb="target")
    say(page, 1, verb="draw_until")
    say(page, 1, who="chosen", filter='{"color":"green"}')
    # What the referee says of it comes from the referee.
    expect(page.locator("#examples .described")).to_contain_text("draw until a card (green) comes")
    expect(page.locator("#examples .said").first).to_contain_text("who")
    expect(page.locator("#turns-played li").nth(9)).to_be_visible()
    before = page.locator("#turns-played").inner_text()
    page.click("#play-through")
    page.wait_for_function("(before) => document.querySelector('#turns-played').innerText !== before", arg=before)
    page.fill("[id='count-wild lion']", "6")
    page.keyboard.press("Tab")
    page.click("#save")
    expect(page.locator("#saved")).to_contain_text("Zoo can now be chosen for a match.")
    assert server.services.editions["zoo"].size == 114
    page.click("#play-own")
    expect(page.locator('[name=edition][value="zoo"]')).to_be_checked()
    for seat, player in enumerate(("Ann", "Ben", "Cy"), 1):
        if seat > 2:
            page.click("#add-player")
        page.fill(f".players li:nth-child({seat}) input", player)
    page.click("#start")
    page.wait_for_url("**/table")
    lay(page, "red 5")
    expect(page.locator(".seat.turn")).to_have_attribute("data-player", "Ann")
    lay(page, "wild lion")
    page.click('[data-act="target-Cy"]')
    expect(page.locator("[data-ask=draw_until] h2")).to_contain_text("Cy, draw until you have a card (green).")
    page.click('[data-act="number-3"]')
    expect(page.locator("#caption")).to_contain_text("Cy draws three")
    expect(page.locator("#history")).to_contain_text("Lion")
    # The colour is still open: whoever played the card chooses it at the end.
    page.click('[data-act="color-blue"]')
    expect(page.locator(".seat.turn")).to_have_attribute("data-player", "Ben")
    assert server.services.table.match_id is not None
    stored = server.services.store.load(server.services.table.match_id)
    assert stored.header.edition.id == "zoo"


def test_a_sentence_is_chosen_by_keyboard(server: Server, open_as: Open) -> None:
    page = open_as(Role.HOST)
    begin(page, server)
    page.focus("#add-special")
    page.keyboard.press("Enter")
    verb = page.locator("[id='faces.wild new card.when_played[1].verb']")
    verb.focus()
    page.keyboard.press("Home")
    expect(verb).to_have_value("draw")
    # The list is drawn again with its sentence, and keeps the focus.
    expect(verb).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.locator("[id='faces.wild new card.when_played[1].amount']")).to_be_focused()
    page.keyboard.press("5")
    expect(page.locator("#examples .described")).to_contain_text("draw five cards")


def test_what_is_wrong_is_named_by_line_and_key(server: Server, open_as: Open) -> None:
    page = open_as(Role.HOST)
    begin(page, server)
    page.click("#add-special")
    say(page, 1, verb="draw")
    say(page, 1, who="chosen")
    expect(page.locator("#faults")).to_contain_text("faces.wild new card.when_played[1].who")
    expect(page.locator(".rule-step.faulty")).to_have_count(1)
    expect(page.locator("#save")).to_be_disabled()
    say(page, 0, verb="target")
    expect(page.locator("#faults")).to_be_empty()
    expect(page.locator(".rule-step.faulty")).to_have_count(0)
    expect(page.locator("#save")).to_be_enabled()


def test_a_file_is_edited_by_hand_and_its_faults_lead_to_their_lines(server: Server, open_as: Open) -> None:
    page = open_as(Role.HOST)
    begin(page, server)
    page.click("#file-fold > summary")
    with page.expect_response("**/api/editions/draft"):  # what is on the way does not write over the text
        page.fill("#edition-name", "Zoo 2")
        page.fill("#file", ZOO.replace("others", "nobody"))
        page.click("#check-file")
    fault = page.locator("#file-faults button")
    expect(fault).to_contain_text("line 9 · faces.wild lion.when_played[0].target · must be one of others, all")
    fault.click()
    selected = page.evaluate(
        "() => { const field = document.querySelector('#file');"
        " return field.value.slice(field.selectionStart, field.selectionEnd); }"
    )
    assert selected.startswith("when_played")
    page.fill("#file", ZOO)
    page.click("#check-file")
    expect(page.locator("#edition-name")).to_have_value("Zoo")
    expect(page.locator("[data-key='face-wild lion'] .rule-step")).to_have_count(3)
    # A nested sentence is part of the form, too.
    page.locator("[id='faces.wild lion.when_played[1].no[0].amount']").select_option("4")
    page.click("#save")
    expect(page.locator("#saved")).to_contain_text("Zoo can now be chosen")
    kept = server.services.editions["zoo"].definition
    assert kept["faces"]["wild lion"]["when_played"][1]["no"] == [{"draw": 4, "who": "asked"}]
    assert kept["name"] == {"en": "Zoo", "de": "Tiergarten"}


def test_a_file_is_imported_and_one_of_the_same_name_replaced_after_a_question(
    server: Server, open_as: Open, tmp_path: Path
) -> None:
    path = tmp_path / "zoo.toml"
    path.write_text(ZOO, "utf-8")
    page = open_as(Role.HOST)
    page.goto(f"{server.url}/edition")
    for copies in (4, 7):
        path.write_text(ZOO.replace('"wild lion" = 4', f'"wild lion" = {copies}'), "utf-8")
        page.set_input_files("#import-file", path)
        expect(page.locator("[id='count-wild lion']")).to_have_value(str(copies))
        page.click("#save")
        if copies == 7:
            page.click("dialog .primary")
        expect(page.locator("#saved")).to_contain_text("Zoo can now be chosen")
    assert server.services.editions["zoo"].size == 115
    page.click("#remove-zoo")
    page.click("dialog .primary")
    expect(page.locator("[data-key=zoo]")).to_have_count(0)
    assert "zoo" not in server.services.editions


@downloads
def test_a_draft_is_downloaded_as_a_file_that_can_be_imported(server: Server, open_as: Open) -> None:
    page = open_as(Role.PLAYER, None, "table")
    begin(page, server, "Aquarium")
    page.click("#add-special")
    expect(page.locator("#examples .example")).to_have_count(1)
    with page.expect_download() as waiting:
        page.click("#export")
    assert waiting.value.suggested_filename == "aquarium.toml"
    edition = server.services.editions.add(Path(waiting.value.path()).read_bytes(), "aquarium.toml")
    assert edition.names == {"en": "Aquarium"}


def test_a_deck_is_shared_as_a_code(server: Server, open_as: Open, device: Callable[..., BrowserContext]) -> None:
    page = open_as(Role.HOST)
    page.goto(f"{server.url}/edition")
    page.click("#share-zelda")
    expect(page.locator("dialog")).to_contain_text("The code holds the whole file")
    page.keyboard.press("Escape")
    page.click("#share-no-mercy")
    link = page.locator("dialog .break")
    expect(link).to_contain_text("/join#t=")
    guest = device().new_page()
    guest.goto(link.inner_text())
    guest.wait_for_url("**/edition?show=no-mercy")
    expect(guest.locator("dialog")).to_contain_text("Draw Ten")
    expect(guest.locator("dialog a[download]")).to_have_attribute("href", "/api/editions/no-mercy/file")


def test_the_gallery_says_how_far_each_deck_can_be_trusted(server: Server, open_as: Open) -> None:
    page = open_as(Role.VIEWER)
    page.goto(f"{server.url}/edition")
    expect(page.locator("#gallery > li")).to_have_count(len(shipped()))
    expect(page.locator("[data-key=zelda] .checked")).to_have_text("As 2 web pages report it; compare with your sheet.")
    expect(page.locator("[data-key=lightyear] .checked")).to_contain_text("Unchecked")
    expect(page.locator("[data-key=classic] .checked")).to_have_text("Compared with the printed rules sheet.")
    # Who only watches makes and plays none.
    expect(page.locator("#make, [id^=share-], [id^=edit-]")).to_have_count(0)
    page.fill("#find-deck", "triforce")
    expect(page.locator("#gallery > li")).to_have_count(1)
    page.click("#show-zelda")
    expect(page.locator("dialog")).to_contain_text("The next player plays")


def test_a_file_in_the_folder_that_cannot_be_read_is_named(server: Server, open_as: Open) -> None:
    folder = server.services.editions.folder
    assert folder is not None
    folder.mkdir()
    (folder / "zoo.toml").write_text(ZOO.replace("others", "nobody"), "utf-8")
    page = open_as(Role.HOST)
    page.goto(f"{server.url}/edition")
    expect(page.locator("#unread")).to_contain_text("zoo.toml:9: faces.wild lion.when_played[0].target")
    expect(page.locator("[data-key=zoo]")).to_have_count(0)


def test_a_deck_that_ships_is_changed_as_a_copy(server: Server, open_as: Open) -> None:
    page = open_as(Role.HOST)
    page.goto(f"{server.url}/edition")
    page.click("#edit-zelda")
    expect(page.locator("[data-key='face-wild triforce'] .rule-step")).to_have_count(2)
    page.click("#save")
    expect(page.locator("#saved")).to_be_visible()
    copy = server.services.editions["zelda-own"]
    assert copy.checked.value == "own"
    assert not server.services.editions.is_own("zelda")
    page.click("#edit-mario-kart")
    expect(page.locator("#edition-base")).to_have_value("mario-kart")


def test_the_form_has_no_accessibility_fault_and_fits_every_width(server: Server, open_as: Open) -> None:
    page = open_as(Role.HOST)
    for language in ("en", "de", "es", "fr"):
        page.evaluate("(language) => localStorage.setItem('language', language)", language)
        for width in (1280, 390):
            page.set_viewport_size({"width": width, "height": 844})
            begin(page, server)
            page.click("#add-special")
            for verb in ("demand", "shed", "reveal"):
                say(page, 1, verb=verb)
            expect(page.locator("#examples .example")).to_have_count(1)
            for fold in ("counts", "marks", "deck-rules", "file"):
                page.click(f"#{fold}-fold > summary")
            assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, (language, width)
            # No word is missing in the language.
            shown = page.locator("main").inner_text()
            assert "edition." not in shown.replace("edition.toml", ""), language
            assert "verb." not in page.locator("#draft").inner_html(), language
        if language == "en":
            assert faults(page, impacts=("minor", "moderate", "serious", "critical")) == []


def test_the_laboratory_reports_what_the_chosen_rules_do(
    server: Server, open_as: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lab, "MOST_SECONDS", 8 * PATIENCE_MS / 1000)  # on a busy machine they take their time
    page = open_as(Role.HOST)

    def fewer(route: Route) -> None:
        asked = route.request.post_data_json
        route.continue_(post_data={**asked, "rounds": 200} if route.request.method == "POST" else None)

    page.route("**/api/lab", fewer)
    page.goto(f"{server.url}/?edition=zelda")
    page.click("#house-fold > summary")
    page.check("#option-draw_until_playable")
    page.click("#lab-fold > summary")
    page.evaluate(
        """() => new MutationObserver(() => {
          window.progress ||= document.querySelector('#lab-found progress') !== null;
        }).observe(document.querySelector('#lab-found'), { childList: true, subtree: true })"""
    )
    page.click("#lab-begin")
    # The rounds are played with low priority.
    page.wait_for_function("() => window.progress", timeout=8 * PATIENCE_MS)
    expect(page.locator("#lab-found")).to_contain_text("Triforce")
    expect(page.locator("#lab-found .lab-plot rect")).to_have_count(14)
    # The rounds end by themselves.
    expect(page.locator("#lab-found progress")).to_have_count(0, timeout=8 * PATIENCE_MS)
    found = server.services.laboratory.stand.report
    assert found is not None
    assert found.rounds == 200
    expect(page.locator("#lab-found [data-key='lab.rounds'] dd")).to_have_text("200")
    # The rule that was chosen makes people draw far more than the three in ten turns of the printed rules.
    assert found.drawn["turn"] > 30


def test_a_special_card_is_drawn_as_its_learnt_deck_shows_it(playing: Server, open_as: Open) -> None:
    pictures = (np.full((480, 320, 3), 200, np.uint8),)
    box = Card.parse("wild item box")
    playing.services.decks.save(LearntDeck("Ours", EDITIONS[EditionName.MARIO_KART], (box,), pictures))
    playing.services.choose_deck("Ours")
    page = open_as(Role.VIEWER)
    expect(page.locator("#top .card")).to_be_visible()
    expect(page.locator("#top image")).to_have_count(0)
    playing.services.table.tap(moves.Play(box))
    picture = page.locator("#top image")
    expect(picture).to_be_attached()
    expect(page.locator("#top .card")).to_have_attribute("aria-label", "wild item box")
    answer = page.request.get(f"{playing.url}{picture.get_attribute('href')}")
    assert answer.headers["content-type"] == "image/jpeg"
