"""What is right is tried under many secret seeds, and what fails under some of them is named."""

import re
import shutil

from autograder.cli import main

RARELY_RIGHT = """

@exercise.variant
def right_without_negative_numbers(values):
    return values.abs() / values.sum(-1, keepdim=True)
"""
CASE = '    yield Case("one row", {"values": rng.normal(1, 6).abs() + 0.1})'
ONE_MAY_BE_NEGATIVE = """
    values = rng.normal(1, 6).abs() + 0.1
    values[0, 0] *= 1 if rng.integer(0, 2) else -1
    yield Case("one row", {"values": values})
"""

REFUSED = re.compile(
    r"normalise: variant right_without_negative_numbers does not pass: Each row should sum to 1\. "
    r"That is on case 'one row', where the largest error is \S+ of the largest entry; "
    r"\S+ is allowed\.$"
)


def test_an_answer_that_fails_under_some_seeds_is_named_with_those_seeds(
    toy_root, tmp_path, sandbox, capsys
):
    root = tmp_path / "course"
    shutil.copytree(toy_root / "solutions", root / "solutions")
    assert main(["selftest", "01_toy", "--seeds", "4", "--root", str(root)]) == 0
    assert "01_toy: every right answer passes under 4 seeds" in capsys.readouterr().out
    path = root / "solutions" / "01_toy" / "normalise.py"
    source = path.read_text()
    assert CASE in source
    path.write_text(source.replace(CASE, ONE_MAY_BE_NEGATIVE) + RARELY_RIGHT)
    assert main(["selftest", "01_toy", "--seeds", "8", "--root", str(root)]) == 1
    *told, last = capsys.readouterr().out.splitlines()
    assert 0 < len(told) < 8
    assert all(REFUSED.search(line) for line in told)
    assert last == f"01_toy: {len(told)} to correct under 8 seeds"


def test_one_exercise_is_tried_under_many_seeds_alone(root, folder, sandbox, capsys):
    path = folder / "normalise.py"
    path.write_text(path.read_text().replace(CASE, ONE_MAY_BE_NEGATIVE) + RARELY_RIGHT)
    command = ["selftest", "01_toy", "average", "Scale", "--seeds", "2", "--root", str(root)]
    assert main(command) == 0
    said = "01_toy average Scale: every right answer passes under 2 seeds\n"
    assert capsys.readouterr().out.endswith(said)
