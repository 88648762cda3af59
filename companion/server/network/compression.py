"""Compresses text responses if the browser accepts it."""

from __future__ import annotations

import gzip
from functools import lru_cache

from flask import Flask, Response, request

_TYPES = frozenset({"application/json", "application/manifest+json", "image/svg+xml"})
# A response that fits one packet gains nothing.
_LEAST = 1400


def compress(app: Flask) -> None:
    """Compress long text responses: pages, scripts, styles, catalogues, JSON. Never event streams."""
    app.after_request(_compressed)


def _compressed(response: Response) -> Response:
    kind = response.mimetype or ""
    text = kind.startswith("text/") or kind in _TYPES
    whole = response.status_code == 200 and not (response.is_streamed and not response.direct_passthrough)
    if not text or not whole or response.content_encoding:
        return response
    response.vary.add("Accept-Encoding")
    if not request.accept_encodings["gzip"] or (response.content_length or 0) < _LEAST:
        return response
    response.direct_passthrough = False
    response.set_data(_packed(response.get_data()))
    response.content_encoding = "gzip"
    etag, _ = response.get_etag()
    if etag:
        # A weak ETag, since the compressed bytes differ.
        response.set_etag(etag, weak=True)
    return response


@lru_cache(maxsize=128)
def _packed(data: bytes) -> bytes:
    """Return the data compressed. The latest results are cached, since files are requested repeatedly."""
    return gzip.compress(data, mtime=0)
