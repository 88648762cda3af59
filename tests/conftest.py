"""Fixtures and settings shared by all tests."""

import signal
from pathlib import Path

import pytest

_BROWSED = Path(__file__).parent / "web"

# A shell that starts the tests in the background has SIGINT ignored. Every process that they start would inherit that,
# and could not be stopped with Ctrl-C as some tests do.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of the pages: they need a browser of the system.

    A browser that shares two cores with other tests can be too slow for one step. Such a test runs once more, as
    Playwright's own runner does in CI; the report counts it as rerun.
    """
    for item in items:
        if item.path.is_relative_to(_BROWSED):
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.flaky(reruns=1))
