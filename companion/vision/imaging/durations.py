"""How long things take at a table, in seconds: limits shared by the modules that track it."""

INSTANT = 0.1
"""Seconds in which hands and cards move visibly, three frames at 30 per second: what did not has come to rest."""
SPARSE = 0.5
"""Interval in seconds between frames above which motion is undefined: each frame is treated as a single picture."""
ONE_PLAY = 0.8
"""Seconds within which nobody plays twice: an equal card that lands again is the same one leaving the hand."""
ONE_ACT = 1.0
"""Seconds within which an arm does not both draw and lay a card: who draws looks at the card first."""
HAND_PATIENCE = 2.0
"""Seconds to wait for a hand, ten times a usual play; what lies still for longer rests, or is part of the table."""
AT_REST = 1.5
"""Seconds after which a card, a pile or a camera near moving hands is seen to lie still."""
ARM_PATIENCE = 6.0
"""Seconds for which an arm may rest, and for which one that left is remembered, as cards may be reported late."""
BEGINNING = 5.0
"""Seconds after the first picture in which what differs may be an arm that was there, or the ghost of one."""
ARRANGEMENT = 20.0
"""Seconds over which is learnt what seldom changes on a table: the draw pile's place, where cards are held in view."""
