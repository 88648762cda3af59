"""The pages themselves, put into their common frame, and what they load: files of one folder, and nothing besides."""

from __future__ import annotations

import mimetypes
from collections.abc import Callable
from pathlib import Path

from flask import Blueprint, abort, render_template, send_from_directory
from werkzeug.wrappers import Response as AnyResponse

from companion.server.assets import Assets

PAGES = {
    "/": "setup",
    "/table": "table",
    "/player": "player",
    "/scores": "scores",
    "/scan": "scan",
    "/camera": "camera",
    "/deck": "deck",
    "/join": "join",
    "/trust": "trust",
}
"""Where each page is found, and the name of its template and of its script."""

_SUFFIXES = frozenset({".js", ".css", ".json", ".svg", ".png", ".webp", ".webmanifest", ".txt"})
# As long as browsers keep anything: a changed file has another address.
_FOREVER = "public, max-age=31536000, immutable"
mimetypes.add_type("text/javascript", ".js")
mimetypes.add_type("application/manifest+json", ".webmanifest")


def web_folder() -> Path:
    """Return the pages' folder, inside the package in an installation, beside it in a checkout."""
    installed = Path(__file__).resolve().parents[2] / "web"
    return installed if installed.is_dir() else Path(__file__).resolve().parents[3] / "web"


def blueprint() -> Blueprint:
    """Return the routes of all pages and files."""
    folder = web_folder()
    assets = Assets(folder)
    found = Blueprint("pages", __name__, template_folder=str(folder))
    for path, name in PAGES.items():
        found.add_url_rule(path, name, _page(name, assets), methods=["GET"])

    @found.get("/web/<path:name>")
    def file(name: str) -> AnyResponse:
        if Path(name).suffix not in _SUFFIXES:
            abort(404)
        response = send_from_directory(folder, name)
        response.headers["Cache-Control"] = "no-cache"
        return response

    @found.get("/web/v/<version>/<path:name>")
    def kept(version: str, name: str) -> AnyResponse:
        response = file(name)
        # An address with another version is a page's that was open before: what it gets is not what it is called.
        if assets.is_current(version):
            response.headers["Cache-Control"] = _FOREVER
        return response

    return found


def _page(name: str, assets: Assets) -> Callable[[], str]:
    def page() -> str:
        files = f"/web/v/{assets.version()}"
        return render_template(f"{name}.html", page=name, files=files, scripts=assets.scripts(f"js/{name}.js"))

    return page
