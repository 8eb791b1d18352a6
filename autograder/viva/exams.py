"""Which questions each student of a class gets, from the answers that pass."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from nbformat import NotebookNode

from autograder.classes.fingerprints import tokens
from autograder.common.cell import SETUP, Cell
from autograder.common.errors import CourseError
from autograder.grading.journal import Journal
from autograder.judging.verdict import Kind as Verdict
from autograder.notebooks.chapter import Chapter, reference
from autograder.notebooks.hand_in import HandIn, NotebookError
from autograder.notebooks.splice import cells_to_run, splice
from autograder.notebooks.submission import parse
from autograder.sandbox.sandbox import Sandbox
from autograder.viva.executed import Trial
from autograder.viva.questions import Question, questions
from autograder.viva.small_changes import Change, Code, changes

NOT_AS_GRADED = "{student} has handed in something that is not graded yet: attn grade {chapter}"
NOTHING = "No answer passes."
TOO_SHORT = "{name} gives no question: it is too short, or its inputs are too large to be shown."
TOO_LONG = "{name} does not fit on a sheet."
RUN = 40  # changes of an answer
ENOUGH = 4  # questions on an answer, without those on inputs that are not shown in full
TOO_SLOW = "{name} takes too long for a question."
STANDS_IN = "{name} is the course's own here: it does what its exercise asks for."
NOT_SHOWN = "{name} is yours, and too long to be shown."
ODD = "{name} is defined in a way that no question can be made of."


@dataclass(frozen=True)
class Answers:
    """The answers of a student that pass, by exercise, as grading runs them.

    cells: all that is run for them; where an answer does not pass, the reference stands.
    """

    student: str
    passing: dict[str, str]
    cells: list[Cell]


Called = dict[str, Code | str]


@dataclass(frozen=True)
class Exam:
    """The questions of one student, and the code that they are about, by exercise.

    called: by exercise, the student's other code that it calls, or a sentence instead.
    left: sentences on answers that gave no question.
    """

    student: str
    code: dict[str, Code] = field(default_factory=dict)
    called: dict[str, Called] = field(default_factory=dict)
    questions: list[Question] = field(default_factory=list)
    left: list[str] = field(default_factory=list)


def answers(
    chapter: Chapter, released: NotebookNode, journal: Journal, student: str, path: Path
) -> Answers:
    """Read the answers of a student. Raises CourseError where they are not graded as they are.

    released: the notebook that learners got. journal: of the chapter. path: what was handed in.
    """
    handed_in = HandIn.at(path)
    entry = journal.entry(student) if student in journal else None
    record = entry.get("record") if entry else None
    if entry is None or record is None or record["submission"] != handed_in.digest:
        raise CourseError(NOT_AS_GRADED.format(student=student, chapter=chapter.name))
    passed = [row["exercise"] for row in entry["rows"] if row["verdict"] == Verdict.PASSED]
    try:
        spliced = splice(released, parse(handed_in.data, path))
    except NotebookError:
        return Answers(student, {}, [])  # it was graded, and nothing in it passed
    cells, solved = cells_to_run(spliced), reference(chapter)
    passing = {cell.name: cell.source for cell in cells if cell.name in passed}
    stand_in = solved.keys() - passing.keys()
    return Answers(
        student, passing, [Cell(c.name, solved[c.name]) if c.name in stand_in else c for c in cells]
    )


class Examiner:
    """Makes the exams of a chapter's class.

    secret: what students cannot know; another one gives other questions.
    """

    def __init__(self, chapter: Chapter, secret: str, sandbox: Sandbox):
        self.chapter, self.secret, self.sandbox = chapter, secret, sandbox
        self._alike: dict[tuple[str, str], list[str]] = defaultdict(list)
        self._made: dict[tuple[str, ...], list[Question]] = {}

    def know(self, everybody: list[Answers]) -> None:
        """Note who in the class has the same code: they get different questions."""
        for answers in everybody:
            for name, source in answers.passing.items():
                self._alike[name, _form(source)].append(answers.student)

    def exam(self, answers: Answers, number: int) -> Exam:
        """Choose so many questions, on different exercises as far as there are enough of them."""
        exam = Exam(answers.student)
        names = [*answers.passing]
        Random(f"{self.secret}\0{answers.student}").shuffle(names)
        asking = {name: self._asking(name, answers, exam) for name in names}
        while asking and len(exam.questions) < number:
            for name in [*asking][: number - len(exam.questions)]:
                if question := next(asking[name], None):
                    exam.questions.append(question)
                else:
                    del asking[name]
        if not names:
            exam.left.append(NOTHING)
        return exam

    def _asking(self, name: str, answers: Answers, exam: Exam) -> Iterator[Question]:
        """Yield the questions on an answer that agree with those that the exam has by then."""
        code = Code.of(answers.passing[name], name)
        if code is None or not code.fits:
            exam.left.append((TOO_LONG if code else ODD).format(name=name))
            return
        trial = Trial(self.chapter.exercises[name], answers.cells, self.sandbox)
        alike = self._alike[name, _form(code.source)]
        offered = self._offered(name, code, trial)
        plain = [question for question in offered if question.is_plain]
        offered = plain if len(plain) >= max(ENOUGH, len(alike)) else offered
        if not offered:
            exam.left.append((TOO_SHORT if trial.before else TOO_SLOW).format(name=name))
        first = alike.index(answers.student) * len(offered) // len(alike)
        for question in [*offered[first:], *offered[:first]]:
            agrees = all(question.agrees(other) for other in exam.questions)
            if agrees and _comes_again(question, trial):
                exam.code[name] = code
                exam.called[name] = dict(_called(trial, answers))
                yield question

    def _offered(self, name: str, code: Code, trial: Trial) -> list[Question]:
        """Make all questions on an answer, in the same order for all whose code is the same."""
        key = tuple(cell.source for cell in trial.cells)
        if (name, *key) not in self._made:
            random = Random(f"{self.secret}\0{_form(code.source)}")
            chosen = _chosen(changes(code, trial.exercise.vocabulary.confused), random)
            tried = [one for change in chosen if (one := trial.tried(change))]
            place = [*self.chapter.exercises].index(name)
            self._made[name, *key] = questions(name, tried, random, place)
        return self._made[name, *key]


def _chosen(known: list[Change], random: Random) -> list[Change]:
    """Return some of the changes, likely ones first: to run all of a long answer takes minutes."""
    shuffled = random.sample(known, len(known))
    return sorted(shuffled, key=lambda change: not change.likely)[:RUN]


def _called(trial: Trial, answers: Answers) -> Iterator[tuple[str, Code | str]]:
    """Yield the other answers that are run with one; of a stand-in nothing is shown."""
    others = [cell for cell in trial.cells if not cell.name.startswith(SETUP)]
    for cell in others[:-1]:
        own = Code.of(cell.source, cell.name)
        if cell.name not in answers.passing:
            yield cell.name, STANDS_IN.format(name=cell.name)
        else:
            yield cell.name, own if own and own.fits else NOT_SHOWN.format(name=cell.name)


def _comes_again(question: Question, trial: Trial) -> bool:
    """Run all that the key rests on once more: what depends on chance becomes no question."""
    for one in question.executed:
        again = trial.tried(one.change, again=True)
        if again is None or again.behaviour != one.behaviour:
            return False
    return True


def _form(source: str) -> str:
    """Return the same for code that differs in names, comments and layout alone."""
    return " ".join(token.text for token in tokens(source))
