"""Words that speak of a part of a figure light it."""

import logging
import re
from types import SimpleNamespace

import axe
import book_site
import figure_parts
import pytest
from bs4 import BeautifulSoup
from docutils import nodes
from docutils.utils import new_document
from figures import Chart

GRID = {"rows": ["a", "b"], "columns": ["x", "y", "z"], "cells": [[0, 0, 1000], [500, 500, 0]]}
LINES = {
    "x": {"ends": [0, 10]},
    "y": {"ends": [1, 0]},
    "series": [{"name": "far, even", "x": [1, 16], "y": [0.5, 0.5]}],
}
FIGURES = {"fig-grid": [GRID], "fig-two": [GRID, LINES]}
MASKS = "04_masks.html"
ROWS = "#fig-three-tokens"


@pytest.fixture
def masks(window, address):
    page = book_site.at_rest(window.new_page(), f"{address}{MASKS}")
    yield page
    page.close()


def words(page, text):
    return page.get_by_role("button", name=text, exact=True)


def lights(page):
    return page.locator(".chart-light").count()


def reading(page):
    return page.locator(".bd-article > output").inner_text()


@pytest.mark.parametrize(
    ("part", "where"),
    [
        ("fig-grid: row b", [[0, 1, 0, 1, 3]]),
        ("fig-grid: column z", [[0, 0, 2, 2, 1]]),
        ("fig-grid: cell b, x", [[0, 1, 0, 1, 1]]),
        ("fig-grid: diagonal", [[0, 0, 0, 1, 1], [0, 1, 1, 1, 1]]),
        ("fig-grid: diagonal 2", [[0, 0, 2, 1, 1]]),
        ("fig-two 2: line far, even", [[1, 0, 0, 1, 2]]),
        ("fig-two 2: point far, even, 1", [[1, 0, 0, 1, 1]]),
    ],
)
def test_a_part_is_found_by_the_names_that_the_figure_shows(part, where):
    assert figure_parts.blocks(part, FIGURES) == where


@pytest.mark.parametrize(
    ("part", "sentence"),
    [
        ("fig-none: row a", "This page has no figure 'fig-none' that tells its values."),
        ("fig-grid: row c", "fig-grid has no row 'c'; its rows are a, b."),
        ("fig-grid: cell a, w", "fig-grid has no cell 'a, w'; its columns are x, y, z."),
        ("fig-grid: cell a", "fig-grid has no cell 'a'; its rows are a, b."),
        ("fig-grid: diagonal 3", "fig-grid has no diagonal '3'; its diagonals are 0, 1, 2."),
        ("fig-grid: line a", "fig-grid has no line 'a'; it has no lines."),
        ("fig-two 2: row a", "fig-two has no row 'a'; it has no rows."),
        ("fig-two 2: diagonal", "fig-two has no diagonal ''; it has no diagonals."),
        (
            "fig-two 2: point far, even, 16",  # beyond the axes
            "fig-two has no point 'far, even, 16'; its points are 1.",
        ),
        ("fig-two 3: row a", "fig-two has no pane 3; it has 2."),
        ("fig-two: row a", "fig-two has 2 panes; say which: fig-two 1: row a"),
        ("the second row", "this is 'the second row'."),
        ("fig-grid: corner a", "this is 'fig-grid: corner a'."),
    ],
)
def test_what_a_figure_does_not_have_is_one_sentence(part, sentence):
    with pytest.raises(ValueError, match=re.escape(sentence) + "$"):
        figure_parts.blocks(part, FIGURES)


def test_a_wrong_name_is_a_warning_of_the_build_and_its_words_stay_text(caplog):
    page = new_document("page.md")
    content = '<metadata>[{"rows": ["a"], "columns": ["x"]}]</metadata>'
    page += nodes.figure("", Chart(content=content), ids=["fig-grid"])
    page += [figure_parts.FigurePart("", "words", target=f"fig-grid: row {row}") for row in "ab"]
    html = SimpleNamespace(builder=SimpleNamespace(name="html"))
    with caplog.at_level(logging.WARNING):
        figure_parts.place_parts(html, page, "page")
    assert [one.getMessage() for one in caplog.records] == [
        "fig-grid has no row 'b'; its rows are a."
    ]
    assert ["blocks" in one for one in page.findall(figure_parts.FigurePart)] == [True, False]


