"""A learnt deck in use learns from corrections, if players allow it."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest
from flask.testing import FlaskClient

from companion.cards import Card, EditionName
from companion.decks.model.card_views import PICTURE, outline
from companion.decks.storage.deck_file import LearntDeck
from companion.decks.storage.library import DeckLibrary
from companion.editions import EDITIONS, Edition
from companion.referee.moves import Play, Start
from companion.referee.state import Header
from companion.server.app import create_app, services_of
from companion.server.core.config import ServerConfig
from companion.server.services import detectors
from companion.server.services.services import Services
from companion.vision.core.events import CardLanded
from companion.vision.recognition.card_detector import CardDetector

RED_7, RED_1 = Card.parse("red 7"), Card.parse("red 1")


def _soon(holds: Callable[[], bool]) -> bool:
    until = time.monotonic() + 60
    while not holds() and time.monotonic() < until:
        time.sleep(0.01)
    return holds()


def test_the_deck_in_use_is_read_with_as_it_has_become(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    built: list[int] = []
    build = detectors.deck_detector

    def counted(decks: DeckLibrary, name: str, edition: Edition | None, model: Path | None) -> CardDetector:
        built.append(len(decks.load(name).further))
        return build(decks, name, edition, model)

    monkeypatch.setattr(detectors, "deck_detector", counted)
    services = services_of(create_app(ServerConfig(data=tmp_path)))
    face = np.full((PICTURE[1], PICTURE[0], 3), 90, np.uint8)
    face[100:300, 80:200] = 220
    edition = EDITIONS[EditionName.CLASSIC]
    services.decks.save(LearntDeck("Ours", edition, (RED_7, RED_1), (face, face[::-1]), learns=True))
    services.choose_deck("Ours")
    services.start(Header(edition, ("Ann", "Ben"), 1, edition.options))
    services.table.tap(Start(Card.parse("red 5")))
    services.reader()(face)
    services.reader()(face)
    assert built == [0]
    # A red 7 that is read as a red 1, and corrected.
    services.table.see(CardLanded(1.0, ((RED_1, 0.99),), outline(), face))
    services.table.amend(2, Play(RED_7))
    assert _soon(lambda: built == [0, 1])
    services.reader()(face)
    assert built == [0, 1]
    services.close()


@pytest.mark.parametrize("learns", [True, False])
def test_a_corrected_landing_becomes_a_view_of_the_deck(playing: FlaskClient, services: Services, learns: bool) -> None:
    width, height = PICTURE
    faces = [np.random.default_rng(seed).integers(0, 256, (6, 4, 3)).astype(np.uint8) for seed in (1, 2)]
    shown = [np.asarray(cv2.resize(face, (width, height), interpolation=cv2.INTER_CUBIC), np.uint8) for face in faces]
    services.decks.save(LearntDeck("Ours", EDITIONS[EditionName.CLASSIC], (RED_7, RED_1), (shown[0], shown[1])))
    assert playing.post("/api/decks/choose", json={"name": "Ours"}).status_code == 200
    answer = playing.post("/api/decks/learns", json={"name": "Ours", "learns": learns}).json
    assert answer["decks"][0]["learns"] is learns

    def views() -> list[Card]:
        return [view.card for view in services.decks.load("Ours").further]

    # A red 7 that is read as a red 1.
    services.table.see(CardLanded(1.0, ((RED_1, 0.99),), outline(), shown[0]))
    assert len(services.table.corrected()) == 0
    amendment = {"n": 2, "move": {"do": "play", "card": "red 7"}}
    answer = playing.post("/api/amend", json=amendment)
    assert answer.status_code == 200, answer.json
    if not learns:
        services.teaching.look()
        assert views() == []
        return
    assert _soon(lambda: views() == [RED_7])
    assert playing.get("/api/decks").json["decks"][0]["further"] == 1
    amendment["move"] = {"do": "play", "card": "red 1"}
    assert playing.post("/api/amend", json=amendment).status_code == 200
    # What was read is confirmed so.
    assert _soon(lambda: views() == [RED_1])
    amendment["move"] = {"do": "play", "card": "red 7"}
    assert playing.post("/api/amend", json=amendment).status_code == 200
    assert _soon(lambda: views() == [RED_7])
    assert playing.post("/api/undo").status_code == 200
    assert _soon(lambda: views() == [])
