"""What editions, profiles and options are called, what each option is about, and what the values of a choice mean."""

from __future__ import annotations

from companion.referee.errors import message

EDITION_TITLES = {
    "mario-kart": message("UNO Mario Kart"),
    "minecraft": message("UNO Minecraft"),
    "classic": message("Classic UNO"),
}

PROFILE_TITLES = {
    "official": message("Official sheet"),
    "geekyhobbies": message("Geeky Hobbies"),
    "blog": message("Blog"),
}

OPTION_TITLES = {
    "start_action": message("Action card at the start"),
    "start_wild_chooser": message("Wild at the start"),
    "wild_counts_as_color": message("Wilds count in a challenge"),
    "green_shell_self": message("Green shell on oneself"),
    "two_player_reverse": message("Reverse between two"),
    "scoring": message("Scoring"),
    "target": message("Points that end the match"),
    "hand_size": message("Cards dealt"),
    "stacking": message("Stacking"),
    "jump_in": message("Jumping in"),
    "seven_zero": message("Seven and zero"),
    "draw_until_playable": message("Drawing on"),
    "challenge": message("Challenging"),
    "uno_penalty": message("Price of a forgotten UNO"),
}

OPTION_SENTENCES = {
    "start_action": message("What a draw two, reverse or skip does when it is turned up to start the pile."),
    "start_wild_chooser": message("Who names the colour of a wild turned up to start the pile."),
    "wild_counts_as_color": message("With another wild in hand, a wild draw four is not allowed either."),
    "green_shell_self": message("Whoever sends the green shell may name themselves."),
    "two_player_reverse": message("What a reverse does where two play."),
    "scoring": message("How rounds make a match."),
    "target": message("The match ends as soon as somebody has this many points."),
    "hand_size": message("So many cards are dealt to everyone."),
    "stacking": message("A draw card may be answered with another, and the next player owes the sum."),
    "jump_in": message("Whoever holds the same card as the top one, in colour and face, may play it out of turn."),
    "seven_zero": message("A seven exchanges two hands, a zero moves all hands on."),
    "draw_until_playable": message("Who draws goes on drawing until a card can be played."),
    "challenge": message("A wild draw four may be challenged."),
    "uno_penalty": message("So many cards cost it to be caught not having called UNO."),
}

OPTION_VALUES = {
    ("start_action", "apply"): message("what it always does"),
    ("start_action", "redraw"): message("nothing: another card is turned up"),
    ("start_wild_chooser", "first-player"): message("the first player"),
    ("start_wild_chooser", "dealer"): message("the dealer"),
    ("two_player_reverse", "skip"): message("it skips the other player"),
    ("two_player_reverse", "turn"): message("it only turns the direction"),
    ("scoring", "winner-takes-all"): message("the winner gets the points of all other hands"),
    ("scoring", "low-total"): message("all count their own hands, and the lowest total wins"),
    ("scoring", "single-round"): message("whoever is out of cards first wins the match"),
    ("stacking", "off"): message("not allowed"),
    ("stacking", "same"): message("like on like"),
    ("stacking", "any"): message("draw twos and wild draw fours on each other"),
}
