"""Judge a warm-up: a small function of plain Python lists, written in the page.

The page runs these files in Pyodide and the tests run them in CPython, so they import nothing but
each other. Nothing is graded here: whoever wants the expected values may read them.
"""

import importlib
import json

from judge_code import PRINTED, Code, Seen
from judge_values import NOTHING, difference, show, shown

MISSING, PASSED, RAISED, WRONG = "missing", "passed", "raised", "wrong"


class WarmUp:
    """One function to write: its cases, its stub, what is right and what is often wrong.

    A case is a name and the arguments: `("the three tokens", [1, 6, 1], [8, 16, 40])`.
    """

    def __init__(self, *cases):
        self.cases = [(name, arguments) for name, *arguments in cases]
        self.mistakes = {}  # function -> hint

    def stub(self, function):
        """The function as the reader finds it."""
        self.name, self.written = function.__name__, function
        return function

    def oracle(self, function):
        """What is right."""
        self.right = function
        return function

    def mistake(self, hint):
        """What is often written instead, and what its author should look at."""

        def keep(function):
            self.mistakes[function] = hint
            return function

        return keep

    def calls(self, function):
        return [Seen(function, arguments) for _, arguments in self.cases]


def judge(warm_up, source):
    """The verdict on the reader's code, as a dict that JSON can hold.

    kind: missing, passed, raised or wrong. parts: pairs of a label and a text, with code between
    backticks. line: where the code failed, counted from 1, or 0.
    """
    code = Code(source)
    function = code.names.get(warm_up.name)
    if code.failure:
        return _verdict(RAISED, "does not run", _failed(code.failure, source), code)
    if not callable(function):
        text = f"Nothing is named `{warm_up.name}`. Keep the name of the function."
        return _verdict(MISSING, "not found", [("What happened", text)], code)
    seen, right = warm_up.calls(function), warm_up.calls(warm_up.right)
    passed = [mine.same(expected) for mine, expected in zip(seen, right, strict=True)]
    if all(passed):
        return _verdict(PASSED, f"all {len(seen)} cases pass", [], code, seen[0])
    first = passed.index(False)
    failure = seen[first].failure
    if failure and failure.kind == "NotImplementedError":
        text = "Write your lines in the place of `raise NotImplementedError` and run them."
        return _verdict(MISSING, "not written yet", [("Next", text)], code)
    parts = _right_so_far(warm_up, passed) + _called(warm_up, first)
    parts += _failed(failure, source) if failure else _differs(right[first], seen[first])
    hint = warm_up.mistakes.get(recognised(warm_up, seen, first))
    parts += [("Look at", hint)] if hint else []
    headline = f"{sum(passed)} of {len(passed)} cases pass"
    return _verdict(RAISED if failure else WRONG, headline, parts, code, seen[first])


def recognised(warm_up, seen, first):
    """The mistake whose answers these are, or None.

    Numbers do not agree by chance, so it is enough to agree in the case that fails first, and the
    mistake that agrees most often is named. Exceptions do: there every case must agree.
    """
    best, found = 0, None
    for function in warm_up.mistakes:
        its = warm_up.calls(function)
        same = [mine.same(other) for mine, other in zip(seen, its, strict=True)]
        if same[first] and sum(same) > best and (all(same) or not seen[first].failure):
            best, found = sum(same), function
    return found


def _right_so_far(warm_up, passed):
    names = [name for (name, _), good in zip(warm_up.cases, passed, strict=True) if good]
    return [("Right so far", "; ".join(names))] if names else []


def _called(warm_up, first):
    name, arguments = warm_up.cases[first]
    call = f"{warm_up.name}({', '.join(show(one) for one in arguments)})"
    return [("First case that fails", name), ("The call", f"`{call}`")]


def _failed(failure, source):
    parts = [("What happened", failure.sentence)]
    if failure.line:
        line = source.split("\n")[failure.line - 1].strip()
        parts.append((f"Line {failure.line} of your code", f"`{line}`"))
    return parts


def _differs(right, seen):
    """What should have come out, and what did."""
    sentence = difference(right.value, seen.value)
    if not sentence:
        text = "The result is right, but your function changed a list that it was given."
        return [("What happened", text)]
    if not isinstance(right.value, list) or seen.value == NOTHING:
        return [("What happened", sentence)]
    expected, yours = shown(right.value, seen.value)
    return [("What happened", sentence), ("Expected", f"`{expected}`"), ("Yours", f"`{yours}`")]


def _verdict(kind, headline, parts, code, seen=None):
    failure = seen.failure if seen else code.failure
    return {
        "kind": kind,
        "headline": headline,
        "parts": parts,
        "printed": (code.printed + (seen.printed if seen else ""))[:PRINTED],
        "line": failure.line if failure else 0,
    }


def answer(name, source):
    """For the page: the verdict on the code for the warm-up of this name, as JSON."""
    return json.dumps(judge(importlib.import_module(name).warm_up, source))
