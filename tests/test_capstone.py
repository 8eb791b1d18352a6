"""The capstone from its stubs to a story: the right answers train a model, as a learner does."""

import ast

import lm_notebook
import measurements
import pytest
import stories

SMALL = {"STEPS": 40, "WIDTH": 16, "LAYERS": 1, "STORIES": 50, "TESTED": 5}


@pytest.fixture(scope="module")
def ending():
    """What the last cells of the notebook made, with a small model and the right answers."""
    names: dict[str, object] = {}
    for code in lm_notebook.cells():
        exec(smaller(code), names)
    return names


def smaller(code):
    """The cell with less to train, and with an error that is raised instead of told."""
    tree = ast.parse(code)
    for node in ast.walk(tree):
        if isinstance(node, ast.Try):
            node.handlers[0].type = ast.Name("KeyboardInterrupt", ast.Load())
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple):
            for target, value in zip(
                node.targets[0].elts, getattr(node.value, "elts", ()), strict=False
            ):
                if isinstance(target, ast.Name) and target.id in SMALL:
                    value.value = SMALL[target.id]
    return compile(ast.fix_missing_locations(tree), "cell", "exec")


def test_the_right_answers_train_a_model_that_knows_more_than_nothing(ending):
    assert len(ending["curve"]) == SMALL["STEPS"]
    assert ending["curve"][-1] < ending["curve"][0]
    assert ending["floor"] < ending["bits"] < 8


def test_it_writes_stories_that_are_judged_line_by_line(ending):
    assert len(ending["texts"]) == 20
    for text in ending["texts"]:
        lines = [line for line, _ in ending["judged"](text)]
        assert lines == text.split("\n")[:-1]
    assert {word for _, word in ending["judged"](stories.told("judged").text)} == {"", "true"}


def test_the_figure_has_the_learners_curve_and_that_of_the_worked_solution(ending):
    curves = {line.get_label(): line for line in ending["plt"].gcf().axes[0].lines}
    assert list(curves["yours"].get_ydata()) == ending["curve"]
    assert list(curves["the worked solution's"].get_ydata()) == ending["SOLUTION_CURVE"]


def test_the_numbers_in_the_notebook_are_those_that_were_measured(ending):
    assert ending["SOLUTION_CURVE"] == measurements.load("lm_notebook")["series"]["curve"]
    models = measurements.load("stories_models")
    assert ending["COUNTS"] == round(models["numbers"]["answer_ngram"]["value"], 2)
    of_seed_0 = models["series"]["curves"]["gru"][0][1:]
    assert ending["GRU_CURVE"] == [round(bits, 2) for _, _, bits, _ in of_seed_0]
