"""The judge of the warm-ups, in this Python; test_warm_up_pages.py has it in the browser's."""

import importlib

import pytest
from judge import judge
from warm_up_answers import VARIANTS

NAMES = (
    *("blend", "score_row", "scaled_row", "masked_row", "attend_by_head", "ask_memory"),
    "normalise",
    "turned_score",
    "add_key",
    "nucleus",
    "prefix_gaps",
    "merge_pair",
    "delta_write",
)
MISTAKES = [
    pytest.param(name, function.__name__, hint, id=f"{name}-{function.__name__}")
    for name in NAMES
    for function, hint in importlib.import_module(name).warm_up.mistakes.items()
]


def warm_up(name):
    return importlib.import_module(name).warm_up


def said(verdict):
    return dict(verdict["parts"])


def blend(body):
    """The verdict on a `blend` with this body."""
    return judge(warm_up("blend"), f"def blend(exp_scores, values):\n    {body}\n")


@pytest.mark.parametrize("name", NAMES)
def test_what_is_right_passes_however_it_is_written(name):
    right = f"from {name} import right as {name}"
    for source in (right, *VARIANTS[name]):
        assert judge(warm_up(name), source)["kind"] == "passed", source


@pytest.mark.parametrize(("name", "mistake", "hint"), MISTAKES)
def test_a_known_mistake_is_told_its_own_hint(name, mistake, hint):
    verdict = judge(warm_up(name), f"from {name} import {mistake} as {name}")
    assert verdict["kind"] in {"wrong", "raised"}
    assert said(verdict)["Look at"] == hint
    assert hint.endswith((".", "?"))


@pytest.mark.parametrize("name", NAMES)
def test_an_unknown_mistake_is_told_the_first_difference_without_a_hint(name):
    source = f"""
from {name} import right
def changed(result):
    return [*result[:-1], changed(result[-1])] if isinstance(result, list) else result + 0.3
{name} = lambda *inputs: changed(right(*inputs))
"""
    verdict = judge(warm_up(name), source)
    case, arguments = warm_up(name).cases[0]
    assert (verdict["kind"], said(verdict)["First case that fails"]) == ("wrong", case)
    assert said(verdict)["The call"].startswith(f"`{name}([")
    right, place = warm_up(name).right(*arguments), ""
    while isinstance(right, list):
        right, place = right[-1], f"{place}[{len(right) - 1}]"
    place = f"Entry `{place}`" if place else "The result"
    assert said(verdict)["What happened"].startswith(f"{place} is `")
    assert "Look at" not in said(verdict)


def test_cases_that_pass_are_named_before_the_first_that_fails():
    verdict = blend("return sum(values) / len(values)")
    assert verdict["headline"] == "2 of 4 cases pass"
    assert said(verdict)["Right so far"] == "a tie; one key"


def test_expected_and_actual_stand_below_each_other_with_digits_that_tell_them_apart():
    source = "from score_row import right\nscore_row = lambda q, k: [x + 1e-5 for x in right(q, k)]"
    verdict = said(judge(warm_up("score_row"), source))
    assert (verdict["Expected"], verdict["Yours"]) == ("`[-1, 5]`", "`[-0.99999, 5.00001]`")


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ("pass", "Your function returns nothing. Does it end with `return`?"),
        ("return 'a'", "The result is of the type `str`, and should be a number."),
        ("return [18]", "The result is a list of 1, and should be a number."),
        ("return float('nan')", "The result is `nan`, and should be `18`."),
        ("return 10 ** 400", "OverflowError: int too large to convert to float."),
        ("values[0] = values[0] * 1; values.append(0); return 18.0", "changed a list"),
    ],
)
def test_a_result_that_is_no_number_is_told_in_words(body, sentence):
    assert sentence in said(blend(body))["What happened"]


@pytest.mark.parametrize(
    ("body", "line", "sentence"),
    [
        (
            "total = sum(exp_scores)\n    return total / 0",
            3,
            "ZeroDivisionError: division by zero.",
        ),
        ("return sum(exp_scores, values)", 2, "TypeError"),
        ("return blend(exp_scores, values)", 2, "RecursionError: maximum recursion depth"),
        ("return sum(exp_scores", 2, "Python cannot read this: '(' was never closed."),
        ("import torchvision_is_not_here", 2, "There is no `torchvision_is_not_here` here"),
        ("raise SystemExit(3)", 2, "SystemExit: 3."),
    ],
)
def test_an_error_is_shown_at_the_readers_own_line(body, line, sentence):
    verdict = blend(body)
    assert (verdict["kind"], verdict["line"]) == ("raised", line)
    assert said(verdict)["What happened"].startswith(sentence)
    assert f"Line {line} of your code" in said(verdict)


def test_what_is_printed_is_that_of_the_case_shown_and_its_beginning_only():
    verdict = blend("print('values', values)\n    return exp_scores[0]")
    assert verdict["printed"] == "values [8, 16, 40]\n"
    assert len(blend("print('a' * 10 ** 6)")["printed"]) == 2000


def test_code_that_defines_something_else_is_told_the_name():
    assert "Nothing is named `blend`" in said(judge(warm_up("blend"), "x = 1"))["What happened"]
