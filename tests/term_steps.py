"""What people do between the commands of a term: watch, mark in a browser, keep files in git."""

import json
import signal
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path

import saved_marks
from nbgrader.api import Gradebook
from servers import formgrader, get, put

PATIENCE = 600.0  # seconds for a page to come


class StepFailed(Exception):
    """A block ended with an error; the message has its commands and what they printed last."""


def watch(text: str, course: Path, chapter: str, log: Path, environment: Mapping[str, str]) -> str:
    """Run the command until all pages are there, then press Ctrl-C; return what it printed."""
    with log.open("w") as said:
        process = subprocess.Popen(
            ["bash", "-c", f"exec {text}"], cwd=course, env=environment,
            stdin=subprocess.DEVNULL, stdout=said, stderr=said,
        )  # fmt: skip
        end = time.monotonic() + PATIENCE
        while _pages(course, chapter) < len([*course.glob(f"submitted/*/{chapter}")]):
            if process.poll() is not None or time.monotonic() > end:
                raise StepFailed(f"watch: {log.read_text()[-4000:]}")
            time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        code = process.wait(timeout=PATIENCE)
    if code:
        raise StepFailed(f"watch: {log.read_text()[-4000:]}")
    return log.read_text()


def _pages(course: Path, chapter: str) -> int:
    return len([*course.glob(f"feedback/*/{chapter}/{chapter}.html")])


def mark_on_the_page(page: Path, saved: Path) -> None:
    """Save one point for each written answer but the last one on the page."""
    students = [answer["student"] for _, answer in saved_marks.answers(page)]
    saved_marks.write(page, saved, dict.fromkeys(students[:-1], (1.0, "")))


def mark_in_formgrader(course: Path, chapter: str, book: Gradebook) -> None:
    """Give every written answer that waits one point."""
    with formgrader(course) as address:
        get(f"{address}/api/assignments")
        with book:
            waiting = [
                notebook.id for row in book.assignment_submissions(chapter)
                for notebook in row.notebooks
            ]  # fmt: skip
        for notebook in waiting:
            for grade in json.loads(get(f"{address}/api/grades?submission_id={notebook}")):
                if grade["needs_manual_grade"]:
                    put(f"{address}/api/grade/{grade['id']}", {"manual_score": 1.0})


def git(*arguments: str, folder: Path) -> str:
    """What a git command prints, run in a folder."""
    done = subprocess.run(["git", *arguments], cwd=folder, check=True, text=True,
                          stdout=subprocess.PIPE)  # fmt: skip
    return done.stdout
