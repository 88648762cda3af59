"""Limits shared by the modules of the pile.

They were chosen on drawn tables and checked against 288 looks in 9 simulated matches in unseen styles.
"""

# Overlap (intersection over union) from which two outlines are one card in one place: exceeded by untouched cards in 99
# of 100 looks (0.95 in 95), not reached by newly laid cards in 97 of 100.
SAME_PLACE = 0.75
# Overlap above which a known face was pushed (13 of 13); below it, it is another card. Two cards that overlap more
# cannot both be open: the more confident one is on top.
PUSHED = 0.4
# Minimum changed share of a card that came or left: at least 0.33 for landings, 0 for untouched cards; noise and
# shadows lie between. On 60 drawn tables the lower cards changed by at most 0.04 when a card was laid, by at least 0.22
# when the pile was pushed.
CHANGED = 0.22
# Maximum changed share of an unchanged region: at most 0.03 in 95 of 100 looks for the visible part of a covered card,
# 0.16 in the worst.
UNCHANGED = 0.12
# Shrinkage of an outline when its inside is measured or found again: outlines are inexact by one or two medium pixels,
# where a card is about forty long.
INSIDE = 0.08
# Minimum area of a visible strip relative to the old top card for it to tell anything: less than one medium pixel wide
# for a card of 27 x 40.
MIN_STRIP = 0.03
