"""A self-test looks again at what has changed since the last one, and at nothing else."""

import pytest

from autograder.authoring import last_run
from autograder.authoring.last_run import LastRun
from autograder.authoring.mutation import scores
from autograder.authoring.selftest import selftest
from autograder.chapters.solutions import load
from autograder.cli import main

EXERCISES = ["normalise", "average", "Scale"]


@pytest.fixture
def run(root):
    """The last run, as a self-test finds it that begins now."""
    return lambda confined=True: LastRun(load(root, "01_toy"), confined)


@pytest.fixture
def known(run, folder):
    """Which exercises are still known after a first run has looked at all of them."""
    (folder / "shared.py").write_text("WIDTH = 3\n")
    (folder / "average_misconceptions.py").write_text("from .shared import WIDTH\n")
    for name in EXERCISES:
        run().keep("selftest", name, True)
    return lambda *how: [name for name in EXERCISES if run(*how).find("selftest", name)]


def append(path, text="\n"):
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        file.write(text)


def test_a_known_exercise_is_not_run_again(root, run):
    for name in EXERCISES:
        run().keep("selftest", name, True)
    reports = [*selftest(load(root, "01_toy"), None, last_run=run())]
    assert [(one.exercise, one.named == one.misconceptions > 0) for one in reports] == [
        (name, True) for name in EXERCISES
    ]


@pytest.mark.parametrize(
    ("file", "left"),
    [
        ("normalise.py", ["average", "Scale"]),
        ("average_misconceptions.py", ["normalise", "Scale"]),
        ("shared.py", ["normalise", "Scale"]),
        ("accepted/Scale/answer_1.py", ["normalise", "average"]),
        ("survivors.json", EXERCISES),
        ("../course.toml", []),
    ],
)
def test_a_changed_file_makes_its_exercises_unknown(known, folder, file, left):
    assert known() == EXERCISES
    append(folder / file, "{}" if file.endswith("json") else "\n")
    assert known() == left


@pytest.mark.parametrize(
    ("before", "after", "left"),
    [
        ("## 2. Average", "## 2. The average", EXERCISES),
        ("import torch\n", "import torch\nimport math\n", []),
        ("return normalise(weights)", "return  normalise(weights)", ["normalise", "Scale"]),
        ("values / values.sum", "values  / values.sum", ["Scale"]),  # average calls it
        ("def average(", "WIDTH = 3\n\ndef average(", []),  # who knows what else a cell does
    ],
)
def test_code_of_the_notebook_is_of_the_exercises_that_it_can_matter_to_and_text_of_none(
    known, folder, before, after, left
):
    text = folder / "01_toy.md"
    assert text.read_text().count(before) == 1
    text.write_text(text.read_text().replace(before, after))
    assert known() == left


def test_a_new_exercise_makes_no_other_unknown(known, folder):
    copied = (folder / "Scale.py").read_text().replace('"Scale"', '"Stretch"')
    (folder / "Stretch.py").write_text(copied)
    text = folder / "01_toy.md"
    before, marked, after = text.read_text().partition('+++ {"about": "average"}\n')
    new = marked + after.partition('+++ {"about": "Scale"}\n')[2].partition("```\n\n")[0]
    new = new.replace("Scale", "Stretch").replace("average", "Stretch")
    text.write_text(f"{before}{new}```\n\n{marked}{after}")
    assert known() == EXERCISES


def test_another_engine_another_library_or_no_sandbox_makes_all_unknown(known, monkeypatch):
    assert known(False) == []
    for part in ("_engine", "_environment"):
        with monkeypatch.context() as changed:
            changed.setattr(last_run, part, lambda: "another")
            assert known() == []
    assert known() == EXERCISES


@pytest.mark.parametrize("content", [b"", b"[1]", b'{"selftest average": [', b"\xff"])
def test_a_damaged_or_deleted_file_makes_all_unknown(known, run, content):
    run().path.write_bytes(content)
    assert known() == []
    run().path.unlink()
    assert known() == []


RIGHT = """
@exercise.misconception("This is no mistake.")
def no_mistake(values):
    return values / values.sum(-1, keepdim=True)
"""


def test_what_is_not_as_it_should_be_is_tested_each_time(sandbox, root, folder, run):
    append(folder / "normalise.py", RIGHT)
    first, *_ = selftest(load(root, "01_toy"), sandbox, EXERCISES[:2], run())
    assert any("no_mistake passes" in fault for fault in first.faults)
    assert run().find("selftest", "normalise") is None
    assert run().find("selftest", "average")


def test_mutants_that_were_counted_before_a_run_was_stopped_are_not_counted_again(
    sandbox, root, run
):
    chapter = load(root, "01_toy")
    stopped = scores(chapter, sandbox, last_run=run())
    first = next(stopped)
    stopped.close()
    again = run()
    assert next(scores(chapter, None, last_run=again)) == first
    assert again.taken == ["normalise"]


def test_one_exercise_is_tested_alone_and_then_said_to_be_unchanged(sandbox, root, capsys):
    command = ["selftest", "01_toy", "average", "--root", str(root)]
    main(command)
    first = capsys.readouterr().out
    assert "│ average" in first and "│ normalise" not in first and "Unchanged" not in first
    main(command)
    assert "Unchanged, so the last run stands: average." in capsys.readouterr().out
    main([*command, "--mutants"])
    said = capsys.readouterr().out
    assert "│ average" in said and "│ normalise" not in said and "Unchanged" not in said


def test_a_name_that_is_no_exercise_is_refused_with_those_there_are(root, capsys):
    assert main(["selftest", "01_toy", "averages", "--root", str(root)]) == 2
    said = " ".join(capsys.readouterr().err.split())
    assert "01_toy has no exercise 'averages'; exercises: normalise, average, Scale." in said
