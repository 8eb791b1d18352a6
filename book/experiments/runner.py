"""Runs experiments in processes of their own, some side by side, with a bar of what is left."""

import os
import subprocess
import sys
import time
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path

import measurements
from rich.progress import BarColumn, Progress, TextColumn

from autograder.confine import die_with_parent

EXPERIMENTS = Path(__file__).parent
UNKNOWN = 60.0  # seconds that are expected of an experiment that was never measured


class Runner:
    """Use as a context manager. `failed` holds the names of those that did not end well."""

    def __init__(self, names: list[str]):
        self.expected = {name: _expected(name) for name in names}
        self.began: dict[str, float] = {}
        self.ended: set[str] = set()
        self.failed: list[str] = []
        self._bar = Progress(TextColumn("{task.description}"), BarColumn(bar_width=30))

    def __enter__(self) -> "Runner":
        self._bar.start()
        self._task = self._bar.add_task("", total=sum(self.expected.values()))
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def run(self, names: list[str], side_by_side: int) -> None:
        """Run these, so many at once. Stopped by hand, nothing more is started."""
        pool = ThreadPoolExecutor(side_by_side)
        try:
            running = {pool.submit(self._run, name): name for name in names}
            while running:
                ended, _ = wait(running, timeout=0.5, return_when=FIRST_COMPLETED)
                for one in ended:
                    self._note(running.pop(one), one)
                self._show(side_by_side)
        finally:
            pool.shutdown(cancel_futures=True)

    def _run(self, name: str) -> int:
        """The exit code of the script, whose output goes to a file."""
        self.began[name] = time.monotonic()
        log(name).parent.mkdir(parents=True, exist_ok=True)
        with log(name).open("w") as output:
            return subprocess.run(
                [sys.executable, EXPERIMENTS / f"{name}.py"], stdout=output,
                stderr=subprocess.STDOUT, preexec_fn=die_with_parent, check=False,
            ).returncode  # fmt: skip

    def _note(self, name: str, done: Future[int]) -> None:
        self.ended.add(name)
        if done.result():
            self.failed.append(name)

    def _show(self, side_by_side: int) -> None:
        now = time.monotonic()
        spent = sum(
            expected if name in self.ended else min(now - self.began.get(name, now), expected)
            for name, expected in self.expected.items()
        )
        left = (sum(self.expected.values()) - spent) / side_by_side
        running = ", ".join(name for name in self.began if name not in self.ended)
        done = f"{len(self.ended)} of {len(self.expected)}"
        rest = f"about {measurements.duration(left)} left"
        self._bar.update(self._task, completed=spent, description=f"{done}, {rest}: {running}")


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
    except (FileNotFoundError, KeyError):
        return UNKNOWN
