"""The command line, `attn COMMAND`: what all commands share."""

import argparse
import sys
from pathlib import Path

from rich.console import Console
from rich.text import Text

from autograder.commands import (
    for_arrivals,
    for_author,
    for_class,
    for_exam,
    for_learner,
    for_marking,
    for_people,
    for_platforms,
    for_teacher,
)
from autograder.common.errors import (
    CheckFailed,
    CourseError,
    LibraryMissing,
    SandboxUnavailable,
    WireError,
)
from autograder.common.files import DISTRIBUTION
from autograder.showing.display import print_plainly
from autograder.showing.wording import printable

UNCONFINED = (
    "[bold red]NO SANDBOX[/]: submissions run unconfined, with your rights and your files. "
    "Do this only with code that you trust."
)
SAID = (CheckFailed, CourseError, LibraryMissing, SandboxUnavailable, WireError)
KEPT = "What is finished is kept; run the same command to go on."


def main(arguments: list[str] | None = None) -> int:
    """Run one command; returns 0 for done, 1 if something is wrong, 2 if it was refused."""
    # jsonschema, behind nbformat, may build a grammar of web addresses: 2 seconds of each start.
    sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]
    print_plainly()
    given = _parser().parse_args(arguments)
    console = Console(stderr=True, highlight=False)
    if getattr(given, "no_sandbox", False):
        console.print(UNCONFINED)
    try:
        status: int = given.run(given)
    except SAID as error:
        return _refused(console, given.command, str(error))
    except OSError as error:  # a full disk, say, or a file that may not be read
        if error.errno is None:
            raise
        where = f": {error.filename}" if error.filename else ""
        return _refused(console, given.command, f"{error.strerror}{where}. {KEPT}")
    except KeyboardInterrupt:
        console.print(f"Stopped. {KEPT}")
        return 130
    return status


def _refused(console: Console, command: str, sentence: str) -> int:
    said = Text(printable(sentence))  # square brackets in it are no markup
    console.print(Text(f"attn {command}: ", "bold red"), said, sep="")
    return 2


class _Version(argparse.Action):
    """Looked up only when it is asked for, so that no other command waits for it."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import version

        print("attn", version(DISTRIBUTION))
        parser.exit()


def _parser() -> argparse.ArgumentParser:
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--root", type=Path, metavar="DIR", help="the course's folder (default: "
                        "the current one, or the nearest above it that holds one)")  # fmt: skip
    unconfined = argparse.ArgumentParser(add_help=False)
    unconfined.add_argument("--no-sandbox", action="store_true",
                            help="run submissions unconfined (dangerous)")  # fmt: skip
    parser = argparse.ArgumentParser("attn", description="Learn from a course, teach it, write it.")
    parser.add_argument("--version", action=_Version, nargs=0, help="show the version and exit")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for_learner.add(commands, common)
    for_people.add(commands, common)
    for_teacher.add(commands, common, unconfined)
    for_arrivals.add(commands, common, unconfined)
    for_author.add_selftest(commands, common, unconfined)
    for_class.add(commands, common, unconfined)
    for_marking.add(commands, common)
    for_exam.add(commands, common, unconfined)
    for_platforms.add(commands, common)
    for_author.add(commands, common)
    return parser


if __name__ == "__main__":
    sys.exit(main())
