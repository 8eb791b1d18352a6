"""What an author says of cases, groups and solutions is tried before learners meet it."""

import re

import pytest
from slipping import AVERAGE, NORMALISE, SCALE, TEXT, edit, line_of, told

from autograder.cli import main

DO_NOT_FIT = [
    (AVERAGE, '{"weights": rng', '{"weight": rng', "    yield Case",
     "the case 'ordinary' gives weight, values; average takes weights, values. Name the inputs so, "
     "in this order."),
    (AVERAGE, '"weights": rng.normal(3, 4).abs() + 0.1, "values": rng.normal(4, 2)',
     '"values": rng.normal(4, 2), "weights": rng.normal(3, 4).abs()', "    yield Case",
     "the case 'ordinary' gives values, weights; average takes weights, values."),
    (AVERAGE, ', "values": rng.normal(4, 2)', "", "    yield Case", "gives weights; average takes"),
    (SCALE, '{"x": rng', '{"y": rng', '        "width 3"', "gives y; Scale.forward takes x."),
    (SCALE, 'construct={"width": 3}', 'construct={"size": 3}', '        "width 3"',
     "the case 'width 3' constructs with size; Scale takes width."),
    (AVERAGE, "def unnormalised(weights, values)", "def unnormalised(weights)",
     "@exercise.misconception", "unnormalised cannot take the case 'ordinary': too many"),
    (AVERAGE, "def loop(weights, values)", "def loop(weights, values, scale)", "@exercise.oracle",
     "loop cannot take the case 'ordinary': missing a required argument: 'scale'."),
]  # fmt: skip


@pytest.mark.parametrize(("file", "old", "new", "at", "said"), DO_NOT_FIT)
def test_a_case_that_does_not_fit_what_is_to_be_called_is_told_with_its_line(
    root, folder, file, old, new, at, said
):
    edit(folder / file, old, new)
    sentence = told(root)
    assert sentence.startswith(f"{folder / file}, line {line_of(folder / file, at)}: ")
    assert said in sentence


CANNOT_BE_JUDGED = [
    (AVERAGE, '"values": rng.normal(4, 2)', '"values": rng.normal(4, 2).numpy()', "    yield Case",
     "the case 'ordinary' gives values as ndarray, which cannot be handed to an answer. Give a "
     "tensor, a number, a text or a list of them."),
    (SCALE, '{"width": 3}', '{"width": {3}}', '        "width 3"',
     "the case 'width 3' gives width as set, which cannot be handed to an answer."),
    (NORMALISE, "rng.normal(3, 5, dtype=torch.float16)", "torch.randn(3, 5).half()",
     '    yield Case("half', "the case 'half precision' differs when it is made again. Draw its "
     "numbers with rng only."),
    (NORMALISE, '    yield Case("half', "    exercise.made = not vars(exercise).get('made')\n"
     '    if exercise.made:\n        yield Case("half', '        yield Case("half',
     "the case 'half precision' differs when it is made again."),
    (NORMALISE, "row / row.sum()", "torch.tensor((row / row.sum()).numpy())", "@exercise.oracle",
     "the oracle row_by_row has no gradient on case 'two batches', which asks for it with "
     "gradient=True: RuntimeError: Can't call numpy() on Tensor that requires grad. Use "),
    (AVERAGE, "return (weights /", "return values.repeat(2**16, 1), (weights /", "@exercise.oracle",
     "the oracle loop returns a tuple of tensors, which is too large to compare, on case"),
]  # fmt: skip


@pytest.mark.parametrize(("file", "old", "new", "at", "said"), CANNOT_BE_JUDGED)
def test_a_case_that_no_answer_can_be_judged_by_is_told_with_its_line(
    root, folder, file, old, new, at, said
):
    edit(folder / file, old, new)
    sentence = told(root)
    assert sentence.startswith(f"{folder / file}, line {line_of(folder / file, at)}: ")
    assert said in sentence


IN_GROUPS = [
    ('Group("half", 1)', "the group 'half' has neither cases nor properties."),
    ('Group("half", 0, cases=("half precision",))', "the group 'half' needs points, a whole"),
    ('Group("", 1, cases=("half precision",))', "a group is named ''. Give each a name"),
    ('Group("half", 2, cases=("half precision",))', "the groups have all points of the exercise."),
    ('Group("half", 1, cases=("half",))', "names the case 'half', which there is not."),
    ('Group("a", 1, cases=("one row",)), Group("b", 1, cases=("one row",))',
     "two groups have the case 'one row'. Keep it in one."),
    ('"half"', "groups holds 'half'. Give groups such as Group(\"cost\", 1, …) only."),
]  # fmt: skip


