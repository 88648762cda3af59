"""Whatever imports this before the companion has one edition, one option and one language more than there are.

They are put into the sources as they are loaded, in the one place where each of them is listed.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType

_ZOO = Path(__file__).parent / "zoo"

_ADDED = {
    "companion.cards": [
        ('    CLASSIC = "classic"\n', '    CLASSIC = "classic"\n    ZOO = "zoo"\n'),
        ("    EditionName.CLASSIC: {", "    EditionName.ZOO: {Face.WILD: 4},\n    EditionName.CLASSIC: {"),
    ],
    "companion.editions.options": [
        ("    challenge: bool = field", "    last_lap: bool = False\n    challenge: bool = field"),
    ],
    "companion.editions.library": [
        ("_FOLDERS = (Path(__file__).parent,)", f"_FOLDERS = (Path(__file__).parent, Path({str(_ZOO)!r}))"),
    ],
    "companion.languages": [('    SPANISH = "es"', '    LATIN = "la", "Latine"\n    SPANISH = "es"')],
}


class _Loader(SourceFileLoader):
    def get_code(self, fullname: str) -> CodeType:
        text = Path(self.path).read_text("utf-8")
        for old, new in _ADDED[fullname]:
            assert text.count(old) == 1, (fullname, old)
            text = text.replace(old, new)
        return compile(text, self.path, "exec")


class _Finder(MetaPathFinder):
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname not in _ADDED:
            return None
        spec = PathFinder.find_spec(fullname, path)
        assert spec is not None
        assert spec.origin is not None
        spec.loader = _Loader(fullname, spec.origin)
        return spec


sys.meta_path.insert(0, _Finder())
