"""Grade a class: submissions in, autograded notebooks, gradebook and result rows out."""

import json
from collections.abc import Collection, Iterator, Mapping
from contextlib import ExitStack, closing

from nbgrader.utils import is_grade

from autograder.chapters import solutions
from autograder.common.cell import CHECK, grade_id
from autograder.common.errors import CourseError
from autograder.course.course import Course
from autograder.grading import provenance
from autograder.grading.attempts import AHEAD, Attempts, Executors, Work
from autograder.grading.changes import Held
from autograder.grading.due_dates import Noted, note
from autograder.grading.gradebook import Marks, Submission, students_with_marks
from autograder.grading.journal import Entry, Journal
from autograder.grading.penalties import Penalty
from autograder.grading.provenance import fingerprint
from autograder.grading.results import Graded, Row, fault
from autograder.grading.writer import Writer
from autograder.judging.checks import PUBLIC_SEED
from autograder.notebooks.candidates import Found
from autograder.notebooks.hand_in import HandIn
from autograder.showing.wording import points


class ClassRun:
    """Grading one chapter of a course with one seed: what is left to do, and what comes of it.

    chosen: those who are graded, all who handed in or the `students` who were named.
    found: their notebooks, where a part of the class stands for all of it.
    seed: None for the public cases alone.
    lost: lines of the journal that could not be read; whom they were about is graded again.
    sources: of what decides about every submission.
    """

    def __init__(
        self,
        course: Course,
        name: str,
        seed: str | None,
        device: str = "cpu",
        students: Collection[str] = (),
        found: Mapping[str, Found] | None = None,
    ):
        self.course, self.name = course, name
        self.found = course.discovered(name).found if found is None else found
        self.submissions = {student: found.path for student, found in self.found.items()}
        self.chosen = [s for s in self.submissions if s in students or not students]
        refuse_old_release(course, name)
        self.sources = provenance.sources(course, name, device)
        self._seed = provenance.seed(PUBLIC_SEED if seed is None else seed)
        decides = {**self.sources, "seed": self._seed}
        self.judged_by = json.dumps(decides, sort_keys=True).encode()
        self._digests: dict[str, str | None] = {}
        self._fingerprints: dict[str, str] = {}
        for student in self.submissions:
            self.read(student)
        self.journal, self.lost = Journal(course.journal(name)), 0
        waiting = course.journal(name).with_suffix(".held.jsonl")
        self.held = Held(waiting, self.journal, self._fingerprints, self.chosen)
        self.unjudged: dict[str, list[Row]] = {}

    def grade(self, executors: Executors, force: bool = False) -> Iterator[list[Row]]:
        """Grade what is new or changed of this chapter alone; see `grade` below."""
        return grade([self], executors, force)

    def todo(self, force: bool) -> list[str]:
        """Name who is to be graded; all that was chosen if `force`, else what is new or changed."""
        self.lost = self.journal.mend()
        if force or not self.held:
            self.held.drop()  # also what was held of other work, or beside other exercises
        finished = set() if force else self.finished()
        return [student for student in self.chosen if student not in finished]

    def write_held(self, of_the_same_work: bool = True) -> None:
        """Write the marks that differ from earlier ones, once they have been announced.

        of_the_same_work: False leaves those that stay held where neither the work nor the cases
        are others than before.
        """
        written = []
        with self.writer() as writer:
            for graded, entry in self.held:
                if of_the_same_work or self.held.is_of_other_work(entry):
                    writer.take(graded, entry)
                    written.append(graded.student)
        self.report_refused(writer)
        if not writer.refused:
            self.held.drop(written)

    def note_dates(self) -> Noted:
        """Have the gradebook say when the chosen handed in; penalties stay as they are."""
        chosen = {student: self.submissions[student] for student in self.chosen}
        return note(self.course, self.name, chosen)

    def penalties(self) -> list[Penalty]:
        """Return what the chosen lose for being late, where it is not what the gradebook has.

        A date, an extension or a mark has changed since, say. For those whose marks are held it is
        what they lose with these marks.
        """
        if not any(student in self.journal for student in self.chosen):
            return []
        held = [Submission(graded.student, None, graded.scores, {}, {}) for graded, _ in self.held]
        with Marks(self.course, self.name) as marks:
            penalties = marks.penalties_with(held)
        return [p for p in penalties if p.changed and p.student in self.chosen]

    def charge(self, penalties: list[Penalty]) -> None:
        """Write what is lost for being late, once that has been announced."""
        with Marks(self.course, self.name) as marks:
            marks.charge([penalty.student for penalty in penalties])

    def rows(self) -> Iterator[list[Row]]:
        """Yield the rows of every student who has a verdict or a fault, sorted by student."""
        for student in sorted(self.submissions):
            if student in self.unjudged:
                yield self.unjudged[student]
            elif student in self.journal:
                yield self.journal.entry(student)["rows"]

    def notes(self) -> Iterator[tuple[str, str]]:
        """Student and sentence: what the teacher should know of how a notebook was read."""
        for student in sorted(self.submissions):
            if student in self.journal:
                for note in self.journal.entry(student)["notes"]:
                    yield student, note

    def take(self, graded: Graded, writer: Writer) -> list[Row]:
        """Return the rows of a submission, which is written or held if it has a verdict."""
        if graded.notebook:
            entry = self._entry(graded)
            if not self.held.take(graded, entry):
                writer.take(graded, entry)
        else:
            self._unjudged(graded)
        return graded.rows

    def _unjudged(self, graded: Graded) -> None:
        self.journal.add([{**self._entry(graded), "fault": graded.fault}])
        self.unjudged[graded.student] = graded.rows

    def _entry(self, graded: Graded) -> Entry:
        student = graded.student
        record = provenance.record(
            self._digests[student], self.sources, self._seed, graded.environment
        )
        return {
            "student": student,
            "fingerprint": self._fingerprints[student],
            "rows": graded.rows,
            "notes": graded.notes,
            "record": record,
        }

    def fault(self, student: str, error: BaseException, *what: str) -> Graded:
        """Report an error of ours: there is no verdict on any exercise of the student."""
        return fault(student, solutions.load(self.course.root, self.name), error, *what)

    def finished(self) -> set[str]:
        """Name who of the chosen has marks of this very work, made with these very cases."""
        writer, marked = self.writer(), students_with_marks(self.course, self.name)
        return {student for student in self.chosen if self._finished(student, writer, marked)}

    def writer(self) -> Writer:
        """Return the writer of this chapter's marks, notebooks and journal."""
        return Writer(self.course, self.name, self.journal, self.submissions)

    def report_refused(self, writer: Writer) -> None:
        """Those whose marks could not be written have no verdict."""
        for student, why in writer.refused.items():
            self._unjudged(self.fault(student, why, "The gradebook refuses"))

    def read(self, student: str) -> HandIn:
        """Read what the student has handed in by now, which the journal's entry will be about."""
        found = self.found[student]
        handed_in = HandIn.at(found.path, *found.notes)
        self._digests[student] = handed_in.digest
        self._fingerprints[student] = fingerprint(handed_in.mark, self.judged_by)
        return handed_in

    def _finished(self, student: str, writer: Writer, marked: set[str]) -> bool:
        """marked: whom the gradebook has; an older copy of it may have been put back."""
        done = student in marked and self.journal.finished(student, self._fingerprints[student])
        return student in self.held or (done and writer.target(student).exists())


