"""The capstone from its stubs to a text: the right answers train a model, as a learner does."""

import ast
import re

import lm_notebook
import measurements
import pytest

SMALL = {"STEPS": 50, "WIDTH": 16, "VOCABULARY": 300}


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
    assert len(ending["losses"]) == SMALL["STEPS"]
    assert ending["losses"][-1] < ending["losses"][0]
    assert 1 < ending["bits"] < 8


def test_it_writes_a_text_that_is_decoded_from_its_tokens(ending):
    assert isinstance(ending["written"], str)
    assert len(ending["written"]) >= 80 / 4  # a character has at most four bytes
    assert (
        ending["decode"](ending["encode"]("The following", ending["merges"]), ending["merges"])
        == "The following"
    )


def test_the_figure_has_the_learners_curve_and_that_of_the_worked_solution(ending):
    curves = {line.get_label(): line for line in ending["plt"].gcf().axes[0].lines}
    assert len(curves["yours, in training"].get_ydata()) == SMALL["STEPS"] / lm_notebook.TOGETHER
    assert (
        list(curves["the worked solution's, in training"].get_ydata()) == ending["SOLUTION_CURVE"]
    )


def test_the_numbers_in_the_notebook_are_those_that_were_measured(ending):
    ngrams = measurements.load("lm_models")["numbers"]
    solution = measurements.load("lm_notebook")
    assert ending["PAIRS"] == round(ngrams["ngram_2"]["value"], 2)
    assert ending["ROWS_OF_FIVE"] == round(ngrams["ngram_5"]["value"], 2)
    assert ending["SOLUTION"] == round(solution["numbers"]["bits"]["value"], 2)
    assert ending["SOLUTION_CURVE"] == solution["series"]["curve"]


def test_no_paragraph_of_the_test_is_in_training(ending):
    found = [re.split(r"\n\s*\n", "\n\n".join(texts)) for texts in ending["the_text"]()]
    train, test = ({part.strip() for part in parts if part.strip()} for parts in found)
    assert train and test and not train & test
