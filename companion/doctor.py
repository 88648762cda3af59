"""Checks of this machine, one by one; each says what to do if it fails."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import importlib
import importlib.metadata
import json
import re
import shutil
import socket
import sys
import tempfile
import time
import webbrowser
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from companion.settings import Settings
    from companion.vision.capture.frames import Frame

_OLDEST_PYTHON = (3, 11)
_MODULES = {
    "cheroot": "cheroot",
    "click": "click",
    "cryptography": "cryptography",
    "flask": "flask",
    "itsdangerous": "itsdangerous",
    "numpy": "numpy",
    "onnxruntime": "onnxruntime",
    "opencv-python": "cv2",
    "platformdirs": "platformdirs",
    "pydantic": "pydantic",
    "rich": "rich",
    "segno": "segno",
    "werkzeug": "werkzeug",
}
# A hand that lays a card is in view for a few tenths of a second.
_ENOUGH_PICTURES, _MEASURED_SECONDS = 12.0, 2.0
ENOUGH_DISK = 500 * 2**20
"""Bytes of free space: a long evening with all pictures needs far less."""
_MAKE_ROOM = "Make room, or name a folder on another disk with --data."
_NO_CAMERA = "Plug a webcam in, or use a phone as the camera; `companion demo` needs none."
_CAMERA_RIGHTS = {
    "darwin": " macOS must let the terminal use the camera: System Settings, Privacy & Security, Camera.",
    "win32": " Windows must let desktop apps use the camera: Settings, Privacy & security, Camera.",
    "linux": " A webcam that is plugged in must be yours to use: on most systems by the group video.",
}


class State(Enum):
    """Result of a check: fine, an optional thing is missing, or an essential one is."""

    OK = "ok"
    WARNING = "warning"
    MISSING = "missing"


@dataclass(frozen=True, slots=True)
class Check:
    """One check: what was found and what to do, empty if nothing."""

    name: str
    state: State
    found: str
    advice: str = ""


def missing_library(error: ImportError) -> str | None:
    """Return one sentence on what to install for a failed import; None if the package is broken rather than missing."""
    shared = re.search(r"\b(lib[\w.+-]*\.so[\w.]*): cannot open shared object file", str(error))
    if shared:
        return (
            f"The system library {shared[1]} is missing, without which pictures cannot be read: install it, on "
            "Debian and Ubuntu with  apt-get install libgl1 libglib2.0-0"
        )
    if isinstance(error, ModuleNotFoundError) and error.name and error.name.partition(".")[0] != "companion":
        return f"The Python library {error.name} is missing: install the companion again with  pip install ."
    return None


def examine(settings: Settings) -> Iterator[Check]:
    """Yield the checks as they are made."""
    yield check_python(sys.version_info[:3])
    yield check_libraries()
    yield check_model(settings.reader.model)
    yield check_camera(settings.camera.source or "0")
    yield check_port(settings.server.port)
    yield check_network(settings.server.addresses)
    yield check_browser()
    yield check_certificate(settings.data.folder)
    yield check_disk(settings.data.folder)


def check_python(version: tuple[int, ...]) -> Check:
    """Check the Python version."""
    found = ".".join(map(str, version))
    if version < _OLDEST_PYTHON:
        return Check(
            "Python", State.MISSING, found, f"Install Python {_OLDEST_PYTHON[0]}.{_OLDEST_PYTHON[1]} or newer."
        )
    return Check("Python", State.OK, found)


def check_libraries(load: Callable[[str], object] = importlib.import_module) -> Check:
    """Check that every library needed for playing can be imported."""
    faults = []
    for name, module in _MODULES.items():
        try:
            load(module)
        except ImportError as error:
            faults.append((name, missing_library(error) or f"Install {name} again: {error}."))
    if faults:
        names = ", ".join(name for name, _ in faults)
        return Check("libraries", State.MISSING, f"cannot be loaded: {names}", faults[0][1])
    notable = ("numpy", "onnxruntime", "opencv-python")
    return Check("libraries", State.OK, ", ".join(f"{name} {importlib.metadata.version(name)}" for name in notable))


def check_model(folder: Path | None) -> Check:
    """Check that the networks match the checksums of their manifest; None means the shipped ones."""
    if folder is None:
        try:
            from companion.vision.core.runtime import model_folder
        except ImportError:
            return _not_checked("model", State.MISSING)
        folder = model_folder()
    advice = "Install the companion again, or name a folder of networks with reader.model in the configuration file."
    try:
        files = json.loads((folder / "manifest.json").read_text("utf-8"))["files"]
        sums = {name: str(entry["sha256"]) for name, entry in files.items()}
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return Check("model", State.MISSING, f"there is no manifest.json that can be read in {folder}", advice)
    for name, expected in sums.items():
        try:
            with (folder / name).open("rb") as file:
                actual = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError:
            return Check("model", State.MISSING, f"{folder / name} is missing", advice)
        if actual != expected:
            return Check("model", State.MISSING, f"{folder / name} is damaged or another version", advice)
    return Check("model", State.OK, f"{', '.join(sums)} in {folder}")


def check_camera(source: str) -> Check:
    """Check that the source delivers a picture."""
    try:
        import companion.dataset.simulated  # noqa: F401 (registers itself as a source)
        from companion.vision.capture.frames import SourceError
        from companion.vision.capture.sources import open_source
    except ImportError:
        return _not_checked("camera", State.WARNING)
    try:
        opened = open_source(source)
        with contextlib.closing(iter(opened.frames())) as frames:  # type: ignore[type-var]
            height, width = next(frames).image.shape[:2]
            rate = _pictures_per_second(frames) if opened.live else None
    except (SourceError, StopIteration) as error:
        advice = _NO_CAMERA + _CAMERA_RIGHTS.get(sys.platform, "")
        return Check("camera", State.WARNING, str(error) or f"no picture from {source}", advice)
    found = f"{source} gives pictures of {width} x {height}"
    if rate is None:
        return Check("camera", State.OK, found)
    found += f", {rate:.0f} a second"
    if rate < _ENOUGH_PICTURES:
        advice = "Give it more light, which shortens the exposure, and a USB port of its own, without a hub."
        return Check("camera", State.WARNING, found, advice)
    return Check("camera", State.OK, found)


def _pictures_per_second(frames: Iterator[Frame]) -> float:
    began = time.monotonic()
    for count, _ in enumerate(frames, 1):
        if (passed := time.monotonic() - began) >= _MEASURED_SECONDS:
            return count / passed
    return 0.0


def check_picture(file: Path, settings: Settings) -> Check:
    """Check that the cards in a picture of the table can be read, and what hinders it."""
    try:
        from companion.vision.capture.image_files import PictureError, load_picture
        from companion.vision.core.runtime import ModelFileError
        from companion.vision.recognition.card_detector import CardDetector
        from companion.vision.tracking.camera_advice import Obstacle, advise, in_words
    except ImportError:
        return _not_checked("picture", State.MISSING)
    try:
        image = load_picture(file)
        found = CardDetector.shipped(folder=settings.reader.model).detect(image)
    except (PictureError, ModelFileError) as error:
        return Check("picture", State.MISSING, str(error), "Try another picture, or see `companion doctor`.")
    advice = advise(image, found)
    names = ", ".join(sighting.card.name for sighting in found) or "no card"
    if advice.obstacle is Obstacle.NOTHING:
        return Check("picture", State.OK, f"{names}; nothing stands in the way")
    return Check("picture", State.WARNING, names, in_words(advice))


def check_port(port: int) -> Check:
    """Check that the pages' port is free."""
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, sys.platform != "win32")
        try:
            listener.bind(("127.0.0.1", port))
        except OSError as error:
            advice = "Stop what listens there (another companion?), or choose another port with --port."
            return Check("port", State.WARNING, f"{port} cannot be used: {error.strerror}", advice)
    return Check("port", State.OK, f"{port} is free" if port else "any free one is taken")


