"""What the looks of a learnt deck add to a reader's own answer."""

from __future__ import annotations

import numpy as np

from companion.decks.look import CLASSES, Look


def test_a_face_that_was_not_laid_stays_as_the_reader_read_it() -> None:
    look = Look(np.eye(3, dtype=np.float32)[:2], np.array([0, 1]), np.zeros(3, np.float32), 20.0, 0.05, 0.4, 0.6)
    logs = np.full((3, CLASSES), -9.0, np.float32)
    logs[[0, 1, 2], [2, 1, 2]] = -0.1
    # Half like the first face that was laid, half like it, and its very copy.
    like = [0.55, 0.55, 0.99]
    features = np.array([[a, 0, np.sqrt(1 - a * a)] for a in like], np.float32)
    weighed, belongs = look.weigh(logs, features)
    assert weighed.argmax(1).tolist() == [2, 0, 0]
    assert weighed[0].tolist() == logs[0].tolist()
    assert belongs[0] == 0 < belongs[1] < belongs[2]
