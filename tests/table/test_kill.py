"""After SIGKILL at any moment the match continues exactly where it was: all announced moves are stored, no others."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from hashlib import sha1
from pathlib import Path
from random import Random

import pytest

from companion.referee.moves import Draw, Pass
from companion.referee.state import Phase
from companion.storage.journal import replay
from companion.storage.store import Store
from companion.table.session.table import Table

pytestmark = pytest.mark.slow

# Plays a scene, prints what the table shows after each event, and is killed after the requested one.
_SCENE = """
import os, signal, sys
from pathlib import Path
import numpy as np
from companion.cards import Card, Color
from companion.referee.moves import Amend, ChooseColor, Draw, Pass, Play
from companion.referee.transcript import read_header
from companion.storage.store import Store
from companion.table.presentation.view import Turns
from companion.table.session.table import Table
from companion.vision.core.events import CardLanded, CardTakenBack, PileGone

folder, last = Path(sys.argv[1]), int(sys.argv[2])
table = Table(Store(folder))
card = Card.parse

def land(**reading):
    probabilities = tuple((card(name.replace("_", " ")), share) for name, share in reading.items())
    table.see(CardLanded(0.0, probabilities, picture=np.full((360, 640, 3), 99, np.uint8)))

def question():
    return table.view().questions[0].id

