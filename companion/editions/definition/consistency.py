"""Checks an edition as a whole: size, colours, marks and programs."""

from __future__ import annotations

from companion.cards import Card, Face
from companion.editions.definition.checks import ProgramCheck
from companion.editions.definition.faults import Faults
from companion.editions.definition.tables import Table
from companion.editions.edition import Edition


def check_edition(edition: Edition, root: Table, faults: Faults) -> None:
    """Add to the faults what only the whole edition shows. root: the table of the file."""
    hand_size = edition.options.hand_size
    if edition.size <= 2 * hand_size:
        root.fault("deck", f"has {edition.size} cards: too few for two hands of {hand_size}")
    if 0 < edition.out_at <= hand_size:
        root.fault("out_at", f"must be 0, or more than the {hand_size} cards dealt")
    if not edition.has_colors and Card(Face.WILD_DRAW_FOUR) in edition.deck:
        root.fault("deck", "wild draw four needs a deck with colours")
    _check_colors(edition, root)
    for card in edition.deck:
        bearing = [m.mark.id for m in edition.marks.values() if m.when_turned_up and m.mark.is_on(card)]
        if len(bearing) > 1:
            faults.add(("marks", bearing[1]), f"{card.name} bears {bearing[0]}, too, which has a program")
            break
    programs = ProgramCheck(edition, faults)
    for face, rules in edition.faces.items():
        where, has_text = ("faces", face.value), bool(rules.text)
        programs.played(
            rules.when_played,
            (*where, "when_played"),
            has_text=has_text,
            answers=rules.answers is not None,
            wild=face.is_wild,
        )
        if rules.when_drawn is not None:
            programs.drawn(rules.when_drawn, (*where, "when_drawn"), has_text=has_text)
    for name, marked in edition.marks.items():
        programs.turned_up(marked.when_turned_up, ("marks", name, "when_turned_up"), has_text=bool(marked.text))
    for name, marked in edition.marks.items():
        for place, each in enumerate(marked.mark.bears or ()):
            if each.colors is not None and not edition.has_colors:
                faults.add(("marks", name, "bears", place, "color"), "the deck has no colours")


def _check_colors(edition: Edition, root: Table) -> None:
    """Refuse colours that marks or faces of the base do not have."""
    own = root.table("marks").values
    for name, rules in edition.marks.items():
        for each in rules.mark.bears or ():
            if name not in own and not (each.colors or frozenset()) <= set(edition.colors):
                root.fault("colors", f"the mark {name} speaks of other colours")
                return
