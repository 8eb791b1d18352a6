"""Our engine as nbgrader preprocessors, so that `nbgrader autograde` and formgrader use it.

`TakeSolutions` comes first when nbgrader sanitises a submission, `Judge` in the place of the
preprocessor that would execute the notebook, and `SaveMarks` in that of the one that saves marks.
"""

from pathlib import Path
from typing import Any, ClassVar

from nbformat import NotebookNode
from nbgrader.api import Gradebook
from nbgrader.preprocessors import NbGraderPreprocessor, SaveAutoGrades
from sqlalchemy.exc import OperationalError
from traitlets import Bool, Unicode

from autograder.chapters.solutions import load
from autograder.common.cell import grade_id
from autograder.course.course import Course
from autograder.course.nbgrader_errors import GradebookError
from autograder.diagnosis.diagnose import diagnose_all
from autograder.grading import hand_marks, provenance
from autograder.grading.due_dates import make_whole, note
from autograder.judging.grader import Grader
from autograder.judging.marks import scores
from autograder.judging.verdict import Kind
from autograder.notebooks.hand_in import receipt
from autograder.notebooks.splice import splice
from autograder.notebooks.submission import Submission, read
from autograder.notebooks.watchdog import OutOfTime, processor_limit
from autograder.sandbox.sandbox import Sandbox
from autograder.showing.outputs import write_outputs

Resources = dict[str, Any]
SCORES = "scores of the verdicts"  # `Judge` leaves them in the resources for `SaveMarks`


class TakeSolutions(NbGraderPreprocessor):
    """Replace the submission by the released notebook with the learner's solution cells."""

    def preprocess(self, nb: NotebookNode, resources: Resources) -> tuple[NotebookNode, Resources]:
        """Raise RuntimeError for one that takes too long: nbgrader then writes no mark.

        Raises OperationalError for a gradebook that cannot be used: nbgrader then ends.
        """
        course, names = Course(Path.cwd()), resources["nbgrader"]
        try:
            make_whole(course, names["assignment"], names["student"])
            _note_date(course, names["assignment"], names["student"])
        except GradebookError as error:
            raise OperationalError(None, None, error) from None
        released = course.released(names["assignment"])
        handed_in = self._counting(course, names["assignment"], names["student"], nb)
        try:
            with processor_limit():
                return splice(released, handed_in), resources
        except OutOfTime as error:
            raise RuntimeError(f"To read the notebook took {error}.") from error

    def _counting(
        self, course: Course, chapter: str, student: str, named: NotebookNode
    ) -> NotebookNode | Submission:
        """Return the notebook that counts: nbgrader has read the one with the chapter's name."""
        found = course.notebook(chapter, student)
        if found is None or not found.notes:
            return named
        for sentence in found.notes:
            self.log.warning("%s: %s", student, sentence)
        return read(found.path)


class Judge(NbGraderPreprocessor):
    """Run the notebook confined, judge it, and write the verdicts as outputs."""

    sandbox = Bool(True, help="Confine submissions with bubblewrap.").tag(config=True)
    seed = Unicode(
        "", help="Secret seed of the graded cases; by default kept beside the gradebook."
    ).tag(config=True)
    _graders: ClassVar[dict[tuple[Path, str], tuple[Any, Grader]]] = {}

    def preprocess(self, nb: NotebookNode, resources: Resources) -> tuple[NotebookNode, Resources]:
        """Raise RuntimeError for an infrastructure fault: nbgrader then writes no mark."""
        root = Path.cwd()  # nbgrader works in the course root
        names = resources["nbgrader"]
        _remove_other_files(Course(root), names["assignment"], names["student"])
        grader = self._grader(root, names["assignment"])
        verdicts = grader.grade_notebook(nb)
        for verdict in verdicts.values():
            if verdict.kind == Kind.INFRASTRUCTURE:
                raise RuntimeError(verdict.sentence)
        resources[SCORES] = scores(nb, verdicts)
        verdicts, errors = diagnose_all(grader.checks, verdicts)
        for error in errors:
            self.log.warning("A mistake could not be named: %s", error)
        write_outputs(nb, verdicts)
        return nb, resources

    def _grader(self, root: Path, name: str) -> Grader:
        """formgrader lives on while exercises are corrected: the grader is of what is there now."""
        course = Course(root)
        seed = course.seed(self.seed or None)
        decides = provenance.sources(course, name), seed, self.sandbox
        known, grader = self._graders.get((root, name), (None, None))
        if grader is None or known != decides:
            if grader is not None:
                grader.sandbox.stop()
            grader = Grader(load(root, name), seed, Sandbox(self.sandbox))
            self._graders[root, name] = decides, grader
        return grader


class SaveMarks(SaveAutoGrades):
    """nbgrader's saving of marks, but from the verdicts instead of a notebook's outputs.

    An answer that a person marked and that did not change stays marked.
    """

    def preprocess(self, nb: NotebookNode, resources: Resources) -> tuple[NotebookNode, Resources]:
        """`attn grade` does the same in `grading/gradebook.py`."""
        names = resources["nbgrader"]
        place = names["notebook"], names["assignment"], names["student"]
        with Gradebook(names["db_url"]) as book:
            hand_marks.prepare(book)
            grades = book.find_submission_notebook(*place).grades
            done = {
                grade.name
                for grade in grades
                if grade.manual_score is not None and not grade.needs_manual_grade
            }
        nb, resources = super().preprocess(nb, resources)
        with Gradebook(names["db_url"]) as book:
            notebook = book.find_submission_notebook(*place)
            scores = {grade.name: grade.auto_score for grade in notebook.grades}
            answers = {
                (notebook.id, cell): digest
                for cell, digest in hand_marks.digests(nb, scores).items()
            }
            same = hand_marks.unchanged(book, answers)
            for grade in notebook.grades:
                if grade.name in done and (notebook.id, grade.name) in same:
                    grade.needs_manual_grade = False
            hand_marks.remember(book, answers)
            book.db.commit()
        return nb, resources

    def _add_score(self, cell: NotebookNode, resources: Resources) -> None:
        """Save one score, as `SaveAutoGrades` does with what it reads from outputs."""
        name = grade_id(cell)
        place = self.notebook_id, self.assignment_id, self.student_id
        grade = self.gradebook.find_grade(name, *place)
        grade.auto_score = resources[SCORES][name]
        grade.needs_manual_grade = grade.manual_score is not None or grade.auto_score is None
        self.gradebook.db.commit()


def _note_date(course: Course, chapter: str, student: str) -> None:
    """nbgrader leaves an earlier date in the gradebook where it understands none."""
    folder = course.folder(course.directory.submitted_directory, chapter, student)
    note(course, chapter, {student: folder / f"{chapter}.ipynb"})


def _remove_other_files(course: Course, chapter: str, student: str) -> None:
    """nbgrader copies all that was handed in, and what links in it point to; nothing needs it.

    formgrader would serve it to the instructor's browser, feedback to the student.
    """
    folder = course.folder(course.directory.autograded_directory, chapter, student)
    released = course.folder(course.directory.release_directory, chapter)
    for path in [*folder.rglob("*")]:
        ours = receipt(path) is not None or (released / path.relative_to(folder)).is_file()
        if not path.is_dir() and not ours and path.suffix != ".ipynb":
            path.unlink()
