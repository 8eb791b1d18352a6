"""From hand-in to card: at rest, in a rush of a thousand, and while something goes wrong.

    python book/experiments/arrivals_load.py

`attn watch` runs as a teacher starts it. A card is there when its page is where
`nbgrader fetch_feedback` looks. The disk that is full is a file system in memory, which
bubblewrap mounts.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import measurements
import numpy as np
from handing_in import hand_in, hand_in_all
from measurements import Numbers, number, of_machine
from verdicts import Claim

from autograder.authoring.simulate import make_class, write_class
from autograder.chapters.course_root import CONFIG, link_class
from autograder.chapters.solutions import load
from autograder.common.files import JOURNALS, REPOSITORY
from autograder.course.course import Course
from autograder.grading.provenance import engine

sys.path.insert(0, str(REPOSITORY / "tests"))
from processes import descendants

CHAPTER, COURSE = "04_masks", "attention"
RUSH, MINUTE = 1_000, 60.0  # hand-ins, and the seconds over which they are spread
FEW = 200  # hand-ins, as fast as those, while something goes wrong
REST, APART = 12, 4.0  # hand-ins at rest, and the seconds between two
WARM = 2  # of these, which come while processes still load what they need
SLOW = 3.0  # seconds in which a slow exchange takes one hand-in
KILLED = 4.0, 9.0  # seconds after the first hand-in
SECOND = 3.0  # seconds after the first hand-in
FULL, FREED = 6_000_000, 15.0  # bytes left on the disk; seconds until somebody makes room
START, PATIENCE = 15.0, 900.0  # seconds for the watch to start, and for the last card to come


@dataclass
class Trial:
    """A class that hands in while it is watched.

    slow: seconds in which the exchange takes one hand-in. refused: the exit code of a second watch.
    covered: only the watch's own processes see the folder of the course.
    """

    folder: Path
    students: int
    seconds: float
    slow: float = 0.0
    watches: list["subprocess.Popen[bytes]"] = field(default_factory=list)
    refused: int = 0
    covered: bool = False

    def __post_init__(self) -> None:
        self.exchange, self.root = self.folder / "exchange", self.folder / "class"
        chapter, self.work = load(REPOSITORY, CHAPTER), self.folder / "work"
        made = make_class(chapter, self.students, 0, accidents=())
        write_class(Course(link_class(REPOSITORY, self.work)), chapter, made, seed=0)
        self.names = [student.name for student in made]
        for name in ("inbound", "outbound", "feedback"):
            (self.exchange / COURSE / name).mkdir(parents=True)
        self.exchange.chmod(0o777)
        released = self.exchange / COURSE / "outbound" / CHAPTER
        shutil.copytree(REPOSITORY / "exercises" / CHAPTER, released)
        link_class(REPOSITORY, self.root)
        (self.root / CONFIG).unlink()
        (self.root / CONFIG).write_text(
            f"{(REPOSITORY / CONFIG).read_text()}\nc.CourseDirectory.course_id = '{COURSE}'\n"
            f"c.Exchange.root = '{self.exchange}'\nc.ExchangeCollect.check_owner = False\n"
        )

    def watch(self, *before: str) -> None:
        """Start `attn watch`. before: the program that starts it."""
        attn = str(Path(sys.executable).with_name("attn"))
        command = [*before, attn, "watch", CHAPTER, "--root", str(self.root)]
        with (self.folder / "log").open("ab") as log:
            own = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
            self.watches.append(subprocess.Popen(command, stdout=log, stderr=log, env=own))

    def run(self, trouble: Callable[["Trial"], None]) -> Numbers:
        """Hand in, wait for the cards, and say what came of it.

        over: seconds from the first hand-in that is complete to the last.
        """
        trouble(self)
        time.sleep(START)
        one = partial(
            hand_in, self.exchange, COURSE, CHAPTER, self.work / "submitted", slow=self.slow
        )
        try:
            done = hand_in_all(one, self.names, self.seconds)
            waits, complete = self._waits(done), [when for when, _ in done.values()]
            over = of_machine(max(complete) - min(complete), ".0f", "s")
            return self._numbers(waits) | {"over": over}
        finally:
            for watch in self.watches:
                watch.terminate()
                watch.wait()

    def _waits(self, done: dict[str, tuple[float, str]]) -> list[float]:
        """Seconds from each hand-in to its card, once all are there or nobody waits any more."""
        pages = self.exchange / COURSE / "feedback"
        end = time.monotonic() + PATIENCE
        while len([*pages.glob("*.html")]) < len(done) and time.monotonic() < end:
            time.sleep(0.5)
        time.sleep(3)  # for one that comes twice
        there = [(pages / page, when) for when, page in done.values() if (pages / page).exists()]
        return [page.stat().st_mtime - when for page, when in there]

    def _numbers(self, waits: list[float]) -> Numbers:
        waits = waits[WARM:] if self.students == REST else waits
        lost = self.students - len(waits) - (WARM if self.students == REST else 0)
        return {
            "students": number(self.students, ",d"),
            "median": of_machine(float(np.median(waits)), ".1f", "s"),
            "p99": of_machine(float(np.percentile(waits, 99)), ".1f", "s"),
            "longest": of_machine(max(waits), ".1f", "s"),
            "lost": number(lost + self._unmarked(), "d"),
            "twice": number(self._twice(), "d"),
        }

    def _lines(self, name: str) -> "Counter[str]":
        """How often each student is in a file of the course, as its own processes see it."""
        seen = self.root
        if self.covered:
            inside = descendants(self.watches[-1].pid)[0]
            seen = Path(f"/proc/{inside}/root", *self.root.parts[1:])
        lines = (seen / JOURNALS / name).read_text().splitlines()
        return Counter(json.loads(line)["student"] for line in lines if line)

    def _unmarked(self) -> int:
        return len({*self.names} - self._lines(f"{CHAPTER}.jsonl").keys())

    def _twice(self) -> int:
        both = self._lines(f"{CHAPTER}.jsonl"), self._lines(f"{CHAPTER}.cards.jsonl")
        return sum(count > 1 for lines in both for count in lines.values())


def plain(trial: Trial) -> None:
    trial.watch()


def killed(trial: Trial) -> None:
    """Twice, as by a machine that is switched off, and started again at once."""
    trial.watch()

    def again() -> None:
        trial.watches[-1].send_signal(signal.SIGKILL)
        trial.watches[-1].wait()
        trial.watch()

    for seconds in KILLED:
        threading.Timer(START + seconds, again).start()


def two(trial: Trial) -> None:
    """A second one is started while students hand in, and should be refused."""
    trial.watch()

    def another() -> None:
        trial.watch()
        trial.refused = trial.watches.pop().wait()

    threading.Timer(START + SECOND, another).start()


def full(trial: Trial) -> None:
    """The course lies on a disk that is nearly full, until somebody makes room."""
    aside, root, trial.covered = trial.folder / "aside", trial.root, True
    root.rename(aside)
    root.mkdir()
    free = f"$(df --output=avail -B1 {root} | tail -1)"
    fill = f"head -c $(({free} - {FULL})) /dev/zero >{root}/filler"
    room = f"(sleep {START + FREED}; rm {root}/filler) &"
    copy, run = f"cp -a {aside}/. {root}", 'exec "$@"'
    trial.watch(
        "bwrap", "--die-with-parent", "--dev-bind", "/", "/", "--size", "400000000",
        "--tmpfs", str(root), "--", "bash", "-c", f"{copy} && {fill}; {room} {run}", "bash",
    )  # fmt: skip


def measure() -> tuple[Numbers, list[Claim]]:
    numbers: Numbers = {
        "minute": number(int(MINUTE), "d"),
        "apart": number(APART, "g", "s"),
        "slow_seconds": number(SLOW, "g", "s"),
        "freed": number(FREED, "g", "s"),
        measurements.ENGINE: number(engine()),
    }
    short = FEW / RUSH * MINUTE
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        trials = {
            "rest": (Trial(folder / "rest", REST, REST * APART), plain),
            "rush": (Trial(folder / "rush", RUSH, MINUTE), plain),
            "killed": (Trial(folder / "killed", FEW, short), killed),
            "two": (Trial(folder / "two", FEW, short), two),
            "full": (Trial(folder / "full", FEW, short), full),
            "slow": (Trial(folder / "slow", FEW, short, SLOW), plain),
        }
        for what, (trial, trouble) in trials.items():
            found = trial.run(trouble)
            print(what, {key: value["value"] for key, value in found.items()}, file=sys.stderr)
            numbers |= {f"{what}_{key}": value for key, value in found.items()}
        assert trials["two"][0].refused == 2, "The second watch was not refused."
    return numbers, []


if __name__ == "__main__":
    numbers, claims = measure()
    print(measurements.save(__file__, numbers, claims, seeds=[0]))
    for key in numbers:
        print(f"{key:16} {measurements.text_of({'numbers': numbers}, key)}")
