import json
import shutil

import nbformat
import pytest
import torch

from autograder.author import CostAtMost
from autograder.authoring.simulate import make_class, write_class
from autograder.cli import main
from autograder.common.cell import Cell
from autograder.course.course import Course
from autograder.diagnosis.diagnose import diagnose
from autograder.exercise.observation import Cost, Observation
from autograder.grading.journal import Journal
from autograder.grading.results import rows
from autograder.judging import checks, marker
from autograder.judging.grader import Grader
from autograder.judging.marker import _judge
from autograder.notebooks.chapter import reference
from autograder.showing.outputs import write_outputs

SETUP = Cell("setup", "import os, torch\nfrom torch import Tensor, nn")


@pytest.fixture(scope="module")
def grade(toy, sandbox):
    grader = Grader(toy, "secret", sandbox)

    def grade(**changed):
        sources = reference(toy) | changed
        return grader.grade([SETUP, *(Cell(name, source) for name, source in sources.items())])

    return grade


def kinds(verdicts):
    return [verdict.kind for verdict in verdicts.values()]


def test_the_reference_passes_everything(grade):
    assert kinds(grade()) == ["passed"] * 3


def test_a_mistake_costs_its_own_points_only(grade):
    found = grade(normalise="def normalise(values):\n    return values")
    assert kinds(found) == ["wrong", "passed", "passed"]


def test_a_mistake_in_what_builds_on_another_is_still_found_behind_it(grade):
    wrong = "def average(weights, values):\n    return normalise(weights) @ values * 2"
    found = grade(normalise="def normalise(values):\n    return values", average=wrong)
    assert kinds(found) == ["wrong", "wrong", "passed"]


def test_a_mistake_is_named_behind_the_reference_where_an_earlier_one_may_be_its_cause(grade, toy):
    wrong = "def average(weights, values):\n    return weights @ values"
    found = grade(normalise="def normalise(values):\n    return values", average=wrong)
    known = checks.build(toy.exercises["average"], "secret")
    assert diagnose(known, found["average"]).misconception == "unnormalised"


WRONG = "def normalise(values):\n    return 0 * values"


def test_an_answer_runs_again_only_if_it_names_an_earlier_one(grade, sandbox, monkeypatch):
    asked, run = [], sandbox.run

    def counted(cells, calls, names, *limits):
        asked.append(names)
        return run(cells, calls, names, *limits)

    monkeypatch.setattr(sandbox, "run", counted)
    alone = grade(normalise=WRONG, average="def average(weights, values):\n    return weights")
    behind = grade(normalise=WRONG)
    assert kinds(alone) == ["wrong", "wrong", "passed"]
    assert kinds(behind) == ["wrong", "passed", "passed"]
    whole = ["normalise", "average", "Scale"]
    assert asked == [whole, whole, ["average"]]


def test_the_reference_that_stands_in_gets_right_ones_of_what_it_names(grade):
    average = "def average(weights, values):\n    return 0 * values"
    scale = (
        "class Scale(nn.Module):\n"
        "    def __init__(self, width):\n"
        "        super().__init__()\n"
        "        self.factor = nn.Parameter(torch.ones(width))\n\n"
        "    def forward(self, x):\n"
        "        return average(torch.eye(len(x), device=x.device), x * self.factor)"
    )
    found = grade(normalise=WRONG, average=average, Scale=scale)
    assert kinds(found) == ["wrong", "wrong", "passed"]


def test_the_same_bytes_are_judged_once_if_they_pass(toy, sandbox, monkeypatch):
    judged = []
    judge = marker.judge
    monkeypatch.setattr(marker, "judge", lambda *of: judged.append(of[0].exercise) or judge(*of))
    grader, sources = Grader(toy, "secret", sandbox), reference(toy)
    for normalise in (sources["normalise"], sources["normalise"], WRONG, WRONG):
        cells = {**sources, "normalise": normalise, "average": "def average(w, v):\n    return v"}
        grader.grade([SETUP, *(Cell(name, source) for name, source in cells.items())])
    assert judged.count("Scale") == 1 and judged.count("normalise") == 3


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("raise NotImplementedError", "missing"),
        ("return undefined", "raised"),
        ("os._exit(0)", "crashed"),
        ("return torch.ones(2**34)", "memory"),
        ("while True: pass", "timeout"),
    ],
)
def test_what_stops_an_exercise_stops_no_other(grade, body, kind):
    found = grade(normalise=f"def normalise(values):\n    {body}")
    assert kinds(found) == [kind, "passed", "passed"]


