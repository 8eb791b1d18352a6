"""A learner's status: what is done, what it was worth, what is left, what to do next."""

import platform
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from autograder.common.files import CHECKS
from autograder.judging.checks import Checks
from autograder.learner import progress
from autograder.learner.chapter_folders import chapters_in
from autograder.learner.public_cases import public_checks
from autograder.showing.card import GREEN, GREY, RED, framed
from autograder.showing.display import show
from autograder.showing.wording import plain_html, points, printable, rich_html

DONE, TRIED, OPEN = "✓", "✗", "○"
COLOURS = {DONE: GREEN, TRIED: RED, OPEN: GREY}
WORDS = {DONE: "passes", TRIED: "does not pass yet", OPEN: "not checked yet"}


@dataclass(frozen=True)
class Step:
    """One exercise; `minutes` that it takes are 0 where nobody estimated them.

    earned: of its points, at the last check.
    """

    name: str
    points: float
    minutes: int
    mark: str
    earned: float = 0

    def __str__(self) -> str:
        """Say what it is worth, and how far it is."""
        part = f"{self.earned:g} of " if 0 < self.earned < self.points else ""
        return f"{part}{points(self.points)}, {WORDS[self.mark]}"


@dataclass(frozen=True)
class Status:
    """One chapter as its folder tells, HTML in a notebook and text in a terminal."""

    chapter: str
    steps: tuple[Step, ...]

    @classmethod
    def of(cls, folder: Path) -> "Status":
        """Raise CheckFailed if the folder's checks are missing or damaged."""
        kept = progress.read(folder)
        exercises = public_checks(folder / CHECKS).values()
        steps = (_step(known, kept.get(known.exercise)) for known in exercises)
        return cls(folder.resolve().name, tuple(steps))

    @cached_property
    def open(self) -> list[Step]:
        """The exercises that do not pass yet."""
        return [step for step in self.steps if step.mark != DONE]

    @property
    def done(self) -> str:
        return f"{len(self.steps) - len(self.open)} of {len(self.steps)}"

    @property
    def points(self) -> str:
        """Points earned at the last checks, of all."""
        earned = sum(step.earned for step in self.steps)
        return f"{earned:g} of {sum(step.points for step in self.steps):g}"

    @property
    def minutes(self) -> int | None:
        """Minutes left by the estimates of the course; None where one is not known."""
        left = [step.minutes for step in self.open]
        return sum(left) if all(left) else None

    @property
    def next(self) -> str:
        if not self.open:
            return f"All exercises pass. {_afresh(self.chapter)}"
        step = self.open[0]
        begin = "Go on with" if step.mark == TRIED else "Next is"
        about = f", about {step.minutes} minutes" if step.minutes else ""
        return f"{begin} `{step.name}` ({points(step.points)}{about})."

    @property
    def headline(self) -> str:
        left = f", about {self.minutes} minutes left" if self.minutes else ""
        return f"{self.done} exercises done, {self.points} points{left}"

    def __str__(self) -> str:
        lines = [f"{self.chapter}: {self.headline}"]
        lines += [f"  {step.mark} {step.name}: {step}" for step in self.steps]
        return "\n".join(map(printable, [*lines, f"  {self.next}"]))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        name, rows = plain_html(self.chapter), "".join(map(_row, self.steps))
        title = f"<code>{name}</code> <b>{plain_html(self.headline)}</b>"
        body = (
            f'<ul style="list-style:none;margin:.3em 0;padding:0">{rows}</ul>'
            f'<p style="margin:.4em 0">{rich_html(self.next)}</p>'
        )
        return framed(f"Progress in {name}", GREY if self.open else GREEN, title, body)


def _step(known: Checks, entry: progress.Entry | None) -> Step:
    """Give what passes all of its points, whatever an older file says of them."""
    if entry is None:
        return Step(known.exercise, known.points, known.minutes, OPEN)
    if entry.passed:
        return Step(known.exercise, known.points, known.minutes, DONE, known.points)
    earned = min(max(entry.points, 0), known.points)
    return Step(known.exercise, known.points, known.minutes, TRIED, earned)


def _afresh(chapter: str) -> str:
    """Say how to run all exercises of a chapter once more, from nothing."""
    if platform.system() == "Linux":
        return f"`attn check {chapter}.ipynb` runs them afresh."
    return "To run them afresh, restart the kernel and run all cells."


def status() -> None:
    """Show how far you are in the chapter of this notebook, from `progress.json` beside it."""
    show(Status.of(Path()))


def found_in(folder: Path) -> list[Status]:
    """Return the chapters in a folder, as `chapters_in` finds them."""
    return [Status.of(chapter) for chapter in chapters_in(folder)]


def current(chapters: list[Status]) -> Status:
    """Return what was begun; else the first chapter that is open, else the last one."""
    waiting = [chapter for chapter in chapters if chapter.open] or chapters[-1:]
    begun = [chapter for chapter in waiting if len(chapter.open) < len(chapter.steps)]
    return (begun or waiting)[0]


def _row(step: Step) -> str:
    style = f"color:{COLOURS[step.mark]};display:inline-block;width:1.2em"
    mark = f'<span aria-hidden="true" style="{style}">{step.mark}</span>'
    return f"<li>{mark} <code>{plain_html(step.name)}</code> {plain_html(str(step))}</li>"
