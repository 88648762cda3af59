"""Rules of all pages: texts, reachability, accessibility, no requests to the internet."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from browsing import Open, Server, at_rest
from playwright.sync_api import Page

from companion.cards import ALL_CARDS, Card, EditionName
from companion.editions import EDITIONS
from companion.referee import moves
from companion.referee.state import Header
from companion.server.access.guests import Role
from companion.server.api.pages import PAGES, web_folder

AXE = Path(__file__).parent / "vendor" / "axe.min.js"
WORDS: dict[str, dict[str, str]] = {
    language: json.loads((web_folder() / "i18n" / f"{language}.json").read_text("utf-8"))
    for language in ("en", "de", "fr", "es")
}


@pytest.mark.parametrize("language", ["de", "fr", "es"])
def test_every_word_is_there_in_every_language(language: str) -> None:
    assert WORDS[language].keys() == WORDS["en"].keys()
    for key, text in WORDS["en"].items():
        assert text
        assert WORDS[language][key]
        assert sorted(re.findall(r"\{\w+\}", WORDS[language][key])) == sorted(re.findall(r"\{\w+\}", text)), key


def test_every_word_that_a_page_uses_is_there() -> None:
    sources = "".join(path.read_text("utf-8") for path in [*web_folder().glob("*.html"), *web_folder().glob("js/*.js")])
    used = set(re.findall(r"""\bt\("([^"]+)\"""", sources)) | set(re.findall(r'data-t="([^"]+)"', sources))
    used |= set(re.findall(r"{% block title %}([^{]+){%", sources))
    have = WORDS["en"].keys()
    assert {key for key in used if key not in have and f"{key}.one" not in have} == set()


def test_no_script_leaves_a_type_open() -> None:
    """The compiler refuses what has no type by itself (`strict`); this refuses to say that there is none."""
    annotation = re.compile(r"@(?:type|param|returns|typedef)\s+\{.*?\bany\b.*?\}(?=\s|\])")
    scripts = [path for pattern in ("*.js", "*.d.ts") for path in (web_folder() / "js").glob(pattern)]
    found = [f"{path.name}: {line}" for path in scripts for line in annotation.findall(path.read_text("utf-8"))]
    found += [path.name for path in scripts if re.search(r"[:<,|] ?any\b[;>,)\]\[ ]", path.read_text("utf-8"))]
    assert found == []
    assert json.loads((web_folder() / "jsconfig.json").read_text("utf-8"))["compilerOptions"]["strict"] is True


def test_what_the_referee_names_has_a_word() -> None:
    have = WORDS["en"]
    names = {f"item.{mark}" for mark in EDITIONS[EditionName.MARIO_KART].marks}
    names |= {f"card.{card.face.value}" for card in ALL_CARDS if not card.face.is_number}
    assert names <= have.keys()


def test_pages_load_nothing_from_elsewhere_and_run_no_script_of_their_own() -> None:
    for page in web_folder().glob("*.html"):
        text = page.read_text("utf-8")
        assert not re.search(r"""(src|href)=["'](https?:)?//""", text)
        assert not re.search(r"<script(?![^>]* src=)|\son\w+=|\sstyle=", text)


@pytest.fixture
def playing(server: Server) -> Server:
    edition = EDITIONS[EditionName.MARIO_KART]
    server.services.start(Header(edition, ("Ann", "Ben", "Cy"), 2, edition.options))
    for card in ("red 5", "red 7", "red reverse"):
        move = moves.Start if card == "red 5" else moves.Play
        server.services.table.tap(move(Card.parse(card)))
    return server


def faults(page: Page, *rules: str, impacts: tuple[str, ...] = ("serious", "critical")) -> list[str]:
    """Return the accessibility faults of the page as it is, by all rules or these, of these impacts."""
    # The policy of the pages keeps added scripts out; one evaluated by the browser's own tools is no page's script.
    at_rest(page)  # what fades in is pale for a moment
    page.evaluate(AXE.read_text("utf-8"))
    wanted = {"resultTypes": ["violations"], **({"runOnly": list(rules)} if rules else {})}
    found: Any = page.evaluate("(wanted) => axe.run(document, wanted)", wanted)
    return [
        f"{fault['id']}: {node['html'][:160]} {node.get('failureSummary', '')}"
        for fault in found["violations"]
        if fault["impact"] in impacts
        for node in fault["nodes"]
    ]


