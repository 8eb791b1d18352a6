"""The capstone from its stubs to a text: the right answers train a model, as a learner does."""

import ast
import re

import pytest

from autograder.calls.files import REPOSITORY
from autograder.course.solutions import load
from autograder.notebooks.chapter import reference

CHAPTER = "12_language_model"
SMALL = {"STEPS": 30, "WIDTH": 16, "VOCABULARY": 300}


@pytest.fixture(scope="module")
def ending(tmp_path_factory):
    """What the last cells of the notebook made, with a small model and the right answers."""
    source = (REPOSITORY / "solutions" / CHAPTER / f"{CHAPTER}.md").read_text()
    cells = re.findall(
        r"```\{code-cell\} ipython3\n(?:---\n(.*?)---\n)?(.*?)```", source, re.DOTALL
    )
    names: dict[str, object] = {}
    answers = reference(load(REPOSITORY, CHAPTER))
    block = REPOSITORY / "solutions" / "07_block" / "given" / "CausalBlock.py"
    codes = [code for meta, code in cells if "role: setup" in meta]
    codes += [block.read_text(), *answers.values()]
    codes += [code for meta, code in cells if not meta and "def the_text" in code]
    for code in codes:
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


def test_it_writes_bytes_of_its_vocabulary(ending):
    assert len(ending["new"]) == 80
    assert all(0 <= token < SMALL["VOCABULARY"] for token in ending["new"])


def test_no_paragraph_of_the_test_is_in_training(ending):
    found = [re.split(r"\n\s*\n", "\n\n".join(texts)) for texts in ending["the_text"]()]
    train, test = ({part.strip() for part in parts if part.strip()} for parts in found)
    assert train and test and not train & test
