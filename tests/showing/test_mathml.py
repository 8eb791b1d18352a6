"""Formulas of students and teachers: what KaTeX makes of them, and what of that is let through."""

import re
import subprocess

import pytest
from markup import Tags

from autograder.showing import mathml as module
from autograder.showing.mathml import ATTRIBUTES, ELEMENTS, mathml

HONEST = (r"w_i < 1", False), (r"\frac{a}{b}", True)
HOSTILE = tuple(
    (tex, True)
    for tex in (
        r"\text{<script>owned=1</script>}",
        r"\href{javascript:owned=1}{a}\url{http://a.org}",
        r"\htmlStyle{position:fixed}{a}\htmlClass{navbar}{b}\includegraphics{http://a.org/b.png}",
        r"\kern-99em a\hspace{-99em}\raisebox{99em}{b}\rule{99em}{99em}\\mathclap{c}",
        "{" * 900 + "}" * 900,
        "a\x01b",
        r"\def\a{aaaaaaaaaa}\def\b{\a\a\a\a\a\a\a\a\a}" + r"\b" * 900,
        r"\def\a{\a}\a",
        "x" * module.TEX_LIMIT + "x",
    )
)


@pytest.fixture(scope="module")
def formulas():
    """By TeX. All are set at once: to start KaTeX takes most of the time."""
    if not module.KATEX.exists():
        pytest.skip("KaTeX is not installed (make setup)")
    asked = HONEST + HOSTILE
    return dict(zip((tex for tex, _ in asked), mathml(asked), strict=True))


def test_a_formula_is_set_as_mathml(formulas):
    inline, block = (formulas[tex] for tex, _ in HONEST)
    assert "<msub><mi>w</mi><mi>i</mi></msub><mo>&lt;</mo>" in inline
    assert 'display="block"' in block and "<mfrac><mi>a</mi><mi>b</mi></mfrac>" in block


def test_a_hostile_formula_costs_its_own_place_and_makes_nothing_but_mathml(formulas):
    for tex, _ in HOSTILE:
        for tag, *names in Tags(formulas[tex]).found:
            assert tag in ELEMENTS and set(names) <= ATTRIBUTES.keys(), tex
        assert len(formulas[tex]) <= 2 * module.MATHML_LIMIT
        lengths = map(float, re.findall(r'"(-?[\d.]+)(?:em|ex|pt|mu|px)"', formulas[tex]))
        assert all(module.LEAST <= length <= module.MOST for length in lengths), tex
    assert not any(formulas[tex] for tex, _ in HOSTILE[-4:])


def test_a_formula_that_takes_too_long_stays_as_it_was_written(monkeypatch, tmp_path):
    def runs_on(*_, timeout, **__):
        raise subprocess.TimeoutExpired("node", timeout)

    monkeypatch.setattr(module, "KATEX", tmp_path)
    monkeypatch.setattr(subprocess, "run", runs_on)
    assert mathml((("takes too long", False), ("x", True))) == ["", ""]


def test_without_katex_a_formula_stays_as_it_was_written(monkeypatch, tmp_path):
    monkeypatch.setattr(module, "KATEX", tmp_path / "katex.js")
    assert mathml((("never set before", False),)) == [""]
