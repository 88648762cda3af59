"""Titles of editions, profiles and options; explanations of options and of their values."""

from __future__ import annotations

from companion.referee.errors import message

EDITION_TITLES = {
    "mario-kart": message("UNO Mario Kart"),
    "minecraft": message("UNO Minecraft"),
    "classic": message("Classic UNO"),
}

PROFILE_TITLES = {
    "official": message("Official sheet"),
    "geekyhobbies": message("One round"),
    "blog": message("Dealer’s colour"),
}

OPTION_TITLES = {
    "start_action": message("Action card at the start"),
    "start_wild_chooser": message("Wild at the start"),
    "wild_counts_as_color": message("Wilds count in a challenge"),
    "green_shell_self": message("Green shell on yourself"),
    "two_player_reverse": message("Reverse with two players"),
    "scoring": message("Scoring"),
    "target": message("Target score"),
    "hand_size": message("Cards dealt"),
    "stacking": message("Stacking"),
    "jump_in": message("Jumping in"),
    "seven_zero": message("Seven and zero"),
    "draw_until_playable": message("Draw until playable"),
    "challenge": message("Challenging"),
    "uno_penalty": message("Penalty for a missed UNO"),
    "uno_false_penalty": message("Penalty for a wrong UNO"),
    "must_play_drawn": message("Drawn cards must be played"),
    "doubles": message("Two like cards at once"),
}

OPTION_SENTENCES = {
    "start_action": message("What a draw two, reverse or skip does when turned up to start the pile."),
    "start_wild_chooser": message("Who names the colour of a wild turned up to start the pile."),
    "wild_counts_as_color": message("Another wild in hand also makes a wild draw four illegal."),
    "green_shell_self": message("The player of a green shell may choose themselves."),
    "two_player_reverse": message("What a reverse does with two players."),
    "scoring": message("How rounds are scored."),
    "target": message("The match ends when a player reaches this score."),
    "hand_size": message("How many cards each player is dealt."),
    "stacking": message("A draw card may be answered with another, and the next player owes the sum."),
    "jump_in": message("A player with a copy of the top card, same colour and face, may play it out of turn."),
    "seven_zero": message("A seven swaps two hands; a zero passes every hand on."),
    "draw_until_playable": message("A player who draws keeps drawing until a card can be played."),
    "challenge": message("A wild draw four may be challenged."),
    "uno_penalty": message("How many cards a player draws who is caught without calling UNO."),
    "uno_false_penalty": message("How many cards a wrong call of UNO costs. With 0 the call is only refused."),
    "must_play_drawn": message("A drawn card that can be played has to be played."),
    "doubles": message("A player may lay a second copy of the own card, same colour and face, before the next turn."),
}

OPTION_VALUES = {
    ("start_action", "apply"): message("its usual effect"),
    ("start_action", "redraw"): message("no effect: another card is turned up"),
    ("start_wild_chooser", "first-player"): message("the first player"),
    ("start_wild_chooser", "dealer"): message("the dealer"),
    ("two_player_reverse", "skip"): message("it skips the other player"),
    ("two_player_reverse", "turn"): message("it only changes the direction"),
    ("scoring", "winner-takes-all"): message("the winner scores all other hands"),
    ("scoring", "low-total"): message("players score their own hands, and the lowest total wins"),
    ("scoring", "single-round"): message("the first player out of cards wins the match"),
    ("stacking", "off"): message("not allowed"),
    ("stacking", "same"): message("only the same card"),
    ("stacking", "any"): message("draw twos and wild draw fours on each other"),
    ("stacking", "rising"): message("any draw card that asks for as many or more"),
}
