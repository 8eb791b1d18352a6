"""Whatever trusted code reads of a submission takes time that is bounded, whatever stands in it.

Each reader gets the text that is worst for it, at the largest size that it accepts and at one that
it does not. It has SECONDS of processor time: many times what it needs, and nothing beside the
hours that one backtracking pattern would take. Where Python itself does the work, it is counted.
"""

import os
import resource
import traceback
from contextlib import suppress
from itertools import product
from pathlib import Path
from string import ascii_lowercase

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from test_notebook import instructions
from traitlets.config import PyFileConfigLoader

from autograder.classes import fingerprints as similarity_tokens
from autograder.classes.similarity import Side, pairs
from autograder.classes.similarity_page import marked
from autograder.common.cell import sent_elsewhere, without_magics
from autograder.common.files import REPOSITORY
from autograder.notebooks import code_answers, parsing, submission
from autograder.notebooks.answers import Answers
from autograder.notebooks.helpers import Helpers, undefined
from autograder.notebooks.other_cells import OtherCells
from autograder.notebooks.pictures import Pictures
from autograder.notebooks.splice import notes, splice
from autograder.notebooks.submission import NotebookError, Submission, SubmittedCell, parse
from autograder.plugins import markdown
from autograder.plugins.feedback import FeedbackExporter
from autograder.plugins.markdown import code_to_html, html_of
from autograder.plugins.marks_export import harmless
from autograder.showing.outputs import write_outputs

SECONDS = 60
ONE_OF_ALL = frozenset[int]()
NAMES = ["x" + "".join(letters) for letters in product(ascii_lowercase, repeat=2)]
WORDS = new_markdown_cell("", metadata={"nbgrader": {"grade_id": "why", "solution": True}})
QUESTION = new_code_cell("", metadata={"nbgrader": {"grade_id": "name", "solution": True}})

# What is repeated. Python, as patterns, tokenize, ast and symtable see it:
PYTHON = [
    "import ", "import name", "from name import ", "import(\n", "import a, \\\n", "def ",
    "def def ", "def name", "class ", "async ", "name = ", "a = ", "a=", "name\n", "a: ", "a.",
    "a,", "(", "f(a=", "[", "{1:", "lambda:", "not ", "a if b else ", "[a for b in ",
    "match a:\n case ", "case A(x=", "def a():\n ", "if a:\n", "try:\n", "with (", "1", "0x", "1_",
    '"', "'", '"""', "'\\", "f'{", "\\", "\\\n", "# %%\n", "%", "%%bash ", "!", "x?", "x? ", "?\n",
    "@a\n", " ", "\t\n", " \n", "\n", "\r", "\0", "é",
]  # fmt: skip
# And what only a later Python reads:
LATER = ["def a[b]", "type a = ", "type ", "except a, ", "t'", 'f"{', "f'{'", 'f"{"}', 'f"{\n',
         'f"{\\', 'f"', "f'{a}", "from a import *\n", "%run a\n", "if a:\n a = 1\n"]  # fmt: skip
