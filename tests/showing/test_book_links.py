import pytest
from hypothesis import given
from hypothesis import strategies as st
from markup import Tags

from autograder.judging.verdict import Kind, Verdict
from autograder.showing.book_links import BUILT, address, link
from autograder.showing.card import Card

HERE = "04_masks.html#empty-rows"
ABROAD = f"https://example.org/book/{HERE}"


@pytest.fixture
def clone(tmp_path):
    """A chapter's folder in a clone whose book is built."""
    folder = tmp_path / "exercises" / "04_masks"
    folder.mkdir(parents=True)
    (folder / BUILT).resolve().mkdir(parents=True)
    (folder / BUILT / "04_masks.html").touch()
    return folder


def card(read, folder=None):
    return Card(Verdict("f", Kind.WRONG, 0, 1, "Wrong.", read=read), folder)


def test_a_published_section_is_a_link(clone):
    for folder in (None, clone):
        html = card(ABROAD, folder)._repr_html_()
        assert f'<a href="{ABROAD}" target="_blank" rel="noopener">{HERE}</a>' in html
    assert f"Read again: {ABROAD}" in str(card(ABROAD))


def test_otherwise_the_book_that_was_built_beside_the_course_opens(clone):
    assert f'<a href="{BUILT}/{HERE}"' in card(HERE, clone)._repr_html_()
    assert f"Read again: {HERE}" in str(card(HERE, clone))


def test_where_there_is_no_book_the_section_is_text(tmp_path, clone):
    assert card(HERE, tmp_path).folder and "<a" not in card(HERE, tmp_path)._repr_html_()
    assert "<a" not in card("05_heads.html", clone)._repr_html_()
    assert f"<b>Read again:</b> {HERE}" in card(HERE)._repr_html_()


@pytest.mark.parametrize(
    "read",
    ["javascript:alert(1)//a.html", "data:text/html,a.html", "//example.org/a.html",
     "https://a.org/a.html\" onclick=\"", "https://me@a.org/a.html", "https://a.org/a.html?b",
     "../../../secret.html", "file:///etc/a.html", "https://a.org/a.html\n", "https://a.org/ü.html"],
)  # fmt: skip
def test_nothing_but_a_page_becomes_a_link(clone, read):
    assert address(read, clone) == "" and "<a" not in link(read, clone)


@given(st.sampled_from(["https://a.org/", "http://a/b.html#", ""]), st.text(max_size=30))
def test_no_text_gets_out_of_the_link(start, text):
    assert set(Tags(link(start + text)).found) <= {("a", "href", "target", "rel")}
