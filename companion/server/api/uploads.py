"""Uploaded pictures. The file structure is checked before anything decodes them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from companion.server.core.errors import RefusalError
from companion.vision.capture.image_files import PictureError, decode_picture
from companion.vision.capture.image_headers import EncodingError, inspect


def read_picture(data: bytes) -> NDArray[np.uint8]:
    """Return the picture as (H, W, 3) BGR uint8; raises RefusalError if it is invalid or too large."""
    check_picture(data)
    try:
        return decode_picture(data)
    except PictureError as error:
        raise RefusalError(422, "not-a-picture", "The picture is damaged.") from error


def check_picture(data: bytes) -> None:
    """Check the file structure; raises RefusalError if the picture is invalid, truncated or too large to decode."""
    try:
        head = inspect(data)
    except EncodingError as error:
        raise RefusalError(422, "not-a-picture", f"The picture {error}.") from error
    if head is None:
        raise RefusalError(422, "not-a-picture", "This is no JPEG, PNG or WebP picture.")
