"""What a special card waits for: every waiting verb is asked by one panel on the table and on the player's page."""

from __future__ import annotations

import pytest
from browsing import Open, Server, lay
from playwright.sync_api import Page, expect

from companion.caller import Caller
from companion.cards import Card, Face
from companion.editions.library import edition_of
from companion.languages import Language
from companion.referee import moves
from companion.referee.engine import apply
from companion.referee.state import Header, opening
from companion.server.access.guests import Role

PLAYERS = ("Ann", "Ben", "Cy")


def deck(*steps: dict[str, object], **face: object) -> dict[str, object]:
    """Return the definition of a deck with four wild lions that do these steps."""
    lion = {"name": {"en": "Lion", "de": "Löwe"}, "text": {"en": "Roar.", "de": "Brülle."}, "reads_as": ["wild"]}
    return {
        "format": 1,
        "id": "zoo",
        "name": {"en": "Zoo"},
        "deck": {"wild lion": 4},
        "faces": {"wild lion": {**lion, "when_played": list(steps), **face}},
    }


LION = Card(Face.named("wild lion"))
ANN_ASKED = {"color": "choose"}


def begin(server: Server, definition: dict[str, object], *taps: moves.Move) -> None:
    """Start a match with the deck on a red 5, at Ann's turn, and make these moves."""
    edition = edition_of(definition)
    server.services.start(Header(edition, PLAYERS, 2, edition.options))
    for move in (moves.Start(Card.parse("red 5")), *taps):
        server.services.table.tap(move)


def hand(server: Server, player: str) -> int:
    state = server.services.table.state
    assert state is not None
    return state.hands[state.players.index(player)]


def both(open_as: Open, player: str) -> tuple[Page, Page]:
    """Return the host's table and the page of this player."""
    return open_as(Role.HOST), open_as(Role.PLAYER, player, page="player")


def test_drawing_until_a_card_comes_is_entered_as_a_number(server: Server, open_as: Open) -> None:
    begin(server, deck({"draw_until": {"color": "green"}}), moves.Play(LION))
    table, phone = both(open_as, "Ann")
    for screen in (table, phone):
        expect(screen.locator("[data-ask=draw_until] h2")).to_contain_text("Ann, draw until you have a card (green).")
        # No card of none is drawn that fits: there is no button for it.
        expect(screen.locator('[data-act="number-0"]')).to_have_count(0)
    # Somebody else's page shows no panel, and the table no cards to be laid.
    expect(open_as(Role.PLAYER, "Ben", page="player").locator("[data-ask]")).to_have_count(0)
    expect(table.locator("#palette button")).to_have_count(0)
    phone.click('[data-act="number-3"]')
    expect(table.locator("#caption")).to_contain_text("Ann draws three")
    expect(table.locator("[data-ask]")).to_have_count(0)
    assert hand(server, "Ann") == 9


def test_a_large_number_is_typed(server: Server, open_as: Open) -> None:
    begin(server, deck({"draw": "told", "who": "next"}), moves.Play(LION))
    phone = open_as(Role.PLAYER, "Ben", page="player")
    phone.fill("#ask-number", "12")
    phone.keyboard.press("Enter")
    expect(phone.locator("[data-ask]")).to_have_count(0)
    assert hand(server, "Ben") == 19


def test_a_launcher_may_give_no_card(server: Server, open_as: Open) -> None:
    begin(server, deck({"draw": "told"}), moves.Play(LION))
    table = open_as(Role.HOST)
    table.click('[data-act="number-0"]')
    expect(table.locator("[data-ask]")).to_have_count(0)
    assert hand(server, "Ann") == 6


def test_shed_cards_are_counted(server: Server, open_as: Open) -> None:
    begin(server, deck({"shed": {"color": ["red", "blue"]}, "up_to": 3}), moves.Play(LION))
    table, phone = both(open_as, "Ann")
    for screen in (table, phone):
        expect(screen.locator('[data-ask=shed] [data-act^="number-"]')).to_have_text(["None", "1", "2", "3"])
    phone.click('[data-act="number-2"]')
    expect(table.locator("[data-ask]")).to_have_count(0)
    assert hand(server, "Ann") == 4


def test_shed_cards_are_named_and_only_those_that_fit(server: Server, open_as: Open) -> None:
    begin(server, deck({"shed": {"color": ["red", "blue"]}, "up_to": 2}), moves.Play(LION))
    table = open_as(Role.HOST)
    table.click('[data-act="choose-shed"]')
    table.click("dialog .chip-green")
    expect(table.locator('dialog [data-card="green 3"]')).to_be_disabled()
    table.click("dialog .chip-red")
    for _ in range(3):  # the third is one too many
        table.click('dialog [data-card="red 3"]')
    expect(table.locator(".picker-sum")).to_have_text("2 of 2 cards")
    table.click("#picked")
    expect(table.locator("[data-ask]")).to_have_count(0)
    assert hand(server, "Ann") == 4
    assert server.services.table.view().history[-1].move == moves.Shed((Card.parse("red 3"),) * 2)


