"""The choices for a match, derived from the referee's types. The set-up page is drawn from them."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from functools import partial
from typing import Any
from urllib.parse import quote

from companion.caller import Caller
from companion.editions import EDITIONS, OPTIONS, PROFILES, Edition, Option, OptionKind
from companion.languages import Language
from companion.referee.state import MAX_PLAYERS, MIN_PLAYERS
from companion.server.access.guests import Role
from companion.server.api.routing import Api
from companion.server.schema.answers import Answer
from companion.server.schema.fields import Body
from companion.server.schema.signs import chooses_color_at_once, sign_of_face
from companion.server.services.services import services
from companion.storage.store import StoreError

api = Api()


class ChoicesQuery(Body):
    """Language of titles and sentences; the caller's by default."""

    language: Language | None = None


class DeckCardAnswer(Answer):
    """One kind of card of a deck: count, title, points in a hand, and whether it has no colour.

    item: the mark in its corner, null without one. sign: what is drawn on a special face: `answer`, `drawn`, a verb,
    or `+N`; null for standard faces. chooses: whether who plays it chooses a colour before anything else is asked.
    picture: the address of the picture learnt of a special card, null without one.
    """

    card: str
    count: int
    title: str
    points: int
    wild: bool
    item: str | None
    sign: str | None
    chooses: bool
    picture: str | None


class EditionAnswer(Answer):
    """An edition: its deck and its default options. items: whether cards are turned up for their marks.

    own: a file of the user's.
    """

    name: str
    title: str
    deck: list[DeckCardAnswer]
    defaults: dict[str, bool | int | str]
    items: bool
    own: bool


class OptionValueAnswer(Answer):
    """One value of a choice."""

    value: str
    title: str


class OptionAnswer(Answer):
    """A rule option, with one sentence on what it does.

    kind: `flag`, `choice` or `number`. values: of a choice. least, most: bounds of a number, null if unbounded. house:
    whether it is a house rule, which is not in printed rules.
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
    """A rules profile, and the options in which it differs from the edition."""

    name: str
    title: str
    sets: dict[str, bool | int | str]


class LanguageAnswer(Answer):
    """A language: its code and its own name."""

    code: str
    title: str


class ThemedAnswer(Answer):
    """An edition by ID and title. What it consists of is at `/api/editions/ID`."""

    name: str
    title: str


class ChoicesAnswer(Answer):
    """The choices for a match, the last choices, and a match that can be resumed.

    editions: the printed editions and the user's own. themed: the other decks that ship.
    """

    editions: list[EditionAnswer]
    themed: list[ThemedAnswer]
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
    """Return the choices for a match.

    Titles and sentences are in the requested language. Option values are resolved in this order: the `options` of POST
    /api/match, the profile's `sets`, the edition's `defaults`. `scorings` are the values of the option `scoring`.
    `last` is the body of the last POST /api/match, empty at first, with the family's own rules as `our_rules`.
    """
    own = services()
    caller = Caller(query.language or own.language)
    offered = [_option(option, caller) for option in OPTIONS.values()]
    listed: dict[bool, list[Edition]] = {True: [], False: []}
    for edition in own.editions.values():
        if not edition.is_printed:
            listed[own.editions.is_own(edition.id)].append(edition)
    try:
        unfinished = own.store.unfinished()
    except StoreError:
        unfinished = None
    return ChoicesAnswer(
        editions=[_edition(edition, caller) for edition in (*EDITIONS.values(), *listed[True])],
        themed=[ThemedAnswer(name=edition.id, title=caller.edition_title(edition)) for edition in listed[False]],
        options=offered,
        profiles=[_profile(name, caller) for name in PROFILES],
        scorings=next(option.values for option in offered if option.name == "scoring"),
        languages=[LanguageAnswer(code=known.value, title=known.own_name) for known in Language],
        least_players=MIN_PLAYERS,
        most_players=MAX_PLAYERS,
        last=own.preferences.match,
        running=own.table.match_id,
        unfinished=unfinished,
    )


def _edition(edition: Edition, caller: Caller) -> EditionAnswer:
    return EditionAnswer(
        name=edition.id,
        title=caller.edition_title(edition),
        deck=deck_answer(edition, caller),
        defaults={name: edition.options.plain(name) for name in edition.offered},
        items=any(rules.when_turned_up for rules in edition.marks.values()),
        own=not edition.is_printed,
    )


def deck_answer(edition: Edition, caller: Caller) -> list[DeckCardAnswer]:
    """Return the deck of an edition, one entry for each kind of card."""
    pictures, learnt = services().learnt_faces.pictures(), services().deck
    marked = {card: marks[0].mark.id for card in edition.deck if (marks := edition.marks_of(card))}
    return [
        DeckCardAnswer(
            card=card.name,
            count=count,
            title=caller.card(card, edition),
            points=edition.points(card),
            wild=card.color is None,
            item=marked.get(card),
            sign=sign_of_face(edition, card.face),
            chooses=chooses_color_at_once(edition, card.face),
            picture=f"/api/decks/faces/{quote(card.name)}?deck={quote(learnt or '')}" if card in pictures else None,
        )
        for card, count in edition.deck.items()
    ]


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
    """Return the text for a name, or the name itself if it has no text yet."""
    try:
        return words(name)
    except KeyError:
        return name.replace("_", " ").replace("-", " ").capitalize()
