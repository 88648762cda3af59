"""The embedding: training data, loss, figures, and a short run from the shipped readers."""

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
from companion.models.embedding.measure import figures, roc_area
from companion.models.embedding.network import LENGTH, SIZES, embedder
from companion.models.embedding.train import EmbeddingRun, contrast, train
from companion.models.embedding.views import Photographer
from companion.vision.core.runtime import Network

pytestmark = [pytest.mark.slow, pytest.mark.train]

MODELS = Path(__file__).resolve().parents[2] / "models"


@pytest.fixture(scope="module")
def gallery(tmp_path_factory: pytest.TempPathFactory) -> Gallery:
    return build(tmp_path_factory.mktemp("gallery"), Sources(), 4, 7, Console(quiet=True))


def test_a_gallery_is_drawn_once_and_loaded_after_that(tmp_path: Path) -> None:
    first = build(tmp_path, Sources(), 1, 3, Console(quiet=True))
    again = build(tmp_path, Sources(), 1, 4, Console(quiet=True))
    assert np.array_equal(first.faces, again.faces)
    assert len(first.faces) == len(first.decks) == len(first.corners) == len(first.same_card)


def test_classes_are_faces_that_differ_within_their_deck(gallery: Gallery) -> None:
    for kind in SIZES:
        every = np.concatenate(gallery.classes(kind))
        assert len(set(every.tolist())) == len(every)
    for deck, faces in zip(np.unique(gallery.decks), gallery.classes("card"), strict=True):
        assert (gallery.decks[faces] == deck).all()


def test_views_have_the_networks_sizes_and_differ(gallery: Gallery) -> None:
    photographer = Photographer(gallery, [1])
    face = int(gallery.classes("card")[0][0])
    for kind, take in (("card", photographer.card), ("corner", photographer.corner)):
        one, two = take(face), take(face)
        width, height = SIZES[kind]
        assert one.shape == (height, width, 3)
        assert one.dtype == np.uint8
        assert np.abs(one.astype(int) - two).mean() > 1


def test_vectors_have_length_one() -> None:
    for kind, (width, height) in SIZES.items():
        vectors = embedder(kind).eval()(torch.rand(2, 3, height, width))
        assert vectors.shape == (2, LENGTH)
        assert torch.allclose(vectors.norm(dim=1), torch.ones(2), atol=1e-4)


def test_the_loss_falls_as_views_of_a_face_come_together() -> None:
    faces = torch.eye(8)[:4]
    apart = torch.nn.functional.normalize(torch.cat([faces, faces + 2 * torch.eye(8)[4:]]))
    together = torch.cat([faces, faces])
    assert contrast(together) < contrast(apart) < contrast(torch.ones(8, 8) / 8**0.5)


def test_figures_of_perfect_and_of_useless_vectors() -> None:
    names = np.repeat(np.arange(8), 2)
    perfect = np.eye(8, dtype=np.float32)[names]
    best = figures(perfect, names, perfect, names)
    assert (best.right, best.margin, best.unknown) == (1.0, 1.0, 1.0)
    worst = figures(np.ones_like(perfect), names, np.ones_like(perfect), names)
    assert (worst.right, worst.margin, worst.unknown) == (0.125, 0.0, 0.5)


def test_roc_area_counts_ties_half() -> None:
    assert roc_area(np.array([1.0, 2.0], np.float32), np.array([1.0, 0.0], np.float32)) == pytest.approx(0.875)


@pytest.mark.parametrize("kind", SIZES)
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
    width, height = SIZES[kind]
    crops = np.random.default_rng(1).random((3, 3, height, width), np.float32)
    vectors = Network(export_embedder(tmp_path, kind))(crops)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-3)
    network = load_embedder(tmp_path, kind)
    assert np.allclose(vectors, network(torch.from_numpy(crops)).detach().numpy(), atol=0.02)
