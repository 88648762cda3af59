"""Seats of the players at a simulated table, and the hand that they play with. Lengths in millimetres."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

# Angle in degrees between two people on one bench, the minimum.
_CLOSEST = 40.0
# Distance of the shoulders from the piles, and the sideways offset of the right or left arm. A slanted camera nearby
# would see more distant shoulders behind itself.
_DISTANCE = (330.0, 430.0)
_SHOULDER = 70.0
# Standard deviation of the arm's origin.
_STRAY = 25.0
_LEFT_HANDED = 0.2
# Probability of using the other hand.
_OTHER_HAND = 0.12
# Probability that people sit as close as possible on one side of the table.
_CROWDED = 0.3


@dataclass(frozen=True)
class Chair:
    """A player's seat: position between the shoulders (mm from the pile), and whether the player is left-handed."""

    x: float
    y: float
    left_handed: bool = False

    def shoulder(self, rng: np.random.Generator) -> tuple[tuple[float, float], bool]:
        """Return a random origin of the arm, and whether it is a left one."""
        left = self.left_handed != bool(rng.random() < _OTHER_HAND)
        away = np.array([self.x, self.y])
        # From the player's view towards the pile, with y down in the picture.
        sideways = (
            np.array([-away[1], away[0]]) / max(1.0, float(np.hypot(*away))) * (_SHOULDER if left else -_SHOULDER)
        )
        x, y = away + sideways + rng.normal(0, _STRAY, 2)
        return (float(x), float(y)), left


def draw_chairs(rng: np.random.Generator, players: int) -> tuple[Chair, ...]:
    """Return a seat for each player, clockwise from above, at least 40 degrees apart."""
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
