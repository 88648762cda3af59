"""Checks on every request and headers of every response, whatever the route."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit

from flask import Flask, Response, request

from companion.server.core.errors import RefusalError

CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' blob: data:",
        "media-src 'self' blob:",
        "connect-src 'self'",
        "font-src 'self'",
        "manifest-src 'self'",
        "worker-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
_HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(self), microphone=(), geolocation=(), screen-wake-lock=(self)",
}


def guard(app: Flask) -> None:
    """Reject foreign hosts and origins, and add protective headers."""
    app.before_request(_check_host)
    app.before_request(_check_origin)
    app.after_request(_add_headers)


def host_allowed(host: str) -> bool:
    """Return whether a Host header is an address or a local name, not a public name.

    This defeats DNS rebinding, where a foreign page's name is made to resolve to this computer.
    """
    try:
        name = urlsplit(f"//{host}")
        hostname = name.hostname or ""
        _ = name.port
    except ValueError:
        return False
    if hostname == "localhost" or hostname.endswith(".local"):
        return True
    try:
        ipaddress.ip_address(hostname)
    except ValueError:
        return False
    return True


def _check_host() -> None:
    if not host_allowed(request.headers.get("Host", "")):
        raise RefusalError(400, "unknown-host", "Open this page by the address that the companion printed.")


def _check_origin() -> None:
    """Reject cross-site requests that change anything (CSRF)."""
    if request.method in _SAFE_METHODS:
        return
    site = request.headers.get("Sec-Fetch-Site")
    origin = request.headers.get("Origin")
    foreign = site not in (None, "same-origin")
    if origin is not None and origin != f"{request.scheme}://{request.headers.get('Host')}":
        foreign = True
    if foreign:
        raise RefusalError(403, "foreign-origin", "Requests from other pages are refused.")


def _add_headers(response: Response) -> Response:
    for name, value in _HEADERS.items():
        response.headers.setdefault(name, value)
    return response
