"""In Gradescope's container: grade the one submission that is there, as `attn grade` would.

The zip of `gradescope_zip.py` runs this as root. What it prints is for instructors. The format of
`results.json`, who may see which test when, and what lies where:
https://gradescope-autograders.readthedocs.io/en/latest/specs/
"""

import json
import stat
import sys
import traceback
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode

from autograder.chapters.solutions import load
from autograder.common.errors import CourseError, SandboxUnavailable
from autograder.common.files import SEED
from autograder.diagnosis.diagnose import diagnose_all
from autograder.judging.checks import build
from autograder.judging.grader import Grader, MarkerWithStandIns
from autograder.judging.marker import Marker
from autograder.judging.verdict import NOT_WRITTEN, Kind, Verdict
from autograder.notebooks.candidates import notebook_of
from autograder.notebooks.chapter import Chapter
from autograder.notebooks.hand_in import HandIn
from autograder.notebooks.splice import notes
from autograder.notebooks.watchdog import OutOfTime, processor_limit
from autograder.platforms.packed import write
from autograder.sandbox.sandbox import Sandbox
from autograder.sandbox.without_namespaces import strongest
from autograder.showing.unstyled import unstyled
from autograder.showing.wording import mark, printable, sentence

ROOT = Path("/autograder")
NO_RESULTS = (
    "NO RESULTS: this is no fault of the submission, and no zero. Fix the problem above, then run "
    "the autograder on it again."
)
PUBLISHED, AT_ONCE = "after_published", "visible"
ABOUT = (
    "You see the results of the public cases at once; `check` in the notebook runs them too. "
    "Points, by further cases, come with the grades."
)


def main(name: str, root: Path = ROOT) -> int:
    """Write results.json for the submission, or say why there is none and return 1."""
    target = root / "results" / "results.json"
    target.unlink(missing_ok=True)
    try:
        write(target, json.dumps(_graded(name, root), indent=1).encode())
        return 0
    except (CourseError, SandboxUnavailable) as error:
        print(printable(str(error)))
    except OSError as error:
        print(printable(f"{error.filename or target}: {error.strerror or error}."))
    except (Exception, OutOfTime):
        traceback.print_exc(file=sys.stdout)
    print(NO_RESULTS)
    return 1


def _graded(name: str, root: Path) -> dict[str, Any]:
    private = [root / folder for folder in ("source", "submission", "results")]
    for folder in private:  # whatever the image's defaults are
        folder.chmod(stat.S_IRWXU)
    chapter = load(root / "source", name)
    sandbox, lost = strongest(root / "scratch", *private)
    print(lost or "Confined by bubblewrap, in namespaces of its own.", flush=True)
    with sandbox as confined:
        return _results(chapter, root, confined)


def _results(chapter: Chapter, root: Path, sandbox: Sandbox) -> dict[str, Any]:
    """Raise CourseError where there is no verdict on an exercise."""
    source, name = root / "source", chapter.name
    released = nbformat.read(source / "exercises" / name / f"{name}.ipynb", as_version=4)
    grader = Grader(chapter, (source / SEED).read_text().strip(), sandbox)
    if fault := grader.fault():
        raise CourseError(fault)
    checks = {one: build(known) for one, known in chapter.exercises.items()}
    public = MarkerWithStandIns(chapter, checks, sandbox)
    public.limits = grader.limits
    with processor_limit():
        found = notebook_of(root / "submission", name, lambda: released)
        handed_in = HandIn.at(found.path, *found.notes)
        verdicts, notebook = grader.grade_hand_in(released, handed_in)
        shown = {} if unreadable(verdicts) else public.grade_notebook(notebook)
    _tell(verdicts, notebook)
    _refuse_faults([*shown.values(), *verdicts.values()])
    return results(_diagnosed(grader, verdicts), _diagnosed(public, shown))


def _diagnosed(marker: Marker, verdicts: dict[str, Verdict]) -> dict[str, Verdict]:
    diagnosed, errors = diagnose_all(marker.checks, verdicts)
    for error in errors:
        print(printable(f"A mistake could not be named: {error}"))
    return diagnosed


def _tell(verdicts: dict[str, Verdict], notebook: NotebookNode) -> None:
    """Print what instructors should know of a submission."""
    for name, verdict in verdicts.items():
        print(f"{name}: {verdict.kind}, {mark(verdict.points, verdict.max_points)}")
    for note in notes(notebook):
        print(printable(f"Note: {note}"))


def _refuse_faults(verdicts: Iterable[Verdict]) -> None:
    fault = next((verdict for verdict in verdicts if verdict.kind == Kind.INFRASTRUCTURE), None)
    if fault:
        raise CourseError(f"{fault.exercise} has no verdict: {fault.sentence}")


def results(graded: dict[str, Verdict], public: dict[str, Verdict]) -> dict[str, Any]:
    """Make a test with points for each exercise, shown with the grades; before it, what is public.

    Whether a test is hidden depends on no verdict: else that would tell what a secret case said.
    Raises ValueError for a verdict of infrastructure, which is no mark and no zero.
    """
    tests = []
    for number, (name, verdict) in enumerate(graded.items(), 1):
        if verdict.kind == Kind.INFRASTRUCTURE:
            raise ValueError(f"{name} has no verdict: {verdict.sentence}")
        if name in public:
            tests.append(_public_test(public[name], number))
        tests.append(_graded_test(verdict, number))
    return {
        "output": unreadable(graded) or ABOUT,
        "output_format": "text",
        "stdout_visibility": "hidden",
        "tests": tests,
    }


def unreadable(graded: dict[str, Verdict]) -> str:
    """Say why nothing of what was handed in could be graded, "" if something could."""
    reasons = {verdict.sentence for verdict in graded.values() if verdict.kind == Kind.MISSING}
    if len(reasons) == 1 and all(verdict.kind == Kind.MISSING for verdict in graded.values()):
        (reason,) = reasons
        return "" if reason == NOT_WRITTEN else sentence(reason)
    return ""


def _graded_test(verdict: Verdict, number: int) -> dict[str, Any]:
    return {
        **_plain_test(verdict, number),
        "name": verdict.exercise,
        "score": verdict.points,
        "max_score": verdict.max_points,
        "visibility": PUBLISHED,
    }


def _public_test(verdict: Verdict, number: int) -> dict[str, Any]:
    """Make a test without points: a score of all that is seen would look like the mark."""
    passed = f"<p>All {verdict.total} public cases pass. The points depend on further ones.</p>"
    return {
        **_plain_test(verdict, number),
        "output": passed if verdict.kind == Kind.PASSED else unstyled(verdict),
        "name": f"{verdict.exercise}: the public cases",
        "score": 0,
        "max_score": 0,
        "visibility": AT_ONCE,
    }


def _plain_test(verdict: Verdict, number: int) -> dict[str, Any]:
    return {
        "number": str(number),
        "name_format": "text",
        "status": "passed" if verdict.kind == Kind.PASSED else "failed",
        "output": unstyled(verdict),
        "output_format": "html",
    }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
