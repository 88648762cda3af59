"""What the companion needs on this machine, checked one by one."""

from __future__ import annotations

import re


def missing_library(error: ImportError) -> str | None:
    """Return one sentence on what to install for an import that failed; None where nothing is missing but broken."""
    shared = re.match(r"(lib[\w.+-]*\.so[\w.]*): cannot open shared object file", str(error))
    if shared:
        return (
            f"The system library {shared[1]} is missing, without which OpenCV cannot start: install it, on Debian and "
            "Ubuntu with  apt-get install libgl1 libglib2.0-0"
        )
    if isinstance(error, ModuleNotFoundError) and error.name and error.name.partition(".")[0] != "companion":
        return f"The Python library {error.name} is missing: install the companion anew with  pip install ."
    return None
