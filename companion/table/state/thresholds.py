"""Every number by which the table weighs what it sees, and why it is what it is. All are shares from 0 to 1, or counts.

They say how people play, not how the reader reads: that is in its calibrated probabilities. How often people do
something is an assumption throughout, not a measurement, but where simulated matches are named; those were written with
assumptions of the same kind.
"""

CLEAR = 0.95
"""What the likeliest explanation must reach to be ruled on at once. A question costs a tap and stops the eye; a wrong
ruling is mended with a tap as well once it is seen, and is held to cost some twenty of them. At 0.93 one landing of 24
matches before a reader that is as sure as it says is ruled on wrongly, at this one none."""

SURE = 0.97
"""The same where nobody would be asked: of what an arm did at the draw pile, which may wait for the next card; of where
all that is pending leads, whatever each of it was; and of what was ruled on being wrong, whatever else it was."""

CLEAR_OF_ARMS = 0.75
"""The same where arms tell who laid a card that is itself clear: the next cards tell whether it was another, and then
the table puts itself right. A question costs one tap, a wrong ruling that stays some four; of ten questions in 29
simulated matches whose likeliest answer had 0.6 to 0.9 it was right nine times."""

PATIENCE = 3
"""How many cards may land behind a question; then the likeliest answer is taken and said to be assumed."""

NEGLIGIBLE = 1e-5
"""Probability below which a candidate is not looked at."""

CANDIDATES = 6
"""How many cards of a reading are looked at; calibrated readings have nothing to say beyond."""

STORIES = 96
"""How many explanations of all that is pending are kept. A green shell among ten players with an unsure card behind it
needs forty; a colour that nobody named makes four of each, and cards owed that are taken by and by a dozen: with 48
those in which a hand took nothing fell out in one of 83 recorded matches."""

HOPELESS = 1e-5
"""An explanation so much less likely than the likeliest is dropped: two surprises in a row would not bring it back."""

REMEMBERED, REMEMBERED_AT_MOST = 10, 20
"""How many observations that were ruled on may be judged anew at least: some five cards, and what was done between
them. With more than the other all but so many are forgotten at once, as what is left has then to be told anew."""

REJUDGED = 0.8
"""What another explanation of those must reach for the table to put itself right. A wrong correction is heard like a
wrong ruling; but where the one ruled on has become the less likely, not to correct it is wrong as often."""

FLOOR = 1e-4
"""The least probability that anything is given: no reader is surer than this."""

ILLEGAL = 0.0025
"""How often a card that does not match is played, held to be once in several rounds. Were it higher, the colour of a
wild that nobody named could not be told from the next card; were it lower, no reading would be sure enough to call one
illegal."""

CLEAR_READING = 0.9
"""A card read this surely is never silently taken for another one that would be legal."""

UNREAD = 0.35
"""A card read less surely than this is not ruled on by the rules' word alone: so blurred, readings are at their worst.
"""

NOTHING, NOTHING_ALIKE = 0.001, 0.01
"""How often the pile watcher reports a card where none has landed, and one like the top card, as it may where that was
only pushed: of 243 cards that it told of in simulated matches two were such."""

IMPOSSIBLE = 0.02
"""How many copies are held to be left of a card that must be used up: a reshuffle may have gone unnoticed, or an
earlier card may have been misread."""

LOW_PILE = 12
"""With no more cards than this in the draw pile, a reshuffle may have come unnoticed: counts stray by a few cards, as
draws are tapped by hand."""

RESHUFFLED_IF_LOW = 0.3
"""How likely that is then, and so how many copies are held to be left of a card that would be used up."""

STOOD = 0.5
"""How often an illegal card has been let stand when play goes on over it without a word; else it was replaced."""

SAME_CARD = 0.95
"""At a first look, and after a move was typed: how often the card seen is the one already known of."""

READ_RIGHTLY_LATER = 0.3
"""After people named another card than the camera had read: how often it is that card which is seen next."""

ECHO_SECONDS = 30.0
"""For how long after a card was typed or corrected the camera is expected to see it, in seconds."""

SAME_FACE_TOLD = 0.9
"""How often the pile watcher tells a card that lands on its like for what it is."""

SAME_FACE_WRONG = 0.02
"""How often it tells that of a card with another face."""

TAP_SLIP = 0.02
"""How often a tap does not fit what truly happened."""

SKIPPED_WORD = 0.02
"""How likely it is that players between drew and passed unsaid, where the host has not chosen relaxed turns."""

TAKEN_BACK = (0.02, 0.94, 0.03, 0.01)
"""How many cards are truly gone when the pile watcher reports a card taken back: none, one, two, three. In 102
simulated matches it reported 52, one of them of nothing."""

