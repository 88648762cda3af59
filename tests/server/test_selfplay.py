"""The simulated table plays match after match, whatever the camera reports."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest
from devices import StubReader

from companion.cards import Card, EditionName
from companion.editions import EDITIONS
from companion.referee.match import Match
from companion.referee.moves import Hand, Play, Start
from companion.referee.state import Header
from companion.server.services import selfplay
from companion.server.services.selfplay import SelfPlay
from companion.server.services.services import Services

pytestmark = pytest.mark.slow


def test_tapped_match_ends_and_next_match_starts(
    services: Services, reader: StubReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(selfplay, "PATIENCE", 0.1)
    monkeypatch.setattr(selfplay, "APPLAUSE", 0.1)
    reader.cards = []
    edition = EDITIONS[EditionName.CLASSIC]
    # Whoever plays a card has gone out, and any hand that is left is enough: the shortest match that there is.
    header = Header(edition, ("Ann", "Ben"), 1, replace(edition.options, hand_size=1, target=1))
    first = SelfPlay(services, header, 2).start()
    deadline = time.monotonic() + 180
    while services.table.match_id == first and time.monotonic() < deadline:
        time.sleep(0.05)
    assert services.table.match_id != first
    after = services.table.view().header
    assert after is not None
    assert after.dealer == 0
    match = next(each for each in services.store.matches() if each.id == first)
    assert match.over
    # The hand that was left was photographed and read, and the picture is kept behind its ruling.
    scanned = [line for line in services.store.load(first).lines if isinstance(line.entry, Hand)]
    assert scanned
    assert all(line.reading is not None for line in scanned)


def test_a_round_scored_by_mistake_is_opened_again_to_mend_it(services: Services) -> None:
    edition = EDITIONS[EditionName.CLASSIC]
    header = Header(edition, ("Ann", "Ben"), 1, replace(edition.options, hand_size=1, target=500))
    start = Start(Card.parse("red 1"))
    truth = Match(header).apply(start)
    services.start(header)
    for move in (start, Play(Card.parse("red 2")), Hand("Ben", (Card.parse("red 3"),))):
        services.table.tap(move)
    SelfPlay(services, header).mend(truth)
    assert [line.move for line in services.table.view().history] == [start]
    assert services.table.state == truth.state
