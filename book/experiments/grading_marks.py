"""Marking sixty written answers: keys and seconds on the page of `attn mark`, and in formgrader.

A real browser marks both, with the same decisions about the same answers, by keys alone. Each key
counts as one, also together with Ctrl. The text of a comment is typed once and counted apart; in
formgrader it is pasted from then on, which counts as one key. The seconds are those that the
browser's clock shows while keys are pressed as fast as the page takes them: there is no reading, no
thinking and no slow typing in them, so they are what a grader waits for.
"""

import json
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import measurements
from made_up_answers import QUESTION, Written, answers
from measurements import Numbers, Series, number, of_machine
from playwright.sync_api import Page, sync_playwright

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(REPOSITORY / "tests"), str(REPOSITORY / "book" / "site")]
import written_class  # noqa: E402
from browser import chromium  # noqa: E402
from servers import formgrader, get  # noqa: E402

from autograder.chapters.course_root import link_class  # noqa: E402
from autograder.chapters.rubric import RUBRIC, items, texts_of  # noqa: E402
from autograder.chapters.solutions import parsed  # noqa: E402
from autograder.cli import main  # noqa: E402
from autograder.course.course import Course  # noqa: E402

CHAPTER, POINTS, SEED = "04_masks", 3.0, 0
READY = """(before) => typeof formgrader !== "undefined" && submission_id !== before
  && formgrader.loaded && formgrader.grades?.loaded && formgrader.comments?.loaded"""
NOW = "() => performance.timeOrigin + performance.now()"
Marks = dict[str, tuple[float, str]]  # by student: points and comment


class Hands:
    """A grader's hands on a page: whatever they press is counted. waited: seconds, at the end."""

    def __init__(self, page: Page):
        self.page, self.keys, self.typed, self.waited = page, 0, 0, 0.0
        self._began = page.evaluate(NOW)

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)
            self.keys += 1

    def type(self, text: str) -> None:
        """Write a text, which is a key for each character."""
        self.page.keyboard.type(text)
        self.keys += len(text)
        self.typed += len(text)

    def paste(self, text: str) -> None:
        self.page.keyboard.insert_text(text)
        self.keys += 1

    def done(self) -> None:
        """Note the seconds since the first key, by the browser's clock."""
        self.waited = (self.page.evaluate(NOW) - self._began) / 1000


def measure() -> tuple[Numbers, Series]:
    made = {f"student{place:02}": one for place, one in enumerate(answers(SEED))}
    with tempfile.TemporaryDirectory() as folder, browser() as window:
        roots = [class_in(Path(folder) / way, made) for way in ("page", "formgrader")]
        groups, own = by_page(window, roots[0], made)
        theirs = by_formgrader(window, roots[1], made)
        expected = {student: decided(one) for student, one in made.items()}
        for root in roots:
            if marks(root) != expected:
                raise RuntimeError(f"The marks in {root} are not those that were decided.")
    return told(made, groups, own, theirs), {}


def told(made: dict[str, Written], groups: int, own: Hands, theirs: Hands) -> Numbers:
    """Keys, without the text of comments, and seconds. own: on the page; theirs: in formgrader."""
    if own.typed != theirs.typed:
        raise RuntimeError("Not the same comments were typed in both.")
    keys, others = (hands.keys - hands.typed for hands in (own, theirs))
    return {
        "answers": number(len(made), "d"),
        "groups": number(groups, "d"),
        "empty": number(sum(not one.text for one in made.values()), "d"),
        "typed": number(own.typed, "d"),
        "page_keys": number(keys, "d"),
        "formgrader_keys": number(others, "d"),
        "keys_times": number(others / keys, ".1f"),
        "page_seconds": of_machine(own.waited, ".0f", "s"),
        "formgrader_seconds": of_machine(theirs.waited, ".0f", "s"),
    }


@contextmanager
def browser() -> Iterator[Any]:
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        yield running.new_context(viewport={"width": 1280, "height": 900}, accept_downloads=True)
        running.close()


def class_in(root: Path, made: dict[str, Written]) -> Path:
    root.mkdir()
    link_class(REPOSITORY, root)
    texts = {student: {QUESTION: one.text} for student, one in made.items()}
    written_class.write(root, CHAPTER, texts)
    return root


