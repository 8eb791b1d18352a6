"""Which exercise a learner means by `check(...)`; where it is none, what to write instead."""

from collections.abc import Callable, Collection
from difflib import get_close_matches
from typing import Any

from autograder.common.errors import CheckFailed
from autograder.showing.wording import printable

NAME = 60  # characters of a name that are repeated


def meant(
    given: tuple[Any, ...], exercises: Collection[str], namespace: dict[str, Any]
) -> tuple[str, Callable[..., Any]]:
    """The exercise's name, and what is to be tried: the function or class, or what has that name.

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
        raise CheckFailed(f"check takes the class, not an object made of it: check({made_of}).")
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
    """The exercise that has the target's own name or that of a variable; "" if none has."""
    name = getattr(target, "__name__", "")
    if isinstance(name, str) and name in exercises:
        return name
    return next((one for one in exercises if one in namespace and namespace[one] is target), "")


def _no_function(target: Any, known: str, exercises: Collection[str]) -> str:
    kind = _kind(target)
    if known:
        return f"{known} is {kind} by now. Run the cell that defines it, then check({known})."
    what = f"check takes the function itself, and this is {kind}, perhaps what it returned"
    return f"{what}: {_offered(exercises)}"


def _no_exercise(name: str, exercises: Collection[str]) -> str:
    """With the exercise that is written nearly so, if there is one."""
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
