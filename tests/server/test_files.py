"""Static files are compressed, cached by the browser, and listed in the page."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest
from devices import Join
from flask.testing import FlaskClient

from companion.server.access.guests import Role
from companion.server.api.assets import Assets
from companion.server.api.pages import PAGES, web_folder

PACKED = {"Accept-Encoding": "gzip"}
# The largest first load of each page with all files it requests (compressed bytes). The table's budget is 160 kB.
BUDGETS = {
    "/": 150_000,
    "/table": 160_000,
    "/player": 150_000,
    "/scores": 260_000,
    "/scan": 140_000,
    "/camera": 120_000,
    "/join": 110_000,
}


def files(page: str) -> list[str]:
    """Return the addresses of what a page names: styles and scripts."""
    return re.findall(r'(?:href|src)="(/web/v/[^"]+)"', page)


def test_what_is_text_travels_compressed(client: FlaskClient) -> None:
    for path in ("/web/css/pages.css", "/web/js/dom.js", "/web/i18n/de.json"):
        plain, packed = client.get(path), client.get(path, headers=PACKED)
        assert plain.content_encoding is None
        assert packed.content_encoding == "gzip"
        assert gzip.decompress(packed.data) == plain.data
        assert len(packed.data) < len(plain.data) / 2
        assert "Accept-Encoding" in packed.vary
        # Asked again, what is the same is not sent again.
        again = client.get(path, headers={**PACKED, "If-None-Match": packed.headers["ETag"]})
        assert (again.status_code, again.data) == (304, b"")


def test_pictures_and_streams_are_sent_as_they_are(client: FlaskClient, join: Join) -> None:
    assert client.get("/web/icons/icon-192.png", headers=PACKED).content_encoding is None
    with join(Role.HOST).get("/api/events", headers=PACKED) as stream:
        assert stream.content_encoding is None


def test_an_address_with_a_version_may_be_kept(client: FlaskClient) -> None:
    named = files(client.get("/table").text)
    assert len(named) > 10
    for path in named:
        answer = client.get(path)
        assert answer.status_code == 200
        assert "immutable" in answer.headers["Cache-Control"]
    assert client.get("/web/js/table.js").headers["Cache-Control"] == "no-cache"
    assert client.get("/web/v/older/js/table.js").headers["Cache-Control"] == "no-cache"


def test_a_changed_file_has_another_address(tmp_path: Path) -> None:
    assets = Assets(tmp_path)
    (tmp_path / "one.js").write_text('import { two } from "./two.js";\nimport "./three.js";\n')
    (tmp_path / "two.js").write_text('export { three } from "./three.js";\nconst later = () => import("./four.js");\n')
    (tmp_path / "three.js").write_text("export const three = 3;\n")
    before = assets.version()
    assert assets.scripts("one.js") == ("one.js", "two.js", "three.js")
    (tmp_path / "two.js").write_text("export const two = 2;\n")
    assert assets.version() != before


@pytest.mark.parametrize("path", PAGES)
def test_all_that_a_page_needs_is_named_up_front(client: FlaskClient, path: str) -> None:
    page = client.get(path).text
    named = {one.split("/", 4)[4] for one in files(page)}
    scripts = Assets(web_folder()).scripts(f"js/{PAGES[path]}.js")
    assert set(scripts) < named


@pytest.mark.parametrize("path", BUDGETS)
def test_every_page_stays_within_its_budget(client: FlaskClient, join: Join, path: str) -> None:
    loaded = [path, *files(client.get(path).text), "/web/i18n/de.json", "/api/choices", "/api/view"]
    host = join(Role.HOST)
    assert sum(len(host.get(one, headers=PACKED).data) for one in loaded) < BUDGETS[path]
