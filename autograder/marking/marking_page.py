"""The page on which a person marks: one HTML file that asks for nothing and keeps to itself.

Everything that somebody wrote goes through the filters of feedback. Its script is the only one that
may run.
"""

import base64
import hashlib
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from autograder.chapters.cell_slips import ANSWER
from autograder.chapters.rubric import RUBRIC, items, texts_of
from autograder.chapters.solutions import parsed, read_text, refuse_unknown, solutions_folder
from autograder.classes.page import page
from autograder.common.files import TEMPLATES
from autograder.course.course import Course
from autograder.course.roster import Roster
from autograder.marking.answer_groups import Group, Part, groups
from autograder.marking.marks_file import FORMAT, file_name
from autograder.marking.written_answers import Answer, Written
from autograder.plugins.feedback import lowered
from autograder.plugins.markdown import html_of

SCRIPTS = [f"mark_{name}.js" for name in ("state", "files", "view", "actions", "keys")]


@dataclass(frozen=True)
class Sheet:
    """One question on the page: what was asked, what the author wrote, and the answers by groups.

    texts: HTML of each text that was handed in, once. rubric: points and Markdown of its items.
    """

    name: str
    points: float
    asked: Markup
    answer: Markup
    rubric: list[tuple[float, str]]
    groups: list[Group]
    texts: dict[str, Markup]

    @property
    def counts(self) -> str:
        """Say "60 answers, 28 different, 57 to mark"."""
        answers = [answer for group in self.groups for answer in group.answers]
        waiting = sum(answer.waiting for answer in answers)
        plural = "" if len(answers) == 1 else "s"
        return f"{len(answers)} answer{plural}, {len(self.groups)} different, {waiting} to mark"

    @property
    def rubric_html(self) -> list[Markup]:
        """Return the items of the rubric with their formulas set."""
        return [_html(text) for _, text in self.rubric]


def sheets(course: Course, chapter: str, written: Written, part: Part) -> Iterator[Sheet]:
    """Yield each question with the answers that are this grader's, in the order of the notebook."""
    refuse_unknown(course.root, chapter)
    path = solutions_folder(course.root) / chapter / f"{chapter}.md"
    source = parsed(path, read_text(path))
    answers, rubrics = texts_of(source, ANSWER), texts_of(source, RUBRIC)
    for name, question in written.questions.items():
        own = [answer for answer in written.answers if answer.question == name]
        found = [group for group in groups(question, own) if part.has(group)]
        yield Sheet(
            name,
            question.points,
            _html(question.asked),
            _html(answers.get(name, "")),
            [(item.points, item.text) for item in items(rubrics.get(name, ""))],
            found,
            _texts(found),
        )


def _texts(found: Iterable[Group]) -> dict[str, Markup]:
    """Make HTML of each text; another program sets the formulas, so threads share the wait."""
    different = {text_id(answer): answer for group in found for answer in group.answers}
    with ThreadPoolExecutor() as pool:
        return dict(zip(different, pool.map(_html_of, different.values()), strict=True))


def text_id(answer: Answer) -> str:
    """Name the exact text of an answer, with its pictures."""
    seen = repr((answer.question, answer.source, sorted(answer.attachments.items())))
    return hashlib.sha256(seen.encode()).hexdigest()[:16]


def _html_of(answer: Answer) -> Markup:
    return _below(html_of(answer.source, answer.attachments))


def _html(markdown: str) -> Markup:
    return _below(html_of(markdown))


def _below(html: str) -> Markup:
    """Headings that somebody wrote go below those of the page, which has three levels."""
    for _ in range(3):
        html = lowered(html)
    return Markup(html)


def marking_page(chapter: str, part: Part, asked: list[Sheet], known: Roster) -> str:
    """Return the page as one HTML file."""
    script = "\n".join((TEMPLATES / name).read_text("utf-8") for name in SCRIPTS)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return page(
        "mark.html",
        chapter=chapter,
        part=part,
        sheets=asked,
        data=_data(chapter, part, asked, known),
        style=Markup((TEMPLATES / "mark.css").read_text("utf-8")),
        script=Markup(script),
        script_digest=digest,
    )


def _data(chapter: str, part: Part, asked: list[Sheet], known: Roster) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "chapter": chapter,
        "part": str(part),
        "file": file_name(chapter, part),
        "questions": [_of_question(sheet, known) for sheet in asked],
    }


def _of_question(sheet: Sheet, known: Roster) -> dict[str, Any]:
    return {
        "name": sheet.name,
        "points": sheet.points,
        "items": [{"points": points, "text": text} for points, text in sheet.rubric],
        "groups": [
            {
                "id": group.id,
                "empty": group.empty,
                "answers": [_of_answer(answer, known) for answer in group.answers],
            }
            for group in sheet.groups
        ],
    }


def _of_answer(answer: Answer, known: Roster) -> dict[str, Any]:
    return {
        "student": answer.student,
        "name": known.named(answer.student),
        "digest": answer.digest,
        "text": text_id(answer),
        "points": answer.given.points,
        "comment": answer.given.comment,
        "waiting": answer.waiting,
    }