def check_network(wanted: Sequence[str] = ()) -> Check:
    """Check that this machine reaches itself by the addresses that other devices would use.

    wanted: the configured addresses, by default every local network's.
    """
    from companion.server.network.addresses import interfaces, served

    known = interfaces()
    try:
        chosen = served(known, wanted)
    except LookupError as error:
        return Check("network", State.WARNING, str(error.args[0]), "Correct server.addresses in the settings.")
    if not chosen:
        advice = "To use phones, join the same wireless network with them, or open a hotspot on one."
        return Check("network", State.WARNING, "this computer is in no network", advice)
    for each in chosen:
        try:
            with socket.create_server((each.address, 0), family=_family(each.address)) as server:
                socket.create_connection(server.getsockname()[:2], timeout=2).close()
        except OSError as error:
            advice = "Let Python through the firewall; the computer itself can play without it."
            found = f"{each.address} cannot be reached: {error.strerror or error}"
            return Check("network", State.WARNING, found, advice)
    found = " and ".join(f"{each.address} ({each.name})" for each in chosen)
    others = [f"{each.address} ({each.name}, {each.kind.value})" for each in known if each not in chosen]
    rest = f"; not served: {', '.join(others)}, see --address" if others else ""
    return Check("network", State.OK, f"other devices find this computer at {found}{rest}")