def test_a_cell_that_never_ends_costs_its_own_exercise_only(grade):
    found = grade(normalise="while True: pass")
    assert kinds(found) == ["timeout", "passed", "passed"]


@pytest.mark.parametrize(
    "body",
    [
        r"raise ValueError('\ud800')",
        "raise type('A' * 10**6, (Exception,), {})('B' * 10**6)",
        "raise type('<b>', (BaseException,), {'__str__': lambda self: 1 / 0})",
        "loop = []; loop.append(loop); return loop",
        "return torch.zeros(2, 3, device='meta')",
    ],
)
def test_what_a_submission_says_can_always_be_written_down(grade, released, body):
    found = grade(normalise=f"def normalise(values):\n    {body}")
    assert found["average"].kind == "passed" and found["normalise"].points == 0
    write_outputs(released, found)
    assert len(nbformat.writes(released).encode()) < 50_000
    assert len(json.dumps(rows("ada", "01_toy", found))) < 5_000


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("gradients", {"values": torch.full((2, 3, 4), 3 + 2j)}),
        ("failure", {"type": "E", "message": "m", "line": 1, "source": 5}),
        ("failure", {"type": "E", "message": "m" * 10**6, "line": 1, "source": ""}),
        ("output", torch.zeros(2, 3, 4, dtype=torch.float8_e4m3fn)),
        ("output", [[[[1]]]] * 200),
        ("devices", 3),
        ("cost", "none"),
    ],
)
def test_a_forged_observation_costs_its_own_exercise_only(toy, released, field, value):
    built = checks.build(toy.exercises["normalise"])
    trees = [{**item.expected.to_tree(), field: value} for item in built.cases]
    verdict = _judge(built, trees, None, "cpu")
    assert verdict.points == 0
    write_outputs(released, {"normalise": verdict})
    assert len(nbformat.writes(released).encode()) < 50_000


def test_work_that_was_not_counted_is_not_taken_for_little_work():
    bound = CostAtMost("largest", 2, "Too large.")
    counted, uncounted = Observation(cost=Cost(1, 1, 1, 1)), Observation()
    assert bound.violation(counted, counted) == ""
    assert "could not be counted" in bound.violation(counted, uncounted)


def test_a_syntax_error_is_shown_at_the_learners_line(grade):
    verdict = grade(normalise="x = 1\ndef normalise(values:\n    return 1")["normalise"]
    assert verdict.kind == "raised"
    assert verdict.difference.failure.type == "SyntaxError"
    assert verdict.difference.failure.line == 2


def test_where_the_reference_fails_nobody_gets_a_zero(toy, sandbox, monkeypatch):
    grader = Grader(toy, "secret", sandbox)
    broken = [SETUP, *(Cell(name, "raise OSError('no space left')") for name in toy.exercises)]
    monkeypatch.setattr("autograder.judging.grader.reference_cells", lambda chapter: broken)
    released = Course(toy.folder.parent.parent).released("01_toy")
    found = grader.grade_notebook(released)
    assert kinds(found) == ["infrastructure"] * 3
    assert [verdict.points for verdict in found.values()] == [None] * 3
    assert "the reference solution of" in found["normalise"].sentence


@pytest.fixture(scope="module")
def graded_class(toy, toy_root, tmp_path_factory, sandbox):
    """A simulated class of ten, graded by the real command."""
    root = tmp_path_factory.mktemp("class")
    shutil.copytree(toy_root, root, dirs_exist_ok=True)
    course = Course(root)
    write_class(course, toy, make_class(toy, 10, seed=3), seed=3)
    assert main(["grade", "01_toy", "--root", str(root), "--results", str(root / "r.jsonl")]) == 0
    return course


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_a_row_has_the_promised_fields(graded_class):
    row = lines(graded_class.root / "r.jsonl")[0]
    assert list(row) == ["student", "chapter", "exercise", "points", "max_points", "verdict",
                         "misconception", "message"]  # fmt: skip


