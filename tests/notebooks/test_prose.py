"""Whatever a student wrote at a question in words reaches the person who marks it, in order."""

import base64
from pathlib import Path

import nbformat
import pytest
from questions import (
    FIRST,
    FIRST_QUESTION,
    PLOT,
    SECOND,
    SECOND_QUESTION,
    STUB,
    cell,
    two_questions,
    words,
)

from autograder.notebooks.splice import missing, notes, splice
from autograder.notebooks.submission import read

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.fixture
def released():
    return two_questions()


def test_an_answer_in_its_own_cell_is_taken_as_it_is(released):
    text = " Because.\n\n- of this \n"
    first, second, spliced = words(released, lambda cells: cells[FIRST].update(source=text))
    assert (first, second) == (text, STUB)
    assert not notes(spliced)


@pytest.mark.parametrize("kind", ["markdown", "raw", "code", "heading"])
@pytest.mark.parametrize("below", [FIRST_QUESTION, FIRST])
@pytest.mark.parametrize("mine", [STUB, ""])
def test_words_in_a_cell_above_or_below_the_stub_of_any_kind_are_read(released, kind, below, mine):
    def edit(cells):
        cells[FIRST]["source"] = mine
        cells.insert(below + 1, cell("Rows have to sum to one.", kind))

    first, second, spliced = words(released, edit)
    assert (first, second) == ("Rows have to sum to one.", STUB)
    assert notes(spliced) == ["Found by its question: first."]


def test_a_paragraph_to_a_cell_is_read_in_order(released):
    def edit(cells):
        cells[FIRST]["source"] = "Two."
        cells.insert(FIRST, cell("One."))
        cells[FIRST + 2 : FIRST + 2] = [cell("Three."), cell(" "), cell("# Four.\n# Five.", "code")]

    first, second, spliced = words(released, edit)
    assert first == "One.\n\nTwo.\n\nThree.\n\nFour.\nFive."
    assert second == STUB
    assert notes(spliced) == ["Written in 4 cells, which are shown as one: first."]


def test_two_cells_of_one_id_are_both_read_and_one_that_is_copied_once(released):
    def edit(cells):
        cells[FIRST]["source"] = "One."
        copies = [{**cells[FIRST], "source": text} for text in ("Two.", "One.", STUB)]
        cells[FIRST + 1 : FIRST + 1] = copies

    assert words(released, edit)[:2] == ("One.\n\nTwo.", STUB)


@pytest.mark.parametrize("strip", [False, True])
def test_words_in_the_cell_of_the_question_are_read_without_the_question(released, strip):
    def edit(cells):
        cells[FIRST_QUESTION]["source"] += "\n\nBecause of this."
        cells[SECOND_QUESTION]["source"] = "## 3. Second\n\nAnd why else? Since that is so."
        for item in cells if strip else []:
            item["metadata"] = {}

    first, second, _ = words(released, edit)
    assert first.strip() == "Because of this."
    assert second == "And why else? Since that is so."


@pytest.mark.parametrize("strip", [False, True])
def test_an_answer_is_read_where_its_cell_is_gone_and_goes_to_no_other_question(released, strip):
    def edit(cells):
        cells[SECOND] = cell("And that.")
        cells[FIRST] = cell("Because of this.")
        for item in cells if strip else []:
            item["metadata"] = {}

    first, second, spliced = words(released, edit)
    assert (first, second) == ("Because of this.", "And that.")
    assert not missing(spliced).keys() & {"first", "second"}


def test_texts_of_an_earlier_release_are_no_words_of_a_student(released):
    def edit(cells):
        cells[2]["source"] = "## 1. Double\n\nWrite this."
        cells[FIRST_QUESTION]["source"] = "## 2. First\n\nWhy is it so?\nSay it in three sentences."

    assert words(released, edit)[:2] == (STUB, STUB)


def test_words_at_the_end_of_the_notebook_are_the_last_questions_but_no_code(released):
    def edit(cells):
        cells[FIRST]["source"] = "Because."
        cells += [cell("scratch = 1", "code"), cell("And that."), cell("print(scratch)", "code")]

    assert words(released, edit)[:2] == ("Because.", "And that.")


def test_code_beside_a_question_is_shown_as_code(released):
    def edit(cells):
        cells.insert(FIRST + 1, cell("x = '''\n```\n'''\nprint(x)", "code"))

    assert words(released, edit)[0] == "````python\nx = '''\n```\n'''\nprint(x)\n````"


def test_a_copy_of_a_question_at_the_end_leads_back_to_it_and_a_copy_of_code_does_not(released):
    def edit(cells):
        cells[SECOND]["source"] = "Second."
        again = [dict(cells[FIRST_QUESTION]), cell("First."), dict(cells[4]), cell("First, too.")]
        cells += again

    assert words(released, edit)[:2] == ("First.\n\nFirst, too.", "Second.")


