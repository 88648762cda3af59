"""Learning a deck: finding the laid cards, naming them, storing the deck, reading with it."""

from __future__ import annotations

import io
import itertools
import json
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from companion.cards import ALL_CARDS, Card, EditionName, deck
from companion.cli import main
from companion.decks.capture.keyframes import keyframes
from companion.decks.labels.dawid_skene import ViewReliability
from companion.decks.labels.hungarian import assign
from companion.decks.labels.naming import name_cards
from companion.decks.model.card_views import PICTURE, stored_picture, usual_spot
from companion.decks.model.decision import shipped_decisions
from companion.decks.model.prototypes import fit
from companion.decks.service import build
from companion.decks.service.build import DeckModel, build_model, fit_model, views_of
from companion.decks.service.deck_detector import reading_parts
from companion.decks.service.enrollment import Lesson
from companion.decks.service.membership import DeckFit
from companion.decks.storage.deck_file import DeckFileError, LearntDeck, encoded, pack, unpack
from companion.decks.storage.library import DeckLibrary, NoSuchDeckError
from companion.editions import EDITIONS
from companion.vision.core.runtime import model_folder
from companion.vision.core.sightings import Sighting
from companion.vision.recognition.card_detector import CardDetector

from .laid import BLUE_3, RED_7, bare_table, with_card

pytestmark = pytest.mark.slow


@settings(deadline=None, max_examples=60)
@given(st.integers(1, 5).flatmap(lambda n: arrays(np.float64, (n, 6), elements=st.integers(-9, 9))))
def test_assignment_is_optimal(costs: np.ndarray) -> None:
    rows = len(costs)
    found = assign(costs)
    assert len(set(found.tolist())) == rows
    least = min(sum(costs[i, p] for i, p in enumerate(chosen)) for chosen in itertools.permutations(range(6), rows))
    assert sum(costs[np.arange(rows), found]) == pytest.approx(least)


def test_film_yields_one_picture_per_still_period() -> None:
    still, moved = np.full((90, 160, 3), 80, np.uint8), np.full((90, 160, 3), 80, np.uint8)
    moved[20:70, 30:120] = 220
    film = [still] * 9 + [moved, still] * 3 + [moved] * 9
    assert [int(picture[40, 60, 0]) for picture in keyframes(film)] == [80, 220]


def _features(cards: list[Card], rng: np.random.Generator, noise: float = 0.15) -> np.ndarray:
    """Return (N, 2, 24) features in which colours and faces contribute additively, as in a real design."""
    parts = {key: rng.normal(size=24) for card in ALL_CARDS for key in (card.face, card.color)}
    exact = np.stack([parts[card.face] + parts[card.color] for card in cards])
    return (exact[:, None] + rng.normal(0, noise, (len(cards), 2, 24))).astype(np.float32)


def _says(cards: list[Card], wrong: dict[str, str], rng: np.random.Generator) -> np.ndarray:
    """Return a reader's log-likelihoods: fairly confident of each card, wrong for some."""
    logs = rng.normal(-7, 0.5, (len(cards), 57)).astype(np.float32)
    for row, card in zip(logs, cards, strict=True):
        row[ALL_CARDS.index(card)] = -2.0
        row[ALL_CARDS.index(Card.parse(wrong.get(card.name, card.name)))] = -0.2
    return logs


def test_copies_and_composition_name_unreadable_pictures() -> None:
    rng = np.random.default_rng(3)
    cards = sorted(deck(EditionName.CLASSIC).elements(), key=lambda _: rng.random())
    wrong = {"red 7": "red 1", "green 4": "green 9", "blue skip": "blue 8", "yellow 6": "yellow 9"}
    naming = name_cards(
        _features(cards, rng),
        _says(cards, wrong, rng)[:, None],
        EDITIONS[EditionName.CLASSIC],
    )
    assert naming.cards == tuple(cards)
    assert not naming.prompted_is_better


