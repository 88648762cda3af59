"""The pages themselves, put into their common frame, and what they load: files of one folder, and nothing besides."""

from __future__ import annotations

import mimetypes
from collections.abc import Callable
from pathlib import Path

from flask import Blueprint, abort, render_template, send_from_directory
from werkzeug.wrappers import Response as AnyResponse

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
mimetypes.add_type("text/javascript", ".js")
mimetypes.add_type("application/manifest+json", ".webmanifest")


def web_folder() -> Path:
    """Return the pages' folder, inside the package in an installation, beside it in a checkout."""
    installed = Path(__file__).resolve().parents[2] / "web"
    return installed if installed.is_dir() else Path(__file__).resolve().parents[3] / "web"


def blueprint() -> Blueprint:
    """Return the routes of all pages and files."""
    folder = web_folder()
    found = Blueprint("pages", __name__, template_folder=str(folder))
    for path, name in PAGES.items():
        found.add_url_rule(path, name, _page(name), methods=["GET"])

    @found.get("/web/<path:name>")
    def file(name: str) -> AnyResponse:
        if Path(name).suffix not in _SUFFIXES:
            abort(404)
        response = send_from_directory(folder, name)
        response.headers["Cache-Control"] = "no-cache"
        return response

    return found


def _page(name: str) -> Callable[[], str]:
    def page() -> str:
        return render_template(f"{name}.html", page=name)

    return page
