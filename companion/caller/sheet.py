"""The rules sheet of a match: what each item, card and house rule does with the options in force."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum

from companion.caller.options import OPTION_SENTENCES, OPTION_TITLES, OPTION_VALUES
from companion.caller.programs import Programs
from companion.cards import Face
from companion.editions.edition import STANDARD, Choice, FaceRules, MarkRules, shown_text
from companion.editions.library import printed
from companion.editions.options import Scoring, Stacking, TwoPlayerReverse
from companion.editions.program import ChooseTarget
from companion.referee.errors import message
from companion.referee.state import Header


class SheetPart(Enum):
    """The section of a sheet entry."""

    ITEM = "item"
    CARD = "card"
    RULE = "rule"


@dataclass(frozen=True, slots=True)
class SheetEntry:
    """One entry of a rules sheet, in the caller's language.

    key: language-independent ID: an item, a face, an option or another word. title: translated name. text: one to
    three short sentences. rules: the rules of RULES.md that it explains, such as "R23".
    """

    part: SheetPart
    key: str
    title: str
    text: str
    rules: tuple[str, ...]


_MARKS = {
    "mushroom": (message("The player of the item box takes another turn."), "R22"),
    "banana peel": (message("The previous player draws two cards."), "R23"),
    "green shell": (message("The player of the item box chooses a player, who draws one card."), "R24"),
    "lightning": (
        message("Everyone else draws one card, and the player of the item box takes another turn."),
        "R25",
    ),
    "bob-omb": (message("The player of the item box draws two cards and chooses the colour."), "R26"),
}
_FACE_ORDER = frozenset(Face)
_OTHERS_ONLY = message("They may not choose themselves.")
_CHOOSES = message("Can be played on any card. The player chooses the colour.")
_FACES = {
    Face.SKIP: (message("The next player is skipped."), "R16"),
    Face.WILD: (_CHOOSES, "R17"),
    Face.WILD_ITEM_BOX: (
        message(
            "Can be played on any card. The top card of the draw pile is turned up, and only its item takes effect."
        ),
        "R20",
    ),
    Face.WILD_CREEPER: (
        message("A player who draws it shows it at once and draws three more cards. In the hand it is a plain wild."),
        "R31",
    ),
}
_SCORING = {
    Scoring.WINNER_TAKES_ALL: (
        message("The winner of a round scores all other hands. {target} points win the match."),
        "R29",
    ),
    Scoring.LOW_TOTAL: (
        message("Players score the points of their own hands. When a player reaches {target}, the lowest total wins."),
        "R30",
    ),
    Scoring.SINGLE_ROUND: (message("The first player out of cards wins the match."), "R32"),
}


class Sheet(Programs):
    """The rules sheet in one language."""

    def rules_sheet(self, header: Header) -> tuple[SheetEntry, ...]:
        """Return the sheet: items first where there are any, then cards, then the rules of the table.

        House rules that are off, and cards that the edition does not have, are left out.
        """
        marks = [self._mark_entry(rules, header) for rules in header.edition.marks.values() if rules.when_turned_up]
        return (*marks, *self._cards(header), *self._rules(header))

    def _mark_entry(self, rules: MarkRules, header: Header) -> SheetEntry:
        """Return the entry of a mark: its name, the colour whose cards bear it, and what it does."""
        mark, edition = rules.mark, header.edition
        sentence, rule = _MARKS[mark.id] if _does_as_printed(rules) else (None, "R52")
        if sentence is None:
            text = self.describe_mark(rules, edition, header.options)
        else:
            text = self._text(sentence)
            programs = [program for name, program in header.rules.turned_up.values() if name == mark.id]
            if any(isinstance(step, ChooseTarget) and step.others for program in programs for step in program):
                text = f"{text} {self._text(_OTHERS_ONLY)}"
        on = [] if mark.bears is None else [self.filter_words(each, edition) for each in mark.bears]
        bearers = [each for each in mark.bears or () if each.colors is not None or each.wild]
        if len(bearers) == len(on) == 1:
            colors = bearers[0].colors
            on = [self._word(Face.WILD) if colors is None else self._either([self.color(c, edition) for c in colors])]
        title = self.term(mark.id, edition) if not on else f"{self.term(mark.id, edition)} ({', '.join(on)})"
        return SheetEntry(SheetPart.ITEM, mark.id, title, text, (rule,))

    def _cards(self, header: Header) -> Iterator[SheetEntry]:
        options = header.options
        for face in (*Face, *(face for face in header.edition.copies if face not in _FACE_ORDER)):
            if face in (Face.ZERO, Face.SEVEN) and options.seven_zero:
                zero = face is Face.ZERO
                seven = self._text("The player swaps hands with another player.")
                text = self._text("All hands pass to the next player in the direction of play.") if zero else seven
                yield SheetEntry(SheetPart.CARD, face.value, face.value, text, ("R42",))
            elif face.is_number or face not in header.edition.copies:
                continue
            elif face is Face.DRAW_TWO:
                yield self._card(face, self._draw_two(header), "R14" if options.stacking is Stacking.OFF else "R34")
            elif face is Face.REVERSE:
                yield self._card(face, self._reverse(header), "R15")
            elif face is Face.WILD_DRAW_FOUR:
                yield self._card(face, self._wild_draw_four(header), "R18" if options.challenge else "R46")
            elif face in _FACES and (face in STANDARD or _acts_as_printed(header.edition.face_rules(face))):
                sentence, rule = _FACES[face]
                yield self._card(face, self._text(sentence), rule)
            else:
                rules = header.edition.face_rules(face)
                text = shown_text(rules.text, self.language, "")
                described = self.describe_face(rules, header.edition, header.options)
                title = self.face(face, header.edition)
                yield SheetEntry(SheetPart.CARD, face.value, title, f"{text} {described}".strip(), ("R52",))

    def _card(self, face: Face, text: str, rule: str) -> SheetEntry:
        return SheetEntry(SheetPart.CARD, face.value, self._word(face), text, (rule,))

    def _draw_two(self, header: Header) -> str:
        if header.options.stacking is Stacking.OFF:
            return self._text("The next player draws two cards and is skipped.")
        return self._text(
            "The next player owes two cards: stack another draw card, or draw the whole debt and be skipped."
        )

    def _reverse(self, header: Header) -> str:
        text = self._text("Play changes direction.")
        if len(header.players) > 2 or header.options.two_player_reverse is TwoPlayerReverse.TURN:
            return text
        return f"{text} {self._text('The next player is skipped.')}"

    def _wild_draw_four(self, header: Header) -> str:
        said = [self._text(_CHOOSES)]
        if header.options.stacking is not Stacking.OFF:
            said.append(
                self._text(
                    "The next player owes four cards: stack another draw card, or draw the whole debt and be skipped."
                )
            )
        else:
            said.append(self._text("The next player draws four cards and is skipped."))
        if header.options.challenge:
            said.append(
                self._text(
                    "It is legal only without another card of the colour in force. After a correct challenge the other "
                    "player draws instead; after a wrong one the challenger draws two more."
                )
            )
            if header.options.wild_counts_as_color:
                said.append(self._text(OPTION_SENTENCES["wild_counts_as_color"]))
        return " ".join(said)

    def _rules(self, header: Header) -> Iterator[SheetEntry]:
        options = header.options
        yield from (self._choice(choice, header) for choice in header.edition.choices.values())
        if header.edition.out_at:
            text = self._text("A player with {count} cards is out of the round.", count=header.edition.out_at)
            yield SheetEntry(SheetPart.RULE, "out", self._text("Too many cards"), text, ("R54",))
        if options.stacking is not Stacking.OFF:
            allowed = OPTION_VALUES["stacking", options.stacking.value]
            entry = self._option("stacking", "R34", "R35", "R36")
            yield replace(entry, text=f"{entry.text} ({self._text(allowed)})")
        if options.jump_in:
            yield self._option("jump_in", "R39", "R40", "R41")
        if options.doubles:
            yield self._option("doubles", "R60")
        if options.draw_until_playable:
            yield self._option("draw_until_playable", "R45")
        elif options.must_play_drawn:
            text = self._text("A player who does not play draws one card, and plays it if it can be played.")
            yield SheetEntry(SheetPart.RULE, "draw", self._text("Drawing"), text, ("R12", "R59"))
        else:
            text = self._text("A player who does not play draws one card and may play that card at once.")
            yield SheetEntry(SheetPart.RULE, "draw", self._text("Drawing"), text, ("R12",))
        text = self._plural(
            "Call UNO when playing the next-to-last card. A player caught without calling draws one card.",
            "Call UNO when playing the next-to-last card. A player caught without calling draws {count} cards.",
            options.uno_penalty,
        )
        rules: tuple[str, ...] = ("R27", "R47")
        if options.uno_false_penalty:
            wrong = self._plural(
                "A wrong call costs one card.", "A wrong call costs {count} cards.", options.uno_false_penalty
            )
            text, rules = f"{text} {wrong}", (*rules, "R58")
        yield SheetEntry(SheetPart.RULE, "uno", "UNO", text, rules)
        text = self._text("A last draw two or wild draw four still makes the next player draw.")
        yield SheetEntry(SheetPart.RULE, "last card", self._text("Last card"), text, ("R28",))
        sentence, rule = _SCORING[options.scoring]
        yield replace(self._option("scoring", rule), text=self._text(sentence, target=options.target))
        if options.scoring is not Scoring.SINGLE_ROUND:
            text = self._text("Number cards count their value, action cards 20, wilds 50.")
            yield SheetEntry(SheetPart.RULE, "points", self._text("Points of the cards"), text, ("R1",))

    def _option(self, name: str, *rules: str) -> SheetEntry:
        return SheetEntry(
            SheetPart.RULE, name, self._text(OPTION_TITLES[name]), self._text(OPTION_SENTENCES[name]), rules
        )

    def _choice(self, choice: Choice, header: Header) -> SheetEntry:
        """Return the entry of an option of the edition's own, with its value."""
        name = choice.option.name
        value = header.options.plain(name)
        shown = self._yes_or_no(yes=value) if isinstance(value, bool) else str(value)
        text = shown_text(choice.text, self.language, name)
        return SheetEntry(SheetPart.RULE, name, name.replace("_", " ").capitalize(), f"{text} ({shown})", ("R52",))


def _does_as_printed(rules: MarkRules) -> bool:
    """Return whether the mark does what a printed edition has it do, so that there is a sentence for it."""
    mark = rules.mark.id
    known = (edition.marks[mark] for edition in printed().values() if mark in edition.marks)
    return mark in _MARKS and any(each.when_turned_up == rules.when_turned_up for each in known)


def _acts_as_printed(rules: FaceRules) -> bool:
    """Return whether the special face does what a printed edition has it do."""
    known = (edition.faces[rules.face] for edition in printed().values() if rules.face in edition.faces)
    return any(
        (each.when_played, each.when_drawn, each.answers) == (rules.when_played, rules.when_drawn, rules.answers)
        for each in known
    )
