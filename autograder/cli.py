"""The command line: `attn release | simulate | grade | selftest`."""

import argparse
import sys
from pathlib import Path

from rich.console import Console
from rich.text import Text

from autograder.bubblewrap import SandboxUnavailable
from autograder.card import printable
from autograder.chapter import CourseError, chapter_names, load
from autograder.course import Course
from autograder.wire import WireError

UNCONFINED = (
    "[bold red]NO SANDBOX[/]: submissions run unconfined, with your rights and your files. "
    "Do this only with code that you trust."
)


def main(arguments: list[str] | None = None) -> int:
    """Run one command; returns 0 for done, 1 if something is wrong, 2 if it was refused."""
    given = _parser().parse_args(arguments)
    console = Console(stderr=True, highlight=False)
    if getattr(given, "no_sandbox", False):
        console.print(UNCONFINED)
    try:
        status: int = given.run(given, Course(given.root.resolve()))
    except (CourseError, SandboxUnavailable, WireError) as error:
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
    parser = argparse.ArgumentParser("attn", description="Release, simulate and grade the course.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

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


def _release(given: argparse.Namespace, course: Course) -> int:
    from autograder.release import release

    for name in given.chapters or chapter_names(course.root):
        print(f"{name}: {release(course, name)}")
    return 0


def _simulate(given: argparse.Namespace, course: Course) -> int:
    from autograder.simulate import make_class, write_class

    chapter = load(course.root, given.chapter)
    students = make_class(chapter, given.students, given.seed)
    answers = write_class(course, chapter, students, given.seed)
    print(f"{len(students)} submissions in {course.root / 'submitted'}; intended: {answers}")
    return 0


def _grade(given: argparse.Namespace, course: Course) -> int:
    from autograder.report import grade_with_progress
    from autograder.results import write_results

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


def _selftest(given: argparse.Namespace, course: Course) -> int:
    from autograder.report import selftest_table

    names = given.chapters or chapter_names(course.root)
    return max([selftest_table(load(course.root, name), not given.no_sandbox) for name in names])


if __name__ == "__main__":
    sys.exit(main())