def grade(
    runs: list[ClassRun], executors: Executors, force: bool = False, ahead: int = AHEAD
) -> Iterator[list[Row]]:
    """Grade what is new or changed, with the same worker processes for all chapters.

    Yields each student's rows of a chapter as they are done. A submission without a verdict
    (infrastructure) is reported, and neither written nor remembered, so that the next run grades it
    again. One that takes long is put off, so that it keeps nobody waiting. One whose marks differ
    from earlier ones is held back: `held.changes()` says who and by how much, `write_held` writes
    them.
    """
    of = {run.name: run for run in runs}
    todo = {(run.name, student): run for run in runs for student in run.todo(force)}
    for run in runs:
        for student in sorted(set(run.chosen) - {who for name, who in todo if name == run.name}):
            yield run.journal.entry(student)["rows"]

    def read(work: Work) -> HandIn:
        return of[work[0]].read(work[1])

    def failed(work: Work, error: BaseException) -> Graded:
        return of[work[0]].fault(work[1], error)

    writers = {run.name: run.writer() for run in runs}
    outcomes = Attempts(read, failed, ahead).outcomes(executors, todo)
    # Worker processes end before the rest of what was graded is written.
    with ExitStack() as opened, closing(outcomes):
        for writer in writers.values():
            opened.enter_context(writer)
        for outcome in outcomes:
            if outcome is None:  # what is finished need not wait for whoever takes long
                for writer in writers.values():
                    writer.flush()
            else:
                (name, _), graded = outcome
                yield of[name].take(graded, writers[name])
    for run in runs:
        run.report_refused(writers[run.name])


def refuse_old_release(course: Course, name: str) -> None:
    """Points are the exercise's; learners, the gradebook and feedback have those of the release.

    Raises CourseError where they differ.
    """
    cells = course.released(name).cells
    released = {
        grade_id(cell): cell.metadata.nbgrader.get("points") for cell in filter(is_grade, cells)
    }
    for exercise in solutions.load(course.root, name).exercises.values():
        given = released.get(f"{CHECK}{exercise.name}")
        if given != exercise.points:
            raise CourseError(
                f"{exercise.name} is worth {points(exercise.points)}, but {given or 0:g} in the "
                f"released notebook. Release it again: attn release {name}"
            )
