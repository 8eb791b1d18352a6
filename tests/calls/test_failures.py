"""Whatever class of exception a submission raises, it is told as that exception."""

import math
import sys

import pytest

from autograder.calls.observe import observe
from autograder.spec import Case


def raising(kind):
    def call(x):
        raise kind

    return observe(call, Case("case", {"x": 1})).failure


def refuse(*_):
    raise ValueError("no")


@pytest.mark.parametrize("answer", [refuse, lambda self: sys.exit(), lambda self: 5, None])
def test_an_exception_without_a_text_is_told_by_its_type(answer):
    failure = raising(type("Mute", (Exception,), {"__str__": answer, "__repr__": answer}))
    assert (failure.type, failure.message) == ("Mute", "")


def test_the_text_of_an_exception_is_plain_and_bounded():
    class Text(str):
        __slots__ = ()
        __getitem__ = __str__ = __len__ = refuse

    def long(self):
        return Text("x" * 10**6)

    failure = raising(type("Long", (Exception,), {"__str__": long}))
    assert type(failure.message) is str and len(failure.message) == 500


@pytest.mark.parametrize("part", [refuse, 5, None, [1], -(10**30), 10**30, math.nan])
def test_a_syntax_error_whose_parts_are_anything_is_told_as_one(part):
    parts = {name: property(part) if part is refuse else part for name in
             ("msg", "text", "lineno")}  # fmt: skip
    failure = raising(type("Odd", (SyntaxError,), {**parts, "__init__": lambda self: None}))
    assert failure.type == "Odd"
    assert type(failure.line) is int and 0 <= failure.line <= 100_000
    assert type(failure.message) is type(failure.source) is str


def test_an_exception_that_hides_where_it_was_raised_is_told_all_the_same():
    hidden = type("Hidden", (Exception,), {"__traceback__": property(refuse)})
    assert raising(hidden).type == "Hidden"
