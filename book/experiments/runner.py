"""Runs experiments in processes of their own, some side by side, with a bar of what is left."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import measurements
from rich.progress import BarColumn, Progress, TextColumn

EXPERIMENTS = Path(__file__).parent
UNKNOWN = 60.0  # seconds that are expected of an experiment that was never measured
# What runs ends with whoever started it, however that ends; where Linux has no setpriv, it goes on.
ENDING_TOGETHER = ["setpriv", "--pdeathsig", "KILL", "--"] if shutil.which("setpriv") else []


class Runner:
    """Use as a context manager, which ends what still runs. `failed` names what ended badly."""

    def __init__(self, names: list[str]):
        self.expected = {name: _expected(name) for name in names}
        self.began: dict[str, float] = {}
        self.running: dict[str, subprocess.Popen[bytes]] = {}
        self.failed: list[str] = []
        self._bar = Progress(TextColumn("{task.description}"), BarColumn(bar_width=30))

    def __enter__(self) -> "Runner":
        self._bar.start()
        self._task = self._bar.add_task("", total=sum(self.expected.values()))
        return self

    def __exit__(self, *_: object) -> None:
        for process in self.running.values():
            process.kill()
        self._bar.stop()

    def run(self, names: list[str], side_by_side: int) -> None:
        """Run these, so many at once, until all have ended."""
        waiting = [*names]
        while waiting or self.running:
            while waiting and len(self.running) < side_by_side:
                self._start(waiting.pop(0))
            self._show(side_by_side)
            time.sleep(0.2)
            ended = [name for name, one in self.running.items() if one.poll() is not None]
            for name in ended:
                if self.running.pop(name).returncode:
                    self.failed.append(name)

    def _start(self, name: str) -> None:
        self.began[name] = time.monotonic()
        log(name).parent.mkdir(parents=True, exist_ok=True)
        with log(name).open("w") as output:
            self.running[name] = subprocess.Popen(
                [*ENDING_TOGETHER, sys.executable, EXPERIMENTS / f"{name}.py"],
                stdout=output, stderr=subprocess.STDOUT,
            )  # fmt: skip

    def _show(self, side_by_side: int) -> None:
        now = time.monotonic()
        ended = self.began.keys() - self.running
        spent = sum(
            expected if name in ended else min(now - self.began.get(name, now), expected)
            for name, expected in self.expected.items()
        )
        left = measurements.duration((sum(self.expected.values()) - spent) / side_by_side)
        count, names = f"{len(ended)} of {len(self.expected)}", ", ".join(self.running)
        self._bar.update(self._task, completed=spent,
                         description=f"{count}, about {left} left: {names}")  # fmt: skip


def log(name: str) -> Path:
    """What the script of an experiment printed."""
    return measurements.FRESH / f"{name}.log"


def last_line(name: str) -> str:
    """Of what the script printed: of one that failed, why."""
    lines = log(name).read_text().strip().splitlines()
    return lines[-1] if lines else "it said nothing"


def cores() -> int:
    """How many experiments may run side by side; each has one thread."""
    return len(os.sched_getaffinity(0))


def _expected(name: str) -> float:
    """Seconds that it took when the record was made that pages quote."""
    try:
        return float(measurements.load(name)["seconds"])
    except FileNotFoundError:
        return UNKNOWN
