"""Students who hand in through an exchange on this machine, as `nbgrader submit` does.

It is nbgrader's own class, called in one process: a command for each of a thousand students would
keep the machine busier than the grader does.
"""

import shutil
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from nbgrader.auth import Authenticator
from nbgrader.coursedir import CourseDirectory
from nbgrader.exchange.default import ExchangeSubmit
from nbgrader.utils import notebook_hash
from traitlets.config import Config

AT_ONCE = 100  # students whose files a slow exchange takes at the same time


class Slowly(ExchangeSubmit):
    """A slow exchange: half of a notebook is there for some seconds before the rest is."""

    seconds = 0.0

    def do_copy(self, src: str, dest: str, log: Any = None) -> None:
        super().do_copy(src, dest, log)
        if not self.seconds or not dest.startswith(self.inbound_path):
            return
        for path in Path(dest).glob("*.ipynb"):
            whole = path.read_bytes()
            path.write_bytes(whole[: len(whole) // 2])
            time.sleep(self.seconds)
            path.write_bytes(whole)


def hand_in(
    exchange: Path, course: str, chapter: str, work: Path, student: str, slow: float = 0.0
) -> str:
    """Hand in a student's folder below `work`; returns the name of the page to come."""
    config = Config()
    config.CourseDirectory.update(
        {"course_id": course, "student_id": student, "assignment_id": chapter}
    )
    config.Exchange.update({"root": str(exchange), "cache": str(work.parent / "cache" / student)})
    config.ExchangeSubmit.assignment_dir = str(work / student)
    directory, who = CourseDirectory(config=config), Authenticator(config=config)
    submit = Slowly(coursedir=directory, authenticator=who, config=config)
    submit.seconds = slow
    submit.log.setLevel("ERROR")
    submit.start()
    inbound = Path(submit.inbound_path, submit.assignment_filename)
    secret = (inbound / "submission_secret.txt").read_text()
    shutil.rmtree(submit.cache_path)
    return f"{notebook_hash(secret=secret, notebook_id=chapter)}.html"


def hand_in_all(
    one: Callable[[str], str], students: list[str], seconds: float
) -> dict[str, tuple[float, str]]:
    """Spread the students over some seconds; returns when each was done, and the page to come."""
    began = time.time()

    def at(place: int, student: str) -> tuple[float, str]:
        time.sleep(max(0.0, began + seconds * place / len(students) - time.time()))
        page = one(student)
        return time.time(), page

    with ThreadPoolExecutor(AT_ONCE) as pool:
        results = pool.map(at, range(len(students)), students)
        return dict(zip(students, results, strict=True))