def test_grading_again_repeats_the_rows_without_running_anything(graded_class, monkeypatch):
    monkeypatch.setattr(
        "autograder.grading.attempts.grade_in_session", None
    )  # cannot be pickled or called
    again = graded_class.root / "again.jsonl"
    arguments = ["grade", "01_toy", "--root", str(graded_class.root), "--results", str(again)]
    assert main(arguments) == 0
    assert again.read_text() == (graded_class.root / "r.jsonl").read_text()


def test_the_seed_is_kept_beside_the_gradebook_and_for_its_owner_only(graded_class):
    path = graded_class.root / ".grading_seed"
    assert path.stat().st_mode & 0o077 == 0
    assert graded_class.seed(None) == path.read_text().strip()
    assert graded_class.seed("given") == "given"


def test_a_fault_of_ours_costs_no_student_anything(graded_class, capsys):
    root = graded_class.root
    (root / "submitted" / "student01" / "01_toy" / "timestamp.txt").write_text("yesterday-ish")
    broken = root / "submitted" / "zoe" / "01_toy" / "01_toy.ipynb"
    broken.parent.mkdir(parents=True)
    broken.write_text("not a notebook")
    results = root / "new folder" / "r.jsonl"
    assert main(["grade", "01_toy", "--root", str(root), "--results", str(results)]) == 0
    assert "Nothing to grade for zoe: 01_toy.ipynb is not a Jupyter" in capsys.readouterr().out
    zoe = [row for row in lines(results) if row["student"] == "zoe"]
    assert {(row["verdict"], row["points"]) for row in zoe} == {("missing", 0)}


def test_the_same_seed_makes_the_same_class(toy):
    assert make_class(toy, 9, seed=5) == make_class(toy, 9, seed=5)
    assert make_class(toy, 9, seed=5) != make_class(toy, 9, seed=6)


def test_a_half_written_line_of_the_journal_is_passed_over(tmp_path):
    path = tmp_path / "journal.jsonl"
    Journal(path).add([entry("ada", "mark", 1)])
    path.write_text(path.read_text() + '{"student": "bob", "fing')
    journal = Journal(path)
    journal.add([entry("cleo", "mark", 2)])
    for known in (journal, Journal(path)):
        assert [name in known for name in ("ada", "bob", "cleo")] == [True, False, True]
        assert [known.entry(name)["rows"][0]["points"] for name in ("ada", "cleo")] == [1, 2]


def entry(student, mark, points):
    row = {"student": student, "chapter": "01_toy", "exercise": "normalise", "points": points,
           "max_points": 3, "verdict": "wrong", "misconception": None, "message": ""}  # fmt: skip
    return {"student": student, "fingerprint": mark, "rows": [row], "notes": []}


def test_the_last_line_of_a_student_in_the_journal_counts(tmp_path):
    journal = Journal(tmp_path / "journal.jsonl")
    journal.add([entry("ada", "old", 1), entry("bob", "mark", 2)])
    journal.add([entry("ada", "new", 3)])
    for known in (journal, Journal(tmp_path / "journal.jsonl")):
        assert known.entry("ada") == entry("ada", "new", 3)
        assert known.finished("ada", "new") and not known.finished("ada", "old")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["grade", "99_none"], "There is no chapter '99_none'"),
        (["grade", "01_toy"], "No submissions in"),
        (["simulate", "99_none"], "chapters: 01_toy"),
    ],
)
def test_bad_input_gets_one_clear_sentence_and_a_refusal(toy_root, capsys, arguments, sentence):
    assert main([*arguments, "--root", str(toy_root)]) == 2
    error = " ".join(capsys.readouterr().err.split())
    assert sentence in error and "Traceback" not in error