def test_ambiguous_swap_is_resolved_by_one_answer() -> None:
    rng = np.random.default_rng(3)
    cards = sorted(deck(EditionName.CLASSIC).elements(), key=lambda _: rng.random())
    wrong = {}
    for color in ("red", "yellow", "green", "blue"):
        wrong |= {f"{color} skip": f"{color} reverse", f"{color} reverse": f"{color} skip"}
    shown = _features(cards, rng), _says(cards, wrong, rng)[:, None]
    naming = name_cards(*shown, EDITIONS[EditionName.CLASSIC])
    swapped = {i for i, card in enumerate(cards) if card.name in wrong}
    assert {i for i, card in enumerate(cards) if naming.cards[i] != card} == swapped
    assert max(naming.confidences[i] for i in swapped) <= 0.5
    assert {i for i, sure in enumerate(naming.sure) if not sure} == swapped
    (question,) = (each for each in naming.questions if swapped & set(each.pictures))
    asked = question.pictures[0]
    assert cards[asked] in question.options
    result = name_cards(*shown, EDITIONS[EditionName.CLASSIC], {asked: cards[asked]})
    assert result.cards == tuple(cards)


def test_uninformative_view_is_not_trusted() -> None:
    rng = np.random.default_rng(5)
    cards = sorted(deck(EditionName.CLASSIC).elements(), key=lambda _: rng.random())
    right = _says(cards, {}, rng)
    # Two views take everything for one of two cards with equal confidence.
    art = np.full((2, len(cards), 57), -9.0, np.float32)
    for look in art:
        look[np.arange(len(cards)), rng.choice([3, 20], len(cards))] = -0.1
    opinions = ViewReliability(np.stack([right, *art], 1))
    opinions.weigh(np.array([ALL_CARDS.index(card) for card in cards]))
    assert [ALL_CARDS[int(row.argmax())] for row in opinions.scores()] == cards


def test_answer_names_all_copies() -> None:
    rng = np.random.default_rng(4)
    cards = [RED_7, BLUE_3, RED_7, BLUE_3]
    features = _features(cards, rng, 0.01)
    unsure = np.full((4, 1, 57), -3.0, np.float32)
    assert name_cards(features, unsure, EDITIONS[EditionName.CLASSIC], {0: RED_7, 3: BLUE_3}).cards == tuple(cards)


def test_prototypes_overrule_a_wrong_reader_only_for_the_deck() -> None:
    rng = np.random.default_rng(6)
    cards = [RED_7, BLUE_3, RED_7, BLUE_3, Card.parse("green 1"), Card.parse("green 1")]
    features = np.repeat(_features(cards, rng), 2, axis=1)
    logs = np.repeat(_says(cards, {"red 7": "red 1"}, rng)[:, None], 4, axis=1)
    look = fit(features, logs, [ALL_CARDS.index(card) for card in cards], shipped_decisions().card)
    weighed, membership = look.combine(logs[:, 0], features[:, 0])
    assert [ALL_CARDS[int(row.argmax())] for row in weighed] == cards
    assert (membership > 0.9).all()
    strangers = rng.normal(size=(5, 24)).astype(np.float32)
    untouched, none = look.combine(logs[:5, 0], strangers)
    assert np.array_equal(untouched[none == 0], logs[:5, 0][none == 0])
    assert (none == 0).any()


@pytest.fixture
def learnt() -> LearntDeck:
    width, height = PICTURE
    picture = np.full((height, width, 3), 128, np.uint8)
    return LearntDeck(
        "Ours",
        EDITIONS[EditionName.CLASSIC],
        (RED_7, BLUE_3),
        (picture, picture),
        (0.15, 0.12, 0.25),
        3,
        unnamed=(encoded(picture),),
    )


def test_deck_survives_its_file(learnt: LearntDeck) -> None:
    again = unpack(pack(learnt))
    assert (again.name, again.edition, again.cards) == (learnt.name, learnt.edition, learnt.cards)
    assert (again.spot, again.asked) == (learnt.spot, learnt.asked)
    assert np.abs(again.pictures[1].astype(int) - learnt.pictures[1]).max() <= 2
    assert again.unnamed == learnt.unnamed
    assert pack(learnt) == pack(learnt)


