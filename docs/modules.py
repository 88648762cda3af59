"""Writes the list of modules in ARCHITECTURE.md: `python docs/modules.py`.

Python modules are described by their docstrings, scripts and styles by their first comments.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ARCHITECTURE = ROOT / "ARCHITECTURE.md"
_HEADING = "## Modules\n"
_WEB = {
    "web/js": "Scripts of the pages; each page loads the script of its name, and shares the others.",
    "web/css": "Styles of the pages.",
}


def _summary(path: Path) -> str:
    """Return the first paragraph of a module's docstring as one line, empty without one."""
    docstring = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
    return " ".join(docstring.split("\n\n")[0].split())


def _comment(path: Path) -> str:
    """Return the first paragraph of the comment that a script or a style begins with, empty without one."""
    found = re.match(r"/\*+(.*?)\*/", path.read_text("utf-8"), re.DOTALL)
    lines = [line.strip().removeprefix("*").strip() for line in found[1].splitlines()] if found else []
    return " ".join("\n".join(lines).strip().split("\n\n")[0].split())


def _modules() -> Iterator[Path]:
    for folder in ("companion", "dataset", "models"):
        for path in sorted((ROOT / folder).rglob("*.py"), key=lambda path: (path.parent, path.name)):
            inside = path.relative_to(ROOT)
            linked = any((ROOT / parent).is_symlink() for parent in inside.parents)
            if not linked and path.name != "__init__.py":
                yield path


def module_list() -> str:
    """Return the modules folder by folder as Markdown, each with its summary."""
    lines = []
    for folder, paths in groupby(_modules(), key=lambda path: path.parent):
        about = _summary(folder / "__init__.py") if (folder / "__init__.py").exists() else ""
        lines += ["", f"### `{folder.relative_to(ROOT).as_posix()}/`", "", about, ""]
        lines += [f"- `{path.name}`: {_summary(path)}" for path in paths]
    for folder, about in _WEB.items():
        lines += ["", f"### `{folder}/`", "", about, ""]
        files = sorted([*(ROOT / folder).glob("*.js"), *(ROOT / folder).glob("*.css")])
        lines += [f"- `{path.name}`: {_comment(path)}" for path in files]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Replace the list in ARCHITECTURE.md."""
    text = ARCHITECTURE.read_text("utf-8")
    before = text[: text.index(_HEADING) + len(_HEADING)]
    ARCHITECTURE.write_text(before + module_list(), "utf-8")


if __name__ == "__main__":
    main()
