"""English terms and prompts: colours, faces, marks, directions, phases, players."""

from __future__ import annotations

from enum import Enum

from companion.cards import Color, Face
from companion.editions.program import Selector
from companion.referee.errors import message
from companion.referee.phase import Direction, Phase

# 1 is handled by singular forms.
NUMBERS = {
    2: message("two"),
    3: message("three"),
    4: message("four"),
    5: message("five"),
    6: message("six"),
    7: message("seven"),
    8: message("eight"),
    9: message("nine"),
    10: message("ten"),
}

WORDS: dict[Enum, str] = {
    Color.RED: message("red"),
    Color.YELLOW: message("yellow"),
    Color.GREEN: message("green"),
    Color.BLUE: message("blue"),
    Face.DRAW_TWO: message("draw two"),
    Face.REVERSE: message("reverse"),
    Face.SKIP: message("skip"),
    Face.WILD: message("wild"),
    Face.WILD_DRAW_FOUR: message("wild draw four"),
    Face.WILD_ITEM_BOX: message("wild item box"),
    Face.WILD_CREEPER: message("wild creeper"),
    Direction.CLOCKWISE: message("Play goes clockwise."),
    Direction.COUNTERCLOCKWISE: message("Play goes counterclockwise."),
    Phase.START: message("a card to start the pile"),
    Phase.TURN: message("a turn"),
    Phase.DRAWN: message("the drawn card to be played or kept"),
    Phase.DEBT: message("a card to stack, or the debt to be drawn"),
    Phase.FLIP: message("the card that the item box turns up"),
    Phase.COLOR: message("a colour"),
    Phase.TARGET: message("a player to be chosen"),
    Phase.CHALLENGE: message("an answer to the wild draw four"),
    Phase.REVEAL: message("the challenged hand"),
    Phase.TOOK: message("the number of cards drawn"),
    Phase.SHED: message("the cards to be laid off"),
    Phase.OUTCOME: message("an answer"),
    Phase.SCORING: message("the leftover hands"),
    Phase.OVER: message("nothing: the match is over"),
}

PROMPTS = {
    Phase.START: message("Turn up a card to start the pile."),
    Phase.TURN: message("It is {player}’s turn."),
    Phase.DRAWN: message("{player} may play the drawn card or keep it."),
    Phase.DEBT: message("{player}, stack a card or draw {debt}."),
    Phase.FLIP: message("{player}, turn up the top card of the draw pile."),
    Phase.COLOR: message("{player}, choose a colour."),
    Phase.TARGET: message("{player}, who is hit by {why}?"),
    Phase.CHALLENGE: message("{player}, accept or challenge?"),
    Phase.REVEAL: message("{player}, show your hand to {challenger}."),
    Phase.TOOK: message("{player}, how many cards do you draw?"),
    Phase.SHED: message("{player}, lay off {what}."),
    Phase.OUTCOME: message("{player}, do you have {what}?"),
    Phase.SCORING: message("Show the remaining hands."),
    Phase.OVER: message("The match is over."),
}

STACKING_PROMPT = message("{player}, stack, accept or challenge?")
SWAP_PROMPT = message("{player}, choose whose hand you want.")
PEEK_PROMPT = message("{player}, choose whose hand you look at.")
POOL_PROMPT = message("{player}, choose whose hands are mixed.")
RANDOM_PROMPT = message("{player}, let chance choose a colour.")
UNTIL_PROMPT = message("{player}, draw until you have {what}. How many cards was that?")
SHED_PROMPT = message("{player}, lay off {what}, at most {count}.")
DARE_PROMPT = message("{player}: {text} Is it done?")
DEMAND_PROMPT = message("{player}, play {what} or draw {debt}.")
ANSWER_PROMPT = message("{player}, answer the draw card or draw {debt}.")

MARK_WORDS = {
    "mushroom": message("Mushroom!"),
    "banana peel": message("Banana peel!"),
    "green shell": message("Green shell!"),
    "lightning": message("Lightning!"),
    "bob-omb": message("Bob-omb!"),
}
"""Marks of the printed editions, as exclamations."""

WHO = {
    Selector.SELF: message("the player"),
    Selector.NEXT: message("the next player"),
    Selector.PREVIOUS: message("the previous player"),
    Selector.CHOSEN: message("the chosen player"),
    Selector.ASKED: message("the player asked"),
    Selector.AUTHOR: message("the player of the draw card"),
    Selector.OTHERS: message("everyone else"),
    Selector.ALL: message("everyone"),
    Selector.MOST: message("whoever holds the most cards"),
    Selector.FEWEST: message("whoever holds the fewest cards"),
}

# Phases that need a prompt. In the others players know what to do.
ASKED_FOR = frozenset(
    {
        Phase.FLIP,
        Phase.COLOR,
        Phase.TARGET,
        Phase.CHALLENGE,
        Phase.REVEAL,
        Phase.SCORING,
        Phase.TOOK,
        Phase.SHED,
        Phase.OUTCOME,
    }
)