def _changed(data: bytes, name: str, content: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as new:
        for member in old.namelist():
            new.writestr(member, content if member == name else old.read(member))
    return buffer.getvalue()


def test_file_with_positions_of_signs_is_read(learnt: LearntDeck) -> None:
    data = pack(learnt)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        index = json.loads(archive.read("deck.json"))
    older = _changed(data, "deck.json", json.dumps(index | {"signs": [[0.9, 0.1, 0.3]]}).encode())
    assert pack(unpack(older)) == data


def _hostile(data: bytes) -> Iterator[bytes]:
    yield b""
    yield b"PK\x05\x06" + b"\0" * 30
    yield data[: len(data) // 2]
    yield _changed(data, "000.jpg", b"\0" * 60_000_000)
    yield _changed(data, "000.jpg", cv2.imencode(".jpg", np.zeros((9000, 9, 3), np.uint8))[1].tobytes())
    yield _changed(data, "000.jpg", cv2.imencode(".png", np.zeros((480, 320, 3), np.uint8))[1].tobytes())
    yield _changed(data, "002.jpg", cv2.imencode(".jpg", np.zeros((9000, 9, 3), np.uint8))[1].tobytes())
    yield _changed(data, "deck.json", b"[]")
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        index = json.loads(archive.read("deck.json"))
    for change in (
        {"name": "../../away"},
        {"version": 2},
        {"cards": []},
        {"cards": [{"card": "red 17", "picture": "000.jpg"}]},
        {"cards": [{"card": "red 7", "picture": "../../etc/passwd"}]},
        {"cards": index["cards"] * 500},
        {"spot": [0.1, float("inf"), 3]},
        {"unnamed": [{"picture": "../../etc/passwd"}]},
        {"code": "__import__('os')"},
    ):
        yield _changed(data, "deck.json", json.dumps(index | change).encode())


def test_invalid_files_are_refused_with_one_sentence(learnt: LearntDeck) -> None:
    for data in _hostile(pack(learnt)):
        with pytest.raises(DeckFileError) as refused:
            unpack(data)
        assert str(refused.value).endswith(".")
        assert "\n" not in str(refused.value)


def test_cards_of_another_design_do_not_fit_the_deck() -> None:
    rng = np.random.default_rng(2)
    cards = [RED_7, BLUE_3, Card.parse("green 1")]
    shown = [with_card(bare_table(rng), card, (320, 240), 30) for card in cards]
    pictures = tuple(stored_picture(*one) for one in shown)
    blots = tuple(np.asarray(rng.integers(0, 255, picture.shape), np.uint8) for picture in pictures)
    for learnt, another in ((pictures, False), (blots, True)):
        deck = LearntDeck("Ours", EDITIONS[EditionName.CLASSIC], tuple(cards), learnt)
        reader, fits = reading_parts()[0], DeckFit(deck)
        reader = reader.with_deck(fit_model(views_of(reader, deck), [*map(ALL_CARDS.index, cards)]))
        assert not fits.is_another
        for card, (image, quad) in [*zip(cards, shown, strict=True)] * 2:
            fits.see(reader, image, [Sighting(np.roll(quad, 2, axis=0), (card,), (1.0,), True)])
        assert fits.is_another is another
        # In a hand most of a card's outline shows its neighbours.
        for card, (image, quad) in [*zip(cards, shown, strict=True)] * 2:
            hidden = (
                Sighting(quad + off, (other,), (1.0,), True) for other, off in zip(cards, (40, 60, 80), strict=True)
            )
            fits.see(
                reader, image, [Sighting(quad, (card,), (1.0,), True), *(one for one in hidden if one.card != card)]
            )
        assert fits.is_another is another


def test_library_stores_renames_and_deletes_decks(learnt: LearntDeck, tmp_path: Path) -> None:
    library = DeckLibrary(tmp_path / "decks")
    assert library.list() == []
    library.save(learnt)
    (tmp_path / "decks" / "odd.deck").write_bytes(b"odd")
    assert [(each.name, each.cards, each.faces) for each in library.list()] == [("Ours", 2, 2)]
    library.rename("Ours", "Théirs?!")
    assert library.load("Théirs?!").cards == learnt.cards
    with pytest.raises(NoSuchDeckError):
        library.load("Ours")
    with pytest.raises(DeckFileError):
        library.save(LearntDeck("a/b", learnt.edition, learnt.cards, learnt.pictures))
    data = library.export("Théirs?!")
    with pytest.raises(DeckFileError):
        library.add(data)
    assert library.add(data, "More").name == "More"
    for ending in (".npz", ".npy"):
        library.path("More").with_suffix(ending).write_bytes(b"worked out")
    before = {*library.folder.iterdir()}
    library.delete("More")
    gone = before - {*library.folder.iterdir()}
    assert {path.name for path in gone} == {library.path("More").stem + ending for ending in (".deck", ".npz", ".npy")}
    assert [each.name for each in library.list()] == ["Théirs?!"]


def test_folder_of_pictures_is_learnt_and_used(tmp_path: Path) -> None:
    rng = np.random.default_rng(9)
    cards = [
        *(Card.parse(f"{color} {face}") for color in ("red", "blue") for face in (7, 3, "skip")),
        Card.parse("wild"),
    ]
    pile, folder = bare_table(rng), tmp_path / "flip"
    folder.mkdir()
    for i, card in enumerate(cards):
        center = (320 + float(rng.normal(0, 6)), 240 + float(rng.normal(0, 6)))
        pile, _ = with_card(pile, card, center, float(rng.normal(10, 12)))
        cv2.imwrite(str(folder / f"{i:03}.png"), pile)
    (tmp_path / "order.txt").write_text("\n".join(card.name for card in cards))
    data = ["--data", str(tmp_path / "data")]
    arguments = ["learn", str(folder), "--name", "Ours", "--order", str(tmp_path / "order.txt"), "--json"]
    said = CliRunner().invoke(main, [*data, *arguments])
    assert said.exit_code == 0, said.output
    found = json.loads(said.stdout)
    assert (found["cards"], found["asked"], found["names"]) == (7, 0, [card.name for card in cards])
    shown, _ = with_card(bare_table(rng), BLUE_3, (200, 250), 70)
    cv2.imwrite(str(tmp_path / "one.png"), shown)
    read = CliRunner().invoke(main, [*data, "read", "--deck", "Ours", "--json", str(tmp_path / "one.png")])
    assert [card["card"] for card in json.loads(read.stdout)["cards"]] == ["blue 3"]
    listed = CliRunner().invoke(main, [*data, "decks", "list"])
    assert listed.output == "Ours: classic, 7 cards, 7 different ones\n"
    missing = CliRunner().invoke(main, [*data, "read", "--deck", "Theirs", str(tmp_path / "one.png")])
    assert missing.exit_code == 1
    assert missing.output.startswith("Error: There is no deck called 'Theirs'")


def test_uncertain_card_is_stored_without_a_name() -> None:
    rng = np.random.default_rng(9)
    lesson = Lesson(*reading_parts(), EDITIONS[EditionName.CLASSIC], each=True)
    pile = bare_table(rng)
    for i in range(2):
        # Cards with oil-slick patterns: nothing on them resembles a number.
        blots = cv2.resize(rng.uniform(0, 255, (5, 4, 3)).astype(np.uint8), (108, 168), interpolation=cv2.INTER_CUBIC)
        pile, _ = with_card(pile, (RED_7, BLUE_3)[i], (320 + 4 * i, 240 + 3 * i), 0)
        pile[156 + 3 * i : 324 + 3 * i, 266 + 4 * i : 374 + 4 * i] = blots
        lesson.show(pile)
    lesson.answer(0, RED_7)
    learnt = lesson.finish("Slick")
    assert learnt.cards == (RED_7,)
    assert len(learnt.pictures) == len(learnt.unnamed_pictures) == 1


def test_deck_with_few_names_does_not_change_readings(learnt: LearntDeck) -> None:
    detector = CardDetector.shipped(EditionName.CLASSIC)

    def known(nameless: int) -> CardDetector:
        unnamed = tuple(encoded(learnt.pictures[0]) for _ in range(nameless))
        return detector.with_deck(build_model(detector.reader, replace(learnt, unnamed=unnamed), model_folder()))

    assert known(2 * len(learnt.cards)) is not detector
    assert known(2 * len(learnt.cards) + 1) is detector


def test_prompted_cards_have_the_requested_name() -> None:
    rng = np.random.default_rng(9)
    lesson = Lesson(*reading_parts(), EDITIONS[EditionName.CLASSIC], each=True)
    pile = bare_table(rng)
    for i, name in enumerate(("blue 7", "green 3")):
        pile, _ = with_card(pile, Card.parse(name), (320 + 4 * i, 240), 20 * i)
        lesson.show(pile)
    assert lesson.wanted is None
    lesson.prompt()
    wanted = []
    for i in range(2):
        card = lesson.wanted
        assert card is not None
        wanted.append(card)
        pile, _ = with_card(pile, card, (318, 244 + 5 * i), 60 + 20 * i)
        lesson.show(pile)
    third = lesson.wanted
    assert third is not None
    lesson.skip(third)
    assert len({*wanted, third, lesson.wanted}) == 4
    assert lesson.naming().cards[2:] == tuple(wanted)
    assert lesson.asked == 0


@pytest.mark.parametrize("searched", [True, False])
def test_only_unfamiliar_decks_are_searched(
    learnt: LearntDeck, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, searched: bool
) -> None:
    reader, cache = reading_parts()[0], tmp_path / "ours.npz"
    monkeypatch.setattr(build, "is_familiar", lambda *_: not searched)
    for _ in range(2):  # without the cache, and with it
        assert build_model(reader, learnt, model_folder(), cache).is_searched is searched


def _tell(monkeypatch: pytest.MonkeyPatch, identifies: bool) -> None:
    """Set whether the deck's pictures separate its cards."""
    fitted = build.fit_model

    def fit_model(*args: Any) -> DeckModel:
        result = fitted(*args)
        return replace(result, cards=replace(result.cards, identifies=identifies))

    monkeypatch.setattr(build, "fit_model", fit_model)


@pytest.mark.parametrize(
    ("identifies", "indices", "searched"), [(False, False, False), (True, False, True), (False, True, True)]
)
def test_well_read_cards_without_indices_are_not_searched(
    learnt: LearntDeck, monkeypatch: pytest.MonkeyPatch, identifies: bool, indices: bool, searched: bool
) -> None:
    _tell(monkeypatch, identifies)
    monkeypatch.setattr(build, "is_familiar", lambda *_: False)
    deck = replace(learnt, spot=usual_spot() if indices else None)
    assert build_model(reading_parts()[0], deck, model_folder()).is_searched is searched


@pytest.mark.parametrize("indices", [False, True])
def test_missing_faces_lower_the_bar_only_with_indices(
    learnt: LearntDeck, monkeypatch: pytest.MonkeyPatch, indices: bool
) -> None:
    asked: list[bool] = []
    _tell(monkeypatch, True)
    monkeypatch.setattr(build, "is_familiar", lambda _, cards, doubtful: asked.append(doubtful) or True)
    build_model(reading_parts()[0], replace(learnt, spot=usual_spot() if indices else None), model_folder())
    assert asked == [indices]


def test_cache_is_replaced_for_other_networks(learnt: LearntDeck, tmp_path: Path) -> None:
    reader, _ = reading_parts()
    other, cache = tmp_path / "other", tmp_path / "ours.npz"
    other.mkdir()
    for name in ("card-reader.onnx", "index-reader.onnx"):
        (other / name).write_bytes((model_folder() / name).read_bytes() + b"other")
    first = build_model(reader, learnt, model_folder(), cache).cards.prototypes
    kept = cache.read_bytes()
    build_model(reader, learnt, model_folder(), cache)
    assert cache.read_bytes() == kept
    again = build_model(reader, learnt, other, cache).cards.prototypes
    assert cache.read_bytes()[:32] != kept[:32]
    assert np.allclose(first, again, atol=0.01)
