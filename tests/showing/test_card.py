import math
import re

import torch
from diagnosed import diagnosed
from hypothesis import given
from hypothesis import strategies as st
from markup import Tags

from autograder.confined.observe import observe
from autograder.exercise.observation import Failure, Observation
from autograder.exercise.rounding import Exactness
from autograder.judging import checks
from autograder.judging.compare import Difference, first_difference
from autograder.judging.verdict import Kind, Verdict
from autograder.showing.card import SIDE, Card
from autograder.showing.wording import LONGEST, sentence


def card_for(exercise, target, seed=None):
    built = checks.build(exercise, seed)
    return Card(diagnosed(built, [observe(target, item.case) for item in built.cases]))


def test_the_text_says_what_happened_and_what_to_look_at(toy):
    text = str(
        card_for(toy.exercises["normalise"], toy.exercises["normalise"].misconceptions[0].target)
    )
    for part in ("✗ normalise: 0 of 2 cases pass", "First case that fails: two batches",
                 "Look at: You summed over another axis", "Read again: 01_toy.html#normalise",
                 "expected:", "yours:"):  # fmt: skip
        assert part in text


def test_html_and_text_say_the_same(toy):
    card = card_for(toy.exercises["average"], toy.exercises["average"].misconceptions[0].target)
    words = re.sub(r"<[^>]+>", " ", card._repr_html_())
    for line in str(card).splitlines()[1:4]:
        assert line.split(": ", 1)[1].strip() in words


def test_a_card_needs_no_script_no_style_sheet_and_no_network(toy):
    html = card_for(toy.exercises["normalise"], lambda values: values)._repr_html_()
    assert not re.search(r"<script|<style|<link|src=|href=|url\(|http", html)


def test_what_a_learner_wrote_is_escaped(toy):
    def injects(values):
        raise ValueError("<script>alert(1)</script>")

    html = card_for(toy.exercises["normalise"], injects)._repr_html_()
    assert "<script>" not in html and "&lt;script&gt;" in html


def test_what_passed_comes_before_what_did_not(toy):
    def fails_in_half(values):
        return values.float() / values.float().sum(-1, keepdim=True)

    text = str(card_for(toy.exercises["normalise"], fails_in_half))
    assert text.index("Right so far: two batches") < text.index("First case that fails")


def test_only_a_small_window_around_the_difference_is_shown():
    from autograder.showing.card import _window

    tensor = torch.arange(2 * 100 * 100).reshape(2, 100, 100)
    window = _window(tensor, (1, 17, 99))
    assert window.shape[0] <= SIDE and window.shape[1] <= SIDE
    assert tensor[1, 17, 99] in window


def test_numbers_that_differ_are_outlined_not_only_coloured(toy):
    html = card_for(toy.exercises["normalise"], lambda values: values)._repr_html_()
    assert "outline:" in html and "outlined" in html


def card_that_says(text):
    """A card that has `text` in every place that something outside of us could reach."""
    failure = Failure(text, text, 3, text)
    difference = Difference("values", text, text, (), text, text, failure)
    hint = "Ours.\nAnd ours."
    return Card(Verdict(text, Kind.WRONG, 0, 1, text, text, hint, text, text, True,
                              (text,), 2, difference))  # fmt: skip


said = st.text(max_size=80) | st.lists(
    st.sampled_from([*"<>&\"'`/= \n\r\t\x00\x1b\x07\u202e\u200b\ud800", "<script>", "<!--", "-->",
                     "<img src=x onerror=a>", "\x1b[31m", "\x1b]8;;http://a\x07", "]]>", "<style>",
                     "[bold red]", "[link=http://a]", "[/]", ":smile:", "javascript:"])
).map("".join)  # fmt: skip


@given(said)
def test_no_text_adds_a_tag_or_an_attribute_to_a_card(text):
    ours = set(Tags(card_that_says("plain")._repr_html_()).found)
    assert set(Tags(card_that_says(text)._repr_html_()).found) <= ours | {("code",)}


@given(said)
def test_no_text_steers_the_terminal_or_adds_a_line_to_a_card(text):
    plain, hostile = str(card_that_says("plain")), str(card_that_says(text))
    assert hostile.replace("\n", "").isprintable()
    assert hostile.count("\n") <= plain.count("\n")


@given(said)
def test_a_sentence_is_one_line_that_ends(text):
    line = sentence(text)
    assert line.isprintable() and line.endswith((".", "?", "!", "…")) and len(line) <= LONGEST


def test_an_exception_that_says_nothing_is_told_by_its_name():
    assert sentence("The call raised SystemExit: ") == "The call raised SystemExit."
    assert sentence("The call raised KeyError: ':'") == "The call raised KeyError: ':'."


def test_fifty_megabytes_leave_a_card_small():
    card = card_that_says("x" * 50_000_000)
    assert len(card._repr_html_()) < 30_000 and len(str(card)) < 30_000


def test_an_immense_number_fits_into_its_box():
    right, wrong = torch.zeros(1, 2), torch.tensor([[3e38, math.nan]])
    difference = Difference("values", "the result", "", (0, 0), right, wrong)
    card = Card(Verdict("f", Kind.WRONG, 0, 1, "So.", total=1, difference=difference))
    assert "3.0e+38" in card._repr_html_() and "nan" in str(card) and len(str(card)) < 300


def test_a_zero_is_printed_without_a_sign():
    right, wrong = torch.tensor([[-0.0, 0.0]]), torch.tensor([[-0.0, -0.001]])
    difference = Difference("values", "the result", "", (0, 1), right, wrong)
    card = str(Card(Verdict("f", Kind.WRONG, 0, 1, "So.", total=1, difference=difference)))
    assert "-0.00 " not in card and "-0.0000" not in card and "-0.0010" in card


def test_numbers_that_look_the_same_are_printed_with_more_digits():
    expected = torch.tensor([[0.5, 0.25]])
    for apart, shown in ((0.1, "0.60"), (1e-3, "0.5010"), (1e-5, "0.500010")):
        difference = first_difference(
            Observation(output=expected),
            Observation(output=expected + apart),
            ("output",),
            Exactness(2),
        )
        verdict = Verdict("f", Kind.WRONG, 0, 1, "Wrong.", difference=difference)
        assert shown in str(Card(verdict)) and shown in Card(verdict)._repr_html_()


def test_each_outlined_number_looks_other_than_the_expected_one():
    right, wrong = torch.zeros(1, 2), torch.tensor([[4e-4, 1e-8]])
    difference = Difference("values", "the result", "", (0, 0), right, wrong)
    card = str(Card(Verdict("f", Kind.WRONG, 0, 1, "So.", total=1, difference=difference)))
    assert "0.00e+00 0.00e+00" in card and "4.00e-04 1.00e-08" in card