NO_HEADING_IS_EMPTY = (
    "() => ![...document.querySelectorAll('h1, h2, h3')].some((one) => one.offsetParent && !one.innerText.trim())"
)


@pytest.mark.parametrize("width", [390, 1024, 1920])
def test_no_page_has_an_accessibility_fault(width: int, playing: Server, open_as: Open) -> None:
    page = open_as(Role.HOST, viewport={"width": width, "height": 844 if width < 400 else width * 9 // 16})
    for path in PAGES:
        page.emulate_media(color_scheme="light")
        page.goto(f"{playing.url}{path}")
        page.wait_for_selector("body.ready")
        if path in ("/table", "/player"):
            page.wait_for_selector("#actions button")
        page.wait_for_function(NO_HEADING_IS_EMPTY)  # some wait for the first view
        assert faults(page, impacts=("minor", "moderate", "serious", "critical")) == [], path
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, path
        # The rest is the same in the dark.
        page.emulate_media(color_scheme="dark")
        assert faults(page, "color-contrast") == [], path


def test_dialogs_have_no_serious_accessibility_fault(playing: Server, open_as: Open) -> None:
    page = open_as(Role.HOST)
    for opener in (".line >> nth=0", "#amend", "#invite", "#settings"):
        page.click(".line >> nth=0" if opener == "#amend" else opener)
        if opener == "#amend":
            page.click(opener)
        page.wait_for_selector("dialog[open]")
        assert faults(page) == [], opener
        page.keyboard.press("Escape")
        page.wait_for_selector("dialog", state="detached")


def test_a_card_can_be_played_by_keyboard_alone(playing: Server, open_as: Open) -> None:
    page = open_as(Role.HOST)
    page.focus('#palette [data-card="red 2"]')
    page.keyboard.press("Enter")
    page.wait_for_selector('#top .card[aria-label="red 2"]')


def test_no_request_leaves_the_host(playing: Server, open_as: Open) -> None:
    page = open_as(Role.HOST)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    failed: list[str] = []
    page.on("pageerror", lambda error: failed.append(str(error)))
    for path in PAGES:
        page.goto(f"{playing.url}{path}")
        page.wait_for_selector("body.ready")
    assert {urlsplit(url).hostname for url in asked if not url.startswith(("data:", "blob:"))} == {"127.0.0.1"}
    assert failed == []


def test_no_page_is_wider_than_its_screen(playing: Server, open_as: Open) -> None:
    page = open_as(Role.HOST)
    page.evaluate("localStorage.setItem('language', 'de')")  # the longest words
    for path in PAGES:
        page.goto(f"{playing.url}{path}")
        page.wait_for_selector("body.ready")
        for width in (360, 820, 1366):
            page.set_viewport_size({"width": width, "height": 800})
            assert page.evaluate("document.documentElement.scrollWidth") <= width, (path, width)


@pytest.mark.parametrize("width", [390, 1366])
def test_odd_names_stay_text_and_fit(width: int, server: Server, open_as: Open) -> None:
    names = ("<img src=x onerror=alert(1)>"[:24], "</script><b>Ben", "W" * 24, "{count}", "Zoë 🙂", "Fay", "Gus", "Hal")
    edition = EDITIONS[EditionName.MARIO_KART]
    server.services.start(Header(edition, names, 0, edition.options))
    server.services.table.tap(moves.Start(Card.parse("red 5")))
    page = open_as(Role.HOST, viewport={"width": width, "height": 844})
    failed: list[str] = []
    page.on("pageerror", lambda error: failed.append(str(error)))
    page.on("dialog", lambda dialog: failed.append(dialog.message))
    for path in ("/table", "/scores", "/scan", "/"):
        page.goto(f"{server.url}{path}")
        page.wait_for_selector("body.ready")
        if path == "/table":
            page.wait_for_selector(".seat")
            assert page.locator(".seat-name").all_text_contents() == list(names)
        if path == "/scores":
            page.wait_for_selector("#past .link")
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path
        assert page.locator("main b, main img[src=x]").count() == 0
    assert failed == []


def test_the_pages_can_be_installed() -> None:
    manifest = json.loads((web_folder() / "app.webmanifest").read_text("utf-8"))
    for icon in manifest["icons"]:
        assert (web_folder() / icon["src"].removeprefix("/web/")).is_file()
