"""Memory given back to the system while a server runs for a whole evening.

The C library of Linux keeps what threads have freed in heaps of its own, one or two for each processor, and learns from
the first big picture that is freed to keep the next ones there as well: measured on simulated play, 150 of 480 MB were
such free memory, and more with every hour. What it may keep is limited here, and asked for now and then.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import sys
import threading

_M_MMAP_THRESHOLD, _M_ARENA_MAX = -3, -8  # of <malloc.h>
_ARENAS = 2
_BIG = 4 * 2**20
"""Bytes from which a block comes from the system and goes back to it at once: more than any frame of the camera takes,
so that frames are not paid for anew each time."""

TRIM_SECONDS = 10.0
"""How often it is asked for: simulated play leaves up to 60 MB free in half a minute. Asking takes 20 ms or so."""


def give_back_memory() -> None:
    """Keep the C library from holding on to freed memory from now on; does nothing where it is another one."""
    if sys.platform != "linux" or not (name := ctypes.util.find_library("c")):
        return
    library = ctypes.CDLL(name)
    if not hasattr(library, "mallopt") or not hasattr(library, "malloc_trim"):
        return
    library.mallopt(_M_ARENA_MAX, _ARENAS)
    library.mallopt(_M_MMAP_THRESHOLD, _BIG)
    threading.Thread(target=_trim, args=(library,), name="memory", daemon=True).start()


def _trim(library: ctypes.CDLL) -> None:
    pause = threading.Event()
    while not pause.wait(TRIM_SECONDS):
        library.malloc_trim(0)
