"""Makes the README's animated picture: the table page while the simulated table plays, and one correction by hand.

    python docs/animation.py [--seed 3] [--out docs/pages/pictures/match.webp]

The networks read the drawn table as in `companion demo`. One line of
the history is made wrong on purpose before the recording, so that its correction can be shown.
"""

from __future__ import annotations

import argparse
import time
from collections import deque
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import Page
from recording import PICTURES, host_page, screenshot, serving, write_animation

from companion.cards import EditionName
from companion.editions import EDITIONS
from companion.referee.state import Header
from companion.server.services.selfplay import SelfPlay
from companion.server.services.services import Services
from companion.vision.core.geometry import Image

SIZE = (1120, 760)
"""Width and height of the page in CSS pixels."""
SHOWN = (896, 608)
"""Width and height of the animation in pixels."""
INTERVAL = 0.25
"""Seconds between two frames."""
BEFORE, AFTER = 8.0, 3.0
"""Seconds shown before and after an item is turned up."""
PATIENCE = 240.0
QUALITY = 55

# Moves the history to the top of its column, where it is in view.
LAYOUT = """
.table-page .race-panel { display: none; }
.table-page .history-panel { order: -1; }
"""

# Marks where the correction taps, as a finger would be seen.
TAP = """({x, y}) => {
  const dot = document.createElement("div");
  dot.style.cssText = `position:fixed;left:${x - 18}px;top:${y - 18}px;width:36px;height:36px;border-radius:50%;
    background:rgba(255,140,0,.55);border:3px solid #fff;z-index:99999;pointer-events:none`;
  (document.querySelector("dialog[open]") ?? document.body).append(dot);
  setTimeout(() => dot.remove(), 500);
}"""


class Recorder:
    """Takes screenshots at a steady rate and keeps the latest ones."""

    def __init__(self, page: Page, seconds: float) -> None:
        self._page = page
        self.frames: deque[Image] = deque(maxlen=int(seconds / INTERVAL))

    def record(self, seconds: float) -> None:
        """Record for some seconds."""
        until = time.monotonic() + seconds
        while (now := time.monotonic()) < until:
            self.frames.append(screenshot(self._page, SHOWN))
            time.sleep(max(0.0, INTERVAL - (time.monotonic() - now)))

    def tap(self, selector: str) -> None:
        """Tap an element, showing where."""
        target = self._page.locator(selector).first
        box = target.bounding_box()
        assert box is not None, f"{selector} is not visible"
        self._page.evaluate(TAP, {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2})
        self.record(3 * INTERVAL)
        target.click()


def history(page: Page) -> list[dict[str, Any]]:
    """Return the accepted moves."""
    found: list[dict[str, Any]] = page.evaluate("() => fetch('/api/history').then((answer) => answer.json())")["lines"]
    return found


def falsify(page: Page) -> tuple[int, str] | None:
    """Replace the last number card but one by another number of its colour; None if a later move forbids it.

    Returns the line's number and the true card.
    """
    plays = [line for line in history(page) if line["move"]["do"] == "play"]
    for line in reversed(plays[:-1]):
        color, _, face = line["move"]["card"].partition(" ")
        if not face.isdigit():
            continue
        wrong = {**line["move"], "card": f"{color} {(int(face) + 5) % 10}"}
        body = {"n": line["n"], "move": {key: value for key, value in wrong.items() if value is not None}}
        done = page.evaluate(
            "(body) => fetch('/api/amend', {method: 'POST', headers: {'Content-Type': 'application/json'},"
            " body: JSON.stringify(body)}).then((answer) => answer.ok)",
            body,
        )
        if done:
            return line["n"], line["move"]["card"]
    return None


def film(services: Services, address: str, seed: int) -> list[Image]:
    """Return the frames of a recording."""
    edition = EDITIONS[EditionName.MARIO_KART]
    with host_page(services, address, "table", SIZE) as page:
        SelfPlay(services, Header(edition, ("Ann", "Ben", "Cy"), 2, edition.options), seed).start()
        page.wait_for_selector("#history .line", timeout=60_000)
        page.add_style_tag(content=LAYOUT)
        recorder = Recorder(page, BEFORE)
        deadline = time.monotonic() + PATIENCE
        wrong: tuple[int, str] | None = None
        since, known = time.monotonic(), {line["n"] for line in history(page)}
        while time.monotonic() < deadline:
            recorder.record(2 * INTERVAL)
            lines = history(page)
            if wrong is None:
                if wrong := falsify(page):
                    since, known = time.monotonic(), {line["n"] for line in lines}
                    recorder.frames.clear()
                continue
            fresh = [line for line in lines if line["n"] not in known]
            known |= {line["n"] for line in lines}
            if time.monotonic() - since > BEFORE and any(line["move"]["do"] == "flip" for line in fresh):
                break
        else:
            raise SystemExit("no item was turned up in time: try another --seed")
        assert wrong is not None
        recorder.frames = deque(recorder.frames)
        recorder.record(AFTER)
        recorder.tap(f'.line[data-n="{wrong[0]}"]')
        recorder.record(1.5)
        recorder.tap("#amend")
        recorder.record(1.0)
        recorder.tap(f'dialog [data-card="{wrong[1]}"]')
        recorder.record(2.5)
        return list(recorder.frames)


def main() -> None:
    """Record, and write the animation."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=3)
    parser.add_argument("--out", type=Path, default=PICTURES / "match.webp")
    options = parser.parse_args()
    with serving() as (services, address):
        frames = film(services, address, options.seed)
    write_animation(options.out, frames, np.full(len(frames), round(INTERVAL * 1000), np.int32), QUALITY)
    size = options.out.stat().st_size / 2**20
    print(f"{options.out}: {len(frames)} frames, {len(frames) * INTERVAL:.0f} s, {size:.1f} MB")


if __name__ == "__main__":
    main()
