"""The command line: `attn check | status | unlock | release | simulate | grade | selftest`.

What teachers use is imported by their commands: learners need not have nbgrader.
"""

import argparse
import platform
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from autograder.card import printable
from autograder.check import CheckFailed
from autograder.errors import CourseError, SandboxUnavailable
from autograder.wire import WireError

if TYPE_CHECKING:
    from autograder.course import Course

UNCONFINED = (
    "[bold red]NO SANDBOX[/]: submissions run unconfined, with your rights and your files. "
    "Do this only with code that you trust."
)

ELSEWHERE = (
    "This needs Linux; on Windows, WSL 2 is one. Elsewhere restart the kernel in Jupyter and run "
    "all cells, which tries the same cases."
)


def main(arguments: list[str] | None = None) -> int:
    """Run one command; returns 0 for done, 1 if something is wrong, 2 if it was refused."""
    given = _parser().parse_args(arguments)
    console = Console(stderr=True, highlight=False)
    if getattr(given, "no_sandbox", False):
        console.print(UNCONFINED)
    try:
        status: int = given.run(given)
    except (CheckFailed, CourseError, SandboxUnavailable, WireError) as error:
        console.print(Text(f"attn {given.command}: ", "bold red"), printable(str(error)), sep="")
        return 2
    except KeyboardInterrupt:
        console.print("Stopped. What is finished is kept; run the same command to go on.")
        return 130
    return status


def _parser() -> argparse.ArgumentParser:
    repository = Path(__file__).resolve().parent.parent
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--root", type=Path, default=repository, metavar="DIR",
                        help="nbgrader's course root (default: this repository)")  # fmt: skip
    unconfined = argparse.ArgumentParser(add_help=False)
    unconfined.add_argument("--no-sandbox", action="store_true",
                            help="run submissions unconfined (dangerous)")  # fmt: skip
    parser = argparse.ArgumentParser("attn", description="Learn from the course, and teach it.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    command = commands.add_parser("check", help="run your notebook from a clean process")
    command.add_argument("notebook", type=Path, metavar="NOTEBOOK")
    command.set_defaults(run=_check)

    command = commands.add_parser("status", help="show what you have solved and what is next")
    command.add_argument("folder", type=Path, nargs="?", default=Path(), metavar="FOLDER",
                         help="of a chapter, or of chapters (default: this one)")  # fmt: skip
    command.set_defaults(run=_status)

    command = commands.add_parser("unlock", parents=[common], help="get the worked solution")
    command.add_argument("chapter", metavar="CHAPTER")
    command.add_argument("--yes", action="store_true", help="do not ask")
    command.set_defaults(run=_unlock)

    command = commands.add_parser("release", parents=[common], help="make what learners get")
    command.add_argument("chapters", nargs="*", metavar="CHAPTER", help="default: all")
    command.set_defaults(run=_release)

    command = commands.add_parser("simulate", parents=[common], help="make up a class")
    command.add_argument("chapter", metavar="CHAPTER")
    command.add_argument("--students", type=_positive, default=24, metavar="N")
    command.add_argument("--seed", type=int, default=0, metavar="S")
    command.set_defaults(run=_simulate)

    command = commands.add_parser("grade", parents=[common, unconfined], help="grade a class")
    command.add_argument("chapter", metavar="CHAPTER")
    command.add_argument("--results", type=Path, metavar="FILE",
                         help="write one JSON line per student and exercise")  # fmt: skip
    command.add_argument("--seed", metavar="SEED", help="secret seed of the graded cases "
                         "(default: kept beside the gradebook)")  # fmt: skip
    command.add_argument("--force", action="store_true", help="grade also what is unchanged")
    command.set_defaults(run=_grade)

    command = commands.add_parser("selftest", parents=[common, unconfined],
                                  help="prove that the grader rejects what is wrong")  # fmt: skip
    command.add_argument("chapters", nargs="*", metavar="CHAPTER", help="default: all")
    command.set_defaults(run=_selftest)
    return parser


def _positive(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive whole number")
    return int(text)


def _course(given: argparse.Namespace) -> "Course":
    from autograder.course import Course

    return Course(given.root.resolve())


def _check(given: argparse.Namespace) -> int:
    if platform.system() != "Linux":  # whose system calls keep and end a process of its own
        raise CourseError(ELSEWHERE)
    from autograder.clean_run import clean_run
    from autograder.learner_tables import clean_run_table

    return clean_run_table(clean_run(given.notebook))


def _status(given: argparse.Namespace) -> int:
    from autograder.learner_tables import status_table
    from autograder.status import found_in

    return status_table(found_in(given.folder), given.folder)


def _unlock(given: argparse.Namespace) -> int:
    from autograder import unlock

    root = given.root.resolve()
    path = unlock.place(root, given.chapter)
    if not (given.yes or _typed(given.chapter)):
        print("Nothing was unlocked.")
        return 1
    unlock.write(root, given.chapter, path)
    print(path)
    return 0


def _typed(name: str) -> bool:
    """Whether the learner types the chapter's name, once asked."""
    try:
        return input(f"To see the solutions of {name}, type the chapter's name: ").strip() == name
    except EOFError:
        print()
        return False


def _release(given: argparse.Namespace) -> int:
    from autograder.chapter import chapter_names
    from autograder.release import release

    course = _course(given)
    for name in given.chapters or chapter_names(course.root):
        print(f"{name}: {release(course, name)}")
    return 0


def _simulate(given: argparse.Namespace) -> int:
    from autograder.chapter import load
    from autograder.simulate import make_class, write_class

    course = _course(given)
    chapter = load(course.root, given.chapter)
    students = make_class(chapter, given.students, given.seed)
    answers = write_class(course, chapter, students, given.seed)
    print(f"{len(students)} submissions in {course.root / 'submitted'}; intended: {answers}")
    return 0


def _grade(given: argparse.Namespace) -> int:
    from autograder.chapter import load
    from autograder.report import grade_with_progress
    from autograder.results import write_results

    course = _course(given)
    if not course.root.is_dir():
        raise CourseError(f"--root {course.root} is not a folder.")
    load(course.root, given.chapter)
    course.submissions(given.chapter)
    run = grade_with_progress(
        course, given.chapter, course.seed(given.seed),
        force=given.force, confined=not given.no_sandbox,
    )  # fmt: skip
    if given.results:
        write_results(given.results, run.rows())
    if run.unjudged:
        students = ", ".join(map(printable, sorted(run.unjudged)))
        rows = next(iter(run.unjudged.values()))
        reason = next(row["message"] for row in rows if row["points"] is None)
        print(f"No verdict and no marks for {students}. {printable(reason)} Then run this again.",
              file=sys.stderr)  # fmt: skip
    return 1 if run.unjudged else 0


def _selftest(given: argparse.Namespace) -> int:
    from autograder.chapter import chapter_names, load
    from autograder.report import selftest_table

    course = _course(given)
    names = given.chapters or chapter_names(course.root)
    return max([selftest_table(load(course.root, name), not given.no_sandbox) for name in names])


if __name__ == "__main__":
    sys.exit(main())
