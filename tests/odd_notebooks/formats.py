"""A notebook in another encoding or version of its format, or damaged."""

import copy
import gzip
import html
import json

from .case import MISSING, NAME, PASSED, STUB, cell, code, odd, source, text

# Encodings and damage


@odd(PASSED)
def byte_order_mark(folder, notebook):
    (folder / NAME).write_text(text(notebook), encoding="utf-8-sig")


@odd(PASSED)
def utf_16(folder, notebook):
    (folder / NAME).write_text(text(notebook), encoding="utf-16")


@odd(PASSED)
def utf_16_big_endian_without_a_mark(folder, notebook):
    (folder / NAME).write_text(text(notebook), encoding="utf-16-be")


@odd(PASSED)
def utf_16_little_endian_without_a_mark(folder, notebook):
    (folder / NAME).write_text(text(notebook), encoding="utf-16-le")


@odd(PASSED)
def latin_1(folder, notebook):
    notebook["cells"].insert(0, code("# Übung, gelöst"))
    (folder / NAME).write_text(text(notebook), encoding="latin-1", errors="replace")


@odd(PASSED)
def windows_1252(folder, notebook):
    notebook["cells"].insert(0, code("# a – “b” €"))
    (folder / NAME).write_text(text(notebook), encoding="cp1252", errors="replace")


@odd(PASSED)
def windows_line_ends_everywhere(folder, notebook):
    for item in notebook["cells"]:
        item["source"] = [line.replace("\n", "\r\n") for line in item["source"]]
    (folder / NAME).write_bytes(text(notebook).replace("\n", "\r\n").encode())


@odd(MISSING, PASSED, PASSED)
def a_stub_with_windows_line_ends(notebook):
    cell(notebook, "normalise")["source"] = STUB.replace("\n", "\r\n")


@odd(PASSED, PASSED, MISSING, sentence="cell for Scale")
def cut_off_in_the_last_exercise(folder, notebook):
    whole = text(notebook)
    (folder / NAME).write_text(whole[: whole.index("class Scale")])


@odd(PASSED)
def a_second_notebook_behind_the_first(folder, notebook):
    (folder / NAME).write_text(text(notebook) + text(notebook)[:1000])


@odd(PASSED)
def merge_conflict_in_the_metadata(folder, notebook):
    ours = text(notebook).replace('"execution_count": null', '"execution_count": 1', 1)
    _conflict(folder, ours, text(notebook))


@odd(PASSED)
def merge_conflict_between_two_answers(folder, notebook):
    """Of two answers the last counts, as anywhere."""
    wrong = copy.deepcopy(notebook)
    cell(wrong, "normalise")["source"] = ["def normalise(values):\n", "    return values"]
    _conflict(folder, text(wrong), text(notebook))


@odd(PASSED)
def merge_conflict_within_the_text_of_a_cell(notebook):
    right = source(cell(notebook, "normalise"))
    wrong = "def normalise(values):\n    return values"
    merged = f"<<<<<<< HEAD\n{wrong}\n=======\n{right}\n>>>>>>> main\n"
    cell(notebook, "normalise")["source"] = merged


@odd(PASSED)
def every_text_twice_as_shared_editing_left_it(notebook):
    for item in notebook["cells"]:
        item["source"] = source(item) * 2


@odd(PASSED)
def a_tab_and_a_line_end_typed_into_a_text(folder, notebook):
    notebook["cells"].insert(0, code("# here and here"))
    (folder / NAME).write_text(text(notebook).replace("here and here", "here\tand\n# here"))


@odd(MISSING, PASSED, PASSED, sentence="The notebook is damaged: the cell for normalise")
def a_quotation_mark_that_damages_one_cell(folder, notebook):
    cell(notebook, "normalise")["source"] = ["def normalise(values):\n", "    return QUOTE"]
    (folder / NAME).write_text(text(notebook).replace("QUOTE", '"'))


def _conflict(folder, ours, theirs):
    """The file as git leaves it: the lines that differ, between marks."""
    one, two = ours.splitlines(), theirs.splitlines()
    start = next(i for i, lines in enumerate(zip(one, two, strict=False)) if len(set(lines)) == 2)
    end = next(i for i in range(1, len(one)) if one[-i] != two[-i]) - 1
    ours, theirs, rest = one[start : len(one) - end], two[start : len(two) - end], one[-end:]
    marked = ["<<<<<<< HEAD", *ours, "=======", *theirs, ">>>>>>> main"]
    (folder / NAME).write_text("\n".join([*one[:start], *marked, *rest]))


# Within another form


@odd(PASSED, note="01_toy.ipynb.gz (3 answered) was graded, since there is no 01_toy.ipynb.")
def compressed(folder, notebook):
    (folder / f"{NAME}.gz").write_bytes(gzip.compress(text(notebook).encode()))


@odd(PASSED)
def compressed_under_the_right_name(folder, notebook):
    (folder / NAME).write_bytes(gzip.compress(text(notebook).encode()))


@odd(PASSED)
def json_within_json(folder, notebook):
    (folder / NAME).write_text(json.dumps(text(notebook)))


@odd(PASSED)
def with_the_entities_of_a_web_page(folder, notebook):
    (folder / NAME).write_text(f"<pre>{html.escape(text(notebook))}</pre>")


# Formats


@odd(PASSED)
def nbformat_3(folder, notebook):
    cells = [_third(item) for item in notebook["cells"]]
    sheets = [{"cells": cells[:4]}, {"cells": cells[4:]}]
    old = {"nbformat": 3, "nbformat_minor": 0, "metadata": {"name": ""}, "worksheets": sheets}
    (folder / NAME).write_text(text(old))


@odd(PASSED)
def nbformat_2_without_metadata(folder, notebook):
    cells = [_third(item) | {"metadata": None} for item in notebook["cells"]]
    old = {"nbformat": 2, "metadata": {"name": ""}, "worksheets": [{"cells": cells}]}
    (folder / NAME).write_text(text(old))


def _third(item):
    """A cell as nbformat 3 has it: code is called input, its lines have no ends."""
    kind, metadata = item["cell_type"], item["metadata"]
    name, lines = "input" if kind == "code" else "source", source(item).split("\n")
    return {"cell_type": kind, "metadata": metadata, name: lines, "language": "python"}


@odd(PASSED)
def nbformat_from_the_future(notebook):
    notebook |= {"nbformat": 5, "nbformat_minor": 99, "new": {}}


@odd(PASSED)
def nbformat_without_a_number(notebook):
    del notebook["nbformat"], notebook["nbformat_minor"], notebook["metadata"]


@odd(PASSED)
def numbers_that_are_none(folder, notebook):
    changed = text(notebook).replace('"execution_count": null', f'"execution_count": {"9" * 5000}')
    changed = changed.replace('"nbformat": 4', '"nbformat": NaN, "nbformat": -Infinity')
    (folder / NAME).write_text(changed)


@odd(PASSED)
def keys_that_occur_twice(folder, notebook):
    (folder / NAME).write_text(text(notebook).replace('"source": [', '"source": 0, "source": ['))
