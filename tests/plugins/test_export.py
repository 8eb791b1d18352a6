import csv
import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markup import Tags

from autograder.plugins import markdown
from autograder.plugins.markdown import ATTRIBUTES, TAGS, html_of
from autograder.plugins.marks_export import harmless

DATA = "iVBORw0KGgo="
ATTACHED = {"a b.png": {"image/png": DATA}}
FORMULA = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")

markup = st.lists(st.sampled_from([
    *"<>/='\"`[]()!*_#$\\&; \n\t", "a", "script", "img", "svg", "style", "href", "src=x", "onload",
    "onerror=", "javascript:", "data:text/html,", "<a href=", "<img ", "<!--", "-->", "<![CDATA[",
    "](", "&lt;", "&#x3c;", "```", "~~", "<details open>", "<p style=position:fixed>", "$$",
    "attachment:", "<div class=navbar-fixed-top>", "<table>", "http://a", "|-|", "mermaid",
]), max_size=40).map("".join)  # fmt: skip


@pytest.fixture(autouse=True, scope="module")
def _formulas_are_set_elsewhere():
    """In tests/showing/test_mathml.py: KaTeX is another program."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(markdown, "mathml", lambda formulas: ["<math></math>"] * len(formulas))
        yield


@given(markup)
def test_no_markdown_makes_a_tag_or_an_attribute_that_is_not_allowed(source):
    for tag, *names in Tags(html_of(source, ATTACHED)).found:
        assert tag in {*TAGS, "math"} and set(names) <= ATTRIBUTES.get(tag, {}).keys()


@pytest.mark.parametrize(("source", "shown"), [
    ("**so**, $a<b$, `$c$`", "<p><strong>so</strong>, <math></math>, <code>$c$</code></p>"),
    ("[there](https://a.org)", '<p><a href="https://a.org">there</a></p>'),
    ("[there](JavaScript:x)", "<p><a>there</a></p>"),
    ("[there](../../tree)", "<p><a>there</a></p>"),
    ("![p](data:image/png;base64,AA)", '<p><img src="data:image/png;base64,AA" alt="p"></p>'),
    ("![p](/logout)", "<em>[/logout: a picture that is not attached to the answer, so it was"),
    ("<img src=http://a.org/b.png>", "<em>[http://a.org/b.png: a picture that is not attached"),
    ("![p](attachment:a.png)", "<p><em>[a.png: an attached picture that was not kept. PNG, JPEG"),
    ("![$x$ \"](attachment:a%20b.png)", f'base64,{DATA}" alt="$x$ &quot;">'),
    ("![](attachment:a%20b.png) ![](attachment:a%20b.png)", "the picture that is shown above]"),
    ("![p](attachment:a%20b.png)" + "x" * 10_000, 'xx</pre><p><img src="data:image/png;base64,'),
    ("|a|\n|-:|\n|1|", 'style="text-align:right;">1</td>'),
    ("```python\nx\n```", '<div class="highlight"><pre><span></span><span class="n">x</span>'),
])  # fmt: skip
def test_honest_markdown_is_shown_and_what_loads_or_runs_is_not(source, shown):
    assert shown in re.sub(r">\s+<", "><", html_of(source, ATTACHED))


def test_what_stands_for_a_formula_gets_into_no_attribute():
    html = html_of('<details open="\n\n$x$ ">a\n\n![$x$](data:image/png;base64,AA "$x$")')
    assert not re.search(r'"[^"<>]*<math', html) and markdown.BEGIN not in html


@given(st.text() | st.lists(st.sampled_from([*FORMULA, *"a,;|\"' \n"])).map("".join))
def test_no_field_of_the_csv_begins_as_a_formula_however_it_is_split(text):
    file = io.StringIO()
    csv.writer(file, lineterminator="\n").writerow([harmless(text), 1])
    ((field, _),) = csv.reader(io.StringIO(file.getvalue()))
    assert not field.startswith(FORMULA) and field.isprintable()
    assert not any(part.strip().startswith(FORMULA) for part in re.split("[;,|]", field))
