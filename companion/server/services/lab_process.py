"""The laboratory in a process of its own: reads a task from standard input, writes reports as lines of JSON.

It has the lowest priority and its own interpreter, so that a running match never waits for it.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator

from pydantic import BaseModel, ConfigDict, TypeAdapter

from companion.editions.definition.files import read_edition
from companion.editions.library import printed
from companion.laboratory import Report, RoundRecord, run_rounds, summarise
from companion.referee.transcript import read_options

_NICENESS = 15
_SECONDS_BETWEEN = 0.3
_SEED = 1


class LabTask(BaseModel):
    """What to play. edition: the ID of a printed edition, or any other with its `file`. seconds: when to stop."""

    model_config = ConfigDict(frozen=True)

    edition: str
    file: str | None
    options: dict[str, bool | int | str]
    players: int
    rounds: int
    seconds: float


REPORT = TypeAdapter(Report)
"""Writes and reads reports as JSON."""


def reports(task: LabTask) -> Iterator[Report]:
    """Play the task's rounds and yield a report now and then, the last one at the end or when time is up."""
    edition = printed()[task.edition] if task.file is None else read_edition(task.file.encode(), "file", printed())
    options = read_options(edition, "official", task.options)
    began = reported = time.monotonic()
    records: list[RoundRecord] = []
    for record in run_rounds(edition, options, task.players, task.rounds, _SEED):
        records.append(record)
        now = time.monotonic()
        if now - began > task.seconds:
            break
        if now - reported > _SECONDS_BETWEEN:
            reported = now
            yield summarise(records, task.players)
    yield summarise(records, task.players)


def main() -> None:
    """Run the task that standard input holds."""
    if hasattr(os, "nice"):
        os.nice(_NICENESS)
    for report in reports(LabTask.model_validate_json(sys.stdin.read())):
        print(REPORT.dump_json(report).decode(), flush=True)


if __name__ == "__main__":
    main()
