"""A learner calls `check` in the notebook: it runs the public cases and shows a card."""

import contextlib
import io
import os
import sys
import warnings
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from typing import Any

import torch

from autograder.common.errors import CheckFailed, OtherFormat, WireError
from autograder.common.files import CHECKS
from autograder.confined.observe import observe
from autograder.diagnosis.diagnose import diagnose
from autograder.exercise.tensors import one_thread
from autograder.judging import checks, checks_file
from autograder.judging.judge import judge
from autograder.judging.verdict import Kind, Verdict, on_gpu
from autograder.learner import progress
from autograder.showing.card import Card
from autograder.showing.display import show
from autograder.showing.wording import printable


def check(*exercise: Any, keep: bool = True) -> None:
    """Try one exercise, a function or class, on its public cases and show what happened.

    Its name as a text also works. Raises CheckFailed unless every case passes, and if no exercise
    is meant. The cases are in `checks.safetensors` beside the notebook. If there is a CUDA device,
    they run on it too. What works only in this notebook is named, and costs nothing here.
    `keep` the result in your `progress.json` there.
    """
    known = public_checks(Path(CHECKS))
    namespace = sys._getframe(1).f_globals
    name, target = meant(exercise, known, namespace)
    wanted = known[name]
    verdict = try_public(wanted, target)
    if verdict.kind not in (Kind.PASSED, Kind.MISSING):
        verdict = replace(verdict, solve_first=_unsolved(wanted, known, namespace))
    if keep:
        progress.note(Path(), verdict)
    show(Card(verdict, Path(), _refused(name, known)))
    if verdict.kind != Kind.PASSED:
        raise CheckFailed(verdict.sentence)


