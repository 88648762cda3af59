"""What there is to choose for a match, found in the referee's own types: the set-up page draws itself from it."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from functools import partial
from typing import Any

from companion.caller import Caller
from companion.cards import Card, Face
from companion.languages import Language
from companion.referee.editions import EDITIONS, OPTIONS, PROFILES, Edition, Option, OptionKind
from companion.referee.state import MAX_PLAYERS, MIN_PLAYERS
from companion.server.access.guests import Role
from companion.server.routes.api import Api
from companion.server.routes.fields import Body
from companion.server.routes.payloads import Answer
from companion.server.services import services
from companion.store import StoreError

api = Api()


class ChoicesQuery(Body):
    """The language of titles and sentences; the caller's where none is given."""

    language: Language | None = None


class DeckCardAnswer(Answer):
    """One kind of card of a deck: how many there are, its title, its points in a hand, whether it has no colour.

    item: what stands in its corner, None in an edition without items.
    """

    card: str
    count: int
    title: str
    points: int
    wild: bool
    item: str | None


class EditionAnswer(Answer):
    """An edition: its deck, and what it is played with by default, by option. items: whether it has item boxes."""

    name: str
    title: str
    deck: list[DeckCardAnswer]
    defaults: dict[str, bool | int | str]
    items: bool


class OptionValueAnswer(Answer):
    """One value of a choice."""

    value: str
    title: str


class OptionAnswer(Answer):
    """An option of the rules, with one sentence on what it does.

    kind: `flag`, `choice` or `number`. values: of a choice. least, most: of a number, None where it has no end
    of its own. house: whether it is a house rule, which no printed rules have.
    """

    name: str
    kind: str
    title: str
    sentence: str
    values: list[OptionValueAnswer]
    least: int | None
    most: int | None
    house: bool


class ProfileAnswer(Answer):
    """A ready profile, and the options that it sets otherwise than the edition does."""

    name: str
    title: str
    sets: dict[str, bool | int | str]


class LanguageAnswer(Answer):
    """A language by its code, and what it calls itself."""

    code: str
    title: str


class ChoicesAnswer(Answer):
    """What there is to choose for a match, what was chosen last, and a match that could be gone on with."""

    editions: list[EditionAnswer]
    options: list[OptionAnswer]
    profiles: list[ProfileAnswer]
    scorings: list[OptionValueAnswer]
    languages: list[LanguageAnswer]
    least_players: int
    most_players: int
    last: dict[str, Any]
    running: str | None
    unfinished: str | None


@api.route("GET", "/api/choices", role=Role.VIEWER, query=ChoicesQuery, answer=ChoicesAnswer)
def get_choices(query: ChoicesQuery) -> ChoicesAnswer:
    """Say what there is to choose for a match.

    Titles and sentences are for people, in the language asked for. Each option's default stands in each edition's
    `defaults`; what a profile `sets` goes before it; what POST /api/match is given as `options` goes before both.
    `scorings` are the values of the option `scoring`. `last` is the body of the last POST /api/match, empty at first,
    with the family's own rules as `our_rules`.
    """
    own = services()
    caller = Caller(query.language or own.language)
    offered = [_option(option, caller) for option in OPTIONS.values()]
    try:
        unfinished = own.store.unfinished()
    except StoreError:
        unfinished = None
    return ChoicesAnswer(
        editions=[_edition(edition, caller) for edition in EDITIONS.values()],
        options=offered,
        profiles=[_profile(name, caller) for name in PROFILES],
        scorings=next(option.values for option in offered if option.name == "scoring"),
        languages=[LanguageAnswer(code=known.value, title=known.own_name) for known in Language],
        least_players=MIN_PLAYERS,
        most_players=MAX_PLAYERS,
        last=own.wishes,
        running=own.table.match_id,
        unfinished=unfinished,
    )


def _edition(edition: Edition, caller: Caller) -> EditionAnswer:
    name = edition.name.value
    items = Card(Face.WILD_ITEM_BOX) in edition.deck
    deck = [
        DeckCardAnswer(
            card=card.name,
            count=count,
            title=caller.card(card),
            points=card.points,
            wild=card.color is None,
            item=card.item.value if items else None,
        )
        for card, count in edition.deck.items()
    ]
    return EditionAnswer(
        name=name,
        title=_titled(caller.edition_title, name),
        deck=deck,
        defaults={option.name: option.default(edition.name) for option in OPTIONS.values()},
        items=items,
    )


def _profile(name: str, caller: Caller) -> ProfileAnswer:
    sets = {option: value.value if isinstance(value, Enum) else value for option, value in PROFILES[name].items()}
    return ProfileAnswer(name=name, title=_titled(caller.profile_title, name), sets=sets)


def _option(option: Option, caller: Caller) -> OptionAnswer:
    name = option.name
    values = option.values if option.kind is OptionKind.CHOICE else ()
    return OptionAnswer(
        name=name,
        kind=option.kind.value,
        title=_titled(caller.option_title, name),
        sentence=_titled(caller.option, name),
        values=[
            OptionValueAnswer(value=str(value), title=_titled(partial(caller.option_value, name), str(value)))
            for value in values
        ],
        least=option.least,
        most=option.most,
        house=option.house,
    )


def _titled(words: Callable[[str], str], name: str) -> str:
    """Return the words for a name, the name itself where nobody has found words yet: it can be chosen all the same."""
    try:
        return words(name)
    except KeyError:
        return name.replace("_", " ").replace("-", " ").capitalize()
