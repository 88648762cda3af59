"""Worker processes draw shards while the main process trains; training never waits for them."""

from __future__ import annotations

import threading
import traceback
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from queue import Empty
from typing import Any, Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import multiprocessing

from companion.models.training_data.stream import Drawing, Shard, shards

# Seconds to wait for a shard before checking that the workers are alive.
_TIMEOUT = 1.0


@dataclass(frozen=True, eq=False)
class Tensors:
    """A shard as tensors in shared memory, shaped as there.

    shown, clear: the crops with and without degradation by reader, (N, 3, H, W) uint8 RGB. targets: their labels.
    """

    pictures: torch.Tensor
    matrices: torch.Tensor
    boxes: torch.Tensor
    shown: dict[str, torch.Tensor]
    clear: dict[str, torch.Tensor]
    targets: dict[str, dict[str, torch.Tensor]]


def _tensors(shard: Shard) -> Tensors:
    def each(arrays: dict[str, NDArray[np.generic]]) -> dict[str, torch.Tensor]:
        return {name: torch.from_numpy(values) for name, values in arrays.items()}

    return Tensors(
        torch.from_numpy(shard.pictures),
        torch.from_numpy(shard.matrices),
        torch.from_numpy(shard.boxes),
        {kind: torch.from_numpy(images) for kind, images, _ in shard.crops.parts()},
        {kind: torch.from_numpy(images) for kind, images in shard.crops.clear.items()},
        {kind: each(targets) for kind, _, targets in shard.crops.parts()},
    )


def _draw(drawing: Drawing, worker: int, workers: int, queue: Any) -> None:
    torch.set_num_threads(1)
    try:
        for shard in shards(drawing, worker, workers):
            queue.put(_tensors(shard))
    except Exception:
        queue.put(traceback.format_exc())
    # The process that allocated shared memory must live until it is taken from the queue.
    threading.Event().wait()


class Feed:
    """Starts `workers` processes that draw, each one shard ahead; they end with the context.

    A queued shard takes some 25 MB of shared memory.
    """

    def __init__(self, drawing: Drawing, workers: int) -> None:
        # Spawned, because a forked process may inherit a lock that a thread held.
        context = multiprocessing.get_context("spawn")
        self._queue = context.Queue(workers)
        self._processes = [
            context.Process(target=_draw, args=(drawing, worker, workers, self._queue), daemon=True)
            for worker in range(workers)
        ]
        for process in self._processes:
            process.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        for process in self._processes:
            process.terminate()
            process.join()

    def ready(self, wait: bool = False) -> Iterator[Tensors]:
        """Yield the shards that are ready, a few at most; wait: block until there is one.

        Raises RuntimeError if a worker failed or ended.
        """
        with suppress(Empty):
            for _ in self._processes:
                item = self._queue.get(wait, _TIMEOUT)
                if isinstance(item, str):
                    raise RuntimeError(f"a scene could not be drawn:\n{item}")
                yield item
                wait = False
        if any(process.exitcode is not None for process in self._processes):
            raise RuntimeError("a process that draws scenes was ended, perhaps for want of memory")
