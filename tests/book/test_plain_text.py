"""The pages as plain text: what an exercise names is there, as the page says it, without code."""

import json
import re

import book_site
import plain_text
import pytest
import taking_away
from book_site import ROOT
from plain_roles import in_words
from solution_lines import given_away, solution_lines

from autograder.common.files import CHECKS
from autograder.judging import checks_file
from autograder.learner import reading
from autograder.learner.reading import MARK, section

SYNTAX = re.compile(r"\{[a-z:-]+\}`|```|^:::|^\([\w-]+\)=$|\[\[\w+:|^:[\w-]+:|^---$", re.MULTILINE)
FOLDERS = [ROOT / "exercises" / name for name in book_site.chapters()]
SOMETHING = 300  # characters of a section that explains something


@pytest.fixture(scope="module")
def texts():
    """Each page that an exercise names, by its name."""
    names = {page for folder in FOLDERS for page in plain_text.pages_of(folder)}
    return {name: plain_text.plain_text(name) for name in sorted(names)}


def test_no_syntax_of_the_book_is_left(texts):
    assert {name: SYNTAX.findall(text) for name, text in texts.items() if SYNTAX.search(text)} == {}


def test_no_line_of_a_reference_solution_is_in_a_page(texts):
    lines = solution_lines()
    assert len(lines) > 400
    assert {name: found for name, text in texts.items() if (found := given_away(text, lines))} == {}


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_each_exercise_finds_its_section_beside_the_notebook(folder, tmp_path):
    (tmp_path / reading.TEXTS).write_text(plain_text.reading(folder))
    for exercise in checks_file.load(folder / CHECKS).values():
        text = section(tmp_path, exercise.read)
        assert text.endswith(f"This is {exercise.read} of the book.") and len(text) > SOMETHING


def test_a_clone_finds_a_section_in_the_book_that_is_built(book):
    folder = ROOT / "exercises" / "04_masks"
    text = section(folder, "04_masks.html#padding-mask")
    assert text.startswith("### Padding mask\n\nSentences in a batch")
    assert "### Causal mask" not in text
    assert section(folder, "https://example.org/04_masks.html#padding-mask")[:99] == text[:99]


def test_an_anchor_of_the_text_is_one_of_the_page(texts, pages):
    for name, text in texts.items():
        ids = {tag["id"] for tag in pages[f"{name}.html"].select("[id]")}
        anchors = {anchor.strip("#") for mark in MARK.finditer(text) for anchor in mark[2].split()}
        assert anchors and anchors <= ids, name


def test_the_measured_numbers_are_those_of_the_page_in_its_order(texts, pages):
    places = ", ".join(f"section > {place} > [data-measured]" for place in ("p", "ul > li > p"))
    for name, text in texts.items():
        flat, at, numbers = " ".join(text.split()), 0, pages[f"{name}.html"].select(places)
        assert len(numbers) > 5, name
        for number in numbers:
            at = flat.find(number.text, at)
            assert at >= 0, (name, number["data-measured"])


def test_a_section_that_is_mostly_code_is_read_with_those_around_it(tmp_path):
    long = "A long sentence of the book. " * 20
    (tmp_path / reading.TEXTS).write_text(
        f"<!-- 01_one.html -->\n\n# One {{#one}}\n\n## In code {{#in-code}}\n\n{long}\n\n"
        f"### A part {{#a-part}}\n\nShort.\n\n{{#a-word}}\n{long}\n\n## Last {{#last}}\n\n{long}\n"
    )
    assert long.strip() in section(tmp_path, "01_one.html#a-part")
    assert section(tmp_path, "01_one.html#a-word").startswith("A long")
    assert "## Last" not in section(tmp_path, "01_one.html#a-part")


def test_what_is_not_there_is_answered_with_where_to_read_it(tmp_path):
    for read in ("01_one.html#none", "../../solutions/04_masks.md", "https://e.org/01_one.html"):
        assert f"Read {read}" in section(tmp_path, read)
    assert "`make book` writes it" in section(tmp_path, "01_one.html#none")


def test_a_role_is_the_words_that_a_reader_sees():
    assert in_words("{term}`keys\n<key>` and {cite:t}`bahdanau2015neural`") == (
        "keys and Bahdanau et al. (2015)"
    )
    assert in_words("{ref}`polarity`, {doc}`04_masks`") == "What does True mean?, Masks"
    with pytest.raises(ValueError, match="has no plain text"):
        in_words("{unknown}`x`")


def test_the_page_of_all_exercises_says_how_to_set_up_an_editor():
    page = (ROOT / "book" / "exercises.md").read_text()
    needed = taking_away.tutor()
    assert f'pip install "{needed}"' in page
    for block in re.findall(r"```json\n(.*?)```", page, re.DOTALL):
        ((server,),) = (tuple(servers.values()) for servers in json.loads(block).values())
        assert server["command"].endswith("/.venv/bin/attn") and server["args"][0] == "tutor"
