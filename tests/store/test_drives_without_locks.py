"""A drive that cannot lock files, such as many network drives, is reported as such."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

# Lets every lock fail as such a drive does.
SHIM = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
int flock(int fd, int operation) { errno = ENOLCK; return -1; }
static int call(int fd, int command, void *argument) {
    static int (*real)(int, int, ...);
    if (command == F_SETLK || command == F_SETLKW) { errno = ENOLCK; return -1; }
    if (!real) real = dlsym(RTLD_NEXT, "fcntl64");
    return real(fd, command, argument);
}
#define WRAP(name) int name(int fd, int command, ...) { \\
    va_list rest; va_start(rest, command); void *argument = va_arg(rest, void *); va_end(rest); \\
    return call(fd, command, argument); }
WRAP(fcntl)
WRAP(fcntl64)
"""


@pytest.fixture(scope="module")
def shim(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a library that, loaded first, lets every lock fail."""
    folder = tmp_path_factory.mktemp("shim")
    (folder / "shim.c").write_text(SHIM)
    subprocess.run(
        ["cc", "-shared", "-fPIC", "-o", str(folder / "shim.so"), str(folder / "shim.c"), "-ldl"], check=True
    )
    return folder / "shim.so"


@pytest.mark.skipif(not sys.platform.startswith("linux") or shutil.which("cc") is None, reason="needs a C compiler")
@pytest.mark.parametrize("command", [("matches", "list"), ("play", "--no-browser", "--port", "0")])
def test_the_drive_is_named(command: tuple[str, ...], shim: Path, tmp_path: Path) -> None:
    program = "from companion.cli import main; main()"
    ended = subprocess.run(
        [sys.executable, "-c", program, "--data", str(tmp_path / "data"), *command],
        capture_output=True, text=True, timeout=60, check=False, env={**os.environ, "LD_PRELOAD": str(shim)},
    )  # fmt: skip
    assert ended.returncode == 1
    assert "cannot lock files" in ended.stderr
    assert "another program" not in ended.stderr
