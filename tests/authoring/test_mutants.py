"""Right code with one mistake in it: what the grader accepts is printed, unless it is explained."""

import json
import shutil

import pytest

from autograder.authoring.mutants import mutants
from autograder.authoring.mutation import SURVIVORS, scores
from autograder.authoring.remarks import remarks
from autograder.chapters.solutions import load
from autograder.cli import main
from autograder.common.errors import CourseError

SOURCE = '''
def attend(query, key):
    """Never changed: 1 and 2."""
    scores = query @ key.mT / query.size(-1) ** 0.5
    if scores.size(0) > 1:
        return scores.softmax(dim=-1)
    return scores
'''


def test_each_mutant_has_one_mistake_and_no_two_are_alike():
    made = mutants("reference", SOURCE)
    names = [mutant.name for mutant in made]
    assert len({*names}) == len({mutant.source for mutant in made}) == len(made) > 20
    assert all("Never changed: 1 and 2." in mutant.source for mutant in made)
    changes = " ".join(names)
    for slip in ("dim=-2", "key.mT / query.size(-1) ** 1.0", "query @ key /", "scores.size(0) >= 1",
                 "if True", "if False", "return scores.detach()", "key.mT @ query"):  # fmt: skip
        assert slip in changes, slip


def test_what_is_returned_and_is_no_tensor_gets_no_method_of_a_tensor():
    source = (
        "def leaks(a, b):\n    if a:\n        return False\n    return all(x > y for x, y in b)"
    )
    made = " ".join(mutant.name for mutant in mutants("reference", source))
    assert "return True" in made
    assert not any(name in made for name in (".float()", ".squeeze()", ".mT", ".detach()"))


def test_a_cut_gradient_is_no_mistake_where_no_gradient_is_asked_for():
    assert not any("detach" in mutant.source for mutant in mutants("reference", SOURCE, cut=False))


@pytest.fixture
def toy_copy(toy_root, tmp_path):
    shutil.copytree(toy_root / "solutions", tmp_path / "solutions")
    return tmp_path


def test_what_passes_is_printed_until_the_chapter_says_why_it_is_no_mistake(
    toy_copy, sandbox, capsys
):
    assert main(["selftest", "01_toy", "--mutants", "--root", str(toy_copy)]) == 1
    told = [line for line in capsys.readouterr().out.splitlines() if ": passes: " in line]
    exercise, _, name = told[0].split(": ", 2)
    known = {exercise: {name: "because"}}
    (toy_copy / "solutions" / "01_toy" / SURVIVORS).write_text(json.dumps(known))
    main(["selftest", "01_toy", "--mutants", "--root", str(toy_copy)])
    again = [line for line in capsys.readouterr().out.splitlines() if ": passes: " in line]
    assert again == told[1:]


def test_an_explanation_of_what_does_not_pass_is_told(toy_copy, sandbox):
    known = {"normalise": {"reference: `no such line` → `another`": "because"}}
    (toy_copy / "solutions" / "01_toy" / SURVIVORS).write_text(json.dumps(known))
    first = next(scores(load(toy_copy, "01_toy"), sandbox))
    assert first.stale == [*known["normalise"]]
    assert first.outcome.mutants == first.rejected + first.explained + len(first.survivors)


def test_a_file_of_explanations_that_is_damaged_is_told(toy_copy):
    (toy_copy / "solutions" / "01_toy" / SURVIVORS).write_text("{")
    with pytest.raises(CourseError, match=r"survivors.json cannot be read"):
        remarks(load(toy_copy, "01_toy").folder / SURVIVORS)
