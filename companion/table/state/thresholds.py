"""All numbers by which the table weighs observations, with their reasons. Shares from 0 to 1, or counts.

They describe how people play; the reader's reliability is in its calibrated probabilities. Frequencies of people's
actions are assumptions unless simulated matches are named, which are based on similar assumptions.
"""

CLEAR = 0.95
"""Probability of the best explanation from which it is ruled on at once. A question costs a tap and attention; a wrong
ruling costs about twenty times that. At 0.93 one landing in 24 matches with a calibrated reader is ruled on wrongly,
at 0.95 none.
"""

SURE = 0.97
"""The same where nobody would be asked: for actions at the draw pile, which may wait for the next card; for the common
result of all pending observations; and for an earlier ruling being wrong.
"""

CLEAR_OF_ARMS = 0.75
"""The same where arms decide who laid a clearly read card: the next cards show whether it was another player, and the
table corrects itself. A question costs one tap, a permanent wrong ruling about four; in 29 simulated matches nine of
ten questions with a best answer of 0.6 to 0.9 had that answer.
"""

PATIENCE = 3
"""Number of cards that may land behind a question; then the best answer is assumed and announced as such."""

NEGLIGIBLE = 1e-5
"""Probability below which a candidate is ignored."""

CANDIDATES = 6
"""Maximum number of candidate cards of a reading."""

MAX_HYPOTHESES = 96
"""Maximum number of hypotheses kept. A green shell among ten players followed by an unsure card needs forty; an unnamed
colour multiplies by four, owed cards taken gradually by a dozen. With 48, a correct hypothesis was lost in one of 83
recorded matches.
"""

MIN_RELATIVE_WEIGHT = 1e-5
"""Weight relative to the best below which a hypothesis is dropped: two surprises in a row would not revive it."""

REVISABLE, MAX_REVISABLE = 10, 20
"""Minimum number of ruled observations that can be re-evaluated (about five cards and what happened between). Beyond
the second number they are pruned to the first at once, as the remaining ones must be recomputed.
"""

REVISION_PROBABILITY = 0.8
"""Probability another explanation needs for the table to correct itself. A wrong correction is as bad as a wrong
ruling, but leaving a less probable ruling is wrong as often.
"""

FLOOR = 1e-4
"""Minimum probability of anything: no reader is more certain."""

ILLEGAL = 0.0025
"""Share of illegal cards: once in several rounds. With a higher value, the colour of a wild could not be inferred from
the next card; with a lower one, no reading would be certain enough to announce one.
"""

CLEAR_READING = 0.9
"""Confidence from which a card is never replaced by another one that would be legal."""

UNREAD = 0.35
"""Confidence below which a card is not ruled on because of the rules alone: such readings are the least reliable."""

NOTHING, FALSE_LANDING_SAME_FACE = 0.001, 0.01
"""Share of false landings reported by the pile tracker, and of those with the face of the top card, which may only have
been pushed: two of 243 cards in simulated matches.
"""

IMPOSSIBLE = 0.02
"""Expected remaining copies of a card that should be used up: a reshuffle may have been missed, or a card misread."""

LOW_PILE = 12
"""Draw pile size up to which an unnoticed reshuffle is possible: counts deviate by a few cards."""

RESHUFFLED_IF_LOW = 0.3
"""Its probability then, and hence the expected remaining copies of a card that would be used up."""

ILLEGAL_ACCEPTED = 0.5
"""Probability that an illegal card was accepted if play continues without comment; otherwise it was replaced."""

SAME_CARD = 0.95
"""Probability at a first look, and after a typed move, that the card seen is the known one."""

REREAD_AFTER_CORRECTION = 0.3
"""Probability, after people named another card than was read, that the read card is seen next."""

SAME_FACE_RECOGNISED = 0.9
"""Probability that the pile tracker recognises a card landing on an identical one as such."""

SAME_FACE_FALSE = 0.02
"""Probability that it reports that for a card with another face."""

TAP_SLIP = 0.02
"""Share of taps that do not match what happened."""

UNANNOUNCED_PASS = 0.02
"""Probability that players in between drew and passed unannounced, unless relaxed turns are chosen."""

TAKEN_BACK = (0.02, 0.94, 0.03, 0.01)
"""Probabilities that none, one, two or three cards are gone when the pile tracker reports a card taken back. In 102
simulated matches it reported 52, one of them falsely.
"""

