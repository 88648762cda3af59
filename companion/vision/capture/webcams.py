"""This computer's cameras: listing them by name, and opening one in the format that gives the most pictures."""

from __future__ import annotations

import itertools
import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path

import cv2

_STABLE_FOLDERS = (Path("/dev/v4l/by-id"), Path("/dev/v4l/by-path"))
WEBCAM_SIZE = (1280, 720)
"""Requested size of pictures in pixels."""


@dataclass(frozen=True)
class Device:
    """A camera. number: its current one. source: a name that stays the same after replugging, else the number."""

    number: int
    name: str
    source: str


def list_webcams(in_use: str | None = None) -> list[Device]:
    """Return this computer's cameras. in_use: the current source, which is not probed."""
    if sys.platform.startswith("linux"):
        return _linux_webcams()
    devices = []
    for number in itertools.count():
        if str(number) != in_use:
            capture = cv2.VideoCapture(number)
            opened = capture.isOpened()
            capture.release()
            if not opened:
                break
        devices.append(Device(number, f"Camera {number}", str(number)))
    return devices


def is_webcam(source: str) -> bool:
    """Return whether a source names a camera of this computer, by number or by device file."""
    return source.isdecimal() or source.startswith("/dev/")


def open_webcam(device: int | str) -> cv2.VideoCapture:
    """Open a camera by number or device file, with motion JPEG: USB 2 carries few uncompressed pictures."""
    number = device if isinstance(device, int) else _number_of(device)
    capture = cv2.VideoCapture(device if number is None else number)
    if sys.platform != "darwin":
        capture.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))
    capture.set(cv2.CAP_PROP_FRAME_WIDTH, WEBCAM_SIZE[0])
    capture.set(cv2.CAP_PROP_FRAME_HEIGHT, WEBCAM_SIZE[1])
    # Queued pictures in the driver would be processed with a wrong time.
    capture.set(cv2.CAP_PROP_BUFFERSIZE, 1)
    return capture


def _number_of(path: str) -> int | None:
    """Return the number of a device file, following the links of stable names; None if it is no numbered one."""
    match = re.fullmatch(r"/dev/video(\d+)", os.path.realpath(path))
    return int(match[1]) if match else None


def _linux_webcams() -> list[Device]:
    stable: dict[int, str] = {}
    for folder in reversed(_STABLE_FOLDERS):
        for link in sorted(folder.glob("*")) if folder.is_dir() else ():
            number = _number_of(str(link))
            if number is not None:
                stable[number] = str(link)
    devices = []
    for folder in sorted(Path("/sys/class/video4linux").glob("video*")):
        number_text = folder.name.removeprefix("video")
        index = folder / "index"
        # A camera has several device files; only the first one gives pictures.
        if number_text.isdecimal() and (not index.exists() or index.read_text().strip() == "0"):
            number = int(number_text)
            name = (folder / "name").read_text().strip() or f"Camera {number}"
            devices.append(Device(number, name, stable.get(number, number_text)))
    return devices
