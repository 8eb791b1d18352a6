"""Words that stand in cells of code reach the person who marks them, and programs do not."""

import pytest
from questions import FIRST, PLOT, SECOND, STUB, cell, two_questions, words


@pytest.fixture
def released():
    return two_questions()


@pytest.mark.parametrize("written", ["%md\n{}", 'mo.md("""{}""")', 'display(Markdown(r"""{}"""))'])
def test_texts_that_are_code_cells_elsewhere_are_read(released, written):
    def edit(cells):
        cells[FIRST]["source"] = "Because."
        for item in cells:
            if item["cell_type"] == "markdown":
                item.update(cell(written.format(item["source"]), "code"))

    first, second, _ = words(released, edit)
    assert "Because." in first and "two sentences" not in first
    assert "Because." not in second


DEFINED = "It doubles:\n\ndef double(x):\n    ...\n\nand so on."


@pytest.mark.parametrize("strip", [False, True])
def test_words_around_a_definition_in_a_cell_of_code_are_read(released, strip):
    def edit(cells):
        cells[FIRST].update(source=DEFINED, cell_type="code")
        for item in cells if strip else []:
            item["metadata"] = {}

    assert words(released, edit)[:2] == (DEFINED, STUB)


@pytest.mark.parametrize(("copied", "kind"), [(3, "markdown"), (4, "markdown"), (4, "code")])
def test_words_in_a_copy_of_a_cell_of_code_are_read(released, copied, kind):
    def edit(cells):
        copy = {**cells[copied], "source": "Because of this.", "cell_type": kind}
        cells.insert(FIRST + 1, copy)

    assert words(released, edit)[:2] == ("Because of this.", STUB)


@pytest.mark.parametrize("first", [3, 4])
def test_words_that_were_joined_with_the_code_above_their_question_are_read(released, first):
    def edit(cells):
        cells[3]["source"] = "def double(x):\n    return 2 * x"
        cells[FIRST]["source"] = "Because of this."
        joined = "\n\n".join(item["source"] for item in cells[first : FIRST + 1])
        cells[first : FIRST + 1] = [{**cells[first], "source": joined}]

    first_answer, second, _ = words(released, edit)
    assert first_answer.endswith("Because of this.") and "two sentences" not in first_answer
    assert second == STUB


@pytest.mark.parametrize("source", ["# Mine\ndef double(x:\n    return", "def double(x:"])
def test_a_solution_that_is_no_python_is_no_answer_in_words(released, source):
    def edit(cells):
        cells[3]["source"] = source

    assert words(released, edit)[:2] == (STUB, STUB)


def test_a_text_that_a_program_is_tried_on_is_no_answer(released):
    def edit(cells):
        cells[SECOND]["source"] = "Second."
        cells.append(cell("double('two words')", "code"))

    assert words(released, edit)[:2] == (STUB, "Second.")


def test_a_comment_in_a_cell_of_code_is_shown_if_there_is_nothing_else(released):
    def edit(cells):
        cells[SECOND]["source"] = "Second."
        cells[PLOT]["source"] = "plot(double)\n# To 2: because of this."

    assert words(released, edit)[:2] == ("To 2: because of this.", "Second.")
