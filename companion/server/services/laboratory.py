"""Runs the house-rule laboratory in the background, one task at a time."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from companion.laboratory import Report
from companion.server.services.lab_process import REPORT, LabTask

_COMMAND = (sys.executable, "-m", "companion.server.services.lab_process")


@dataclass(frozen=True, slots=True)
class LabStand:
    """How far the latest task is. report: of the rounds so far.

    titles: the names of faces and marks by ID.
    """

    running: bool = False
    wanted: int = 0
    report: Report = field(default_factory=lambda: Report(0, 0, (), 0.0, 0.0, {}, (), 0.0, 0))
    titles: Mapping[str, str] = field(default_factory=dict)


class Laboratory:
    """Plays random rounds in a process of low priority. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[str] | None = None
        self._stand = LabStand()

    @property
    def stand(self) -> LabStand:
        """How far the latest task is."""
        with self._lock:
            return self._stand

    def begin(self, task: LabTask, titles: Mapping[str, str]) -> LabStand:
        """Begin a task, which ends the one before; raises OSError if no process can be started.

        titles: the names of faces and marks by ID, for whoever reads the report.
        """
        self.stop()
        process = subprocess.Popen(
            _COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        assert process.stdin is not None
        with self._lock:
            self._process = process
            self._stand = found = LabStand(running=True, wanted=task.rounds, titles=titles)
        threading.Thread(target=self._follow, args=(process, task), name="laboratory", daemon=True).start()
        return found

    def stop(self) -> None:
        """End the task that runs; what it found so far stays."""
        with self._lock:
            process, self._process = self._process, None
            self._stand = replace(self._stand, running=False)
        if process is not None:
            process.kill()

    def _follow(self, process: subprocess.Popen[str], task: LabTask) -> None:
        """Take over the reports of the process until it ends."""
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(task.model_dump_json())
            process.stdin.close()
        except OSError:
            process.kill()  # it has ended already: there is nothing to read
        with process.stdout:
            for line in process.stdout:
                self._take(process, REPORT.validate_json(line), running=True)
        process.wait()
        self._take(process, None, running=False)

    def _take(self, process: subprocess.Popen[str], report: Report | None, *, running: bool) -> None:
        with self._lock:
            if self._process is not process:
                return  # another task has begun since
            self._stand = replace(self._stand, running=running, report=report or self._stand.report)
            if not running:
                self._process = None
