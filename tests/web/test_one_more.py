"""A further edition, option and language appear on every page that lists them, without a change of the pages."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, expect

TESTS = Path(__file__).resolve().parents[1]


@pytest.fixture
def invitation(tmp_path: Path) -> Iterator[str]:
    """The address that lets a host in to a server of its own process, which has one more of each."""
    with subprocess.Popen(
        [sys.executable, str(TESTS / "web" / "serve_one_more.py"), str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(TESTS)},
    ) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.terminate()


def test_one_more_of_each_is_on_every_page(invitation: str, device: Callable[..., BrowserContext]) -> None:
    page = device().new_page()
    page.goto(invitation)
    page.wait_for_url("**/table")
    url = invitation.split("/join")[0]

    page.goto(f"{url}/")
    page.get_by_text("Zoo", exact=True).click()
    expect(page.locator("[name=edition][value=zoo]")).to_be_checked()
    page.click("#rules-fold > summary")
    page.check("#option-last_lap")
    page.click("#table-fold > summary")
    page.select_option("#language", label="Latine")
    for seat, player in enumerate(("Ann", "Ben")):
        page.locator(".players input").nth(seat).fill(player)
    page.click("#start")
    page.wait_for_url("**/table")

    # Its deck lies on the palette, its option is in force, and the language is listed among the settings.
    expect(page.locator('#palette [data-card="red 5"]')).to_be_visible()
    expect(page.locator('#palette [data-card^="wild draw four"]')).to_have_count(0)
    view = page.evaluate("async () => await (await fetch('/api/view')).json()")
    assert (view["match"]["edition"], view["match"]["options"]["last_lap"], view["language"]) == ("zoo", True, "la")
    page.click("#settings")
    expect(page.locator("dialog #spoken")).to_have_value("la")
    assert page.locator("dialog option[value=la]").count() == 2

    page.goto(f"{url}/deck")
    expect(page.locator("#edition option[value=zoo]")).to_have_text("Zoo")
    page.goto(f"{url}/scan?player=Ben")
    page.click("#add-card")
    expect(page.locator('dialog [data-card="wild"]')).to_be_visible()
    expect(page.locator('dialog [data-card="wild draw four"]')).to_have_count(0)
