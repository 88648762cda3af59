"""Pictures from outside: what they are is read from their structure before anything decodes them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from companion.server.errors import RefusalError
from companion.vision.capture.image_files import PictureError, decode_picture
from companion.vision.capture.image_headers import EncodingError, inspect


def read_picture(data: bytes) -> NDArray[np.uint8]:
    """Return the picture as (H, W, 3) BGR uint8; raises RefusalError where it is none or too large."""
    check_picture(data)
    try:
        return decode_picture(data)
    except PictureError as error:
        raise RefusalError(422, "not-a-picture", "The picture is damaged.") from error


def check_picture(data: bytes) -> None:
    """Look at the picture's structure; raises RefusalError where it is none, cut off, or too large to be decoded."""
    try:
        head = inspect(data)
    except EncodingError as error:
        raise RefusalError(422, "not-a-picture", f"The picture {error}.") from error
    if head is None:
        raise RefusalError(422, "not-a-picture", "This is no JPEG, PNG or WebP picture.")