@pytest.mark.parametrize(("groups", "said"), IN_GROUPS)
def test_a_slip_in_the_groups_of_an_exercise_is_told_with_its_line(root, folder, groups, said):
    edit(folder / NORMALISE, "import Case, Exercise", "import Case, Exercise, Group")
    edit(folder / NORMALISE, "    properties=", f"    groups=({groups},),\n    properties=")
    sentence = told(root)
    assert sentence.startswith(
        f"{folder / NORMALISE}, line {line_of(folder / NORMALISE, 'groups=')}: "
    )
    assert said in sentence


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("return normalise(weights) @ values", "return weights @ values", "the solution of average "
         "fails the case 'ordinary': "),
        ("return x * self.factor", "return x * self.factors", "the solution of Scale fails the "
         "case 'width 3': The call raised AttributeError: 'Scale' object has no attribute"),
        ("import torch\n", "import torch\nimport nowhere\n", "`import nowhere` does not work: "
         "ModuleNotFoundError: No module named 'nowhere'. Install it where you grade, or leave it"),
        ("def average(", "ones = torch.onse(2)\ndef average(", "`ones = torch.onse(2)` does not "
         "work: AttributeError: module 'torch' has no attribute 'onse'"),
    ],
)  # fmt: skip
def test_a_solution_that_fails_is_not_released(root, folder, capsys, monkeypatch, old, new, said):
    monkeypatch.setenv("COLUMNS", "1000")
    edit(folder / TEXT, old, new)
    assert main(["release", "01_toy", "--root", str(root)]) == 2
    error = capsys.readouterr().err
    assert re.match(rf"attn release: {folder / TEXT}, line \d+: ", error) and said in error
    assert not [*folder.glob("*.ipynb"), *folder.glob("*.safetensors")]


STEP, WRITE = "step.py", "write.py"
CANNOT_BE_MADE = [
    (STEP, 'plain = Optimizer("SGD", "model"', 'plain = Optimizer("SGD", "decoder"',
     "the case 'plain' gives what cannot be made: ValueError: no input 'decoder' is a Model."),
    (STEP, 'plain = Optimizer("SGD"', 'plain = Optimizer("SDG"', "ValueError: torch.optim has no "
     "optimiser SDG."),
    (STEP, '"model", {"lr": 0.5}', '"model", {"rate": 0.5}', "TypeError: SGD.__init__() got an "
     "unexpected keyword argument 'rate'"),
    (STEP, 'plain = Optimizer("SGD", "model", {"lr": 0.5})',
     'plain = Optimizer("LBFGS", "model", {"lr": 0.5})', "gives what cannot be made: TypeError: "),
    (STEP, 'BIGRAM, {"rows": rng.normal(5, 5)}', 'BIGRAM, {"row": rng.normal(5, 5)}',
     "RuntimeError: the state_dict of the module lacks row, and also has rows."),
    (STEP, 'BIGRAM, {"rows": rng.normal(5, 5)}', 'BIGRAM, {"rows": rng.normal(5, 4)}',
     "size mismatch for rows"),
    (STEP, 'gradients={"rows"', 'gradients={"row"', "has no attribute `row`."),
    (STEP, "def forward(self, tokens):", "def forward(self, tokens)", "SyntaxError: expected ':'"),
    (STEP, "class Bigram(nn.Module):", "def Bigram(symbols):", "ValueError: the source of the model"
     " defines no nn.Module."),
    (STEP, '{"rows": {"step"', '{"row": {"step"', "the model has no parameter 'row'."),
    (STEP, '"exp_avg": rng', '"exp_avgs": rng',
     "gives optimizer the state exp_avgs; AdamW holds exp_avg, exp_avg_sq, step."),
    (WRITE, '"generator": Generator(rng.integer(0, 99))', '"generator": [Generator(1)]',
     "holds what a call may change within a list. Give it as an input of its own."),
    (WRITE, ', "the generator")', ")", "returns has 2 names. In the case 'in training mode' 3 "
     "things are compared: what is returned, and what the call leaves of model, generator. Name"),
]  # fmt: skip


@pytest.mark.parametrize(("file", "old", "new", "said"), CANNOT_BE_MADE)
def test_what_a_call_may_change_and_cannot_be_made_is_told_with_its_place(
    root, file, old, new, said
):
    folder = root / "solutions" / "03_changes"
    edit(folder / file, old, new)
    sentence = told(root, "03_changes")
    assert sentence.startswith(f"{folder / file}") and said in sentence


def test_a_generator_that_the_oracle_leaves_alone_has_to_be_said_to_be_one(root):
    folder = root / "solutions" / "03_changes"
    edit(
        folder / WRITE,
        "uniform = torch.rand(1, generator=generator, dtype",
        "uniform = 0.5 * torch.ones(1, dtype",
    )
    sentence = told(root, "03_changes")
    assert "the oracle inverse draws nothing from generator on case 'in training mode'" in sentence
    assert sentence.startswith(
        f"{folder / WRITE}, line {line_of(folder / WRITE, '@exercise.oracle')}: "
    )