def test_where_nothing_is_at_a_question_a_person_sees_what_is_written_elsewhere(released):
    def edit(cells):
        cells[SECOND]["source"] = "Second."
        cells[3:3] = [cell("My notes."), cell("y = 2", "code")]

    first, second, spliced = words(released, edit)
    assert (first, second) == ("My notes.", "Second.")
    told = "Nothing is written at its question, so other text of the notebook is shown: first."
    assert notes(spliced) == [told]


@pytest.mark.parametrize("at", [0, 2])
def test_words_below_another_text_of_the_release_are_seen_if_there_is_nothing_else(released, at):
    def edit(cells):
        cells[SECOND]["source"] = "Second."
        cells[at]["source"] += "\n\nTo question 2: because of this."

    answers = words(released, edit)[:2]
    assert [text.strip() for text in answers] == ["To question 2: because of this.", "Second."]


def test_two_answers_that_were_joined_in_one_cell_are_shown_at_both_questions(released):
    def edit(cells):
        cells[FIRST]["source"] = "\n\n".join(
            ["First.", cells[SECOND_QUESTION]["source"], "Second."]
        )
        del cells[SECOND_QUESTION : SECOND + 1]

    first, second, _ = words(released, edit)
    assert first == second
    assert first.startswith("First.") and second.endswith("Second.")


def test_nothing_written_stays_nothing(released):
    def edit(cells):
        cells[3]["source"] = "def double(x):\n    return 2 * x"
        cells[PLOT]["source"] = "plot(double, colour='red')"
        cells += [cell("double(2)", "code"), cell(STUB), cell("", "raw")]

    first, second, spliced = words(released, edit)
    assert (first, second) == (STUB, STUB)
    assert not notes(spliced)


def test_a_question_in_other_words_and_without_marks_keeps_its_answer(released):
    def edit(cells):
        cells[FIRST]["source"] = "Parce que."
        for item in cells:
            item["metadata"] = {}
        cells[FIRST_QUESTION]["source"] = "## 2. Premièrement\n\nPourquoi ?"

    first, second, _ = words(released, edit)
    assert first.endswith("Pourquoi ?\n\nParce que.")
    assert second == STUB


def test_a_paragraph_of_the_question_to_a_cell_is_no_answer(released):
    def edit(cells):
        cells[FIRST]["source"] = "Because."
        for item in cells:
            item["metadata"] = {}
        heading, _, rest = cells[FIRST_QUESTION]["source"].partition("\n\n")
        cells[FIRST_QUESTION : FIRST_QUESTION + 1] = [cell(heading), cell(rest)]

    assert words(released, edit)[:2] == ("Because.", STUB)


@pytest.mark.parametrize("text", ["<!-- Because. -->", "<!--\nBecause.", "<!-- --><!--Because.-->"])
def test_an_answer_within_an_html_comment_is_shown(released, text):
    first, _, _ = words(released, lambda cells: cells[FIRST].update(source=text))
    assert first.strip() == "Because." and "<!--" not in first


def test_words_in_the_encoding_of_windows_are_read_as_they_were_written(released, tmp_path):
    released["cells"][FIRST]["source"] = "Half – “so” – for €1…"
    (tmp_path / "x.ipynb").write_bytes(nbformat.writes(released).encode("cp1252"))
    spliced = splice(released, read(tmp_path / "x.ipynb"))
    assert spliced["cells"][FIRST]["source"] == "Half – “so” – for €1…"


def test_pictures_of_several_cells_stay_apart_under_one_name(released):
    pixel = base64.b64encode(b"GIF89a\1\0\1\0\0\0\0").decode()

    def edit(cells):
        for text in ("Two", "One"):
            attached = {"image.png": {"image/gif": pixel + "\n" * (text == "Two")}}
            cells.insert(FIRST, cell(f"{text}: ![](attachment:image.png)", attached=attached))

    first, _, spliced = words(released, edit)
    assert first == "One: ![](attachment:image.png)\n\nTwo: ![](attachment:2-image.png)"
    assert {*spliced["cells"][FIRST]["attachments"]} == {"image.png", "2-image.png"}


@pytest.mark.parametrize("written", [
    '<img src="attachment:{}">', '![](attachment:{} "title")', "![a][1]\n\n[1]: attachment:{}",
])  # fmt: skip
def test_a_reference_to_a_picture_follows_its_new_name_however_it_is_written(released, written):
    def edit(cells):
        for begin in ("R0lGODlhAQABAA==", "R0lGODlhAQACAA=="):
            attached = {"my image.gif": {"image/gif": begin}}
            text = f"{begin}: {written.format('my%20image.gif')}"
            cells.insert(FIRST + 1, cell(text, attached=attached))

    text = words(released, edit)[0]
    assert text.count("attachment:my%20image.gif") == text.count("attachment:2-my%20image.gif") == 1


@pytest.mark.parametrize("path", sorted(REPOSITORY.glob("exercises/*/*.ipynb")))
def test_a_release_has_no_words_of_a_student_in_it(path):
    released = nbformat.read(path, as_version=4)
    assert splice(released, released) == released
