"""Where the people at a simulated table sit, and which hand they play with. Lengths are millimetres of the table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

# Degrees between neighbours that sit close together; so far are two people on one bench.
_CLOSEST = 40.0
# How far people's shoulders are from the piles, and how far one reaches beside them with the right or the left hand. A
# camera that looks slanted from nearby would see what lies farther away behind itself.
_DISTANCE = (330.0, 430.0)
_SHOULDER = 70.0
# How far the arm's coming strays from there, the standard deviation.
_STRAY = 25.0
_LEFT_HANDED = 0.2
# How often the hand comes that is not the usual one.
_OTHER_HAND = 0.12
# How often people sit as close together as they can, on one side of the table.
_CROWDED = 0.3


@dataclass(frozen=True)
class Chair:
    """A player's place: where the middle of the shoulders is (mm from the pile), and whether the left hand plays."""

    x: float
    y: float
    left_handed: bool = False

    def shoulder(self, rng: np.random.Generator) -> tuple[tuple[float, float], bool]:
        """Return where an arm comes from this time, and whether it is a left one."""
        left = self.left_handed != bool(rng.random() < _OTHER_HAND)
        away = np.array([self.x, self.y])
        # Seen by somebody who looks at the pile, with y down in the picture.
        sideways = (
            np.array([-away[1], away[0]]) / max(1.0, float(np.hypot(*away))) * (_SHOULDER if left else -_SHOULDER)
        )
        x, y = away + sideways + rng.normal(0, _STRAY, 2)
        return (float(x), float(y)), left


def draw_chairs(rng: np.random.Generator, players: int) -> tuple[Chair, ...]:
    """Return a place for each player, clockwise as seen from above, no two closer than 40 degrees."""
    spare = 360 - _CLOSEST * players
    shares = np.array([0.03] * (players - 1) + [1.0]) if rng.random() < _CROWDED else rng.dirichlet([2.0] * players)
    gaps = _CLOSEST + spare * shares / shares.sum()
    turn = rng.uniform(0, 360)
    angles = np.radians(turn + np.cumsum(gaps))
    chairs = []
    for angle in angles:
        distance = rng.uniform(*_DISTANCE)
        x, y = distance * np.cos(angle), distance * np.sin(angle)
        chairs.append(Chair(float(x), float(y), bool(rng.random() < _LEFT_HANDED)))
    return tuple(chairs)
