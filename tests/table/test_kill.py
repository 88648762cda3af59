"""After SIGKILL at any moment the match goes on exactly where it was: what was announced is there, and nothing else."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from companion.store import Store
from companion.table import Table

# Plays a scene, tells what the table shows after each of its events, and is killed after the one that is asked for.
_SCENE = """
import os, signal, sys
from pathlib import Path
import numpy as np
from companion.cards import Card, Color
from companion.referee.moves import Amend, ChooseColor, Draw, Pass, Play
from companion.referee.transcript import read_header
from companion.store import Store
from companion.table import Table, Turns
from companion.vision.events import CardLanded, CardTakenBack, PileGone

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
def test_after_a_kill_the_match_goes_on_where_it_was(event: int, tmp_path: Path) -> None:
    told = _killed_after(event, tmp_path)
    store = Store(tmp_path)
    table = Table(store)
    assert table.resume() is not None
    view = table.view()
    asked = [choice.label for question in view.questions for choice in question.choices]
    assert f"{view.state} {[line.move for line in view.history]} {asked} {view.turns}" == told
    store.close()


# Writes as fast as it can, and tells each move only after the table has published it.
_HASTE = """
import sys
from pathlib import Path
from companion.cards import Card
from companion.referee.moves import Draw, Pass
from companion.referee.transcript import read_header
from companion.store import Store
from companion.table import Table
from companion.vision.events import CardLanded

table = Table(Store(Path(sys.argv[1])))
table.start_match(read_header({"match": {"edition": "classic", "players": ["Ann", "Ben"]}}))
table.see(CardLanded(0.0, ((Card.parse("red 7"), 0.9999),)))
while True:
    for move in (Draw(), Pass()):
        print(table.tap(move).rulings[0].n, flush=True)
"""


def test_what_was_announced_is_there_after_a_kill_at_any_moment(tmp_path: Path) -> None:
    process = subprocess.Popen([sys.executable, "-c", _HASTE, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    announced = [int(process.stdout.readline()) for _ in range(40)]
    process.send_signal(signal.SIGKILL)
    announced += [int(line) for line in process.stdout.read().split("\n")[:-1]]
    process.wait()
    store = Store(tmp_path)
    table = Table(store)
    table.resume()
    assert len(table.view().history) in (announced[-1], announced[-1] + 1)
    store.close()
