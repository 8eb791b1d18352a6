"""Whatever class of exception a submission raises, it is told as that exception."""

import math
import sys

import pytest

from autograder.author import Case
from autograder.confined.failures import AN_INPUT, THE_CHECK
from autograder.confined.observe import observe
from autograder.exercise.specimen import Specimen


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


def run(source, **inputs):
    """What a call does whose function or class stands in a cell."""
    names = {}
    exec(compile(source, "<cell answer>", "exec"), names)
    through = inputs.pop("through", None)
    construct = {} if through else None
    case = Case("case", inputs, construct=construct, through=through)
    return observe(names["answer"], case).failure


def test_what_an_input_raises_is_not_told_as_the_learners_own():
    strict = Specimen("def strict(rows):\n    batch, length = rows\n")
    failure = run("def answer(call):\n    return call([1, 2, 3])\n", call=strict)
    assert (failure.line, failure.within) == (2, AN_INPUT)
    failure = run("def answer(call):\n    one, two = [1, 2, 3]\n", call=strict)
    assert (failure.line, failure.within) == (2, "")


def test_where_the_check_cannot_use_what_comes_back_it_says_so():
    uses = Specimen("def uses(made, rows):\n    one, two = made.step(rows)\n    return one\n")
    cell = "class answer:\n    def step(self, rows):\n        return {}\n"
    failure = run(cell.format("1, 2, 3"), rows=1, through=uses)
    assert (failure.line, failure.within) == (0, THE_CHECK)
    assert run(cell.format("rows[0]"), rows=1, through=uses).within == ""
