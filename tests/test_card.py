import re

import torch

from autograder import checks, judge
from autograder.card import SIDE, Card
from autograder.observe import observe


def card_for(exercise, target, seed=None):
    built = checks.build(exercise, seed)
    return Card(judge.judge(built, [observe(target, item.case) for item in built.cases]))


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
    from autograder.card import _window

    tensor = torch.arange(2 * 100 * 100).reshape(2, 100, 100)
    window = _window(tensor, (1, 17, 99))
    assert window.shape[0] <= SIDE and window.shape[1] <= SIDE
    assert tensor[1, 17, 99] in window


def test_numbers_that_differ_are_outlined_not_only_coloured(toy):
    html = card_for(toy.exercises["normalise"], lambda values: values)._repr_html_()
    assert "outline:" in html and "outlined" in html
