"""Checks on every request and headers of every response, whatever the route."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Collection, Iterable
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
# A name without a dot cannot belong to a public site.
_LOCAL_NAMES = frozenset({"localhost", *([name] if "." not in (name := socket.gethostname().lower()) else [])})
_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
_HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(self), microphone=(), geolocation=(), screen-wake-lock=(self)",
}


def guard(app: Flask, allowed_hosts: Iterable[str] = ()) -> None:
    """Reject foreign hosts and origins, and add protective headers. allowed_hosts: names of this computer elsewhere."""
    allowed = frozenset(name.lower().rstrip(".") for name in allowed_hosts)
    app.before_request(lambda: _check_host(allowed))
    app.before_request(_check_origin)
    app.after_request(_add_headers)


def host_allowed(host: str, allowed: Collection[str] = ()) -> bool:
    """Return whether a Host header is an address, a local name, this computer's own, or one of those allowed.

    This defeats DNS rebinding, where a foreign page's name is made to resolve to this computer.
    """
    try:
        name = urlsplit(f"//{host}")
        hostname = name.hostname or ""
        _ = name.port
    except ValueError:
        return False
    if hostname in _LOCAL_NAMES or hostname.endswith(".local") or hostname in allowed:
        return True
    try:
        ipaddress.ip_address(hostname)
    except ValueError:
        return False
    return True


def _check_host(allowed: Collection[str]) -> None:
    if not host_allowed(request.headers.get("Host", ""), allowed):
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