@pytest.mark.parametrize(("yes", "cards"), [(True, 9), (False, 7)])
def test_a_hand_that_is_searched_is_answered_by_yes_or_no(yes: bool, cards: int, server: Server, open_as: Open) -> None:
    program = {"reveal": {"color": "red"}, "who": "next", "yes": [{"draw": 2, "who": "asked"}]}
    begin(server, deck(program), moves.Play(LION))
    table, phone = both(open_as, "Ben")
    for screen in (table, phone):
        expect(screen.locator("[data-ask=reveal] .ask-ways button")).to_have_text(["Yes, shows it", "No, has none"])
    phone.click(f'[data-act="{"yes" if yes else "no"}"]')
    expect(table.locator("[data-ask]")).to_have_count(0)
    assert hand(server, "Ben") == cards


def test_a_dare_is_asked_with_the_text_of_the_card(server: Server, open_as: Open) -> None:
    program = {"dare": True, "who": "next", "no": [{"draw": 1, "who": "asked"}]}
    begin(server, deck(program), moves.Play(LION))
    phone = open_as(Role.PLAYER, "Ben", page="player")
    expect(phone.locator("[data-ask=dare] h2")).to_contain_text("Roar.")
    expect(phone.locator("[data-ask=dare]")).to_contain_text("Lion")
    phone.click('[data-act="no"]')
    expect(phone.locator("[data-ask]")).to_have_count(0)
    assert hand(server, "Ben") == 8


def test_who_is_named_reads_what_it_is_for(server: Server, open_as: Open) -> None:
    begin(server, deck({"target": "others"}, {"draw": 3, "who": "chosen"}), moves.Play(LION))
    table, phone = both(open_as, "Ann")
    for screen in (table, phone):
        expect(screen.locator('[data-act^="target-"]')).to_have_text(["Ben draws 3", "Cy draws 3"])
    phone.click('[data-act="target-Cy"]')
    expect(table.locator("#caption")).to_contain_text("Cy draws three")


def test_two_players_are_named_for_a_pool(server: Server, open_as: Open) -> None:
    begin(server, deck({"pool": "two"}), moves.Play(LION))
    table = open_as(Role.HOST)
    expect(table.locator('[data-act^="target-"]')).to_have_text(["Ann", "Ben", "Cy"])
    table.click('[data-act="target-Ben"]')
    expect(table.locator('[data-act^="target-"]')).to_have_text(["Ann", "Cy"])
    table.click('[data-act="target-Cy"]')
    expect(table.locator('[data-act^="target-"]')).to_have_count(0)


def test_a_colour_is_chosen_by_who_is_asked_for_it(server: Server, open_as: Open) -> None:
    begin(server, deck({"color": "choose", "who": "next"}, {"draw": 1}), moves.Play(LION))
    table, phone = both(open_as, "Ben")
    expect(table.locator('[data-act^="color-"]')).to_have_count(4)
    phone.click('[data-act="color-blue"]')
    expect(table.locator("#top .chip-blue")).to_be_visible()


def test_a_demand_is_met_by_a_card_or_by_drawing(server: Server, open_as: Open) -> None:
    definition = deck({"color": "choose"}, {"demand": {"number": True}, "else": 4})
    begin(server, definition)
    table, phone = both(open_as, "Ben")
    # The colour is chosen with the card, as for any wild.
    lay(table, "wild lion", "blue")
    expect(table.locator("#caption")).to_contain_text("Ben, play a card (a number) or draw four.")
    expect(table.locator('#palette .palette-large [data-card="red 7"]')).to_be_visible()
    expect(table.locator('#palette .palette-large [data-card="blue skip"]')).to_have_count(0)
    phone.click('[data-act="accept"]')
    expect(table.locator("#caption")).to_contain_text("Ben draws four")
    assert hand(server, "Ben") == 11


def test_a_penalty_is_answered_by_the_card_that_answers(server: Server, open_as: Open) -> None:
    begin(server, deck({"color": "choose"}, answers="reflect"), moves.Play(Card.parse("red draw two")))
    table = open_as(Role.HOST)
    expect(table.locator('[data-act="accept"]')).to_have_text("Takes 2")
    lay(table, "wild lion", "green")
    expect(table.locator("#history")).to_contain_text("Ann draws two")
    assert hand(server, "Ann") == 8


def test_a_card_that_is_shown_when_drawn_is_entered_by_its_name(server: Server, open_as: Open) -> None:
    begin(server, deck(when_drawn=[{"draw": 2}]), moves.Draw())
    phone = open_as(Role.PLAYER, "Ann", page="player")
    expect(phone.locator('[data-act="creeper-Ann"]')).to_have_text("Ann drew: Lion")
    phone.click('[data-act="creeper-Ann"]')
    expect(phone.locator("#caption")).to_contain_text("Ann draws two")
    assert hand(server, "Ann") == 10


@pytest.mark.parametrize("language", Language)
def test_what_waits_is_asked_in_every_language(language: Language) -> None:
    """The panels read the caller's prompt, which names deck and cards by the file's own words."""
    said = set()
    for step in (
        {"draw": "told"},
        {"draw_until": {"color": "green"}},
        {"shed": {"color": "red"}},
        {"reveal": {"color": "red"}},
        {"dare": True},
        {"target": "others"},
    ):
        edition = edition_of(deck(step))
        state = opening(Header(edition, PLAYERS, 2, edition.options))
        for move in (moves.Start(Card.parse("red 5")), moves.Play(LION)):
            state, _ = apply(state, move)
        said.add(Caller(language).prompt(state))
    assert len(said) == 6
    assert all("{" not in sentence for sentence in said)
    if language is Language.GERMAN:
        assert any("Brülle." in sentence for sentence in said)
