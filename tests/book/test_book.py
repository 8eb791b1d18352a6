"""The files of the built book."""

import re
from collections import Counter

import book_site
import measurements
import pytest

from autograder.chapters import solutions

PAGES = book_site.listed_pages()
CHAPTERS = book_site.chapters()


@pytest.fixture(scope="module")
def anchors(pages):
    return book_site.anchors(pages)


@pytest.mark.book
@pytest.mark.costly
def test_the_book_is_built():
    """If the build fails, only this test fails; the other tests of the book are skipped."""
    assert book_site.build() == ""


def test_the_site_has_the_pages_of_the_table_of_contents_and_no_other(pages):
    assert {f"{name}.html" for name in PAGES} == set(pages)


def test_every_figure_has_an_alt_text_with_a_number_that_is_not_a_path(pages):
    for name, page in pages.items():
        for image in page.select(".bd-article :is(img, .chart)"):
            alt = image.get("aria-label") or image.get("alt", "")
            assert len(alt.split()) > 12 and re.search(r"\d", alt), f"{name}: alt text {alt!r}"
            assert not re.search(r"\.(svg|png)|_images|\[\[", alt), f"{name}: alt text {alt!r}"


def test_every_figure_has_a_caption(pages):
    for name, page in pages.items():
        for image in page.select(".cell_output :is(img, .chart)"):
            assert image.find_parent("figure").figcaption.text.strip(), name


def test_every_internal_link_and_anchor_resolves(book, pages):
    assert book_site.broken_links(book, pages) == []


@pytest.mark.parametrize("name", CHAPTERS)
def test_the_section_that_an_exercise_points_to_exists(book, anchors, name):
    for exercise in solutions.load(book_site.ROOT, name).exercises.values():
        read = exercise.read
        assert "#" in read and book_site.resolves(book, anchors, "index.html", read), exercise.name


@pytest.mark.parametrize("name", CHAPTERS)
def test_the_table_of_exercises_says_what_the_exercises_say(pages, name):
    rows = [[cell.text for cell in row.find_all("td")] for row in pages[f"{name}.html"]("tr")]
    shown = {row[0]: row[2:] for row in rows if len(row) == 4}
    for exercise in solutions.load(book_site.ROOT, name).exercises.values():
        assert shown[exercise.name] == [str(exercise.difficulty), str(exercise.minutes)]


def test_no_cell_printed_to_stderr_or_failed(pages):
    for name, page in pages.items():
        assert page.select(".output.stderr, .output.traceback") == [], name


def test_every_measured_number_on_a_page_is_the_one_in_its_file(pages):
    shown = Counter()
    for name, page in pages.items():
        for span in page.select("[data-measured]"):
            file, key = span["data-measured"].split(":")
            record = measurements.load(file)
            choices = {measurements.text_of(record, key, spread) for spread in (False, True)}
            told = span.text.replace("\N{NO-BREAK SPACE}", " ")
            assert told in choices, f"{name}: {span['data-measured']} shows {told!r}"
            shown[name] += 1
    assert all(shown[f"{name}.html"] > 10 for name in CHAPTERS)


def test_every_claim_of_an_experiment_stands_in_a_table(pages):
    tables = " ".join(t.text for page in pages.values() for t in page.select(".measured-table"))
    for path in measurements.FOLDER.glob("*.json"):
        for entry in measurements.load(path.stem)["claims"]:
            assert entry["text"] in tables


@pytest.mark.parametrize(
    "told",
    [
        "not written yet",
        "all 5 cases pass, 2 points",
        "Look at: You subtract one mean",
        "entries of the result differ",
        "The shape of the result is (1,), expected (1, 4).",
        "The dtype of the result is float64, expected float32.",
        "A tensor was created on the CPU",
        "returned numbers are NaN",
        "The call changed the caller's values.",
        "entries of the gradient with respect to values differ",
        "Entries of the largest tensor",
        "to be solved without",
        "Line 3 of your cell: return values - means.view(values.shape)",
    ],
)
def test_a_card_of_each_kind_stands_on_its_page(pages, told):
    cards = pages["cards.html"].select("[aria-label='Result of centre']")
    assert any(told in card.get_text() for card in cards), [card.get_text() for card in cards]
