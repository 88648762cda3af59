"""Makes an edition from a definition: the values of its file, checked from end to end."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from companion.cards import COLORED_FACES, Card, Color, EditionName, Face
from companion.editions.definition.consistency import check_edition
from companion.editions.definition.faults import Faults, InvalidEditionError
from companion.editions.definition.steps import StepReader, Vocabulary
from companion.editions.definition.tables import LONGEST_NAME, LONGEST_TEXT, Table, text_fault, value_fault
from companion.editions.edition import (
    STANDARD,
    Answer,
    Checked,
    Choice,
    ColorRules,
    Edition,
    FaceRules,
    MarkRules,
    Start,
)
from companion.editions.options import OPTIONS, InvalidOptionError, Option, Options, choice_option
from companion.editions.program import Mark

MOST_BYTES = 64 * 1024
_DEEPEST = 8
_MOST_STEPS = 60
_MOST_COPIES = 40
_FEWEST_CARDS, _MOST_CARDS = 20, 300
_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
_NAME = re.compile(r"[a-z0-9]+([ '-][a-z0-9]+)*")
_OPTION = re.compile(r"[a-z0-9]+([_ '-][a-z0-9]+)*")
_COLOR = re.compile(r"[a-z]{1,20}")
_HEX = re.compile(r"#[0-9a-fA-F]{6}")
_RESERVED = frozenset({"turn", "challenge", "uno", "debt"})
_READABLE = STANDARD | {Face.WILD_ITEM_BOX, Face.WILD_CREEPER}
_PRINTED_IDS = frozenset(name.value for name in EditionName)
_KEYS = frozenset(
    [
        "format",
        "id",
        "based_on",
        "checked",
        "sources",
        "out_at",
        "out_points",
        "name",
        "options",
        "choices",
        "profiles",
        "colors",
        "deck",
        "faces",
        "marks",
    ]
)
_FACE_KEYS = frozenset(
    ["points", "name", "text", "colors", "reads_as", "start", "when_played", "when_drawn", "answers"]
)


def digest_of(definition: Mapping[str, Any]) -> str:
    """Return the SHA-256 of a definition: of its JSON with sorted keys, without white space, as UTF-8."""
    return hashlib.sha256(_canonical(definition)).hexdigest()


def _canonical(definition: Mapping[str, Any]) -> bytes:
    text = json.dumps(definition, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return text.encode("utf-8", "surrogatepass")


def parse_edition(definition: Mapping[str, Any], printed: Mapping[str, Edition], *, ships: bool = False) -> Edition:
    """Return the edition of this definition; raises InvalidEditionError with all faults found.

    printed: the printed editions that it may be based on. ships: it may have one of their IDs.
    """
    faults = Faults()
    value_fault(definition, (), faults, _DEEPEST)
    faults.check()
    if len(_canonical(definition)) > 2 * MOST_BYTES:
        faults.add((), f"is larger than {MOST_BYTES // 1024} KiB")
        faults.check()
    return _Parser(definition, printed, faults, ships).edition()


class _Parser:
    """Reads one definition."""

    def __init__(
        self, definition: Mapping[str, Any], printed: Mapping[str, Edition], faults: Faults, ships: bool
    ) -> None:
        self._definition = definition
        self._root = Table(definition, (), faults)
        self._faults = faults
        self._ships = ships
        self._printed = printed

    def edition(self) -> Edition:
        """Return the edition; raises InvalidEditionError."""
        root = self._root
        root.only(_KEYS)
        if "format" not in root:
            root.fault("format", "is missing")
        root.whole("format", 1, 1, 1)
        edition_id = self._id()
        base = self._base(edition_id)
        names = root.texts("name", LONGEST_NAME, required=True)
        self._colors = self._own_colors(base)
        choices = self._choices(base)
        self._options = {**OPTIONS, **{name: choice.option for name, choice in choices.items()}}
        own_faces = {
            name: Face.named(name) for name, table in root.tables("faces", 40) if self._is_face(name, table, base)
        }
        known = {**{face.value: face for face in STANDARD}, **self._known(base), **own_faces}
        marks = {name: rules.mark for name, rules in base.marks.items()} if base else {}
        reader = StepReader(Vocabulary(self._by_id(), known, {}, self._options), self._faults)
        marks |= self._own_marks(reader, known)
        reader = StepReader(Vocabulary(self._by_id(), known, marks, self._options), self._faults)
        faces = self._faces(reader, base)
        mark_rules = self._mark_rules(reader, marks, base)
        if reader.count > _MOST_STEPS:
            self._faults.add((), f"has more than {_MOST_STEPS} steps")
        copies = self._copies(base, known)
        faces = {face: rules for face, rules in faces.items() if face in STANDARD or copies.get(face.value)}
        deck = self._deck(copies, known, faces)
        options = self._own_options(base, choices)
        self._faults.check()
        edition = Edition(
            id=edition_id,
            base=base.base if base else EditionName(edition_id),
            definition=self._definition,
            digest=digest_of(self._definition),
            names=names,
            checked=root.one_of("checked", Checked) or Checked.UNCHECKED,
            sources=self._sources(),
            colors=MappingProxyType(self._colors),
            deck=MappingProxyType(deck),
            faces=MappingProxyType(faces),
            marks=MappingProxyType(mark_rules),
            options=options,
            choices=MappingProxyType(choices),
            profiles=MappingProxyType(self._profiles(base, options)),
            out_at=root.whole("out_at", 0, 200, base.out_at if base else 0),
            out_points=root.whole("out_points", 0, 500, base.out_points if base else 0),
        )
        check_edition(edition, root, self._faults)
        self._faults.check()
        if self._ships and base:
            # A printed edition based on another one is its own base for those based on it.
            edition = replace(edition, base=EditionName(edition_id)) if edition_id in _PRINTED_IDS else edition
        return edition

    def _id(self) -> str:
        name = self._root.text("id")
        if name is None:
            if "id" not in self._root:
                self._root.fault("id", "is missing")
            return ""
        if not _ID.fullmatch(name):
            self._root.fault("id", "must be 1 to 40 of a-z, 0-9 and -, not beginning with -")
        elif name in _PRINTED_IDS and not self._ships:
            self._root.fault("id", f"{name} is the ID of an edition that ships")
        return name

    def _base(self, edition_id: str) -> Edition | None:
        name = self._root.text("based_on")
        if edition_id == EditionName.CLASSIC.value and self._ships:
            if "based_on" in self._root:
                self._root.fault("based_on", "classic is based on nothing")
            return None
        if name is not None and name not in _PRINTED_IDS:
            self._root.fault("based_on", "must be one of " + ", ".join(sorted(_PRINTED_IDS)))
        return self._printed.get(name or EditionName.CLASSIC.value) or self._printed[EditionName.CLASSIC.value]

    def _known(self, base: Edition | None) -> dict[str, Face]:
        return {face.value: face for face in base.faces} if base else {}

    def _by_id(self) -> dict[str, Color]:
        return {color.value: color for color in self._colors}

    def _sources(self) -> tuple[str, ...]:
        found = self._root.list_of("sources", str, "text", 8)
        for place, text in enumerate(found):
            wrong = text_fault(text, LONGEST_TEXT)
            if wrong is not None:
                self._faults.add(("sources", place), wrong)
        return tuple(found)

    def _own_colors(self, base: Edition | None) -> dict[Color, ColorRules]:
        if "colors" not in self._root:
            return dict(base.colors) if base else {color: ColorRules(color, "", {}, color) for color in Color}
        found: dict[Color, ColorRules] = {}
        taken: set[Color] = set()
        table = self._root.table("colors")
        if not 2 <= len(table.values) <= 6:
            table.fault(None, "must be 2 to 6 colours")
            return dict(base.colors) if base else {}
        for name in table.values:
            each = table.table(name)
            each.only({"name", "hex", "reads_as"})
            if not _COLOR.fullmatch(name) or name in ("wild", "any"):
                table.fault(name, "must be 1 to 20 of a-z, and neither wild nor any")
                continue
            code = each.text("hex")
            if code is not None and not _HEX.fullmatch(code):
                each.fault("hex", "must be #rrggbb")
            reads_as = each.one_of("reads_as", Color)
            if reads_as in taken:
                each.fault("reads_as", "stands for another colour already")
            elif reads_as is not None:
                taken.add(reads_as)
            color = Color.named(name)
            found[color] = ColorRules(color, code or "#808080", each.texts("name", LONGEST_NAME), reads_as)
        return found

    def _choices(self, base: Edition | None) -> dict[str, Choice]:
        found = dict(base.choices) if base else {}
        for name, table in self._root.tables("choices", 8):
            table.only({"values", "text"})
            if not _OPTION.fullmatch(name) or len(name) > LONGEST_NAME:
                table.fault(None, "must be lower-case words")
            elif name in OPTIONS:
                table.fault(None, f"{name} is an option of every edition")
            else:
                values = self._values(table)
                if values:
                    found[name] = Choice(choice_option(name, values), table.texts("text", LONGEST_TEXT))
        return found

    def _values(self, table: Table) -> tuple[str | bool, ...]:
        values = table.values.get("values")
        if not isinstance(values, list) or not 2 <= len(values) <= 8:
            table.fault("values", "must be a list of 2 to 8 values")
        elif sorted(map(repr, values)) == ["False", "True"]:
            return tuple(values)
        elif not all(isinstance(value, str) for value in values):
            table.fault("values", "must be two booleans, or texts")
        elif any(text_fault(value, LONGEST_NAME) for value in values):
            table.fault("values", "has a value that is no short text")
        elif len(set(values)) < len(values):
            table.fault("values", "has a value twice")
        else:
            return tuple(values)
        return ()

    def _set(self, table: Table) -> dict[str, Any]:
        """Return the options that a table sets."""
        found: dict[str, Any] = {}
        for name, value in table.values.items():
            option = self._options.get(name)
            if option is None:
                table.fault(name, "there is no such option")
                continue
            try:
                found[name] = option.read(value)
                if name in OPTIONS:
                    Options(**{name: found[name]})
            except InvalidOptionError:
                found.pop(name, None)
                table.fault(name, f"must be {_possible(option)}")
        return found

    def _own_options(self, base: Edition | None, choices: Mapping[str, Choice]) -> Options:
        start = base.options if base else Options()
        values = {name: choice.option.values[0] for name, choice in choices.items()} | dict(start.choices)
        values = {name: value for name, value in values.items() if value in choices[name].option.values}
        values = {name: values.get(name, choice.option.values[0]) for name, choice in choices.items()}
        return with_values(replace(start, choices=tuple(values.items())), self._set(self._root.table("options")))

    def _profiles(self, base: Edition | None, options: Options) -> dict[str, Mapping[str, Any]]:
        found = dict(base.profiles) if base else {"official": MappingProxyType({})}
        for name, table in self._root.tables("profiles", 8):
            if not _OPTION.fullmatch(name) or len(name) > LONGEST_NAME:
                table.fault(None, "must be lower-case words")
            elif name == "official":
                table.fault(None, "official is always there and sets nothing")
            else:
                found[name] = MappingProxyType(self._set(table))
        return found

    def _is_face(self, name: str, table: Table, base: Edition | None) -> bool:
        if name in {face.value for face in STANDARD}:
            return True
        if not _NAME.fullmatch(name) or len(name) > LONGEST_NAME or name.isdigit() or name == "wild":
            table.fault(None, "must be lower-case words, up to 40 characters, not a number")
        elif name in _RESERVED or (base is not None and name in base.marks):
            table.fault(None, f"{name} is taken")
        elif name.split(" ")[0] in self._by_id():
            table.fault(None, "cannot begin with a colour")
        else:
            return True
        return False

    def _own_marks(self, reader: StepReader, known: Mapping[str, Face]) -> dict[str, Mark]:
        found = {}
        for name, table in self._root.tables("marks", 16):
            table.only({"name", "text", "bears", "when_turned_up"})
            if not _NAME.fullmatch(name) or len(name) > LONGEST_NAME:
                table.fault(None, "must be lower-case words, up to 40 characters")
            elif name in _RESERVED or name in known:
                table.fault(None, f"{name} is taken")
            else:
                bears = None
                if "bears" in table:
                    filters = table.list_of("bears", dict, "filters", 40) if _tables(table.values["bears"]) else None
                    given = table.values["bears"] if filters is None else filters
                    if not isinstance(given, list) or not 1 <= len(given) <= 40:
                        table.fault("bears", "must be a list of 1 to 40 filters")
                        given = []
                    bears = tuple(
                        reader.filter_of(each, (*table.path, "bears", place), bears=True)
                        for place, each in enumerate(given)
                    )
                found[name] = Mark(name, bears)
        return found

    def _mark_rules(self, reader: StepReader, marks: Mapping[str, Mark], base: Edition | None) -> dict[str, MarkRules]:
        found = dict(base.marks) if base else {}
        for name, table in self._root.tables("marks", 16):
            if name in marks:
                program = reader.program(table, "when_turned_up")
                texts = table.texts("name", LONGEST_NAME), table.texts("text", LONGEST_TEXT)
                found[name] = MarkRules(marks[name], *texts, program)
        return found

    def _faces(self, reader: StepReader, base: Edition | None) -> dict[Face, FaceRules]:
        found = dict(base.faces) if base else {}
        for name, table in self._root.tables("faces", 40):
            if self._known_face(name):
                face = Face.named(name)
                found[face] = self._standard(face, table) if face in STANDARD else self._special(face, table, reader)
        return found

    def _known_face(self, name: str) -> bool:
        return bool(_NAME.fullmatch(name)) and not any(fault.path == ("faces", name) for fault in self._faults.found)

    def _standard(self, face: Face, table: Table) -> FaceRules:
        wild = face is Face.WILD
        for key in table.values:
            if key not in {"points", "name", "text", *(["start"] if wild else [])}:
                table.fault(key, f"the rules of {face.value} cannot be changed")
        return FaceRules(
            face,
            table.texts("name", LONGEST_NAME),
            table.texts("text", LONGEST_TEXT),
            table.whole("points", 0, 500, 0) if "points" in table else None,
            start=table.one_of("start", Start, (Start.COLOR, Start.REDRAW)) if wild else None,
        )

    def _special(self, face: Face, table: Table, reader: StepReader) -> FaceRules:
        table.only(_FACE_KEYS)
        starts = (Start.COLOR, Start.REDRAW) if face.is_wild else (Start.PLAIN, Start.APPLY, Start.REDRAW)
        return FaceRules(
            face,
            table.texts("name", LONGEST_NAME),
            table.texts("text", LONGEST_TEXT),
            table.whole("points", 0, 500, 0) if "points" in table else None,
            self._printed_in(face, table),
            self._reads_as(face, table),
            table.one_of("start", Start, starts) or starts[0],
            reader.program(table, "when_played"),
            reader.program(table, "when_drawn") if "when_drawn" in table else None,
            table.one_of("answers", Answer),
        )

    def _printed_in(self, face: Face, table: Table) -> tuple[Color, ...] | None:
        if "colors" not in table:
            return None
        if face.is_wild:
            table.fault("colors", "a wild has no colour")
            return None
        found = []
        for place, name in enumerate(table.list_of("colors", str, "colours", 6)):
            if name not in self._by_id():
                self._faults.add((*table.path, "colors", place), f"there is no color {name}")
            elif self._by_id()[name] in found:
                self._faults.add((*table.path, "colors", place), f"has {name} twice")
            else:
                found.append(self._by_id()[name])
        if not found:
            table.fault("colors", "must be a list of colours")
        return tuple(found)

    def _reads_as(self, face: Face, table: Table) -> tuple[Face, ...]:
        found = []
        readable = {each.value: each for each in _READABLE}
        for place, name in enumerate(table.list_of("reads_as", str, "faces", len(_READABLE))):
            where = (*table.path, "reads_as", place)
            if name not in readable:
                self._faults.add(where, f"the networks know no face {name}")
            elif readable[name].is_wild != face.is_wild:
                self._faults.add(where, "a wild reads as wilds, a coloured face as others")
            else:
                found.append(readable[name])
        return tuple(dict.fromkeys(found))

    def _copies(self, base: Edition | None, known: Mapping[str, Face]) -> dict[str, int]:
        """Return the copies of each face, in the deck's order of faces: of each colour, or in all for a wild."""
        found = dict(_copies_of(base)) if base else {}
        table = self._root.table("deck")
        for name in table.values:
            if name not in known:
                table.fault(name, "nothing describes this face")
            else:
                found[name] = table.whole(name, 0, _MOST_COPIES, 0)
        for name, _ in self._root.tables("faces", 40):
            if self._known_face(name) and Face.named(name) not in STANDARD and not found.get(name):
                self._root.table("faces").fault(name, "has no copies in deck")
        return {name: count for name, count in found.items() if count}

    def _deck(
        self, copies: Mapping[str, int], known: Mapping[str, Face], faces: Mapping[Face, FaceRules]
    ) -> dict[Card, int]:
        order = [face for face in COLORED_FACES if face.value in copies]
        order += [known[name] for name in copies if known[name] not in COLORED_FACES and not known[name].is_wild]
        deck: dict[Card, int] = {}
        for color in self._colors:
            for face in order:
                printed = faces[face].colors if face in faces else None
                if printed is None or color in printed:
                    deck[Card(face, color)] = copies[face.value]
        deck.update({Card(known[name]): count for name, count in copies.items() if known[name].is_wild})
        size = sum(deck.values())
        if not _FEWEST_CARDS <= size <= _MOST_CARDS:
            self._root.fault("deck", f"has {size} cards: must be {_FEWEST_CARDS} to {_MOST_CARDS}")
        return deck


def _tables(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(each, dict) for each in value)


def _possible(option: Option) -> str:
    if not option.values:
        return "a whole number" + ("" if option.most is None else f" from {option.least} to {option.most}")
    return "one of " + ", ".join(str(value).lower() if isinstance(value, bool) else value for value in option.values)


def _copies_of(edition: Edition) -> dict[str, int]:
    copies: dict[str, int] = {}
    for card, count in edition.deck.items():
        copies.setdefault(card.face.value, count)
    return copies


def with_values(options: Options, values: Mapping[str, Any]) -> Options:
    """Return the options with these options and choices changed. Raises InvalidOptionError."""
    choices = {name: values.get(name, value) for name, value in options.choices}
    own = {name: value for name, value in values.items() if name in OPTIONS}
    return replace(options, **own, choices=tuple(choices.items()))


__all__ = ["MOST_BYTES", "InvalidEditionError", "digest_of", "parse_edition", "with_values"]
