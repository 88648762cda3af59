"""The embeddings: training data, loss, figures, and short runs from the shipped networks."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from companion.dataset.gallery.decks import Sources

if importlib.util.find_spec("torch") is None:
    pytest.skip("needs the train extra", allow_module_level=True)

import torch

from companion.models.embedding.export import export_embedder, load_embedder
from companion.models.embedding.gallery import Gallery, build
from companion.models.embedding.lessons import PartLessons
from companion.models.embedding.loss import contrast
from companion.models.embedding.measure import figures
from companion.models.embedding.network import LENGTH, SIZE, Embedder, PartEmbedder, from_card
from companion.models.embedding.train import EmbeddingRun, train
from companion.models.embedding.views import Photographer
from companion.models.fitting.logistic import roc_area
from companion.vision.core.geometry import INDEX_CROP
from companion.vision.core.runtime import Network

pytestmark = [pytest.mark.slow, pytest.mark.train]

MODELS = Path(__file__).resolve().parents[2] / "models"
WIDTH, HEIGHT = SIZE


@pytest.fixture(scope="module")
def gallery(tmp_path_factory: pytest.TempPathFactory) -> Gallery:
    return build(tmp_path_factory.mktemp("gallery"), Sources(), 4, 7, Console(quiet=True))


def test_a_gallery_is_drawn_once_and_loaded_after_that(tmp_path: Path) -> None:
    first = build(tmp_path, Sources(), 1, 3, Console(quiet=True))
    again = build(tmp_path, Sources(), 1, 4, Console(quiet=True))
    assert np.array_equal(first.faces, again.faces)
    assert len(first.faces) == len(first.decks) == len(first.corners) == len(first.same_card)


def test_classes_are_faces_that_differ_within_their_deck(gallery: Gallery) -> None:
    for kind in ("card", "corner"):
        every = np.concatenate(gallery.classes(kind))
        assert len(set(every.tolist())) == len(every)
    for deck, faces in zip(np.unique(gallery.decks), gallery.classes("card"), strict=True):
        assert (gallery.decks[faces] == deck).all()


def test_views_have_the_networks_sizes_and_differ(gallery: Gallery) -> None:
    photographer = Photographer(gallery, [1])
    face = int(gallery.classes("card")[0][0])
    for take, (width, height) in ((photographer.card, SIZE), (photographer.corner, (INDEX_CROP, INDEX_CROP))):
        one, two = take(face), take(face)
        assert one.shape == (height, width, 3)
        assert one.dtype == np.uint8
        assert np.abs(one.astype(int) - two).mean() > 1


def test_vectors_have_length_one() -> None:
    whole = Embedder().eval()(torch.rand(2, 3, HEIGHT, WIDTH))
    parts, corners = PartEmbedder().eval()(torch.rand(2, 4, HEIGHT, WIDTH))
    assert corners.shape == (2, 8)
    for vectors in (whole, parts):
        assert vectors.shape == (2, LENGTH)
        assert torch.allclose(vectors.norm(dim=1), torch.ones(2), atol=1e-4)


def test_the_network_of_parts_starts_with_the_vectors_of_whole_cards() -> None:
    rng = np.random.default_rng(3)
    views = rng.integers(0, 256, (6, 3, HEIGHT, WIDTH), np.uint8)
    network = from_card(MODELS, torch.from_numpy(views)).eval()
    crops = views.astype(np.float32) / np.float32(255)
    mask = rng.random((6, 1, HEIGHT, WIDTH), np.float32)
    vectors, corners = network(torch.from_numpy(np.concatenate([crops, mask], 1)))
    assert np.allclose(vectors.detach().numpy(), Network(MODELS / "card-embedding.onnx")(crops), atol=1e-4)
    assert not corners.any()


def test_the_loss_falls_as_views_of_a_face_come_together() -> None:
    faces = torch.eye(8)[:4]
    apart = torch.nn.functional.normalize(torch.cat([faces, faces + 2 * torch.eye(8)[4:]]))
    together = torch.cat([faces, faces])
    assert contrast(together) < contrast(apart) < contrast(torch.ones(8, 8) / 8**0.5)


def test_the_loss_grows_as_strangers_look_like_a_face() -> None:
    vectors = torch.cat([torch.eye(8)[:4]] * 2)
    near = torch.nn.functional.normalize(torch.eye(8)[:2] + torch.eye(8)[4:6])
    assert contrast(vectors) < contrast(vectors, torch.eye(8)[4:6]) < contrast(vectors, near)


def test_a_batch_of_parts_has_pairs_of_a_face_and_strangers_without_corners(gallery: Gallery) -> None:
    batch = next(PartLessons(gallery, gallery).batches(8, [1, 0]))
    assert batch.views.shape == (16, 4, HEIGHT, WIDTH)
    assert batch.views.dtype == np.uint8
    assert batch.corners.shape == (12, 8)
    assert batch.corners.dtype == np.float32
    assert batch.corners.any(1).all()
    assert set(np.unique(batch.views[:, 3])) == {0, 255}
    assert not batch.views[:, :3][np.broadcast_to(batch.views[:, 3:] == 0, (16, 3, HEIGHT, WIDTH))].any()


def test_figures_of_perfect_and_of_useless_vectors() -> None:
    names = np.repeat(np.arange(8), 2)
    perfect = np.eye(8, dtype=np.float32)[names]
    best = figures(perfect, names, perfect, names)
    assert (best.right, best.margin, best.unknown) == (1.0, 1.0, 1.0)
    worst = figures(np.ones_like(perfect), names, np.ones_like(perfect), names)
    assert (worst.right, worst.margin, worst.unknown) == (0.125, 0.0, 0.5)


def test_roc_area_counts_ties_half() -> None:
    assert roc_area(np.array([1.0, 2.0], np.float32), np.array([1.0, 0.0], np.float32)) == pytest.approx(0.875)


@pytest.mark.parametrize("kind", ["card", "part"])
def test_training_resumes_and_is_exported(gallery: Gallery, tmp_path: Path, kind: str) -> None:
    console = Console(quiet=True)
    train(EmbeddingRun(kind, MODELS, tmp_path, minutes=0.02, faces=8), gallery, gallery, console)
    first = torch.load(tmp_path / f"{kind}.pt")
    assert first["step"] > 0
    train(EmbeddingRun(kind, MODELS, tmp_path, minutes=0.1, faces=8), gallery, gallery, console)
    second = torch.load(tmp_path / f"{kind}.pt")
    assert second["step"] > first["step"]
    assert second["spent"] > first["spent"]
    assert any(not torch.equal(first["latest"][name], weight) for name, weight in second["latest"].items())
    crops = np.random.default_rng(1).random((3, 4 if kind == "part" else 3, HEIGHT, WIDTH), np.float32)
    expected = load_embedder(tmp_path, kind)(torch.from_numpy(crops))
    exported = Network(export_embedder(tmp_path, kind))
    if kind == "part":
        vectors, corners = exported.with_features(crops)
        assert np.allclose(corners, expected[1].detach().numpy(), atol=0.005)
        assert corners.any()
    else:
        vectors = exported(crops)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-3)
    assert np.allclose(vectors, (expected[0] if kind == "part" else expected).detach().numpy(), atol=0.02)
