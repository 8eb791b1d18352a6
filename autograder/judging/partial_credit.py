"""Partial credit: which groups of an exercise's cases and properties hold, and what they earn."""

from autograder.exercise.observation import Observation
from autograder.judging.checks import CheckedCase, Checks
from autograder.judging.problems import problem

CORE = ""  # in the place of a group's name: all that is in no group


def missed(checks: Checks, checked: CheckedCase, seen: Observation, device: str) -> set[str]:
    """The groups that one case which fails costs; CORE is among them where it is in none.

    A property is looked at only where nothing else is wrong.
    """
    if not checks.groups:
        return {CORE}
    grouped = {relation for group in checks.groups for relation in group.properties}
    ungrouped = tuple(relation for relation in checks.properties if relation not in grouped)
    if problem(checks, checked, seen, device, ungrouped):
        name = checked.case.name
        return {next((group.name for group in checks.groups if name in group.cases), CORE)}
    return {
        group.name for group in checks.groups
        if problem(checks, checked, seen, device, group.properties)
    }  # fmt: skip


def earned(checks: Checks, lost: set[str]) -> dict[str, tuple[int, int]]:
    """By group, the points that it earned and those that it can; none before the core passes."""
    return {
        group.name: (0 if {CORE, group.name} & lost else group.points, group.points)
        for group in checks.groups
    }


def points(checks: Checks, lost: set[str]) -> int:
    """Of the whole exercise."""
    if CORE in lost:
        return 0
    return checks.points - sum(most - given for given, most in earned(checks, lost).values())
