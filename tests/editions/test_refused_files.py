"""Invalid edition files are refused with line and key, and have no other effect."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.editions.definition.faults import InvalidEditionError
from companion.editions.definition.files import read_edition
from companion.editions.definition.parsing import parse_edition
from companion.editions.definition.steps import VERBS
from companion.editions.edition import Edition
from companion.editions.library import edition_of, printed, shipped

HEAD = 'format = 1\nid = "zoo"\nname = { en = "Zoo" }\n'


def faults(text: str) -> list[str]:
    with pytest.raises(InvalidEditionError) as refused:
        read_edition(text.encode(), "zoo.toml", printed())
    return list(refused.value.lines())


def program(steps: str, more: str = "", face: str = "wild lion") -> str:
    return f'{HEAD}[deck]\n"{face}" = 4\n[faces."{face}"]\nwhen_played = {steps}\n{more}'


TABLE = [
    ("format = 1\n", "zoo.toml:1: id: is missing"),
    (HEAD.replace("1", "2", 1), "zoo.toml:1: format: must be 1 to 1"),
    (HEAD.replace('"zoo"', '"Zoo"'), "zoo.toml:2: id: must be 1 to 40"),
    (HEAD.replace('"zoo"', '"classic"'), "zoo.toml:2: id: classic is the ID of an edition that ships"),
    (HEAD + 'based_on = "zelda"\n', "zoo.toml:4: based_on: must be one of"),
    (HEAD + "lions = 1\n", "zoo.toml:4: lions: unknown key"),
    (HEAD + "out_at = 7\n", "zoo.toml:4: out_at: must be 0, or more than the 7 cards dealt"),
    (HEAD + "out_at = 1.5\n", "zoo.toml:4: out_at: must be text, a whole number"),
    (HEAD + "out_at = true\n", "zoo.toml:4: out_at: must be a whole number"),
    (HEAD + "out_at = 2026-11-27\n", "zoo.toml:4: out_at: must be text, a whole number"),
    (HEAD + "out_at = [\n", "zoo.toml:4: is no TOML"),
    (HEAD + "out_at = 1\nout_at = 2\n", "zoo.toml:5: is no TOML"),
    (HEAD + "out_at = " + "9" * 5000, "zoo.toml:4: is no TOML that can be read"),
    (HEAD + "sources = " + "[" * 3000, "zoo.toml:4: is no TOML that can be read"),
    (HEAD + "a." * 3000 + "b = 1", "zoo.toml:4: a key has too many parts"),
    (HEAD + "options = " + "{ a = " * 9 + "1" + " }" * 9, "is nested deeper than 8"),
    (HEAD.replace('"Zoo"', '"Z\\u0007"'), "zoo.toml:3: name.en: has a control character"),
    (HEAD.replace('"Zoo"', '"\\u202Eooz"'), "zoo.toml:3: name.en: has a direction override"),
    (HEAD.replace('"Zoo"', '" \\u200b"'), "zoo.toml:3: name.en: is blank"),
    (HEAD.replace('"Zoo"', '"' + "Z" * 41 + '"'), "zoo.toml:3: name.en: is longer than 40 characters"),
    (HEAD + 'sources = ["a", "b", "c", "d", "e", "f", "g", "h", "i"]', "zoo.toml:4: sources: has more than 8 entries"),
    (HEAD + "[options]\nlast_lap = true\n", "zoo.toml:5: options.last_lap: there is no such option"),
    (HEAD + "[options]\nuno_penalty = 8\n", "zoo.toml:5: options.uno_penalty: must be a whole number from 1 to 7"),
    (HEAD + "[options]\nhand_size = 60\n", "deck: has 108 cards: too few for two hands of 60"),
    (
        HEAD + '[choices.target]\nvalues = ["a", "b"]',
        "zoo.toml:4: choices.target: target is an option of every edition",
    ),
    (HEAD + '[choices.big]\nvalues = ["a"]', "zoo.toml:5: choices.big.values: must be a list of 2 to 8 values"),
    (HEAD + "[profiles.official]\ntarget = 3", "zoo.toml:4: profiles.official: official is always there"),
    (HEAD + "[colors.wild]\n[colors.rose]\n", "zoo.toml:4: colors.wild: must be 1 to 20"),
    (HEAD + '[colors]\nrose = { hex = "#fff" }\nsun = {}', "zoo.toml:5: colors.rose.hex: must be #rrggbb"),
    (
        HEAD + '[colors]\nrose = { reads_as = "red" }\nsun = { reads_as = "red" }',
        "zoo.toml:6: colors.sun.reads_as: stands for another colour already",
    ),
    (
        HEAD + 'based_on = "mario-kart"\n[colors]\nrose = {}\nsun = {}',
        "zoo.toml:5: colors: the mark mushroom speaks of other colours",
    ),
    (HEAD + '[deck]\n"wild lion" = 4', "zoo.toml:5: deck.wild lion: nothing describes this face"),
    (HEAD + "[deck]\n0 = 41", "zoo.toml:5: deck.0: must be 0 to 40"),
    (HEAD + '[faces."wild lion"]', "zoo.toml:4: faces.wild lion: has no copies in deck"),
    (HEAD + "[deck]\nturn = 1\n[faces.turn]", "zoo.toml:6: faces.turn: turn is taken"),
    (HEAD + '[deck]\n"red lion" = 1\n[faces."red lion"]', "faces.red lion: cannot begin with a colour"),
    (HEAD + "[deck]\nLion = 1\n[faces.Lion]", "faces.Lion: must be lower-case words"),
    (
        HEAD + "[faces.skip]\nwhen_played = []",
        "zoo.toml:5: faces.skip.when_played: the rules of skip cannot be changed",
    ),
    (program("[]", 'reads_as = ["skip"]'), "faces.wild lion.reads_as[0]: a wild reads as wilds"),
    (program("[]", 'start = "apply"'), "faces.wild lion.start: must be one of color, redraw"),
    (program("[]", 'colors = ["red"]'), "faces.wild lion.colors: a wild has no colour"),
    (program("[{ roar = 1 }]"), "faces.wild lion.when_played[0].roar: unknown verb"),
    (program("[{ draw = 1, skip = 1 }]"), "faces.wild lion.when_played[0]: has two verbs"),
    (program("[{ draw = 26 }]"), "faces.wild lion.when_played[0].draw: must be 1 to 25"),
    (program("[{ draw = true }]"), "faces.wild lion.when_played[0].draw: must be a whole number"),
    (program('[{ draw = 1, who = "ann" }]'), "faces.wild lion.when_played[0].who: must be one of"),
    (program('[{ draw = 1, who = "chosen" }]'), "faces.wild lion.when_played[0].who: nobody is chosen yet"),
    (program('[{ draw = 1, who = "asked" }]'), "faces.wild lion.when_played[0].who: asked is known only"),
    (program('[{ draw = 1, who = "author" }]'), "faces.wild lion.when_played[0].who: author is known only"),
    (program("[{ again = true }, { draw = 1 }]"), "faces.wild lion.when_played[0].again: must be the last step"),
    (program("[{ skip = 1 }, { reverse = true }]"), "faces.wild lion.when_played[1].reverse: cannot follow skip"),
    (program("[{ dare = true }]"), "faces.wild lion.when_played[0].dare: needs a text"),
    (program("[{ turn_up = true }]"), "faces.wild lion.when_played[0].turn_up: needs a mark with when_turned_up"),
    (
        program('[{ draw_until = { face = "wild", number = true } }]'),
        "when_played[0].draw_until: no card of the deck fits",
    ),
    (program('[{ draw_until = { face = "tiger" } }]'), "when_played[0].draw_until.face: there is no face tiger"),
    (program('[{ shed = { mark = "paw" } }]'), "when_played[0].shed.mark: there is no mark paw"),
    (program('[{ shed = { color = "rose" } }]'), "when_played[0].shed.color: there is no color rose"),
    (program('[{ draw_until = { color = "in force" } }]'), "no card fits while the colour is open"),
    (program('[{ demand = "any" }]'), "when_played[0].else: is missing"),
    (program('[{ draw = 1, if = "roars" }]'), "when_played[0].if: there is no option roars"),
    (program('[{ draw = 1, if = "stacking" }]'), "when_played[0].if: stacking is not a flag"),
    (program('[{ draw = 1, if = "stacking = most" }]'), "when_played[0].if: stacking cannot be most"),
    (
        program('[{ reveal = "any", who = "others", yes = [{ skip = 1 }] }]'),
        "when_played[0].yes[0].skip: cannot stand where several are asked",
    ),
    (program('[{ reveal = "any", no = [{ penalty = 1 }] }]'), "when_played[0].no[0].penalty: cannot stand inside no"),
    (program("[{ shed = { wild = true }, exactly = 1 }]"), 'when_played[0].exactly: goes with shed = "any" alone'),
    (program("[" + "{ draw = 1 }, " * 13 + "]"), "faces.wild lion.when_played: has more than 12 entries"),
    (program("[]", "when_drawn = [{ skip = 1 }]"), "faces.wild lion.when_drawn[0]: must be a draw of a number"),
    (
        program("[{ turn_up = true }]", "[marks.paw]\nwhen_turned_up = [{ turn_up = true }]"),
        "marks.paw.when_turned_up[0].turn_up: within when_turned_up never ends",
    ),
    (
        program(
            "[]",
            "[marks.paw]\nbears = [{ wild = true }]\nwhen_turned_up = [{ draw = 1 }]\n"
            "[marks.claw]\nbears = [{ face = 'wild' }]\nwhen_turned_up = [{ draw = 1 }]",
        ),
        "marks.claw: wild bears paw, too",
    ),
    (program("[]", "[marks.skip]"), "marks.skip: skip is taken"),
    (
        "".join(
            [
                HEAD,
                "[deck]\n",
                *(f"{n} = 0\n" for n in range(10)),
                '"draw two" = 0\nreverse = 0\nskip = 0\n',
                "wild = 30\n",
            ]
        ),
        "deck: wild draw four needs a deck with colours",
    ),
]


@pytest.mark.parametrize(("text", "expected"), TABLE, ids=[expected[-50:] for _, expected in TABLE])
def test_a_fault_is_named_with_line_and_key(text: str, expected: str) -> None:
    found = faults(text)
    assert any(expected in line for line in found), found
    assert all(line.startswith("zoo.toml:") for line in found)


@pytest.mark.parametrize("data", [b"\xff\xfe", HEAD.encode() + b"# \xff\n", b"#" * 70_000])
def test_bytes_that_are_no_edition(data: bytes) -> None:
    with pytest.raises(InvalidEditionError):
        read_edition(data, "zoo.toml", printed())


def test_conditions_are_checked_for_every_combination_of_values() -> None:
    steps = '[{ again = true, if = "jump_in" }, { draw = 1, if = "not jump_in" }]'
    assert read_edition(program(steps).encode(), "zoo.toml", printed()).id == "zoo"
    steps = '[{ again = true, if = "jump_in" }, { draw = 1, if = "not challenge" }]'
    assert faults(program(steps)) == ["zoo.toml:7: faces.wild lion.when_played[0].again: must be the last step"]
    named = '[{ target = "all", if = "jump_in" }, { draw = 1, who = "chosen", if = "jump_in" }]'
    assert read_edition(program(named).encode(), "zoo.toml", printed()).id == "zoo"
    many = ", ".join(f'{{ draw = 1, if = "hand_size = {number}" }}' for number in range(1, 13))
    assert read_edition(program(f"[{many}]").encode(), "zoo.toml", printed()).id == "zoo"


def test_every_file_that_ships_reads_back_from_its_own_definition() -> None:
    for edition in shipped().values():
        if not edition.is_printed:
            again = edition_of(edition.definition)
            assert again == edition
            assert again.deck == edition.deck


def outcome(read: Callable[[], Edition]) -> tuple[Edition | None, InvalidEditionError | None]:
    """Return the edition, or why it is refused; any other exception fails the test."""
    try:
        return read(), None
    except InvalidEditionError as error:
        return None, error


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 400)
    | st.floats(allow_nan=True)
    | st.text(max_size=8)
    | st.sampled_from(
        ["any", "self", "others", "chosen", "in force", "red", "wild", "wild lion", "half", "reported", "most"]
    ),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from([*VERBS, "who", "if", "yes", "no", "else", "up_to", "exactly", "color", "mark", "x"])
            | st.text(max_size=4),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)
STEPS = st.lists(
    st.dictionaries(st.sampled_from([*VERBS, "who", "if", "yes", "no", "else"]), VALUES, max_size=3), max_size=4
)
FACES = st.dictionaries(
    st.sampled_from(["wild lion", "lion", "skip", "wild"]) | st.text(max_size=6),
    st.dictionaries(
        st.sampled_from(
            ["when_played", "when_drawn", "answers", "points", "colors", "reads_as", "start", "text", "name"]
        ),
        STEPS | VALUES,
        max_size=5,
    ),
    max_size=3,
)
DEFINITIONS = st.fixed_dictionaries(
    {"format": st.just(1), "id": st.just("zoo"), "name": st.just({"en": "Zoo"})},
    optional={
        "deck": st.dictionaries(st.sampled_from(["wild lion", "lion", "wild", "0"]), st.integers(0, 9)) | VALUES,
        "faces": FACES | VALUES,
        "marks": st.dictionaries(
            st.text(max_size=5),
            st.dictionaries(st.sampled_from(["bears", "when_turned_up"]), VALUES | STEPS),
            max_size=2,
        )
        | VALUES,
        "colors": VALUES,
        "options": VALUES,
        "choices": VALUES,
        "profiles": VALUES,
        "sources": VALUES,
        "out_at": VALUES,
        "based_on": st.sampled_from(["classic", "mario-kart", "minecraft"]) | VALUES,
        "checked": VALUES,
    },
)


@pytest.mark.slow
@given(DEFINITIONS)
@settings(max_examples=400, deadline=None)
def test_any_values_are_read_or_refused_with_the_one_error(definition: dict[str, Any]) -> None:
    edition, refused = outcome(lambda: parse_edition(definition, printed()))
    if refused is None:
        assert edition is not None
        assert edition.size >= 20
    else:
        assert refused.faults
        assert all("\n" not in line for line in refused.lines())


LINES = st.sampled_from(
    [
        line
        for path in sorted(Path(__file__).parents[1].glob("referee/*.toml"))
        for line in path.read_text("utf-8").splitlines()
    ]
)


@given(st.lists(LINES | st.text(max_size=30), max_size=30))
@settings(max_examples=200, deadline=None)
def test_any_text_is_read_or_refused_with_a_line(lines: list[str]) -> None:
    data = "\n".join(lines).encode("utf-8", "replace")
    _, refused = outcome(lambda: read_edition(data, "zoo.toml", printed()))
    if refused is None:
        tomllib.loads(data.decode())
    else:
        assert all(fault.line for fault in refused.faults)
