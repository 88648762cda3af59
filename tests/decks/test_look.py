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


def test_where_nearly_all_faces_were_laid_a_faint_likeness_is_none_of_the_others() -> None:
    prototypes, mean = np.eye(3, dtype=np.float32)[:2], np.zeros(3, np.float32)
    logs = np.full((1, CLASSES), -9.0, np.float32)
    # The reader takes the first face for the second one, which it is not like, and thinks of a third.
    logs[0, [0, 1, 2]] = -6.0, -0.1, -2.0
    features = np.array([[0.55, -0.5, np.sqrt(1 - 0.55**2 - 0.25)]], np.float32)
    read = [
        int(Look(prototypes, np.array([0, 1]), mean, 10.0, 0.5, 0.4, 0.5, prior).weigh(logs, features)[0].argmax())
        for prior in (0.0, 4.0)
    ]
    assert read == [2, 0]
