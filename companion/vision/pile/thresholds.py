"""Limits shared by the modules of the pile, checked against 288 looks in 9 simulated matches in unseen styles."""

# Overlap (intersection over union) from which two outlines are one card in one place: exceeded by untouched cards in 99
# of 100 looks, not reached by newly laid cards in 97.
SAME_PLACE = 0.75
# Overlap above which a known face was pushed; below it, it is another card. Two cards that overlap more cannot both be
# open: the more confident one is on top.
PUSHED = 0.4
# Minimum changed share of a card that came or left (landings: 0.33), maximum one of an unchanged region (worst: 0.16).
CHANGED, UNCHANGED = 0.22, 0.12
# Shrinkage of an outline when its inside is measured or found again, as it is inexact by one or two medium pixels.
INSIDE = 0.08
# Minimum area of a visible strip relative to the old top card for it to tell anything.
MIN_STRIP = 0.03