MISMATCH_GOES = 18.0
"""How much likelier a card that does not match is to be taken back than another one: nine of ten are, and in one of
twenty turns somebody thinks better of a card."""

GUESSED_WRONGLY = 0.6
"""How often the colour that a card told which was taken back is another one: a card of any colour may be laid by
mistake, nine of ten such go back, and in one of twenty turns somebody thinks better of one that matches."""

TAKEN_BACK_UNSEEN = 0.002
"""How often a player lays another card for the last one without its being seen to be taken back: in one of twenty turns
somebody thinks better of it, and of 25 such in simulated matches one was missed."""

COLLECTED = 0.5
"""How often cards that leave the pile after a round are merely being collected, over how often the last is taken back.
"""

MISSED_DRAW = 0.03
"""How often a player draws and passes without its being seen, both piles being in view: a round of 62 cards has some 17
such turns, and in simulated matches one or two of ten arms that drew were not told of."""

MISSED_YET = 0.05
"""The same before any arm was told of at the draw pile, which may not have been made out yet."""

UNSEEN_DRAW = 0.3
"""The same where the draw pile is out of view: assumed is a draw in a little less than every second turn, some of the
cards being played at once."""

MISSED_IN_A_ROW = 2
"""How many players in a row may have drawn unseen, the draw pile being in view; more is likelier a wrong reading."""

PASSED = 0.65
"""How often a card just drawn is kept: of the 107 cards that may be drawn 38 match a coloured card on top, by their
colour, their face or as wild ones, and are assumed to be played; in 306 simulated matches 102 of 337 were."""

ACCEPTED = 0.9
"""How often a wild draw four is assumed to be borne; each outcome of a challenge takes half of the rest."""

TURNED = 1e-3
"""How often, from one arm to the next, people have changed places or the camera was turned: assumed to be rare, but a
film may show it, and two arms in their new places are to be enough."""

ANYBODY_STARTS = 0.15
"""How often another than the dealer turns up the first card; assumed."""

IDLE_REACH, IDLE_REACH_ALONE = 0.3, 0.25
"""How often an arm at the draw pile takes nothing and has no business there: it straightens the pile, points, or passes
over it. In lively simulated films it was nine of 31 that were told of. Of 133 draws on a turn in 131 recorded matches
121 were ruled on, and seven that were none; with 0.2 one more of each, and hands in haste seemed to draw."""

LEAST_NOTHING, LEAST_NOTHING_ALONE = 0.05, 0.2
"""How likely a grab that looks like one that took something is held to have taken nothing at least: hands that pass
over the draw pile, or put it straight, look like it, and those of people more so than drawn ones."""

ANOTHERS_HAND, ANOTHERS_HAND_ALONE = 0.01, 0.08
"""How often a card is held to have been laid by an arm that only was near, at rest or on another errand: from three to
six of a hundred landings in lively simulated films; people's hands are likelier mixed up than drawn ones. Again less is
assumed where people are about."""

ARMS_MIXED_UP = 0.05
"""How often an arm that acts again before it has left is by then another's: two that met were mixed up."""

TAKES_AGAIN = 0.4
"""How often an arm that has just acted and is at the draw pile before it has left takes a card (another one)."""

SEEN_TWICE = 0.5
"""How often it looks there, taking none, as if it took one."""

COMES_AFTER_SECONDS = 0.5
"""How soon after a card has come to lie a hand can be at the draw pile because of it: people see that in a quarter of a
second, and need as much to come. In 39 simulated matches none of 148 that drew came within a second, and eight of 37
that took nothing did within four fifths."""

PUTS_AWAY_SECONDS = 0.3
"""In how little time a hand can have put away what it took and be at the draw pile again. In those matches ten stays
of one person that lay nearer together were one each, and of 34 further apart three."""

LAYS_AFTER_SECONDS = 0.75
"""How soon after a hand left the draw pile a card can lie that its owner, or who comes next, has laid then: the drawn
one is looked at first, and who comes next sees that and reaches in. In those matches thirteen took 0.77 s and more, in
60 others 86 of 87 that a card followed within 2.5 s took 0.83 s and more."""

IN_HASTE = 0.02
"""How likely all of this is so soon all the same: people may be faster than drawn ones, and times are not exact."""

PLAYS_WITHIN_SECONDS, PLAYS_SOON, PLAYS_LATER = 1.5, 3.0, 0.8
"""How much likelier a card is the drawn one that the owner of a hand lays so soon after its stay at the draw pile, and
one laid later. In 110 recorded matches 37 of 60 that drew laid it so soon, and nine of 58 that took nothing, by which
it would be 4 and 0.5; people may take more time than drawn ones."""