def test_pointing_lights_the_part_and_leaving_puts_it_out(masks):
    words(masks, "The second row").hover()
    pane = masks.locator(f"{ROWS} .pane").first
    row = pane.locator("rect.chart-light")
    size = {name: float(row.get_attribute(name)) for name in ("width", "height")}
    assert size["width"] == pytest.approx(3 * size["height"], rel=0.01)  # three cells
    pane.locator("text", has_text="0.38").first.hover()
    assert lights(masks) == 0
    words(masks, "The second row").hover()
    assert lights(masks) == 1
    masks.mouse.move(0, 0)
    assert lights(masks) == 0 and reading(masks) == ""


def test_the_focus_lights_the_part_says_it_and_escape_puts_it_out(masks):
    first, second = words(masks, "The second row"), words(masks, "the weights")
    first.focus()
    assert reading(masks).splitlines()[1:] == ["queries: 1", "0.125, 0.375, 0.500"]
    masks.keyboard.press("Tab")
    assert second.evaluate("one => one === document.activeElement")
    assert "0.250, 0.750, masked" in reading(masks) and lights(masks) == 1
    masks.keyboard.press("Escape")
    assert lights(masks) == 0
    masks.keyboard.press("Enter")
    assert lights(masks) == 1
    masks.keyboard.press("Shift+Tab")
    masks.keyboard.press("Shift+Tab")
    assert lights(masks) == 0


def test_a_line_is_lit_as_far_as_the_axes_go(window, address):
    page = window.new_page()
    page.goto(f"{address}01_bottleneck.html")
    words(page, "a GRU").focus()  # whose line leaves the picture at its lower edge
    light = page.locator("#fig-gradient svg.chart-light")
    assert light.locator("polyline").get_attribute("points").count(",") > 5
    assert light.evaluate("one => getComputedStyle(one).overflow") == "hidden"
    assert reading(page).splitlines()[1] == "GRU"
    page.close()


def test_a_tap_keeps_the_part_lit_and_scrolls_nothing(browser, address):
    page = browser.new_page(has_touch=True, viewport={"width": 390, "height": 400})
    book_site.at_rest(page, f"{address}{MASKS}")
    part = words(page, "The second row")
    part.evaluate("one => one.scrollIntoView({block: 'center', behavior: 'instant'})")
    before = page.evaluate("scrollY")
    part.tap()
    assert page.evaluate("scrollY") == before
    told = page.locator(".bd-article > output")
    assert "unseen" not in (told.get_attribute("class") or "")  # the figure is off the screen
    assert reading(page).startswith("Fig. ") and "below" in reading(page)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.locator(ROWS).scroll_into_view_if_needed()
    assert lights(page) == 1
    page.close()


def test_without_scripts_the_words_are_text(book):
    page = BeautifulSoup((book / MASKS).read_text(), "html.parser")
    for one in page.select("[data-figure]"):
        assert one.name == "span" and not {"role", "tabindex"} & one.attrs.keys()
        assert page.find(id=one["data-figure"]).name == "figure"


def test_a_copy_of_a_figure_has_no_light(masks):
    words(masks, "The second row").focus()
    copied = masks.evaluate(
        """id => {
      const link = document.createElement("a");
      link.href = id;
      const [, node] = courseCards.figure(link);
      return node.querySelectorAll(".chart-light, [role=button]").length;
    }""",
        ROWS,
    )
    assert copied == 0


def test_axe_finds_nothing_while_a_part_is_lit(masks):
    words(masks, "The second row").focus()
    masks.evaluate("document.querySelector('.bd-article > output').classList.remove('unseen')")
    assert axe.faults(masks) == []


def test_pages_without_such_words_do_not_load_the_script(pages):
    loads = {name for name, page in pages.items() if "figures/parts.js" in str(page)}
    has = {name for name, page in pages.items() if page.select("[data-figure]")}
    assert loads == has != set()
