"""A whole term as book/teaching.md tells it: its commands, in order, on a simulated class.

`make term` runs it on 30 students, tests/test_teaching.py on a few. The page gives the commands;
here is what happens between them: students work, a person corrects a date and marks written
answers.
"""

import csv
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import product
from pathlib import Path

from nbgrader.api import Gradebook
from term_steps import StepFailed, git, mark_in_formgrader, mark_on_the_page, watch

from autograder.authoring.simulate import ACCIDENTS, make_class, write_class
from autograder.chapters.course_root import link_class
from autograder.chapters.solutions import load
from autograder.course.course import Course

REPOSITORY = Path(__file__).resolve().parents[1]
PAGE = REPOSITORY / "book" / "teaching.md"
BLOCK = re.compile(r"^```\{code-block\} sh\n:name: (\S+)\n\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CHAPTER, COURSE = "04_masks", "attention"
FIRST = ("Ada", "Emmy", "Zoë", "Chandra", "Mary Ann", "Li")
LAST = ("Lovelace", "O'Neil", "Noether", "Sekhar", "van_der  Bérg", "Müller")
GROUP = "Lab group 1"
STRANGER = "lovelace"  # a folder whose name is nobody's id
UNREAD = "two days late, 6 pm"  # what a timestamp.txt says
WORDS = "A row that is masked after the softmax does not sum to 1."
# Of blocks that end with it, since they have to say something; the others end with 0.
EXIT_CODES = {"collect-zip": 1, "collect-again": 1, "grade": 1}


def blocks() -> list[tuple[str, str]]:
    """Name and text of each block of commands on the page."""
    return BLOCK.findall(PAGE.read_text())


class Term:
    """A folder with the repositories, the course and its students, and what has been run so far.

    The last two are a group, whose work comes through Moodle. Of the others number 0, 3, … hands in
    a folder, 1, 4, … through Moodle, the rest through nbgrader's exchange. The first two of the
    folders are late. The first of these has the notebook one folder deeper, and gets an extension;
    the date of the second is not understood until a person corrects it, and its written answer
    stands below the cell for it. One more folder is a stranger's. Of Moodle's students, the first
    hands in twice, the second a damaged zip before the notebook; a stranger and a group that nobody
    knows are in the first download, too.
    """

    def __init__(self, folder: Path, students: int, accidents: tuple[str, ...] = ()):
        self.folder, self.course = folder, folder / "course"
        self.work = Course(link_class(REPOSITORY, folder / "work"))
        made = make_class(load(REPOSITORY, CHAPTER), students, seed=1, accidents=accidents)
        write_class(self.work, load(REPOSITORY, CHAPTER), made, seed=1)
        self.students = [student.name for student in made]
        *alone, one, other = self.students
        self.group = one, other
        self.by_folder, self.by_moodle, self.by_exchange = (alone[at::3] for at in range(3))
        self.late = self.by_folder[0], self.by_folder[1]
        self._answer_below(self.late[1])
        self.due = datetime.now(UTC).replace(microsecond=0) + timedelta(days=7)
        # By block and student: after it, the points, what was taken off, and given by hand.
        self.raw, self.penalty, self.by_hand = {}, {}, {}
        self.printed: dict[str, str] = {}
        self._environment = os.environ | self._variables()

    def run(self) -> Iterator[str]:
        """Run the page's blocks; gives the name of each when it is done."""
        before: dict[str, Callable[[], None]] = {
            "fork": self._publish, "setup": self._lend_venv, "roster": self._write_roster,
            "groups": self._write_groups,
            "student-submit": self._students_work, "collect-folder": self._hand_in_folders,
            "collect-zip": self._hand_in_zips, "report": self._correct_date,
            "mark-apply": self._mark_on_the_page,
        }  # fmt: skip
        for name, text in blocks():
            before.get(name, lambda: None)()
            if name == "mark":  # in a browser; here as the browser does it
                mark_in_formgrader(self.course, CHAPTER, self.gradebook())
            elif name == "watch":
                log = self.folder / "watch.log"
                printed = watch(text, self.course, CHAPTER, log, self._environment)
                self.printed[name] = printed
            elif name.startswith("student-"):
                for student in self.by_exchange:
                    self._shell(name, text, self.home(student))
            else:
                self._shell(name, text, self.course if self.course.exists() else self.folder)
            self._note(name)
            yield name

    def _shell(self, name: str, text: str, where: Path) -> None:
        environment = {**self._environment, "JUPYTER_DATA_DIR": str(where / ".jupyter")}
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", text], cwd=where, env=environment, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
        )  # fmt: skip
        self.printed[name] = done.stdout
        if done.returncode != EXIT_CODES.get(name, 0):
            raise StepFailed(f"{name} in {where}:\n{text}\n{done.stdout[-4000:]}")

    def _note(self, name: str) -> None:
        if not (self.course / "gradebook.db").exists():
            return
        with self.gradebook() as book:
            submissions = book.assignment_submissions(CHAPTER) if book.assignments else []
            notebooks = {row.student.id: row.notebooks[0] for row in submissions}
            self.raw[name] = {who: notebook.score for who, notebook in notebooks.items()}
            self.penalty[name] = {
                who: notebook.late_submission_penalty or 0 for who, notebook in notebooks.items()
            }
            self.by_hand[name] = {
                who: sum(grade.manual_score or 0 for grade in notebook.grades)
                for who, notebook in notebooks.items()
            }

    def gradebook(self) -> Gradebook:
        return Gradebook(f"sqlite:///{self.course / 'gradebook.db'}", COURSE)

    def _variables(self) -> dict[str, str]:
        """A shell with .venv activated, and what the page leaves to the teacher."""
        folder = self.folder
        return {
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "PYTHONPATH": str(self.course),  # else .venv's `attn` is that of this repository
            "HOME": str(folder / "home"),
            "PUBLIC": str(folder / "public.git"),
            "PRIVATE": str(folder / "private.git"),
            "EXCHANGE": str(folder / "exchange"),
            "DUE": f"{self.due:%Y-%m-%d %H:%M:%S} UTC",
            "FOLDER": str(folder / "handed_in"),
            "ZIP": str(folder / "moodle.zip"),
            "OVERVIEW": str(folder / "overview.csv"),
            "LATER": str(folder / "moodle-2.zip"),
            "STUDENT": self.late[0],
            "MARKS": str(folder / "marks.json"),
            "EDITOR": "sed -i s/points=5/points=6/",
            **{f"GIT_{who}_{what}": "teacher@example.org"
               for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
        }  # fmt: skip

    def _publish(self) -> None:
        """The public repository, as it is here, and what the teacher has on the machine."""
        for name in ("public", "private"):
            git("init", "--quiet", "--bare", f"{name}.git", folder=self.folder)
        public = ["--git-dir", self._environment["PUBLIC"], "--work-tree", str(REPOSITORY)]
        git(*public, "add", "--all", folder=REPOSITORY)
        author = "-c", "user.name=course", "-c", "user.email=course@example.org"
        git(*public, *author, "commit", "--quiet", "-m", "The course", folder=REPOSITORY)
        (self.folder / "home").mkdir()
        (self.folder / "exchange").mkdir()

    def _lend_venv(self) -> None:
        """`make setup` takes minutes: this repository's .venv will do."""
        if not (self.course / ".venv").exists():
            (self.course / ".venv").symlink_to(sys.prefix)
        (self.course / "build").mkdir()
        (self.course / "build" / "setup.done").touch()

    def _write_roster(self) -> None:
        """As Excel saves it in Europe."""
        with (self.course / "roster.csv").open("w", newline="", encoding="utf-8-sig") as file:
            table = csv.writer(file, delimiter=";")
            table.writerow(["id", "first_name", "last_name", "email", "lms_user_id", "section"])
            for number, (student, name) in enumerate(self._named()):
                row = student, *name, f"{student}@example.org", 1000 + number
                table.writerow([*row, "Friday" if number % 2 else "Monday, Lab"])

    def _write_groups(self) -> None:
        """As Moodle exports the overview of its groups."""
        with Path(self._environment["OVERVIEW"]).open("w", newline="") as file:
            table = csv.writer(file)
            table.writerow(["Grouping", "Group", "First name", "Last name", "Email address"])
            for student, name in self._named():
                grouped = student in self.group
                where = ("Labs", GROUP) if grouped else ("[Not in a group]", "No group")
                table.writerow([*where, *name, f"{student}@example.org"])

    def _named(self) -> Iterator[tuple[str, tuple[str, str]]]:
        return zip(self.students, product(FIRST, LAST), strict=False)

    def home(self, student: str) -> Path:
        """A student's folder on the shared machine, where a login name says who they are."""
        home = self.folder / "students" / student
        home.mkdir(parents=True, exist_ok=True)
        (home / "nbgrader_config.py").write_text(
            f"c = get_config()\nc.Exchange.root = {self._environment['EXCHANGE']!r}\n"
            f"c.CourseDirectory.student_id = {student!r}\n"
        )
        return home

    def notebook(self, student: str) -> Path:
        """What a student hands in; of a group it is the first one's."""
        whose = self.group[0] if student in self.group else student
        return self.work.folder("submitted", CHAPTER, whose) / f"{CHAPTER}.ipynb"

    def _students_work(self) -> None:
        for student in self.by_exchange:
            shutil.copy(self.notebook(student), self.home(student) / CHAPTER)

    def _hand_in_folders(self) -> None:
        base = self.folder / "handed_in"
        for student in self.by_folder:
            shutil.copytree(self.notebook(student).parent, base / student / CHAPTER)
        shutil.copytree(base / student, base / STRANGER)
        deeper, unread = (base / student / CHAPTER for student in self.late)
        (deeper / "work").mkdir()
        (deeper / f"{CHAPTER}.ipynb").rename(deeper / "work" / f"{CHAPTER}.ipynb")
        self._write_date(deeper)
        (unread / "timestamp.txt").write_text(UNREAD)

    def _write_date(self, folder: Path) -> None:
        when = self.due + timedelta(hours=30)
        (folder / "timestamp.txt").write_text(f"{when:%Y-%m-%d %H:%M:%S} UTC\n")

    def _correct_date(self) -> None:
        """As `attn grade` has asked for; the next one reads it."""
        self._write_date(self.course / "submitted" / self.late[1] / CHAPTER)

    def _answer_below(self, student: str) -> None:
        """Leave the cell for a written answer as it was, with the answer in a new one below."""
        written = json.loads(self.notebook(student).read_text())
        (place,) = (number for number, cell in enumerate(written["cells"])
                    if cell["cell_type"] == "markdown"
                    and cell["metadata"].get("nbgrader", {}).get("solution"))  # fmt: skip
        written["cells"][place]["source"] = "YOUR ANSWER HERE"
        below = {**written["cells"][place], "metadata": {}, "source": WORDS}
        written["cells"].insert(place + 1, below | ({"id": "below"} if "id" in below else {}))
        self.notebook(student).write_text(json.dumps(written))

    def _hand_in_zips(self) -> None:
        """As Moodle makes them of all submissions: a folder for each student."""
        again, damaged, *_ = self.by_moodle
        work = {student: {f"{CHAPTER}.ipynb": self.notebook(student).read_bytes()}
                for student in (*self.by_moodle, self.group[0])}  # fmt: skip
        early = {again: {f"{CHAPTER}.ipynb": self.notebook(self.unlike(again)).read_bytes()},
                 damaged: {"work.zip": b"PK"}}  # fmt: skip
        others = "Eve_9_assignsubmission_file", "Lab group 2_78_assignsubmission_file"
        self._write_zip("moodle.zip", work | early, *(Path(other, "a.ipynb") for other in others))
        self._write_zip("moodle-2.zip", work)

    def unlike(self, student: str) -> str:
        """Return a student whose notebook is another one."""
        own = self.notebook(student).read_bytes()
        return next(one for one in self.students if self.notebook(one).read_bytes() != own)

    def _write_zip(self, name: str, work: dict[str, dict[str, bytes]], *others: Path) -> None:
        with zipfile.ZipFile(self.folder / name, "w") as archive:
            for student, files in work.items():
                for file, data in files.items():
                    archive.writestr(f"{self.in_moodle(student)}/{file}", data)
            for path in others:
                archive.writestr(str(path), b"{}")

    def in_moodle(self, student: str) -> str:
        """The folder of a student, or of the group, in Moodle's zip."""
        if student in self.group:
            return f"{GROUP}_77_assignsubmission_file"
        name = " ".join(dict(self._named())[student]).replace("_", " ").replace("'", "")
        return f"{name}_{7000 + self.students.index(student)}_assignsubmission_file"

    def _mark_on_the_page(self) -> None:
        page = self.course / "marking" / f"{CHAPTER}.html"
        mark_on_the_page(page, Path(self._environment["MARKS"]))


def main() -> None:
    """Run the whole path into build/term and say where everything is."""
    folder = REPOSITORY / "build" / "term"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    term = Term(folder, 30, ACCIDENTS)
    try:
        for name in term.run():
            print(f"{name:18}", "done", flush=True)
    except StepFailed as failure:
        sys.exit(str(failure))
    course = term.course.relative_to(REPOSITORY)
    print(
        f"""
The course     {course}
Its report     {course}/reports/{CHAPTER}.html
Its feedback   {course}/feedback/STUDENT/{CHAPTER}/{CHAPTER}.html
Its marks      {course}/grades.csv, canvas.csv, moodle.csv"""
    )


if __name__ == "__main__":
    main()
