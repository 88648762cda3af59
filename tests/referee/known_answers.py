"""Reads known_answers.txt, house_rules.txt, programs.txt and departures.txt."""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from companion.referee.match import Match
from companion.referee.moves import Amend, Undo
from companion.referee.transcript import read_entry, read_header, write_effect, write_state

HERE = Path(__file__).parent
TABLES = [HERE / name for name in ("known_answers.txt", "house_rules.txt", "programs.txt", "departures.txt")]


@dataclass
class Line:
    move: dict[str, Any]
    effects: list[str] | None
    error: str | None
    state: dict[str, str]


@dataclass
class Case:
    title: str
    header: dict[str, Any]
    lines: list[Line] = field(default_factory=list)


def cases() -> list[Case]:
    found: list[Case] = []
    title = ""
    for text in (line for table in TABLES for line in table.read_text(encoding="utf-8").splitlines()):
        if text.startswith("== "):
            title = text[3:]
        elif text.startswith("match "):
            found.append(Case(title, header(text)))
        elif text and not text.startswith("#"):
            found[-1].lines.append(line(text))
    return found


def header(text: str) -> dict[str, Any]:
    _, edition, *players = text.split(" / ")[0].split()
    match: dict[str, Any] = {"edition": edition, "players": players, "options": {}}
    if (HERE / f"{edition}.toml").is_file():
        match["definition"] = tomllib.loads((HERE / f"{edition}.toml").read_text("utf-8"))
    for part in text.split(" / ")[1:]:
        name, value = part.split()
        if name in ("dealer", "profile"):
            match[name] = value
        else:
            match["options"][name] = json.loads(value) if re.fullmatch(r"true|false|\d+", value) else value
    return {"match": match}


def line(text: str) -> Line:
    said, _, expected = (text if " -> " in text else text.replace(" | ", " ->  | ", 1)).partition(" -> ")
    effects, _, state = expected.partition(" | ")
    effects = effects.strip()
    return Line(
        move(said.strip()),
        None if not effects or effects.startswith("!") else [] if effects == "-" else effects.split("; "),
        effects[2:] if effects.startswith("!") else None,
        {part.split(" ")[0]: part.partition(" ")[2] for part in state.strip().split("; ") if part},
    )


def move(text: str) -> dict[str, Any]:
    do, _, rest = text.partition(" ")
    if do == "amend":
        n, _, rest = rest.partition(" ")
        return {"do": do, "n": int(n), "move": move(rest)}
    made: dict[str, Any] = {"do": do}
    if rest.endswith("force"):
        made["force"] = not rest.endswith("noforce")
        rest = rest.removesuffix("force").removesuffix(" no").strip()
    if by := re.search(r"\b ?by (\w+)$", " " + rest):
        made["by"] = by[1]
        rest = rest[: -len(by[0])].strip() if len(by[0]) <= len(rest) else ""
    if do in ("start", "play", "flip") or (do == "pass" and rest):
        made["card"] = rest
    elif do == "rename":
        made["player"], made["name"] = rest.split()
    elif do == "retarget":
        made["points"] = int(rest)
    elif do == "color":
        made["color"] = rest
    elif do == "reveal" and rest in ("guilty", "innocent"):
        made["guilty"] = rest == "guilty"
    elif do == "reveal":
        made["cards"] = cards(rest)
    elif do == "hand" and rest.split()[-1].isdigit() and ":" not in rest:
        player, points = rest.split()
        made |= {"player": player, "points": int(points)}
    elif do == "hand":
        player, _, hand = rest.partition(": ")
        made |= {"player": player, "cards": cards(hand)}
    elif do == "took":
        made["cards"] = int(rest)
    elif do == "shed":
        made |= {"count": int(rest)} if rest.isdigit() else {"cards": cards(rest)}
    elif do == "outcome":
        made["yes"] = rest == "yes"
    elif do == "show":
        made["player"], _, made["card"] = rest.partition(" ")
    elif do == "count":
        player, number = rest.split()
        made |= {"player": player, "cards": int(number)}
    elif do == "join":
        name, *more = rest.split()
        made["player"] = name
        if more and more[-1].isdigit():
            made["score"] = int(more.pop())
        if more:
            made["after"] = more[1]
    elif rest:
        made["player"] = rest
    return made


def cards(text: str) -> list[str]:
    return [] if text == "-" else text.split(", ")


def start(case: Case) -> Match:
    return Match(read_header(case.header))


def take(match: Match, made: dict[str, Any]) -> tuple[Match, list[str]]:
    """Return the match after a line, and its effects in the table's words."""
    entry = read_entry(made, match.header.edition)
    if isinstance(entry, Undo):
        return match.undo(), []
    if isinstance(entry, Amend):
        return match.amend(entry.n, entry.move), []
    match = match.apply(entry)
    return match, [words(write_effect(effect)) for effect in match.history[-1].effects]


def words(effect: dict[str, object]) -> str:
    return " ".join(" ".join(value) if isinstance(value, list) else str(value) for value in effect.values())


def shown(match: Match) -> dict[str, str]:
    """Return the state in the table's words."""
    state = {"left": ""}  # as long as nobody has
    for name, value in write_state(match.state).items():
        if isinstance(value, dict) and name == "ask":
            value = f"{value['verb']} {value['why']}"
        if isinstance(value, dict):
            value = list(value.values())
        if isinstance(value, list):
            state[name] = " ".join(map(str, value))
        else:
            state[name] = "none" if value is None else str(value)
    return state
