"""What is said at the table, and that it can be said in every language."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_file
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

import companion.caller
import companion.referee
from companion.caller import CATALOGUES, DOMAIN, LANGUAGES, Caller, UnknownLanguageError
from companion.cards import ALL_CARDS, Card, Color, EditionName
from companion.referee import moves
from companion.referee.editions import EDITIONS, OPTIONS, OptionKind, Options, Scoring
from companion.referee.effects import CountCorrected, MatchWon, Scored
from companion.referee.errors import RefereeError
from companion.referee.match import Match
from companion.referee.state import Header

KEYWORDS = {"message": None, "_text": None, "_plural": (1, 2)}


def match(edition: EditionName, *players: str, **options: object) -> Match:
    return Match(Header(EDITIONS[edition], players, len(players) - 1, Options(**options)))  # type: ignore[arg-type]


def said(game: Match, *made: moves.Move, language: str = "en") -> list[str]:
    """Return what is said of the last of the moves."""
    for move in made:
        before, game = game.state, game.apply(move)
    return Caller(language).say(game.history[-1].effects, before, game.state)


def card(name: str) -> Card:
    return Card.parse(name)


def kart(*made: moves.Move, language: str = "en") -> list[str]:
    opening = (moves.Start(card("green 7")), moves.Play(card("wild item box")))
    return said(match(EditionName.MARIO_KART, "Ann", "Ben", "Cy"), *opening, *made, language=language)


def test_items() -> None:
    assert kart() == ["Ann, turn up the top card of the draw pile."]
    assert kart(moves.Flip(card("blue 1"))) == ["Lightning!", "Everyone but Ann draws one.", "Ann goes again."]
    assert kart(moves.Flip(card("red 1"))) == ["Mushroom!", "Ann goes again."]
    assert kart(moves.Flip(card("yellow 1"))) == ["Banana peel!", "Cy draws two."]
    assert kart(moves.Flip(card("green 1"))) == ["Green shell!", "Ann, choose who draws one."]
    assert kart(moves.Flip(card("green 1")), moves.Target("Cy")) == ["Cy draws one."]
    assert kart(moves.Flip(card("wild draw four"))) == ["Bob-omb!", "Ann draws two.", "Ann, choose a colour."]


def test_lightning_is_told_one_by_one_where_it_hits_unequally_or_one_alone() -> None:
    flip = (moves.Start(card("red 7")), moves.Play(card("wild item box")), moves.Flip(card("blue 2")))
    assert said(match(EditionName.MARIO_KART, "Ann", "Ben"), *flip) == [
        "Lightning!",
        "Ben draws one.",
        "Ann goes again.",
    ]
    assert said(match(EditionName.MARIO_KART, "Ann", "Ben", "Cy", hand_size=37), *flip) == [
        "Lightning!",
        "Ben draws one.",
        "There is no card left for Cy to draw.",
        "Ann goes again.",
    ]


def test_play() -> None:
    game = match(EditionName.CLASSIC, "Ann", "Ben", "Cy")
    start = moves.Start(card("red 7"))
    assert said(game, start) == ["Ann begins."]
    wild = moves.Start(card("wild"))
    assert said(game, wild) == ["Ann, choose a colour."]
    assert said(game, wild, moves.ChooseColor(Color.BLUE)) == [
        "The colour is blue.",
        "Ann begins.",
    ]
    assert said(game, moves.Start(card("wild draw four"))) == ["That card cannot start the pile. Turn up another."]
    assert said(game, start, moves.Play(card("red 1"))) == []
    assert said(game, start, moves.Play(card("red draw two"))) == ["Ben draws two and is skipped."]
    assert said(game, start, moves.Play(card("red skip"))) == ["Ben is skipped."]
    assert said(game, start, moves.Play(card("red reverse"))) == ["Play turns round.", "Cy is next."]
    assert said(game, start, moves.Draw()) == ["Ann draws one."]
    assert said(game, start, moves.Reshuffle()) == ["The discard pile is shuffled into a new draw pile."]
    assert said(game, start, moves.Count("Ben", 1)) == ["Ben holds one card."]
    assert said(game, start, moves.Count("Ben", 11)) == ["Ben holds 11 cards."]
    assert said(game, start, moves.Count("Ben", 0)) == [
        "Ben has no card left.",
        "Ben is out and wins the round!",
        "Show the hands that are left.",
    ]


def test_wild_draw_four() -> None:
    game = match(EditionName.CLASSIC, "Ann", "Ben", "Cy")
    wild = (moves.Start(card("red 7")), moves.Play(card("wild draw four")), moves.ChooseColor(Color.BLUE))
    assert said(game, *wild) == ["The colour is blue.", "Ben, accept or challenge?"]
    assert said(game, *wild, moves.Accept()) == ["Ben draws four and is skipped."]
    assert said(game, *wild, moves.Challenge()) == ["Ann, show your hand to Ben."]
    assert said(game, *wild, moves.Challenge(), moves.Judge(True)) == [
        "Ben is right: Ann was not allowed to play that.",
        "Ann draws four.",
        "Ben is next.",
    ]
    assert said(game, *wild, moves.Challenge(), moves.Judge(False)) == [
        "Ben is wrong: Ann was allowed to play that.",
        "Ben draws six and is skipped.",
    ]


def test_the_end_of_a_round() -> None:
    game = match(EditionName.CLASSIC, "Ann", "Ben", "Cy", hand_size=2, target=30)
    play = [moves.Start(card("red 7")), moves.Play(card("red 3"))]
    assert said(game, *play, moves.Uno("Ann")) == ["Ann calls UNO!"]
    assert said(game, *play, moves.Catch("Ann")) == ["Ann did not call UNO and draws two."]
    play += [moves.Draw(), moves.Pass(), moves.Draw(), moves.Pass(), moves.Play(card("red 4"))]
    assert said(game, *play) == ["Ann is out and wins the round!", "Show the hands that are left."]
    play.append(moves.Hand("Ben", (card("red 1"),)))
    assert said(game, *play) == ["Ben holds one card."]
    hand = (card("red 5"), card("red 5"), card("red 0"))
    assert said(game, *play, moves.Hand("Cy", hand)) == [
        "Ann scores 11 points.",
        "Points in all: Ann 11, Ben 0, Cy 0.",
        "Round 2: Ann deals.",
    ]
    hand = (card("wild"), card("red 5"), card("red 0"))
    assert said(game, *play, moves.Hand("Cy", hand)) == [
        "Ann scores 56 points.",
        "Points in all: Ann 56, Ben 0, Cy 0.",
        "Ann wins the match!",
    ]


def test_few_and_many() -> None:
    state = match(EditionName.CLASSIC, "Ann", "Ben").state
    for language, sentences in {
        "en": ["Ann scores 0 points.", "Ann scores one point.", "Ann scores 2 points."],
        "de": ["Ann bekommt 0 Punkte.", "Ann bekommt einen Punkt.", "Ann bekommt 2 Punkte."],
        "fr": ["Ann marque 0 point.", "Ann marque 1 point.", "Ann marque 2 points."],
        "es": ["Ann suma 0 puntos.", "Ann suma un punto.", "Ann suma 2 puntos."],
    }.items():
        assert [Caller(language).say([Scored("Ann", points)], state, state)[0] for points in range(3)] == sentences


def test_a_shared_match() -> None:
    state = match(EditionName.CLASSIC, "Ann", "Ben").state
    assert Caller().say([MatchWon(("Ann", "Ben"))], state, state) == ["Ann and Ben share the match!"]
    assert Caller("de").say([MatchWon(("A", "B", "C"))], state, state) == ["A, B und C gewinnen die Partie gemeinsam!"]


def test_a_creeper() -> None:
    game = match(EditionName.MINECRAFT, "Ann", "Ben")
    made = (moves.Start(card("red 7")), moves.Draw(), moves.Creeper("Ann"))
    assert said(game, *made) == ["A creeper! Ann draws three more."]
    assert said(game, *made, language="de") == ["Ein Creeper! Ann zieht noch drei Karten."]


def test_a_correction_says_only_what_changed() -> None:
    before = match(EditionName.CLASSIC, "Ann", "Ben", "Cy").apply(moves.Start(card("red 7")))
    caller = Caller()
    assert caller.correct(before.state, before.state) == ["That changes nothing."]
    after = before.apply(moves.Play(card("blue reverse"), force=True))
    assert caller.correct(before.state, after.state) == [
        "On top: blue reverse.",
        "The colour is blue.",
        "Play goes counterclockwise.",
        "Ann holds six cards.",
        "It is Cy’s turn.",
    ]
    after = before.apply(moves.Count("Cy", 0))
    assert caller.correct(before.state, after.state) == ["Cy has no card left.", "Show the hands that are left."]
    for player in ("Ann", "Ben"):
        after = after.apply(moves.Hand(player, (card("red 1"), card("blue 1"))))
    assert caller.correct(before.state, after.state) == [
        "This is round 2.",
        "Cy has 4 points.",
        "Turn up a card to start the pile.",
    ]


def test_a_correction_tells_who_won() -> None:
    game = match(EditionName.CLASSIC, "Ann", "Ben", scoring=Scoring.SINGLE_ROUND, hand_size=1)
    before = game.apply(moves.Start(card("red 7")))
    over = before.apply(moves.Play(card("red 1")))
    assert Caller().correct(before.state, over.state)[-1] == "Ann wins the match!"
    assert Caller().correct(over.state, before.state)[-1] == "It is Ann’s turn."


def test_a_count_corrected_is_told() -> None:
    state = match(EditionName.CLASSIC, "Ann", "Ben").state
    assert Caller("fr").say([CountCorrected("Ann", 7, 2)], state, state) == ["Ann a deux cartes en main."]


def test_cards_have_a_name_in_every_language() -> None:
    assert [Caller("en").card(card) for card in ALL_CARDS] == [card.name for card in ALL_CARDS]
    assert Caller("de").card(card("red 7")) == "Rot 7"
    assert Caller("fr").card(card("blue skip")) == "passe ton tour bleu"
    for language in LANGUAGES:
        assert len({Caller(language).card(card) for card in ALL_CARDS}) == len(ALL_CARDS)


def test_refusals_are_told_in_the_language() -> None:
    game = match(EditionName.CLASSIC, "Ann", "Ben").apply(moves.Start(card("red 7")))
    game = game.apply(moves.Play(card("red 1")))
    with pytest.raises(RefereeError) as refused:
        game.amend(1, moves.Start(card("blue 2")))
    assert Caller("de").refuse(refused.value) == (
        "Zug 2 ginge dann nicht mehr: Rot 1 passt nicht auf Blau 2; gefragt ist Blau."
    )
    assert str(refused.value) == (
        "Move 2 would no longer stand: The red 1 does not match the blue 2, with blue in force."
    )


def test_an_unknown_language_is_refused() -> None:
    with pytest.raises(UnknownLanguageError) as refused:
        Caller("la")
    assert refused.value.language == "la"
    assert str(refused.value) == "there is no catalogue for 'la', only for en, de, fr, es"


def extracted() -> set[str | tuple[str, ...]]:
    found: set[str | tuple[str, ...]] = set()
    for package in (companion.caller, companion.referee):
        for path in Path(str(package.__file__)).parent.glob("*.py"):
            for _, text, _, _ in extract_from_file("python", path, KEYWORDS):
                found.add(text)
    return found


def catalogue(language: str) -> Catalog:
    path = CATALOGUES / language / "LC_MESSAGES" / f"{DOMAIN}.po"
    with path.open("rb") as file:
        return read_po(file, locale=language, domain=DOMAIN)


def fields(text: str) -> set[str]:
    return set(re.findall(r"\{(\w+)\}", text))


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_sentence_is_in_the_catalogue(language: str) -> None:
    entries = [entry for entry in catalogue(language) if entry.id]
    assert {entry.id if isinstance(entry.id, str) else tuple(entry.id) for entry in entries} == extracted()
    for entry in entries:
        assert not entry.fuzzy, entry.id
        wanted = fields(entry.id if isinstance(entry.id, str) else entry.id[-1])
        texts = [entry.string] if isinstance(entry.string, str) else entry.string
        assert len(texts) == (1 if isinstance(entry.id, str) else 2)
        for text in texts:
            assert text, f"{entry.id} lacks a sentence"
            assert fields(text) <= wanted, entry.id
        assert fields(texts[-1]) == wanted, entry.id


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_compiled_catalogue_is_current(language: str) -> None:
    compiled = io.BytesIO()
    write_mo(compiled, catalogue(language))
    path = CATALOGUES / language / "LC_MESSAGES" / f"{DOMAIN}.mo"
    assert path.read_bytes() == compiled.getvalue(), f"compile {path.with_suffix('.po')} again"


def test_the_english_catalogue_says_what_the_code_says() -> None:
    for entry in catalogue("en"):
        if entry.id:
            assert entry.string == (entry.id if isinstance(entry.id, str) else tuple(entry.id))


def test_there_is_a_catalogue_for_each_language_and_no_other() -> None:
    assert {path.name for path in Path(CATALOGUES).iterdir()} == set(LANGUAGES)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_option_has_a_title_a_sentence_and_words_for_its_values(language: str) -> None:
    caller = Caller(language)
    assert len({caller.option_title(name) for name in OPTIONS}) == len(OPTIONS)
    for name, option in OPTIONS.items():
        assert caller.option(name).endswith(".")
        if option.kind is OptionKind.CHOICE:
            words = [caller.option_value(name, str(value)) for value in option.values]
            assert len(set(words)) == len(words)
    with pytest.raises(KeyError):
        caller.option("nothing")
