"""Cells that are missing, doubled, marked wrongly or of another kind."""

import copy

from .case import MISSING, PASSED, STUB, cell, code, mark, odd, source


@odd(PASSED)
def cell_ids_missing_twice_or_no_text(notebook):
    for item, given in zip(notebook["cells"], ["a", "a", None, 5, [], {}], strict=False):
        item["id"] = given
    for item in notebook["cells"][6:]:
        item.pop("id", None)


@odd(PASSED)
def cells_that_are_no_cells(notebook):
    notebook["cells"] = [None, 5, "x", [], {}, {"cell_type": []}, *notebook["cells"]]
    notebook["cells"] += [code(5), code({"a": 1}), code([1, None]), {"metadata": "x"}]


@odd(PASSED)
def sources_as_one_text(notebook):
    for item in notebook["cells"]:
        item["source"] = source(item)


@odd(MISSING, PASSED, PASSED)
def a_source_that_is_no_text(notebook):
    cell(notebook, "normalise")["source"] = {"text": "def normalise(values): ..."}


@odd(PASSED)
def thousands_of_cells(notebook):
    notebook["cells"] += [code(f"x{number} = {number}") for number in range(10_000)]


@odd(PASSED)
def all_metadata_stripped(notebook):
    for item in notebook["cells"]:
        item["metadata"] = {}


@odd(PASSED)
def cells_without_a_metadata_entry(notebook):
    for item in notebook["cells"]:
        del item["metadata"]


@odd(PASSED)
def metadata_stripped_and_tried_more_than_once(notebook):
    stub = code("def normalise(values):\n    pass")
    all_metadata_stripped(notebook)
    notebook["cells"] = [stub, *notebook["cells"], code("normalise(torch.ones(2))")]


@odd(PASSED)
def schema_from_the_past(notebook):
    _mark_all(notebook, schema_version=1)


@odd(PASSED)
def schema_from_the_future(notebook):
    _mark_all(notebook, schema_version=99, new={})


@odd(PASSED)
def points_edited(notebook):
    _mark_all(notebook, points=1000)


@odd(PASSED)
def marks_that_are_no_marks(notebook):
    for item in notebook["cells"]:
        if not mark(item).get("solution"):
            item["metadata"]["nbgrader"] = 5


def _mark_all(notebook, **changed):
    for item in notebook["cells"]:
        item["metadata"].setdefault("nbgrader", {}).update(changed)


@odd(PASSED)
def checks_deleted(notebook):
    notebook["cells"] = [c for c in notebook["cells"] if "check(" not in source(c)]


@odd("wrong", PASSED, PASSED)
def a_check_edited_to_pass(notebook):
    cell(notebook, "check_normalise")["source"] = "pass"
    cell(notebook, "normalise")["source"] = "def normalise(values):\n    return values"


@odd(PASSED)
def checks_turned_into_markdown(notebook):
    for item in notebook["cells"]:
        if "check(" in source(item):
            item["cell_type"] = "markdown"


@odd(PASSED)
def solutions_turned_into_markdown_and_raw(notebook):
    cell(notebook, "normalise")["cell_type"] = "markdown"
    cell(notebook, "average")["cell_type"] = "raw"


@odd(MISSING, PASSED, PASSED, sentence="The cell for normalise is not")
def prose_in_place_of_a_solution(notebook):
    cell(notebook, "normalise").update(cell_type="markdown", source="I do not know.")


@odd(MISSING, PASSED, PASSED, sentence="The cell for normalise is not in the notebook any more.")
def a_solution_deleted(notebook):
    notebook["cells"].remove(cell(notebook, "normalise"))


@odd("wrong", PASSED, PASSED)
def a_solution_copied_and_the_copy_changed(notebook):
    changed = copy.deepcopy(cell(notebook, "normalise"))
    changed["source"] = "def normalise(values):\n    return values"
    notebook["cells"].append(changed)


@odd(PASSED)
def a_stub_left_and_the_solution_below_it(notebook):
    _below(notebook, "normalise", STUB)


@odd(PASSED)
def a_solution_in_the_cell_of_another_and_its_own_cell_deleted(notebook):
    _move(notebook, "average", "normalise")


@odd(PASSED)
def a_solution_in_the_cell_of_another_and_its_own_a_stub(notebook):
    own = cell(notebook, "normalise")
    _move(notebook, "normalise", "average")
    notebook["cells"].append({**own, "source": STUB})


@odd(PASSED)
def all_solutions_in_one_cell(notebook):
    _move(notebook, "average", "Scale")
    _move(notebook, "normalise", "Scale")


@odd("wrong", PASSED, PASSED)
def all_solutions_in_one_cell_and_one_wrong(notebook):
    cell(notebook, "normalise")["source"] = "def normalise(values):\n    return values"
    all_solutions_in_one_cell(notebook)


@odd(PASSED)
def all_solutions_in_one_cell_without_metadata(notebook):
    all_solutions_in_one_cell(notebook)
    all_metadata_stripped(notebook)


