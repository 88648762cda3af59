"""MkDocs hooks: generate the tables of the HTTP API and of the rule options from the code."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from companion.caller import Caller
from companion.caller.options import OPTION_SENTENCES, OPTION_TITLES
from companion.editions import OPTIONS, Options
from companion.editions.edition import STANDARD
from companion.editions.library import shipped
from companion.server.api.openapi import document
from companion.server.app import APIS


def api_tables() -> str:
    """Return one table of operations per module of routes, titled by the first part of its first path."""
    return "\n\n".join(_operations(document(api, "0")["paths"]) for api in APIS)


def _operations(paths: dict[str, dict[str, Any]]) -> str:
    rows = [
        f"| `{method.upper()} {path}` | {operation.get('x-role', 'none')} | {operation['summary']} |"
        for path, operations in paths.items()
        for method, operation in operations.items()
    ]
    title = next(iter(paths)).split("/")[2].capitalize()
    return "\n".join([f"### {title}", "", "| request | role needed | what it does |", "| --- | --- | --- |", *rows])


def options_table() -> str:
    """Return the table of rule options with their defaults."""

    def rows() -> Iterator[str]:
        for name in OPTIONS:
            shown = str(Options().plain(name)).lower()
            yield f"| {OPTION_TITLES[name]} | `{name}` | `{shown}` | {OPTION_SENTENCES[name]} |"

    return "\n".join(["| rule | option | default | meaning |", "| --- | --- | --- | --- |", *rows()])


def editions_table() -> str:
    """Return the table of editions that ship: special cards and what they do, how far it was checked, sources."""
    caller = Caller()

    def rows() -> Iterator[str]:
        for edition in shipped().values():
            special = [rules for face, rules in edition.faces.items() if face not in STANDARD]
            cards = "; ".join(
                f"**{caller.face(rules.face, edition)}**: {caller.describe_face(rules, edition, edition.options)}"
                for rules in special
            )
            sources = ", ".join(edition.sources)
            title = caller.edition_title(edition)
            yield f"| {title} | `{edition.id}` | {cards} | {edition.checked.value} | {sources} |"

    return "\n".join(
        ["| edition | ID | special cards | checked | sources |", "| --- | --- | --- | --- | --- |", *rows()]
    )


GENERATED: dict[str, Callable[[], str]] = {
    "<!-- generated: api -->": api_tables,
    "<!-- generated: options -->": options_table,
    "<!-- generated: editions -->": editions_table,
}
"""Marker in a page -> what replaces it."""


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Replace the markers of a page; called by MkDocs."""
    for marker, make in GENERATED.items():
        if marker in markdown:
            markdown = markdown.replace(marker, make())
    return markdown
