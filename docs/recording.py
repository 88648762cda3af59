"""What the scripts share that take pictures of the pages: a companion in a temporary folder and a browser.

They need the `test` extra and the system's Chromium.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from playwright.sync_api import Page, sync_playwright

from companion.server.access.guests import Role
from companion.server.app import create_app, services_of
from companion.server.core.config import ServerConfig
from companion.server.network.listeners import Listeners
from companion.server.services.services import Services
from companion.vision.core.geometry import Image

PICTURES = Path(__file__).parent / "pages" / "pictures"
"""Folder of the documentation's pictures."""


@contextmanager
def serving() -> Iterator[tuple[Services, str]]:
    """Serve a companion with an empty data folder; yields its services and address."""
    with tempfile.TemporaryDirectory() as folder:
        config = ServerConfig(data=Path(folder), port=0)
        app = create_app(config)
        services = services_of(app)
        listeners = Listeners(app, config)
        address = listeners.start()
        services.lan = listeners
        try:
            yield services, address
        finally:
            services.close()
            listeners.stop()


@contextmanager
def host_page(services: Services, address: str, name: str, size: tuple[int, int]) -> Iterator[Page]:
    """Open a page as the host, of this width and height in CSS pixels."""
    with sync_playwright() as playwright:
        chromium = shutil.which("chromium") or shutil.which("google-chrome")
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        viewport = {"width": size[0], "height": size[1]}
        page = browser.new_page(viewport=viewport, locale="en-GB", bypass_csp=True)  # type: ignore[arg-type]
        page.goto(f"{address}/join#t={services.pairing.invite(Role.HOST)}&p=table")
        page.wait_for_url(f"{address}/table")
        page.goto(f"{address}/{name}")
        yield page
        browser.close()


def screenshot(page: Page, size: tuple[int, int] | None = None) -> Image:
    """Return the visible part of a page, (H, W, 3) BGR uint8, scaled to this width and height in pixels."""
    picture = cv2.imdecode(np.frombuffer(page.screenshot(type="png"), np.uint8), cv2.IMREAD_COLOR)
    assert picture is not None
    return np.asarray(picture if size is None else cv2.resize(picture, size, interpolation=cv2.INTER_AREA), np.uint8)


def write_animation(path: Path, frames: Sequence[Image], durations: NDArray[np.int32], quality: int) -> None:
    """Write (H, W, 3) BGR uint8 frames as an endless animated WebP. durations: of each frame in milliseconds."""
    animation = cv2.Animation()
    animation.frames, animation.durations, animation.loop_count = list(frames), durations, 0
    cv2.imwriteanimation(str(path), animation, [cv2.IMWRITE_WEBP_QUALITY, quality])