def check_browser() -> Check:
    """Check that there is a browser to open the pages."""
    try:
        browser = webbrowser.get()
    except webbrowser.Error:
        advice = "Install a browser, or start with --lan and open the printed address on another device."
        return Check("browser", State.WARNING, "none is installed that can be opened from here", advice)
    return Check("browser", State.OK, str(getattr(browser, "name", type(browser).__name__)))


def check_certificate(folder: Path, now: datetime | None = None) -> Check:
    """Check the certificates in the data folder, if there are any yet, with OpenSSL's rules.

    The server's own certificate is renewed automatically.
    """
    try:
        from cryptography import x509
    except ImportError:
        return _not_checked("certificate", State.WARNING)
    file = next(iter(sorted(folder.rglob("authority.pem"))), None)
    if file is None:
        return Check("certificate", State.OK, "none yet; it is made when other devices are first let in")
    advice = f"Delete {file.parent}: a new one is made at the next start, to be trusted once more on each device."
    try:
        end = x509.load_pem_x509_certificate(file.read_bytes()).not_valid_after_utc
    except (OSError, ValueError):
        return Check("certificate", State.WARNING, f"{file} cannot be read", advice)
    if end < (now or datetime.now(UTC)):
        return Check("certificate", State.WARNING, f"expired on {end:%Y-%m-%d}", advice)
    if fault := _certificate_fault(file):
        renew = f"Delete {file.with_name('server.pem')}: it is made again at the next start."
        return Check("certificate", State.WARNING, f"browsers refuse it: {fault}", renew)
    return Check("certificate", State.OK, f"valid until {end:%Y-%m-%d}")


def _certificate_fault(authority: Path) -> str | None:
    from companion.server.access.certificates import Certificates, fault_of

    server = authority.with_name("server.pem")
    if not server.exists():
        return None
    try:
        return fault_of(Certificates(server, authority.with_name("server.key"), authority))
    except (OSError, ValueError) as error:
        return str(error)


def check_disk(folder: Path, enough: int = ENOUGH_DISK) -> Check:
    """Check that the data folder, created if missing, is writable and has enough space, in bytes."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"x")
        free = shutil.disk_usage(folder).free
    except OSError as error:
        full = error.errno == errno.ENOSPC
        advice = _MAKE_ROOM if full else "Name a folder that can be written with --data."
        return Check("disk", State.MISSING, f"{folder} cannot be written: {error.strerror}", advice)
    found = f"{free / 2**30:.1f} GB free in {folder}"
    if free < enough:
        return Check("disk", State.WARNING, found, _MAKE_ROOM)
    return Check("disk", State.OK, found)


def _family(address: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in address else socket.AF_INET


def _not_checked(name: str, state: State) -> Check:
    return Check(name, state, "not checked: a library that it needs cannot be loaded", "Mend the libraries first.")
