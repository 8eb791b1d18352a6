"""Submissions of a chapter that are more alike than its exercises explain."""

from dataclasses import dataclass, field

from nbformat import NotebookNode

from autograder.chapters import solutions
from autograder.classes.fingerprints import grams
from autograder.classes.pairs import Pair, common_above, pairs
from autograder.course.course import Course
from autograder.course.roster import Roster, roster
from autograder.notebooks.chapter import Chapter, reference
from autograder.notebooks.discovery import written_in


@dataclass(frozen=True)
class Similarities:
    """The answers that were compared, and the pairs that were found.

    answers: by exercise and student. obvious: fingerprints that come with the exercise.
    common: what more answers than this share was left out. unread: notebooks that cannot be read.
    """

    chapter: str
    students: int
    answers: dict[str, dict[str, str]]
    obvious: frozenset[int]
    common: int
    unread: int
    pairs: list[Pair]
    roster: Roster = field(default_factory=Roster)


def similarities(course: Course, name: str) -> Similarities:
    """Compare all submissions of a chapter. Raises CourseError where there are none."""
    chapter = solutions.load(course.root, name)
    submissions = course.submissions(name)
    released = course.released(name)
    answers: dict[str, dict[str, str]] = {exercise: {} for exercise in chapter.exercises}
    unread = 0
    for student, path in submissions.items():
        written = written_in(path, released)
        if written is None:
            unread += 1
            continue
        for exercise in written.keys() & chapter.exercises.keys():
            answers[exercise][student] = written[exercise]
    obvious = _obvious(chapter, released)
    students = len(submissions) - unread
    alike = pairs(answers, obvious, students)
    return Similarities(
        name, students, answers, obvious, common_above(students), unread, alike, roster(course)
    )


def _obvious(chapter: Chapter, released: NotebookNode) -> frozenset[int]:
    """Return what all were given, the reference has, or the author expects of learners."""
    given = [cell.source for cell in released.cells if cell.cell_type == "code"]
    expected = [
        known.source_as(exercise.name)
        for exercise in chapter.exercises.values()
        for known in (*exercise.variants, *exercise.misconceptions)
    ]
    texts = [*given, *reference(chapter).values(), *expected]
    return frozenset(gram for text in texts for gram in grams(text))
