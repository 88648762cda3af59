"""Answers that are text travel compressed, where the browser takes that."""

from __future__ import annotations

import gzip
from functools import lru_cache

from flask import Flask, Response, request

_TYPES = frozenset({"application/json", "application/manifest+json", "image/svg+xml"})
# What fits one network packet arrives no sooner for being smaller.
_LEAST = 1400


def compress(app: Flask) -> None:
    """Let the application send long text compressed: pages, scripts, styles, words, JSON; never a live stream."""
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
        # The same words in another form: no byte of them need be equal.
        response.set_etag(etag, weak=True)
    return response


@lru_cache(maxsize=128)
def _packed(data: bytes) -> bytes:
    """Return the data compressed. Files and choices are asked for again and again: what was packed last is kept."""
    return gzip.compress(data, mtime=0)