@odd(PASSED)
def an_exercise_built_on_in_one_cell_with_a_helper(notebook):
    _move(notebook, "normalise", "average")
    both = cell(notebook, "average")
    both["source"] = "one = 1.0\n\n" + source(both).replace("return ", "return one * ")


def _move(notebook, name, to):
    """Put the solution of one exercise above that of another, and delete its cell."""
    moved = cell(notebook, name)
    notebook["cells"].remove(moved)
    cell(notebook, to)["source"] = source(moved) + "\n\n\n" + source(cell(notebook, to))


@odd(PASSED)
def a_wrong_try_and_the_solution_in_a_new_cell_above_the_check(notebook):
    _below(notebook, "normalise", "def normalise(values):\n    return values")


@odd(PASSED)
def a_stub_cut_down_to_pass_and_the_solution_below(notebook):
    _below(notebook, "normalise", "def normalise(values):\n    pass")


@odd(PASSED)
def a_stub_with_a_comment_and_the_solution_at_the_end(notebook):
    solution = cell(notebook, "normalise")
    notebook["cells"].append(code(source(solution)))
    solution["source"] = STUB.replace("# YOUR CODE HERE", "# below, in a new cell")


@odd(PASSED)
def a_solution_in_a_lambda_in_another_cell(notebook):
    cell(notebook, "normalise")["source"] = STUB
    notebook["cells"].append(code("normalise = lambda values: values / values.sum(-1, True)"))


@odd(PASSED)
def a_solution_merged_into_the_text_of_its_question(notebook):
    solution = cell(notebook, "normalise")
    place = notebook["cells"].index(solution)
    question = notebook["cells"][place - 1]
    question["source"] = source(question) + "\n\n" + source(solution)
    notebook["cells"].remove(solution)


WRONG = "def normalise(values):\n    return values"


@odd(PASSED)
def an_earlier_version_in_a_text_of_several_lines_below_the_solution(notebook):
    _insert_below(notebook, "normalise", f'"""An earlier version:\n{WRONG}\n"""')


@odd(PASSED)
def an_earlier_version_in_a_text_of_several_lines_in_the_cell_of_another(notebook):
    solution, other = cell(notebook, "normalise"), cell(notebook, "average")
    notebook["cells"].append(code(source(solution)))
    notebook["cells"].remove(solution)
    other["source"] = f"{source(other)}\n'''\n{WRONG}\n'''"


@odd(PASSED)
def a_try_that_is_no_python_between_the_solution_and_its_check(notebook):
    _insert_below(notebook, "normalise", WRONG + " / (")


@odd(PASSED)
def words_around_a_definition_in_a_cell_of_code_without_metadata(notebook):
    all_metadata_stripped(notebook)
    notebook["cells"].append(code(f"What I tried first:\n\n{WRONG}\n\nwas wrong."))


@odd(MISSING, PASSED, PASSED, sentence="Not written yet.")
def a_method_by_the_name_of_an_exercise_that_is_not_written(notebook):
    cell(notebook, "normalise")["source"] = STUB
    notebook["cells"].append(code("class Tools:\n    def normalise(self):\n        return 1"))


@odd(PASSED)
def a_solution_that_a_cell_below_wraps(notebook):
    wrapped = "inner = normalise\n\n\ndef normalise(values):\n    return inner(values)"
    _insert_below(notebook, "normalise", wrapped)


@odd(PASSED)
def a_class_that_a_cell_below_goes_on_with(notebook):
    scale = cell(notebook, "Scale")
    begun, _, rest = source(scale).partition("    def forward")
    scale["source"] = begun
    _insert_below(notebook, "Scale", f"class Scale(Scale):\n    def forward{rest}")


@odd(PASSED)
def a_wrong_try_and_the_solution_in_the_cell_of_the_check(notebook):
    check = cell(notebook, "check_normalise")
    check["source"] = source(cell(notebook, "normalise")) + "\n\n\n" + source(check)
    cell(notebook, "normalise")["source"] = WRONG


@odd(PASSED)
def a_solution_in_a_lambda_in_the_cell_of_another_and_its_own_cell_deleted(notebook):
    notebook["cells"].remove(cell(notebook, "normalise"))
    other = cell(notebook, "average")
    other["source"] = "normalise = lambda values: values / values.sum(-1, True)\n" + source(other)


def _insert_below(notebook, name, text):
    notebook["cells"].insert(notebook["cells"].index(cell(notebook, name)) + 1, code(text))


def _below(notebook, name, left):
    """Leave something in the cell of an exercise, and put its solution in a new cell below."""
    solution = cell(notebook, name)
    notebook["cells"].insert(notebook["cells"].index(solution) + 1, code(source(solution)))
    solution["source"] = left


@odd(PASSED)
def a_magic_that_runs_the_line_behind_it(notebook):
    written = "%time normalise = lambda values: values / values.sum(-1, True)"
    cell(notebook, "normalise")["source"] = written


@odd(PASSED)
def magics_that_run_their_cells(notebook):
    for name, magic in (("normalise", "%%time"), ("average", "%%time\n%%capture out"),
                        ("Scale", "\n%%prun -q")):  # fmt: skip
        cell(notebook, name)["source"] = f"{magic}\n{source(cell(notebook, name))}"