MISMATCH_TAKEN_BACK_FACTOR = 18.0
"""Factor by which a card that does not match is more likely to be taken back: nine of ten are, against one in twenty
turns otherwise.
"""

WRONG_COLOR_GUESS = 0.6
"""Probability that the colour implied by a card that was taken back was wrong: nine of ten non-matching cards go back,
and one in twenty matching ones.
"""

TAKEN_BACK_UNSEEN = 0.002
"""Probability that a card is replaced without the removal being seen: one in twenty turns, and of 25 such replacements
in simulated matches one was missed.
"""

COLLECTED = 0.5
"""Probability that cards leaving the pile after a round are collected, relative to taking back the last one."""

MISSED_DRAW = 0.03
"""Probability that a player draws and passes unseen with both piles in view: a round of 62 cards has about 17 such
turns, and in simulated matches one or two of ten draws were missed.
"""

MISSED_DRAW_BEFORE_ANY_VISIT = 0.05
"""The same before any visit to the draw pile was reported, which may not have been located yet."""

DRAW_OUT_OF_VIEW = 0.3
"""The same with the draw pile out of view: somewhat less than every second turn has a draw, some of which are played.
"""

MISSED_IN_A_ROW = 2
"""Maximum number of consecutive players who drew unseen with the draw pile in view; more suggests a misreading."""

PASSED = 0.65
"""Probability that a drawn card is kept: of 107 cards 38 match a coloured top card by colour, face or as wilds; in 306
simulated matches 102 of 337 were played.
"""

ACCEPTED = 0.9
"""Probability that a wild draw four is accepted; the outcomes of a challenge share the rest equally."""

TURNED = 1e-3
"""Probability per arm that people changed places or the camera was turned: rare, but two arms in new places must
suffice.
"""

NON_DEALER_STARTS = 0.15
"""Probability that another player than the dealer turns up the first card; assumed."""

IDLE_REACH, IDLE_REACH_ALONE = 0.3, 0.25
"""Probability that an arm at the draw pile takes nothing: straightening, pointing, passing. 9 of 31 in simulated films.
Of 133 draws on a turn in 131 recorded matches 121 were ruled on, and seven false ones; with 0.2 one more of each.
"""

MIN_IDLE_REACH, MIN_IDLE_REACH_ALONE = 0.05, 0.2
"""Minimum probability that an apparent grab took nothing: hands passing over or straightening the pile look similar,
more so for real people than for drawn ones.
"""

OTHER_ARM, OTHER_ARM_ALONE = 0.01, 0.08
"""Probability that a card was laid by an arm other than the one nearby, which rested or was on another errand: 3 to 6
of 100 landings in simulated films. Lower when people can correct it.
"""

ARMS_CONFUSED = 0.05
"""Probability that an arm acting again without leaving is another's by then: two that met were confused."""

DRAWS_AGAIN = 0.4
"""Probability that an arm that has just acted and visits the draw pile without leaving takes a (further) card."""

VISIT_SEEN_TWICE = 0.5
"""Probability that it appears to take one without doing so."""

MIN_DRAW_DELAY_SECONDS = 0.5
"""Seconds after a landing before a hand can be at the draw pile because of it: a quarter to see it and as much to move.
In 39 simulated matches none of 148 draws came within a second, and 8 of 37 idle visits within 0.8.
"""

MIN_RETURN_SECONDS = 0.3
"""Minimum seconds to put a card away and return to the draw pile. Ten pairs of closer visits were one each; of 34 with
more distance three were.
"""

MIN_LAY_DELAY_SECONDS = 0.75
"""Minimum seconds between leaving the draw pile and a card laid by the same or the next player. In those matches
thirteen took at least 0.77 s; in 60 others 86 of 87 that were followed within 2.5 s took at least 0.83 s.
"""

TOO_FAST = 0.02
"""Probability of such fast actions nevertheless: people may be faster, and times are inexact."""

DRAWN_CARD_SECONDS, DRAWN_CARD_SOON, DRAWN_CARD_LATER = 1.5, 3.0, 0.8
"""Factors for a card being the drawn one if its player lays it within the first time after the draw, and later. In 110
recorded matches 37 of 60 that drew did so, and 9 of 58 that did not, which gives 4 and 0.5; people may take longer.
"""