TAKES_IN_PASSING = 0.05
"""How likely a hand takes a card that comes from the discard pile, where it laid none, beside that it takes none: of
189 that drew one or two came so, and of 17 that took nothing and seemed to, six. The same of one that goes on to the
discard pile and lays nothing: of 457 that drew 13 did, and of 33 that took nothing nine."""

STAYS_REMEMBERED = 6
"""How many stays at the piles are remembered: arms are told of up to a second late, and seldom more than three come."""

AT_ONCE_SECONDS = 0.3
"""Within which an arm that left one place has come from it: in less it has not been away, see `PUTS_AWAY_SECONDS`."""

SEEN_LATE_SECONDS = 0.1
"""By how much it must differ when an arm went from two piles: of less, it is seen too late which it left first."""

CAME_BY_SECONDS = 0.25
"""How long before a hand was at the draw pile it must have been at the discard pile to have come from it: it may reach
for the one across the other. In 122 recorded matches eleven drew of 20 that had been there for 0.1 to 0.25 s, and two
of 28 that had been for longer."""

RESTED = 0.6
"""A hand that took nothing at the draw pile with this probability and more only rested there: what it does then is
another stay."""

SAME_ARM_DEGREES = 10.0
"""Within which an arm that comes as another goes is that one, lost out of sight for a moment."""

TAKES_DEBT = 0.75
"""How often a card taken while somebody owes some is one of those, and not drawn by the player on turn."""

TAKES_DEBT_FIRST = 0.9
"""The same while nobody has laid a card since: assumed is that nine of ten take what they owe before anybody goes on.
"""

AS_OWED, ONE = 0.5, 0.4
"""How often all that is owed is taken at one grab, and how often one card is, people counting them one by one; assumed,
as in lively simulated films either is done half of the time."""

ALL_THE_REST, ONE_MORE = 0.15, 0.8
"""The same of what is left when some were taken before: who has begun to count goes on."""

TOO_MANY = 0.05
"""How often more cards are counted at a grab than can have been taken: two stuck together, or counted twice."""

TAKES_ONE_SECONDS, TAKES_SEVERAL_SECONDS, TAKES_STRAYS, TAKES_MOST_OFF = 0.65, 1.1, 0.35, 2.0
"""For how long a hand is at the draw pile for one card and for several at a grab, by how much that strays as a standard
deviation of its logarithm, and how many of those tell at most: in 39 simulated matches half of 104 that took one were
there for 0.64 s and more, and half of 32 that took several for 1.07 s."""

CAUGHT = 0.02
"""How often two cards taken by a player with one card left, who owes nothing, are for an UNO that nobody called; asked
about only where nobody can be asked."""

MISCOUNTED = 0.02
"""How often a player is believed to lay the last card and holds more: a draw was missed, or a card taken too many."""

AFTER_ROUND = 1e-4
"""How likely each card on the pile is after the round is over: hands are laid open beside it, hardly on it. It takes in
that it may be any card of fifty."""

LANDINGS_WITHOUT_DRAW = 14
"""How many cards laid by arms that are seen, and none drawn, tell that the draw pile is out of view: if one turn in
four ends in a draw, as is assumed of lucky players, fourteen turns without one come once in fifty times."""

REACH_PATIENCE = 1
"""How many cards may land behind an arm at the draw pile of which it is unclear what it did: the next card tells whose
turn it was, and where it does not, nobody remembers any more."""

FAINT = 1e-3
"""Probability below which a candidate is not looked at where nobody can be asked: films have hundreds of
cards, and what follows one of them seldom outweighs a thousand to one."""

OVERDUE = 0.1
"""The same where the one who owes is on turn again and others have played since: several cards taken at one grab may
have looked like one."""

STACKED = 0.3
"""How often who owes cards lays one on top instead, where a house rule allows that: assumed is that every third hand
has one."""

TAKEN_UNSAID = 0.1
"""How likely it is, no arms being seen, that cards owed were taken without a word, beside that a card was laid on them:
assumed. A card that may be laid on a draw two is then held to be; another one still tells that they were taken."""

JUMPED_IN = 1.0
"""How often a card like the one on top is laid out of turn by one who may, where a house rule allows that, beside how
often by its turn: assumed to be as often, as who holds one waits for that. It is to outweigh that those passed over
drew unseen, which is asked about."""

HITS_THEMSELVES = 0.02
"""How often a player names themselves for the green shell, as the rules allow: assumed, nobody wants the card."""

SHOWS_CREEPER = 0.04
"""How often a card just drawn is a creeper: the deck has four of a hundred and twelve."""

REMINDED_AFTER_SECONDS = 25.0
"""How long a debt may lie before it is spoken of: assumed to be two or three turns, by when most have taken theirs."""