def _refused(name: str, known: dict[str, checks.Checks]) -> list[str]:
    """Say what of the exercise does not work where it is graded, by the cells that IPython ran."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    if shell is None or shell.history_manager is None:
        return []
    from autograder.learner.only_here import only_here  # which only this needs

    return only_here(name, known, list(shell.history_manager.input_hist_raw))


def _unsolved(
    wanted: checks.Checks, known: dict[str, checks.Checks], namespace: dict[str, Any]
) -> tuple[str, ...]:
    """Return what the exercise builds on and what does not pass: there the cause may lie."""
    return tuple(
        name
        for name in wanted.builds_on
        if name in namespace and try_public(known[name], namespace[name]).kind != Kind.PASSED
    )


def try_public(wanted: checks.Checks, target: Callable[..., Any]) -> Verdict:
    """Judge the public cases: on the CPU, then on CUDA if there is one and it matters."""
    both = wanted.on_any_device and torch.cuda.is_available()
    devices = ("cpu", "cuda") if both else ("cpu",)
    for device in devices:
        # One thread, as where it is graded: on a busy machine more would wait for each other.
        quiet = contextlib.redirect_stderr(io.StringIO())
        with one_thread(), warnings.catch_warnings(), quiet, as_graded():
            warnings.simplefilter("ignore")  # nbgrader takes a warning on stderr for a failure
            seen = [observe(target, checked.case, device) for checked in wanted.cases]
        verdict = diagnose(wanted, judge(wanted, seen, device))
        if verdict.kind != Kind.PASSED:
            break
    return verdict if device == "cpu" else on_gpu(verdict)


def public_checks(path: Path) -> dict[str, checks.Checks]:
    """Return the checks of a notebook.

    Raises CheckFailed if the file is missing, damaged or for another version of the engine.
    """
    try:
        about = path.stat()
        return _loaded(path.resolve(), about.st_mtime_ns, about.st_size)
    except FileNotFoundError:
        sentence = f"{path.name} was not found in {path.resolve().parent}."
    except OtherFormat as error:
        raise CheckFailed(str(error)) from None
    except WireError:
        sentence = f"{path.resolve()} is damaged."
    raise CheckFailed(f"{sentence} Put the file that came with the notebook beside it.")


@lru_cache(maxsize=32)  # chapters, which the tutor may all be asked about
def _loaded(path: Path, *_: int) -> dict[str, checks.Checks]:
    """Read once, and again where it has changed: half of a check would be to read its file."""
    return checks_file.load(path)


SWITCH = "TORCHDYNAMO_DISABLE"  # torch's own, for what is compiled from now on


@contextlib.contextmanager
def as_graded() -> Iterator[None]:
    """Within it nothing that `torch.compile` made or makes runs compiled. Loads no compiler."""
    loaded = "torch._dynamo" in sys.modules  # or nothing was compiled before
    dtype, switch = torch.get_default_dtype(), os.environ.get(SWITCH)
    torch.set_default_dtype(torch.float32)
    os.environ[SWITCH] = "1"
    try:
        with torch.compiler.set_stance("force_eager") if loaded else contextlib.nullcontext():
            yield
    finally:
        torch.set_default_dtype(dtype)
        del os.environ[SWITCH]
        if switch is not None:
            os.environ[SWITCH] = switch


NAME = 60  # characters of a name that are repeated


def meant(
    given: tuple[Any, ...], exercises: Collection[str], namespace: dict[str, Any]
) -> tuple[str, Callable[..., Any]]:
    """Return the exercise's name, and what is to be tried: the function or class with that name.

    A lambda is known by the variable that holds it. Raises CheckFailed with one sentence where
    nothing, several things, a result, or an object of a class were given.
    """
    if len(given) != 1:
        some = "one exercise at a time" if given else "the name of an exercise"
        raise CheckFailed(f"check takes {some}: {_offered(exercises)}")
    (target,) = given
    if isinstance(target, str):
        return _named(target.strip().removesuffix("()"), exercises, namespace)
    made_of = type(target).__name__
    if made_of in exercises:
        raise CheckFailed(f"check takes the class, not an object of it: check({made_of}).")
    known = _known(target, exercises, namespace)
    if not callable(target):
        raise CheckFailed(_no_function(target, known, exercises))
    if not known:
        name = printable(str(getattr(target, "__name__", _kind(target))), NAME)
        raise CheckFailed(_no_exercise(name, exercises))
    return known, target


def _named(
    name: str, exercises: Collection[str], namespace: dict[str, Any]
) -> tuple[str, Callable[..., Any]]:
    if name not in exercises:
        raise CheckFailed(_no_exercise(printable(name, NAME), exercises))
    if name not in namespace:
        raise CheckFailed(f"{name} is not defined yet. Run the cell above, then check({name}).")
    return meant((namespace[name],), exercises, namespace)


def _known(target: Any, exercises: Collection[str], namespace: dict[str, Any]) -> str:
    """Return the exercise that has the target's own name or that of a variable; "" if none has."""
    name = getattr(target, "__name__", "")
    if isinstance(name, str) and name in exercises:
        return name
    return next((one for one in exercises if one in namespace and namespace[one] is target), "")


def _no_function(target: Any, known: str, exercises: Collection[str]) -> str:
    kind = _kind(target)
    if known:
        return f"{known} is now {kind}. Run the cell that defines it, then check({known})."
    what = f"check takes the function itself, and this is {kind}, perhaps what it returned"
    return f"{what}: {_offered(exercises)}"


def _no_exercise(name: str, exercises: Collection[str]) -> str:
    """Say so, and name the exercise that is written nearly so, if there is one."""
    alike = get_close_matches(name, exercises, n=1)
    meant_so = f" Did you mean check({alike[0]})?" if alike else ""
    return f"{name} is no exercise of this notebook; it has {', '.join(exercises)}.{meant_so}"


def _offered(exercises: Collection[str]) -> str:
    return f"check({next(iter(exercises), '')}), say. This notebook has {', '.join(exercises)}."


def _kind(value: Any) -> str:
    """Name the type, as "a Tensor", never the value itself."""
    if value is None:
        return "None"
    name = printable(type(value).__name__, NAME)
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"
