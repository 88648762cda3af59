"""What the caller says at the table, in every language."""

from __future__ import annotations

from dataclasses import replace

import pytest

from companion.caller import LANGUAGES, Caller, UnknownLanguageError
from companion.cards import ALL_CARDS, Card, Color, EditionName
from companion.editions import EDITIONS, Options, Scoring, Stacking, TwoPlayerReverse
from companion.languages import Language
from companion.referee import moves
from companion.referee.effects import CountCorrected, MatchWon, Scored
from companion.referee.errors import RefereeError
from companion.referee.match import Match
from companion.referee.phase import Phase, Purpose
from companion.referee.state import Header


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


def test_lightning_is_reported_one_by_one_where_it_hits_unequally_or_one_alone() -> None:
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
    assert said(game, start, moves.Play(card("red reverse"))) == ["Play changes direction.", "Cy is next."]
    assert said(game, start, moves.Draw()) == ["Ann draws one."]
    assert said(game, start, moves.Reshuffle()) == ["The discard pile is shuffled into a new draw pile."]
    assert said(game, start, moves.Count("Ben", 1)) == ["Ben holds one card."]
    assert said(game, start, moves.Count("Ben", 11)) == ["Ben holds 11 cards."]
    assert said(game, start, moves.Count("Ben", 0)) == [
        "Ben has no card left.",
        "Ben is out and wins the round!",
        "Show the remaining hands.",
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
    assert said(game, *play) == ["Ann is out and wins the round!", "Show the remaining hands."]
    play.append(moves.Hand("Ben", (card("red 1"),)))
    assert said(game, *play) == ["Ben holds one card."]
    hand = (card("red 5"), card("red 5"), card("red 0"))
    assert said(game, *play, moves.Hand("Cy", hand)) == [
        "Ann scores 11 points.",
        "Total points: Ann 11, Ben 0, Cy 0.",
        "Round 2: Ann deals.",
    ]
    hand = (card("wild"), card("red 5"), card("red 0"))
    assert said(game, *play, moves.Hand("Cy", hand)) == [
        "Ann scores 56 points.",
        "Total points: Ann 56, Ben 0, Cy 0.",
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
    assert caller.correct(before.state, after.state) == ["Cy has no card left.", "Show the remaining hands."]
    for player in ("Ann", "Ben"):
        after = after.apply(moves.Hand(player, (card("red 1"), card("blue 1"))))
    assert caller.correct(before.state, after.state) == [
        "This is round 2.",
        "Cy has 4 points.",
        "Turn up a card to start the pile.",
    ]


def test_nothing_changed_is_said_only_where_nothing_did() -> None:
    caller = Caller()
    nothing = ["That changes nothing."]
    game = match(EditionName.MINECRAFT, "Ann", "Ben", "Cy", hand_size=2, jump_in=True).apply(moves.Start(card("red 7")))
    assert caller.correct(game.state, game.state) == nothing
    assert caller.correct(game.state, game.state, rewritten=True) == [
        "The record is corrected. The state of the match is unchanged."
    ]
    called = game.apply(moves.Uno("Ann"))
    assert caller.correct(called.state, game.state) == ["Ann has not called UNO."]
    assert caller.correct(game.state, called.state) == ["Ann has called UNO."]
    played = game.apply(moves.Play(card("red 5")))
    silent = played.apply(moves.Uno("Ann"))
    assert caller.correct(silent.state, played.state) == ["Ann has not called UNO."]
    caught = replace(played.state, catchable=None)
    assert caller.correct(played.state, caught) == ["Ann cannot be caught for UNO."]
    assert caller.correct(caught, played.state) == ["Ann can be caught for UNO."]
    drawn = game.apply(moves.Draw()).apply(moves.Pass()).apply(moves.Count("Ann", 2))
    turned = replace(drawn.state, fresh=(0, 0, 0))
    assert caller.correct(drawn.state, turned) == ["Creepers that Ann can still show: 0."]
    closed = replace(game.state, jump_open=False)
    assert caller.correct(game.state, closed) == ["Nobody may jump in on the red 7."]
    assert caller.correct(closed, game.state) == ["Anyone may jump in on the red 7."]
    wild = game.apply(moves.Play(card("wild draw four")))
    other = replace(wild.state, contested=Color.BLUE)
    assert caller.correct(wild.state, other) == ["The colour before the wild draw four was blue."]
    plain = game.apply(moves.Play(card("wild")))
    assert caller.correct(wild.state, plain.state)[0] == "On top: wild."
    opening = replace(plain.state, purpose=Purpose.OPENING)
    assert caller.correct(plain.state, opening) == ["Ann, choose a colour."]
    shell = replace(plain.state, phase=Phase.TARGET, purpose=Purpose.PROGRAM)
    seven = replace(shell, purpose=Purpose.SEVEN)
    assert caller.correct(shell, seven) == ["Ann, choose whose hand you want."]
    unseen = replace(game.state, laid_by=2)
    assert caller.correct(game.state, unseen) == ["The record is corrected. The state of the match is unchanged."]


def test_a_hand_awaited_again_or_shown_otherwise_is_reported() -> None:
    game = match(EditionName.CLASSIC, "Ann", "Ben", "Cy", hand_size=1).apply(moves.Start(card("red 7")))
    game = game.apply(moves.Play(card("red 5")))
    ben = game.apply(moves.Hand("Ben", (card("red 1"),)))
    other = ben.amend(3, moves.Hand("Ben", (card("blue 9"),)))
    assert Caller().correct(ben.state, game.state) == ["The hand of Ben is missing."]
    assert Caller().correct(ben.state, other.state) == ["The hand of Ben: blue 9."]
    assert Caller().correct(game.state, ben.state) == ["The hand of Ben: red 1."]


def test_a_correction_shows_what_is_owed() -> None:
    game = match(EditionName.CLASSIC, "Ann", "Ben", "Cy", stacking=Stacking.ANY).apply(moves.Start(card("red 7")))
    owing = game.apply(moves.Play(card("red draw two")))
    assert Caller().correct(game.state, owing.state)[-2:] == ["Ben owes two cards.", "Ben, stack a card or draw two."]
    assert "Nothing is owed." in Caller().correct(owing.state, game.state)
    wild = game.apply(moves.Play(card("wild draw four")))
    assert "four cards are owed." in Caller().correct(game.state, wild.state)


def test_a_correction_shows_who_won() -> None:
    game = match(EditionName.CLASSIC, "Ann", "Ben", scoring=Scoring.SINGLE_ROUND, hand_size=1)
    before = game.apply(moves.Start(card("red 7")))
    over = before.apply(moves.Play(card("red 1")))
    assert Caller().correct(before.state, over.state)[-1] == "Ann wins the match!"
    assert Caller().correct(over.state, before.state)[-1] == "It is Ann’s turn."


def test_a_count_corrected_is_reported() -> None:
    state = match(EditionName.CLASSIC, "Ann", "Ben").state
    assert Caller("fr").say([CountCorrected("Ann", 7, 2)], state, state) == ["Ann a deux cartes en main."]


def test_cards_have_a_name_in_every_language() -> None:
    assert [Caller("en").card(card) for card in ALL_CARDS] == [card.name for card in ALL_CARDS]
    assert Caller("de").card(card("red 7")) == "Rot 7"
    assert Caller("fr").card(card("blue skip")) == "passe ton tour bleu"
    for language in LANGUAGES:
        assert len({Caller(language).card(card) for card in ALL_CARDS}) == len(ALL_CARDS)


def test_refusals_are_reported_in_the_language() -> None:
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
    assert str(refused.value) == f"there is no catalogue for 'la', only for {', '.join(Language)}"


def test_stacking_is_spoken() -> None:
    game = match(EditionName.CLASSIC, "Ann", "Ben", "Cy", stacking=Stacking.ANY)
    start = moves.Start(card("red 7"))
    two, blue = moves.Play(card("red draw two")), moves.Play(card("blue draw two"))
    assert said(game, start, two) == ["Ben owes two cards."]
    assert said(game, start, two, blue, language="de") == ["Cy schuldet vier Karten."]
    assert said(game, start, two, blue, moves.Accept(), language="fr") == ["Cy pioche quatre cartes et passe son tour."]
    four = (moves.Play(card("wild draw four")), moves.ChooseColor(Color.RED))
    assert said(game, start, two, *four) == [
        "The colour is red.",
        "Cy owes six cards.",
        "Cy, stack, accept or challenge?",
    ]
    lost = (*four, moves.Challenge(), moves.Judge(False))
    assert said(game, start, two, *lost, language="es") == [
        "Cy se equivoca: Ben podía jugarla.",
        "Cy roba ocho cartas y pierde el turno.",
    ]
    assert said(game, moves.Start(card("red draw two"))) == ["Ann owes two cards."]
    calm = match(EditionName.CLASSIC, "Ann", "Ben", "Cy", challenge=False, stacking=Stacking.SAME)
    assert said(calm, start, *four) == ["The colour is red.", "Ben owes four cards."]
    calm = match(EditionName.CLASSIC, "Ann", "Ben", "Cy", challenge=False)
    assert said(calm, start, *four) == ["The colour is red.", "Ben draws four and is skipped."]


def test_a_jump_in_names_who_is_next() -> None:
    game = match(EditionName.CLASSIC, "Ann", "Ben", "Cy", "Di", jump_in=True, stacking=Stacking.SAME, hand_size=2)
    start, five = moves.Start(card("red 7")), moves.Play(card("red 5"))
    jump = moves.Play(card("red 5"), by="Cy")
    assert said(game, start, five, jump) == ["Cy jumps in!", "Di is next."]
    assert said(game, start, five, jump, language="de") == ["Cy wirft rein!", "Di ist dran."]
    two = moves.Play(card("red draw two"))
    jump = moves.Play(card("red draw two"), by="Di")
    assert said(game, start, two, jump) == ["Di jumps in!", "Ann owes four cards."]
    skip = moves.Play(card("red skip"))
    jump = moves.Play(card("red skip"), by="Ben")
    assert said(game, start, skip, jump) == ["Ben jumps in!", "Cy is skipped.", "Di is next."]
    last = (start, moves.Count("Di", 1), five, moves.Play(card("red 5"), by="Di"))
    assert said(game, *last)[:2] == ["Di jumps in!", "Di is out and wins the round!"]


def test_a_seven_asks_whom_and_a_zero_says_which_way() -> None:
    game = match(EditionName.CLASSIC, "Ann", "Ben", "Cy", seven_zero=True)
    start, seven = moves.Start(card("red 3")), moves.Play(card("red 7"))
    assert said(game, start, seven) == ["Ann, choose whose hand you want."]
    assert said(game, start, seven, moves.Target("Cy")) == ["Ann and Cy swap hands."]
    assert said(game, start, seven, moves.Target("Cy"), language="de") == ["Ann und Cy tauschen die Hände."]
    zero = moves.Play(card("red 0"))
    assert said(game, start, zero) == ["All hands pass one seat to the left."]
    assert said(game, moves.Start(card("red reverse")), zero) == ["All hands pass one seat to the right."]


def test_a_reverse_between_two_is_only_a_skip() -> None:
    start, reverse = moves.Start(card("red 3")), moves.Play(card("red reverse"))
    two = match(EditionName.CLASSIC, "Ann", "Ben")
    assert said(two, start, reverse) == ["Ben is skipped."]
    turns = match(EditionName.CLASSIC, "Ann", "Ben", two_player_reverse=TwoPlayerReverse.TURN)
    assert said(turns, start, reverse) == ["Play changes direction.", "Ben is next."]
    assert said(two, moves.Start(card("red reverse"))) == ["Play changes direction.", "Ben begins."]


def test_the_end_of_a_round_by_other_scores() -> None:
    low = match(EditionName.CLASSIC, "Ann", "Ben", "Cy", hand_size=1, scoring=Scoring.LOW_TOTAL)
    play = [moves.Start(card("red 7")), moves.Play(card("red 3")), moves.Hand("Ben", (card("red 1"),))]
    assert said(low, *play, moves.Hand("Cy", (card("wild"),))) == [
        "Points left in hand: Ann 0, Ben 1, Cy 50.",
        "Total points: Ann 0, Ben 1, Cy 50.",
        "Round 2: Ann deals.",
    ]
    single = match(EditionName.CLASSIC, "Ann", "Ben", hand_size=1, scoring=Scoring.SINGLE_ROUND)
    assert said(single, *play[:2]) == ["Ann is out and wins the match!"]


def test_many_without_a_card_are_reported_together() -> None:
    flip = (moves.Start(card("red 7")), moves.Play(card("wild item box")), moves.Flip(card("blue 2")))
    game = match(EditionName.MARIO_KART, "Ann", "Ben", "Cy", "Di", hand_size=27)
    made = (flip[0], moves.Count("Ann", 30), *flip[1:])
    assert said(game, *made) == [
        "Lightning!",
        "Ben draws one.",
        "There is no card left for Cy and Di to draw.",
        "Ann goes again.",
    ]


def test_a_line_of_the_history_says_who_did_what() -> None:
    game = match(EditionName.MARIO_KART, "Ann", "Ben", "Cy").apply(moves.Start(card("red 7")))
    caller = Caller()
    state = game.state
    reported = {
        moves.Play(card("red 5")): "Ann: red 5",
        moves.Play(card("red 7"), by="Cy"): "Cy: red 7",
        moves.Draw(): "Ann: draws a card",
        moves.Pass(): "Ann: keeps it",
        moves.ChooseColor(Color.BLUE): "Ann: blue",
        moves.Target("Ben"): "Ann: names Ben",
        moves.Accept(): "Ann: accepts",
        moves.Challenge(): "Ann: challenges",
        moves.Reveal((card("red 1"),)): "Ann: shows the hand",
        moves.Judge(True): "Ann: was not allowed to play that",
        moves.Judge(False): "Ann: was allowed to play that",
        moves.Uno("Ben"): "Ben: UNO",
        moves.Catch("Ben"): "Ben: caught without having called UNO",
        moves.Creeper("Cy"): "Cy: shows a creeper",
        moves.Hand("Cy", (card("red 1"), card("wild"))): "Cy: red 1, wild",
        moves.Hand("Cy", ()): "Cy: no cards",
        moves.Count("Cy", 1): "Cy: one card in hand",
        moves.Start(card("red 1")): "red 1",
        moves.Reshuffle(): "The discard pile is shuffled into a new draw pile.",
    }
    assert {move: caller.move(move, state) for move in reported} == reported


def test_a_match_that_is_won_is_described() -> None:
    game = match(EditionName.CLASSIC, "Ann", "Ben", hand_size=1, scoring=Scoring.SINGLE_ROUND)
    over = game.apply(moves.Start(card("red 7"))).apply(moves.Play(card("red 3")))
    assert Caller().describe(over.state)[-1] == "Ann wins the match!"
    assert "wins" not in "".join(Caller().describe(game.state))