# Markdown and the HTML in it:
MARKUP = [
    "[", "![", "](", "[a](", "![](", "[a][", "[a]: b\n", "*", "**", "*a ", "**a ", "_a ", "~~a ",
    "`", "``a ", "$", "$$a ", "\\\\[", "\\\\(", "\\begin{a}", "\\begin{", "<", "<<<<", "<a ",
    "<a b='", "<a b=", "<!--", "<![CDATA[", "<?", "</", "<b>", "<b><p>", "<a><b>", "<div>",
    "<ul><li>", "<dl><dd>", "<table><tr>", "<details>", "<svg>", "<select>", "<td style='", "&",
    "&#", "http://", "a:", "a@", "|a", "|a|\n|-|\n", "a|b\n-|-\n", "> ", ">", "- ", "- a\n", "* ",
    "1. ", "#", "# a\n", "=\n", "a\n=\n", "```\n", "```python\n", "~~~\n", "    a\n", "a\n: b\n",
    "\t\n", "a  \n", '"', "\u202e",
]  # fmt: skip
NESTED = [
    lambda n: "*a " * (n // 6) + " a*" * (n // 6),
    lambda n: "[" * (n // 5) + "a" + "](b)" * (n // 5),
    lambda n: "![" * (n // 6) + "a" + "](b)" * (n // 6),
    lambda n: "".join("> " * depth + "a\n" for depth in range(int(n**0.5))),
    lambda n: "".join("  " * depth + "- a\n" for depth in range(int(n**0.5))),
    lambda n: "<b><div>" * (n // 12) + "</b>" * (n // 12),
    lambda n: "|" + "a|" * (n // 8) + "\n|" + "-|" * (n // 8) + "\n" + "|a\n" * (n // 8),
    lambda n: " ".join("`" * length for length in range(1, int((2 * n) ** 0.5))),
    lambda n: "<table><tr><td style='" + "text-align:left;" * (n // 17) + "'>",
    lambda n: f"[a]: http://{'&' * (n // 2)}\n\n{'[a]' * (n // 6 - 9)}",
    lambda n: f"[a]: b '{'<' * (n // 2)}'\n\n{'[a]' * (n // 6 - 9)}",
    lambda n: f"```java\n{'a ' * (n // 2 - 9)}",
    lambda n: f"```ipython3\n{'a.' * (n // 2 - 9)}",
]
JSON = [
    "[", "{", '{"a":', '{"cells":[', '"cells":[', '"cells" :', '{"cells":[{},', '"', '\\"',
    "\\u0041", "1", "0.1", "1e", " ", "\n", "{},", '"a":1,', "\n<<<<<<<",
    "\n<<<<<<< a\n{}\n=======\n{}\n>>>>>>> b\n,", "\xff",
]  # fmt: skip


@pytest.fixture(scope="session")
def worst_case():
    """Whether some work ends in a process that has so much processor time, and raises nothing."""
    return within


def within(seconds, work, *arguments):
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        try:
            work(*arguments)
            os._exit(0)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
    return os.waitpid(child, 0)[1] == 0


def code(*sources, name=""):
    return [SubmittedCell("code", name, source) for source in sources]


def look_for(*cells):
    found = Answers(new_notebook(cells=[QUESTION]), Submission(list(cells)))
    return found.to(QUESTION) or found.reason(QUESTION)


def look_for_words(*cells):
    released = new_notebook(cells=[new_markdown_cell("a\nb\nc\nd"), WORDS])
    return Answers(released, Submission(list(cells))).to(WORDS)


def search_for_helpers(text):
    """For a solution that needs whatever the text may bind."""
    Helpers(code(text) * 11, [], ONE_OF_ALL).above(" ".join(NAMES[:9]) + " a name", 20)
    undefined(text)


def look_at_other_cells(text):
    """With a newer Python, and for a solution that lacks whatever the text may bind."""
    others = OtherCells(Submission(code(text) * 11), [], ONE_OF_ALL)
    others.whole("name", text, 0)
    others.whole("name", " ".join(NAMES[:9]) + " a name", 20)


def read_json(text):
    for data in (text, '{"cells":[{}], "a":[' + text, '{"cells":[{"source":"' + text + '"}]}'):
        with suppress(NotebookError):
            parse(data.encode("latin-1"), Path("x.ipynb"))


def compare(text):
    pairs({"exercise": {"a": text, "b": text, "c": text + " 1"}}, ONE_OF_ALL, 3)
    marked(text, Side(frozenset(range(0, 9_999, 2)), frozenset(range(0, 9_999, 3))))


READERS = {
    "a cell is looked through for its answer":
        (lambda text: look_for(*code(text, name="name")), code_answers.SOURCE_LIMIT, PYTHON),
    "unmarked cells are looked through":
        (lambda text: look_for(*code(text)), code_answers.SEARCH_LIMIT, PYTHON),
    "an answer is looked for in a cell that is not code any more":
        (lambda text: look_for(SubmittedCell("raw", "name", text)), 1_000_000, PYTHON),
    "words are looked for":
        (lambda text: [look_for_words(SubmittedCell(kind, "", text)) for kind in ("raw", "code")],
         1_000_000, [*PYTHON, *MARKUP]),
    "helpers are searched for": (search_for_helpers, parsing.CELL_LIMIT, PYTHON),
    "a solution is made whole": (look_at_other_cells, parsing.CELL_LIMIT, [*PYTHON, *LATER]),
    "magics are taken out":
        (lambda text: without_magics(text) + sent_elsewhere(text), 1_000_000, PYTHON),
    "a file is read": (read_json, submission.RESCUE_LIMIT // 4, JSON),
    "answers are compared": (compare, similarity_tokens.LONGEST, PYTHON),
    "code is coloured": (code_to_html, markdown.CODE_LIMIT, [*PYTHON, *MARKUP]),
    "Markdown is rendered":
        (html_of, markdown.MARKDOWN_LIMIT, [*MARKUP, *NESTED]),
    "a field of a table is made harmless": (harmless, 1_000_000, [",", ", ", "\t", " ", "|="]),
}  # fmt: skip


@pytest.mark.parametrize("reader", READERS)
def test_the_worst_text_is_read_in_bounded_processor_time(reader, worst_case):
    read, limit, units = READERS[reader]
    sizes = (limit, 11 * limit // 10)
    assert [unit for unit in units if not worst_case(SECONDS, read_each, read, unit, sizes)] == []


def read_each(read, unit, sizes):
    for size in sizes:
        read(_of(unit, size))


def _of(unit, size):
    return unit(size) if callable(unit) else unit * (size // len(unit))


@pytest.mark.parametrize(("work", "size"), [
    (lambda n: look_for(*code(*["import import\n" * 700] * n, name="name")), 50),
    (lambda n: look_for(*code(*["def x"] * n)), 500),
    (lambda n: look_for_words(*(SubmittedCell("markdown", "", f"{n}\na\nb") for n in range(n))),
     300),
    (lambda n: Helpers(code("import " + ",".join(NAMES[:n])), [], ONE_OF_ALL).above(
        ",".join(NAMES[:n]), 1), 300),
    (lambda n: Helpers(code(*(f"{name} = 1" for name in NAMES[:n])), [], ONE_OF_ALL).above(
        ",".join(NAMES[:n]), n), 300),
    (lambda n: pairs({"exercise": copied(n)}, ONE_OF_ALL, 4 * n), 40),
    (lambda n: Pictures("![](data:image/png;base64,)" * n, None), 2_000),
])  # fmt: skip
def test_twice_as_much_takes_little_more_than_twice_the_work(work, size):
    work(2 * size)  # what is imported or compiled once is not counted
    assert instructions(lambda: work(2 * size)) < 2.5 * instructions(lambda: work(size))


def copied(count):
    """Answers that have nothing in common, and one that has a little of each of them."""
    own = [";".join(f"a.{name}{at}" for name in NAMES[:12]) for at in range(count)]
    return {"copies": "\n".join(own), **{f"s{at}": source for at, source in enumerate(own)}}


def test_of_very_many_cells_the_first_are_read_and_the_teacher_is_told():
    cells = [{"cell_type": "code", "source": "x"}] * 10_001
    found = Submission.of({"cells": cells})
    assert len(found.cells) == 10_000
    pristine = new_notebook(cells=[QUESTION])
    assert notes(splice(pristine, found)) == [
        "Only the first 10,000 of its 10,001 cells were read."
    ]


def test_text_that_is_too_long_for_colours_or_markdown_is_shown_as_it_was_written():
    assert code_to_html("x = 1").count("<span") > 3
    assert code_to_html("x\n" + " \n" * 9_999 + "x").count("<span") == 1
    assert html_of("**so** " * 9_999).startswith("<pre>**so** **so**")


def test_code_in_markdown_is_coloured_if_it_is_python():
    assert '<span class="n">a</span>' in html_of("```python\na\n```")
    assert html_of("```java\na < b\n```") == "<pre><code>a &lt; b\n</code></pre>\n"


@pytest.mark.parametrize(("make", "units", "limit"), [
    (new_code_cell, PYTHON, markdown.CODE_LIMIT),
    (new_markdown_cell, MARKUP, markdown.MARKDOWN_LIMIT),
])  # fmt: skip
def test_a_page_of_feedback_on_the_worst_answers_is_made_in_bounded_time(
    make, units, limit, worst_case
):
    assert worst_case(4 * SECONDS, page, [make(_of(unit, limit)) for unit in units])


def nbgrader_config():
    return PyFileConfigLoader("nbgrader_config.py", str(REPOSITORY)).load_config()


def page(cells):
    for at, cell in enumerate(cells):
        cell.metadata["nbgrader"] = {"grade_id": f"a{at}", "solution": True}
    notebook = new_notebook(cells=cells)
    write_outputs(notebook, {})
    exporter = FeedbackExporter(config=nbgrader_config())
    marks = {"notebook": "x", "score": 0, "max_score": 1}
    exporter.from_notebook_node(notebook, {"nbgrader": marks})
