"""A class sits an oral exam on paper: from its graded submissions to sheets, key and quiz."""

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from autograder.chapters.solutions import load
from autograder.classes.page import write
from autograder.common.errors import CourseError
from autograder.course.course import Course
from autograder.course.roster import absent, roster
from autograder.grading.journal import intact
from autograder.notebooks.chapter import Chapter
from autograder.sandbox.sandbox import Sandbox
from autograder.viva.exams import Answers, Exam, Examiner, answers
from autograder.viva.gift import gift
from autograder.viva.papers import Paper, sheets

FOLDER = "viva"


@dataclass(frozen=True)
class Sitting:
    """A class, or one student of it, before the exam. everybody: who may be asked.

    ungraded: a sentence for each submission that is not graded as it is.
    """

    course: Course
    chapter: Chapter
    everybody: list[Answers]
    ungraded: dict[str, str]

    @classmethod
    def of(cls, course: Course, name: str, student: str | None) -> "Sitting":
        """Read what was handed in. Raises CourseError if that is nothing, or nothing of theirs."""
        if student is not None and (why := " ".join(absent(course, name, [student]))):
            raise CourseError(why)
        chapter, released = load(course.root, name), course.released(name)
        journal, everybody, ungraded = intact(course.journal(name)), [], {}
        for who, path in course.submissions(name).items():
            try:
                everybody.append(answers(chapter, released, journal, who, path))
            except CourseError as error:
                ungraded[who] = str(error)
        if not everybody:
            raise CourseError(
                f"Nothing of {name} is graded as it is. Do it with: attn grade {name}"
            )
        return cls(course, chapter, everybody, ungraded)

    def exams(
        self, students: Collection[str], number: int, seed: int, sandbox: Sandbox
    ) -> Iterator[Exam]:
        """Yield the exam of each student when it is made; the same for the same seed."""
        examiner = Examiner(self.chapter, f"{self.course.seed(None)}\0{seed}", sandbox)
        examiner.know(self.everybody)
        for one in self.everybody:
            if one.student in students:
                yield examiner.exam(one, number)


def write_papers(course: Course, chapter: str, exams: list[Exam], folder: Path) -> list[Path]:
    """Write the sheets and the key. Raises CourseError where they cannot be written."""
    named, papers = roster(course).named, [Paper.of(exam) for exam in exams]
    asked = [paper for paper in papers if paper.numbered]
    write(folder / "sheets.html", sheets(chapter, asked, named, key=False))
    write(folder / "key.html", sheets(chapter, papers, named, key=True))
    return [folder / "sheets.html", folder / "key.html"]


def write_quiz(course: Course, chapter: str, exams: list[Exam], folder: Path) -> Path:
    """Write the questions for Moodle."""
    papers = [Paper.of(exam) for exam in exams if exam.questions]
    write(folder / "quiz.gift.txt", gift(chapter, papers, roster(course).named))
    return folder / "quiz.gift.txt"


def asked_twice(exams: list[Exam]) -> list[tuple[str, int]]:
    """Return the exercises of which students get the same question, with how many of them do."""
    asked = Counter(
        (
            question.exercise,
            question.kind,
            question.subject.change,
            question.case and question.case.name,
        )
        for exam in exams
        for question in exam.questions
    )
    times = Counter[str]()
    for (exercise, *_), number in asked.items():
        if number > 1:
            times[exercise] += number
    return list(times.items())