def rubric() -> list[float]:
    """The points of the rubric's items."""
    path = REPOSITORY / "solutions" / CHAPTER / f"{CHAPTER}.md"
    source = parsed(path, path.read_text())
    return [item.points for item in items(texts_of(source, RUBRIC)[QUESTION])]


def decided(one: Written) -> tuple[float, str]:
    """Points and comment of an answer."""
    worth = rubric()
    total = sum(worth[item] for item in one.items) + sum(points for _, points in one.comments)
    return min(max(total, 0.0), POINTS), "\n\n".join(text for text, _ in one.comments)


def marks(root: Path) -> Marks:
    with Course(root).gradebook() as book:
        found = {}
        for row in book.assignment_submissions(CHAPTER):
            place = QUESTION, CHAPTER, CHAPTER, row.student.id
            comment = book.find_comment(*place).manual_comment
            found[row.student.id] = (book.find_grade(*place).manual_score, comment or "")
    return found


def by_page(window: Any, root: Path, made: dict[str, Written]) -> tuple[int, Hands]:
    """Mark each group of answers that are the same; then save, and apply what was saved."""
    command(root, CHAPTER)
    page = window.new_page()
    page.goto((root / "marking" / f"{CHAPTER}.html").as_uri())
    (question,) = json.loads(page.text_content("#data"))["questions"]
    groups = {group["id"]: group["answers"][0]["student"] for group in question["groups"]}
    hands, known = Hands(page), [item["text"] for item in question["items"]]
    for _ in groups:
        current = page.get_attribute(".is-current", "data-card")
        mark_group(hands, made[groups[current]], known)
    with page.expect_download() as download:
        hands.press("Control+s")
    hands.done()
    saved = root / "saved.json"
    download.value.save_as(saved)
    command(root, "--apply", str(saved))
    return len(groups), hands


def mark_group(hands: Hands, one: Written, known: list[str]) -> None:
    """known: the texts of the items, in the order of their keys."""
    hands.press(*(str(item + 1) for item in one.items))
    for text, points in one.comments:
        if text in known:
            hands.press(str(known.index(text) + 1))
            continue
        hands.press("c")
        hands.type(text)
        if points:
            hands.press("Tab", *f"{points:g}")
        hands.press("Enter")
        known.append(text)
    hands.press(*([] if one.items or one.comments else ["0"]), "Enter")


def command(root: Path, *words: str) -> None:
    if main(["mark", *words, "--root", str(root)]):
        raise RuntimeError(f"attn mark {' '.join(words)} failed in {root}.")


def by_formgrader(window: Any, root: Path, made: dict[str, Written]) -> Hands:
    """Mark one student after the other, from the first one's page on."""
    with formgrader(root) as address:
        listed = json.loads(get(f"{address}/api/submitted_notebooks/{CHAPTER}/{CHAPTER}"))
        order = {one["id"]: one["student"] for one in listed}
        page = window.new_page()
        page.goto(f"{address}/submissions/{listed[0]['id']}/?index=0")
        page.wait_for_function(READY)
        hands, known = Hands(page), list[str]()
        while page.evaluate("document.activeElement.id") != QUESTION:
            hands.press("Tab")
        for place in range(len(made)):
            here = page.evaluate("submission_id")
            mark_student(hands, made[order[here]], known)
            if place < len(made) - 1:
                hands.press("Control+.")
                page.wait_for_function(READY, arg=here)
        hands.press("Escape")
        page.wait_for_load_state("networkidle")
        hands.done()
    return hands


def mark_student(hands: Hands, one: Written, known: list[str]) -> None:
    points, comment = decided(one)
    hands.press(*f"{points:g}")
    if comment:
        hands.press("Tab", "Tab")  # over the field for extra credit
    for place, (text, _) in enumerate(one.comments):
        if place:
            hands.press("Enter", "Enter")
        if text in known:
            hands.paste(text)
        else:
            hands.type(text)
            known.append(text)


if __name__ == "__main__":
    numbers, series = measure()
    print(measurements.save(__file__, numbers, [], seeds=[SEED], series=series))
