"""The rules sheet of a match: what each item, card and rule of the table does, with the options in force."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum

from companion.caller.language import Voice
from companion.caller.options import OPTION_SENTENCES, OPTION_TITLES, OPTION_VALUES
from companion.cards import Card, Color, Face, Item
from companion.referee.editions import Scoring, Stacking, TwoPlayerReverse
from companion.referee.errors import message
from companion.referee.state import Header


class SheetPart(Enum):
    """What an entry of the sheet is about."""

    ITEM = "item"
    CARD = "card"
    RULE = "rule"


@dataclass(frozen=True, slots=True)
class SheetEntry:
    """One entry of a rules sheet, in the caller's language.

    key: what it is about, the same in every language: an item, a face, an option or a word of its own. title: its name,
    as it is looked up. text: one to three short sentences. rules: the rules of RULES.md that it tells, such as "R23".
    """

    part: SheetPart
    key: str
    title: str
    text: str
    rules: tuple[str, ...]


_ITEMS = {
    Item.MUSHROOM: (message("Whoever played the item box takes another turn."), "R22"),
    Item.BANANA_PEEL: (message("The player one seat back draws two cards."), "R23"),
    Item.GREEN_SHELL: (message("Whoever played the item box names a player, who draws one card."), "R24"),
    Item.LIGHTNING: (
        message("Everyone else draws one card, and whoever played the item box takes another turn."),
        "R25",
    ),
    Item.BOB_OMB: (message("Whoever played the item box draws two cards and chooses the colour."), "R26"),
}
_OTHERS_ONLY = message("They may not name themselves.")
_CHOOSES = message("Goes on anything. Whoever plays it chooses the colour.")
_FACES = {
    Face.SKIP: (message("The next player is skipped."), "R16"),
    Face.WILD: (_CHOOSES, "R17"),
    Face.WILD_ITEM_BOX: (
        message("Goes on anything. The top card of the draw pile is turned up, and only its item happens."),
        "R20",
    ),
    Face.WILD_CREEPER: (
        message("Drawn from the pile, it is shown at once and costs three more cards. In the hand it is a plain wild."),
        "R31",
    ),
}
_SCORING = {
    Scoring.WINNER_TAKES_ALL: (
        message("The winner of a round gets the points of all other hands. {target} points win the match."),
        "R29",
    ),
    Scoring.LOW_TOTAL: (
        message("All add up the points of their own hands. When somebody has {target}, the lowest total wins."),
        "R30",
    ),
    Scoring.SINGLE_ROUND: (message("Whoever is out of cards first wins the match."), "R32"),
}


class Sheet(Voice):
    """Says what the rules of a match are."""

    def rules_sheet(self, header: Header) -> tuple[SheetEntry, ...]:
        """Return the sheet: items first where there are any, then cards, then the rules of the table.

        House rules that are off, and cards that the edition does not have, are left out.
        """
        items = self._items(header) if Card(Face.WILD_ITEM_BOX) in header.edition.deck else ()
        return (*items, *self._cards(header), *self._rules(header))

    def _items(self, header: Header) -> Iterator[SheetEntry]:
        colors: dict[Item, Color | None] = {Card(Face.ONE, color).item: color for color in Color}
        for item, (sentence, rule) in _ITEMS.items():
            text = self._text(sentence)
            if item is Item.GREEN_SHELL and not header.options.green_shell_self:
                text = f"{text} {self._text(_OTHERS_ONLY)}"
            color = colors.get(item)
            on = self._word(Face.WILD if color is None else color)
            yield SheetEntry(SheetPart.ITEM, item.value, f"{self._word(item).strip('¡! ')} ({on})", text, (rule,))

    def _cards(self, header: Header) -> Iterator[SheetEntry]:
        options = header.options
        for face in Face:
            if face in (Face.ZERO, Face.SEVEN) and options.seven_zero:
                zero = face is Face.ZERO
                seven = self._text("Whoever plays it exchanges hands with another player.")
                text = self._text("All hands move on to the next player in the direction of play.") if zero else seven
                yield SheetEntry(SheetPart.CARD, face.value, face.value, text, ("R42",))
            elif face.is_number or not any(card.face is face for card in header.edition.deck):
                continue
            elif face is Face.DRAW_TWO:
                yield self._card(face, self._draw_two(header), "R14" if options.stacking is Stacking.OFF else "R34")
            elif face is Face.REVERSE:
                yield self._card(face, self._reverse(header), "R15")
            elif face is Face.WILD_DRAW_FOUR:
                yield self._card(face, self._wild_draw_four(header), "R18" if options.challenge else "R46")
            else:
                sentence, rule = _FACES[face]
                yield self._card(face, self._text(sentence), rule)

    def _card(self, face: Face, text: str, rule: str) -> SheetEntry:
        return SheetEntry(SheetPart.CARD, face.value, self._word(face), text, (rule,))

    def _draw_two(self, header: Header) -> str:
        if header.options.stacking is Stacking.OFF:
            return self._text("The next player draws two cards and is skipped.")
        return self._text("The next player owes two cards: stack, or draw all that is owed and be skipped.")

    def _reverse(self, header: Header) -> str:
        text = self._text("Play turns round.")
        if len(header.players) > 2 or header.options.two_player_reverse is TwoPlayerReverse.TURN:
            return text
        return f"{text} {self._text('The next player is skipped.')}"

    def _wild_draw_four(self, header: Header) -> str:
        said = [self._text(_CHOOSES)]
        if header.options.stacking is not Stacking.OFF:
            said.append(self._text("The next player owes four cards: stack, or draw all that is owed and be skipped."))
        else:
            said.append(self._text("The next player draws four cards and is skipped."))
        if header.options.challenge:
            said.append(
                self._text(
                    "It is allowed only without another card of the colour in force. Who challenges it rightly draws "
                    "nothing, the other player does; who is wrong draws two more."
                )
            )
        return " ".join(said)

    def _rules(self, header: Header) -> Iterator[SheetEntry]:
        options = header.options
        if options.stacking is not Stacking.OFF:
            allowed = OPTION_VALUES["stacking", options.stacking.value]
            entry = self._option("stacking", "R34", "R35", "R36")
            yield replace(entry, text=f"{entry.text} ({self._text(allowed)})")
        if options.jump_in:
            yield self._option("jump_in", "R39", "R40", "R41")
        if options.draw_until_playable:
            yield self._option("draw_until_playable", "R45")
        else:
            text = self._text("Who cannot or will not play draws one card, and may play that card at once.")
            yield SheetEntry(SheetPart.RULE, "draw", self._text("Drawing"), text, ("R12",))
        text = self._plural(
            "Call UNO with the last card but one. Who is caught without having called draws one card.",
            "Call UNO with the last card but one. Who is caught without having called draws {count} cards.",
            options.uno_penalty,
        )
        yield SheetEntry(SheetPart.RULE, "uno", "UNO", text, ("R27", "R47"))
        text = self._text("A last draw two or wild draw four still makes the next player draw.")
        yield SheetEntry(SheetPart.RULE, "last card", self._text("Last card"), text, ("R28",))
        sentence, rule = _SCORING[options.scoring]
        yield replace(self._option("scoring", rule), text=self._text(sentence, target=options.target))
        if options.scoring is not Scoring.SINGLE_ROUND:
            text = self._text("Digits count what they say, action cards 20, and wilds 50.")
            yield SheetEntry(SheetPart.RULE, "points", self._text("Points of the cards"), text, ("R1",))

    def _option(self, name: str, *rules: str) -> SheetEntry:
        return SheetEntry(
            SheetPart.RULE, name, self._text(OPTION_TITLES[name]), self._text(OPTION_SENTENCES[name]), rules
        )