events = [
    lambda: table.start_match(read_header({"match": {"edition": "mario-kart", "players": ["Ann", "Ben", "Cy"]}})),
    lambda: land(red_7=0.9999),
    lambda: land(red_3=0.6, red_8=0.4),
    lambda: table.answer(question(), card("red 8")),
    lambda: table.tap(Draw()),
    lambda: table.tap(Pass()),
    lambda: land(blue_1=0.9999),
    lambda: table.let_stand(question()),
    lambda: land(blue_2=0.9999),
    lambda: table.see(CardTakenBack(0.0, ((card("blue 1"), 0.9999),))),
    lambda: table.undo(),
    lambda: table.amend(2, Play(card("red 9"))),
    lambda: land(wild_draw_four=0.9999),
    lambda: land(green_5=0.9999),
    lambda: table.see(PileGone(0.0)),
    lambda: table.set_turns(Turns.RELAXED),
    lambda: table.take_back(),
]
for number, event in enumerate(events):
    event()
    view = table.view()
    if number == last:
        asked = [choice.label for question in view.questions for choice in question.choices]
        print(view.state, [line.move for line in view.history], asked, view.turns, flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
print(len(events))
"""
_EVENTS = 17


def _killed_after(event: int, folder: Path) -> str:
    result = subprocess.run(
        [sys.executable, "-c", _SCENE, str(folder), str(event)], capture_output=True, text=True, check=False, timeout=60
    )
    assert result.returncode == -signal.SIGKILL, result.stderr
    return result.stdout.strip()


@pytest.mark.parametrize("event", range(_EVENTS))
def test_killed_match_continues_where_it_was(event: int, tmp_path: Path) -> None:
    shown = _killed_after(event, tmp_path)
    store = Store(tmp_path)
    table = Table(store)
    assert table.resume() is not None
    view = table.view()
    asked = [choice.label for question in view.questions for choice in question.choices]
    assert f"{view.state} {[line.move for line in view.history]} {asked} {view.turns}" == shown
    store.close()


# Plays as fast as possible by taps, with a camera, or on a disk that is full at times. Prints after every event how
# many lines are stored, whether those are all, and the resulting moves.
_HASTE = """
import sys
from hashlib import sha1
from itertools import count, cycle
from pathlib import Path
import numpy as np
from companion.cards import Card
from companion.storage.records import StoreFullError
from companion.referee.moves import Draw, Pass
from companion.referee.transcript import read_header
from companion.storage.store import Store
from companion.table.session.table import Table
from companion.vision.core.events import CardLanded, CardTakenBack

class Disk(Store):
    written, full = 0, False

    def write(self, batch):
        if self.full:
            raise StoreFullError("full", self.path)
        super().write(batch)
        self.written += len(batch.lines)

folder, how = Path(sys.argv[1]), sys.argv[2]
disk, hours = Disk(folder), count(0, 3600)
table = Table(disk, steady=lambda: next(hours))
picture = np.random.default_rng(0).integers(0, 255, (180, 320, 3), np.uint8)

def land(name, kind=CardLanded):
    readings = ((Card.parse(name), 0.9999),)
    table.see(CardLanded(0.0, readings, picture=picture) if kind is CardLanded else kind(0.0, readings))

def tell():
    view = table.view()
    moves = sha1(repr([line.move for line in view.history]).encode()).hexdigest()
    print(disk.written, int(view.saved), moves, flush=True)

table.start_match(read_header({"match": {"edition": "classic", "players": ["Ann", "Ben"]}}))
land("red 7")
tell()
cards = cycle(f"red {n}" for n in range(1, 7))
for event in count():
    disk.full = how == "disk" and event % 12 in range(3, 9)
    match event % 5:
        case 0 if how == "camera":
            top = next(cards)
            land(top)
        case 1 if how == "camera" and event % 10 == 6:
            land(top, CardTakenBack)
            tell()
            land(top)
        case 0 | 1 if how != "camera":
            table.tap(Draw())
            tell()
            table.undo()
        case 0 | 1:
            continue
        case 2:
            table.tap(Draw())
            tell()
            table.tap(Pass())
        case 3:
            table.retry()
        case 4:
            table.tap(Draw())
            table.tap(Pass())
    tell()
"""

KILLS = int(os.environ.get("COMPANION_KILLS", "6"))
_TROUBLES = ("taps", "camera", "disk")


@pytest.mark.parametrize("seed", range(KILLS))
def test_saved_data_survives_a_kill_at_any_moment(seed: int, tmp_path: Path) -> None:
    chance = Random(seed)
    command = [sys.executable, "-c", _HASTE, str(tmp_path), _TROUBLES[seed % len(_TROUBLES)]]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stderr is not None
    shown = [process.stdout.readline() for _ in range(chance.randint(1, 45))]
    threading.Event().wait(chance.uniform(0, 0.003))
    process.send_signal(signal.SIGKILL)
    shown += [line + "\n" for line in process.stdout.read().split("\n")[:-1]]
    assert process.wait() == -signal.SIGKILL, process.stderr.read()
    saved = [(int(lines), moves) for lines, all_of_them, moves in map(str.split, shown) if all_of_them == "1"]
    store = Store(tmp_path)
    match = store.unfinished()
    assert match is not None
    found = store.load(match)
    for lines, moves in saved:
        assert len(found.lines) >= lines, "an acknowledged line is lost"
        journal = replay(found.header, found.lines[:lines])
        assert sha1(repr([step.move for step in journal.match.history]).encode()).hexdigest() == moves
    # The match continues.
    table = Table(store)
    assert table.resume() == match
    before = len(table.view().history)
    if table.view().state.phase is Phase.DRAWN:
        table.tap(Pass())
    else:
        table.tap(Draw())
    assert len(table.view().history) > before
    store.close()


# Three laps teach the seats; then two cards are owed, one is taken, and an arm of an uncertain player is at the draw
# pile.
_DRAWING = """
import os, signal, sys
from pathlib import Path
from companion.cards import Card
from companion.referee.transcript import read_header
from companion.storage.store import Store
from companion.table.session.table import Table
from companion.vision.core.events import Arm, CardLanded, PileKind, PileReached

folder, last = Path(sys.argv[1]), int(sys.argv[2])
clock = iter(range(1000, 9000, 5))
table = Table(Store(folder), clock=lambda: float(next(clock)))
table.start_match(read_header({"match": {"edition": "classic", "players": ["Ann", "Ben", "Cy"]}}))
places = {"Ann": 20.0, "Ben": 140.0, "Cy": 260.0}
tracks = iter(range(100))
seconds = iter(range(5, 500, 5))

def lay(name, who=None):
    arm = None if who is None else Arm(places[who], 4.0, next(tracks))
    table.see(CardLanded(next(seconds), ((Card.parse(name), 0.9999),), arm=arm))

def reach(direction, *drawn):
    now = next(seconds)
    table.see(PileReached(now, now - 1, Arm(direction, 4.0, next(tracks)), PileKind.DRAW, drawn))

lay("red 1")
for place in range(9):
    lay(f"red {place % 8 + 2}", ("Ann", "Ben", "Cy")[place % 3])
events = [
    lambda: lay("red draw two", "Ann"),
    lambda: reach(140.0, 0.05, 0.9, 0.05),
    lambda: reach(80.0, 0.5, 0.45, 0.05),
]
for number, event in enumerate(events):
    event()
    if number == last:
        view = table.view()
        print(view.state, [line.move for line in view.history], view.seats, view.questions, flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("event", range(3))
def test_kill_during_a_draw_keeps_debts_and_seats(event: int, tmp_path: Path) -> None:
    result = subprocess.run(
        [sys.executable, "-c", _DRAWING, str(tmp_path), str(event)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert result.returncode == -signal.SIGKILL, result.stderr
    store = Store(tmp_path)
    table = Table(store)
    assert table.resume() is not None
    view = table.view()
    shown = f"{view.state} {[line.move for line in view.history]} {view.seats} {view.questions}"
    assert shown == result.stdout.strip()
    ben = view.seats[1]
    assert (ben.owed, ben.taken) == (2, min(event, 1))
    store.close()
