"""In Gradescope's container: grade the one submission that is there, as `attn grade` would.

The zip of `gradescope_zip.py` runs this as root. What it prints is for instructors. What lies
where: https://gradescope-autograders.readthedocs.io/en/latest/specs/
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
from autograder.judging.verdict import Kind, Verdict
from autograder.notebooks.candidates import notebook_of
from autograder.notebooks.chapter import Chapter
from autograder.notebooks.hand_in import HandIn
from autograder.notebooks.splice import notes
from autograder.notebooks.watchdog import OutOfTime, processor_limit
from autograder.platforms.gradescope_results import results, unreadable
from autograder.platforms.packed import write
from autograder.sandbox.sandbox import Sandbox
from autograder.sandbox.without_namespaces import strongest
from autograder.showing.wording import mark, printable

ROOT = Path("/autograder")
NO_RESULTS = (
    "NO RESULTS: this is no fault of the submission, and no zero. Mend what is said above, then "
    "run the autograder on it again."
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
    """Raises CourseError where there is no verdict on an exercise."""
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


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
