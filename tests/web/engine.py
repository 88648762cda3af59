"""What the manually driven browsers share: waiting for a page and for its contents."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any

from browsing import until

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
"""How WebDriver marks a reference to an element."""


class EngineError(Exception):
    """The browser could not do what was asked; the message is its own."""


class Engine(ABC):
    """A running browser with one tab."""

    @abstractmethod
    def evaluate(self, expression: str) -> Any:
        """Return what an expression has for a value in the page; raises EngineError."""

    @abstractmethod
    def _click(self, selector: str) -> None:
        """Click an element that is there."""

    @abstractmethod
    def _type(self, selector: str, text: str) -> None:
        """Type into an element that is there."""

    def click(self, selector: str) -> None:
        """Click an element where a pointer would meet it, as soon as it is there and does not move."""
        self.wait(f"document.querySelector({json.dumps(selector)})")
        until(lambda: self._clicked(selector))

    def choose(self, selector: str, path: Path) -> None:
        """Choose a file in a field for one."""
        self.wait(f"document.querySelector({json.dumps(selector)})")
        self._type(selector, str(path))

    def type(self, selector: str, text: str) -> None:
        """Type into a field as soon as it is there, after what it holds."""
        self.wait(f"document.querySelector({json.dumps(selector)})")
        self._type(selector, text)

    def wait(self, expression: str) -> None:
        """Wait until an expression is true in the page; raises TimeoutError."""
        try:
            until(lambda: self._holds(expression))
        except TimeoutError:
            raise TimeoutError(f"{expression} at {self.evaluate('location.href')}") from None

    def _clicked(self, selector: str) -> bool:
        try:
            self._click(selector)
        except EngineError as error:
            # An element that still moves into view cannot be met by a pointer.
            if "not interactable" not in str(error):
                raise
            return False
        return True

    def _holds(self, expression: str) -> bool:
        try:
            return bool(self.evaluate(f"Boolean({expression})"))
        except EngineError:
            # A page that is being left answers with an error; the next one is asked again.
            return False
