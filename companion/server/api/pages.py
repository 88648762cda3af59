"""Serves the HTML pages, in their common frame, and the files of one folder."""

from __future__ import annotations

import mimetypes
from collections.abc import Callable
from pathlib import Path

from flask import Blueprint, abort, render_template, send_from_directory
from werkzeug.wrappers import Response as AnyResponse

from companion.server.api.assets import Assets

PAGES = {
    "/": "setup",
    "/table": "table",
    "/tv": "tv",
    "/player": "player",
    "/scores": "scores",
    "/scan": "scan",
    "/camera": "camera",
    "/replay": "replay",
    "/deck": "deck",
    "/edition": "edition",
    "/join": "join",
    "/trust": "trust",
    "/help": "help",
    "/broadcast": "broadcast",
}
"""Path of each page -> name of its template and script."""

_SUFFIXES = frozenset({".js", ".css", ".json", ".svg", ".png", ".webp", ".woff2", ".webmanifest", ".txt"})
# The longest time browsers cache; a changed file has another address.
_FOREVER = "public, max-age=31536000, immutable"
mimetypes.add_type("text/javascript", ".js")
mimetypes.add_type("application/manifest+json", ".webmanifest")
mimetypes.add_type("font/woff2", ".woff2")


def web_folder() -> Path:
    """Return the folder of the pages: inside the package when installed, beside it in a checkout."""
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
        # Another version belongs to a page that was open before an update: do not cache this file under its address.
        if assets.is_current(version):
            response.headers["Cache-Control"] = _FOREVER
        return response

    return found


def _page(name: str, assets: Assets) -> Callable[[], str]:
    def page() -> str:
        files = f"/web/v/{assets.version()}"
        return render_template(f"{name}.html", page=name, files=files, scripts=assets.scripts(f"js/{name}.js"))

    return page
