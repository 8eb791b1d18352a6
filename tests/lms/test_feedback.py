"""The page of feedback; tests/test_teaching.py makes one of a real chapter and opens it."""

import pytest

from autograder.lms.feedback import lowered
from autograder.showing import mathml
from autograder.showing.mathml import with_mathml


def test_headings_of_the_notebook_stand_below_the_pages_own():
    html = '<h1 id="a">A</h1><h6>B</h6><hr><header>'
    assert lowered(html) == '<h2 id="a">A</h2><h6>B</h6><hr><header>'


@pytest.mark.skipif(not mathml.KATEX.exists(), reason="KaTeX is not installed (make setup)")
def test_a_formula_is_set_as_mathml_and_a_dollar_in_code_stays():
    html = with_mathml("<p>$w_i &lt; 1$, <code>$x$ and $y$</code>, $$\\frac{a}{b}$$</p>")
    assert html.count("<math ") == 2 and html.count('display="block"') == 1
    assert "<msub><mi>w</mi><mi>i</mi></msub><mo>&lt;</mo>" in html
    assert "<code>$x$ and $y$</code>" in html


def test_without_katex_a_formula_stays_as_it_was_written(monkeypatch, tmp_path):
    monkeypatch.setattr(mathml, "KATEX", tmp_path / "katex.js")
    assert with_mathml("<p>$x$</p>") == "<p>$x$</p>"