DRAW_IN_PASSING = 0.05
"""Likelihood ratio of a draw for a hand coming from the discard pile without laying a card: 1 or 2 of 189 draws, 6 of
17 false ones. The same for one going on to the discard pile without laying: 13 of 457 draws, 9 of 33 false ones.
"""

MAX_VISITS = 6
"""Number of remembered visits: arms are reported up to a second late, and rarely more than three visits occur."""

SAME_ARM_SECONDS = 0.3
"""Seconds within which an arm that left one place has come from it; see `MIN_RETURN_SECONDS`."""

PILE_ORDER_SECONDS = 0.1
"""Minimum difference in seconds to decide which of two piles an arm left first."""

MIN_PASSING_SECONDS = 0.25
"""Minimum seconds at the discard pile to count as coming from it: a hand may reach across. In 122 recorded matches 11
of 20 that were there for 0.1 to 0.25 s drew, and 2 of 28 that were there for longer.
"""

RESTING = 0.6
"""Probability of taking nothing from which a visit counts as resting: what the hand does next is another visit."""

SAME_ARM_DEGREES = 10.0
"""Angle in degrees within which an arm that appears as another one disappears is the same, lost for a moment."""

DEBT_TAKEN = 0.75
"""Probability that a card taken while somebody owes some is one of those rather than drawn by the player on turn."""

DEBT_TAKEN_AT_ONCE = 0.9
"""The same while nobody has laid a card since: nine of ten take what they owe before play continues."""

ALL_OWED_AT_ONCE, ONE = 0.5, 0.4
"""Probabilities that all owed cards are taken in one grab, and that one is; assumed, as in simulated films."""

REST_AT_ONCE, ONE_OF_REST = 0.15, 0.8
"""The same for the rest when some were taken before: who counts one by one continues."""

TOO_MANY = 0.05
"""Probability that too many cards are counted in a grab: two stuck together, or a double count."""

ONE_CARD_SECONDS, SEVERAL_CARDS_SECONDS, VISIT_LOG_SPREAD, MAX_VISIT_NATS = 0.65, 1.1, 0.35, 2.0
"""Median seconds at the draw pile for one card and for several, standard deviation of the logarithm, and bound on the
log-likelihood ratio: in 39 simulated matches half of 104 single draws took at least 0.64 s, half of 32 multiple ones
1.07 s.
"""

UNO_PENALTY = 0.02
"""Probability that two cards taken by a player with one card left and no debt are the penalty for an uncalled UNO;
asked only if nobody can be asked.
"""

MISCOUNTED = 0.02
"""Probability that a player believed to lay the last card holds more: a missed draw, or a card too many."""

AFTER_ROUND = 1e-4
"""Probability of each card on the pile after the round has ended: hands are laid beside it. Includes that it may be any
of fifty cards.
"""

LANDINGS_WITHOUT_DRAW = 14
"""Number of cards laid by visible arms without any draw from which the draw pile is out of view: with one draw in four
turns this happens once in fifty times by chance.
"""

REACH_PATIENCE = 1
"""Number of cards that may land after an unclear visit to the draw pile: the next card shows whose turn it was; later
nobody remembers.
"""

FAINT = 1e-3
"""Probability below which a candidate is ignored if nobody can be asked: films have hundreds of cards, and later
evidence rarely outweighs a thousand to one.
"""

SEVERAL_SEEN_AS_ONE = 0.1
"""Probability that several cards taken in one grab looked like one, if the debtor is on turn again and others have
played.
"""

STACKED = 0.3
"""Probability that a debtor stacks a card where a house rule allows it: every third hand has one."""

UNANNOUNCED_TAKING = 0.1
"""Probability, without visible arms, that owed cards were taken unannounced, relative to a card being stacked: a card
that may be laid on a draw two is assumed to be stacked; another one shows that the cards were taken. The same that
a player has finished laying cards off, relative to another one that fits being laid off.
"""

JUMPED_IN = 1.0
"""Probability of jumping in with an identical card where a house rule allows it, relative to playing in turn: equal,
since a holder waits for it. It must outweigh unseen draws of those passed over, which are asked about.
"""

TARGETS_SELF = 0.02
"""Probability that a player targets themselves with the green shell; allowed but unwanted."""

SHOWS_CREEPER = 0.04
"""Probability that a drawn card is a creeper: four of 112."""

REMINDED_AFTER_SECONDS = 25.0
"""Seconds after which an open debt is mentioned: two or three turns."""
