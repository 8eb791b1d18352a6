"""The figures of the pages: legible on a phone, in the colours of the theme, and with values."""

import html
import itertools
import re

import axe
import pytest
from book_site import chapters
from fontTools.ttLib import TTFont

PHONE = {"width": 390, "height": 800}
SMALLEST_TEXT = 11  # pixels, on a phone
LINES, CELLS = "#fig-recall .chart", "#fig-alignment .chart"  # of the first chapter
SIZES = """chart => [...chart.querySelectorAll("svg.pane")].flatMap(pane =>
    [...pane.querySelectorAll("text")].map(text => parseFloat(getComputedStyle(text).fontSize)
        * pane.clientWidth / pane.viewBox.baseVal.width))"""
TOPS = "panes => panes.map(pane => pane.getBoundingClientRect().top)"
COLORS = """chart => {
    const probe = chart.appendChild(document.createElement("i"));
    const named = name => {
        probe.style.color = `var(--${name})`;
        return getComputedStyle(probe).color;
    };
    const drawn = (what, part) => getComputedStyle(chart.querySelector(what))[part];
    const found = {
        text: [drawn("text:not([fill])", "fill"), named("ink")],
        line: [drawn("[stroke='var(--series-1)']", "stroke"), named("series-1")],
    };
    probe.remove();
    return found;
}"""


@pytest.fixture(scope="module")
def tab(window, address):
    """One page for all tests, on a phone."""
    page = window.new_page()
    page.set_viewport_size(PHONE)
    yield page
    page.close()


@pytest.fixture
def first(tab, address):
    """The first chapter, as a reader finds it who has just come."""
    tab.goto(f"{address}01_bottleneck.html")
    return tab


def reading(page, chart):
    return page.locator(f"{chart} output").inner_text()


@pytest.mark.parametrize("name", chapters())
def test_on_a_phone_the_text_of_every_figure_is_large_enough_and_nothing_scrolls(
    tab, address, name
):
    tab.goto(f"{address}{name}.html")
    figures = tab.locator(".bd-article figure .chart").all()
    charts = [chart for chart in figures if chart.is_visible()]  # one may wait for a guess
    assert len(charts) > 1
    for chart in charts:
        assert min(chart.evaluate(SIZES)) >= SMALLEST_TEXT, chart.get_attribute("aria-label")
        assert chart.evaluate("chart => chart.scrollWidth <= chart.clientWidth")
        assert chart.evaluate("chart => chart.parentElement.scrollWidth <= innerWidth")


def test_the_colours_of_a_figure_are_those_of_the_theme(first):
    found = {}
    for theme in ("light", "dark"):
        axe.show(first, theme)
        found[theme] = first.locator(LINES).evaluate(COLORS)
        assert all(drawn == named for drawn, named in found[theme].values())
    assert found["light"]["text"] != found["dark"]["text"]
    assert found["light"]["line"] != found["dark"]["line"]


def test_panes_stand_side_by_side_on_a_desk_and_below_one_another_on_a_phone(tab, address):
    tab.goto(f"{address}06_cost.html")
    tops = {}
    for width in (390, 1280):
        tab.set_viewport_size({"width": width, "height": 800})
        # at one moment: what is laid out above them later moves them
        tops[width] = tab.locator("#fig-cost svg.pane").evaluate_all(TOPS)
    tab.set_viewport_size(PHONE)
    assert tops[1280][0] == tops[1280][1] and tops[390][0] < tops[390][1]


def test_the_pointer_over_a_point_or_a_cell_tells_its_value(first):
    pane = first.locator(f"{LINES} svg.pane")
    pane.scroll_into_view_if_needed()
    pane.hover(position={"x": 60, "y": 12})
    assert re.search(r"symbols in the sequence: \d+\n.*: [01]", reading(first, LINES))
    cells = first.locator(f"{CELLS} svg.pane")
    cells.hover(position={"x": 50, "y": 20})
    assert re.search(r"0\.\d{3}\n.*symbols to write: \w\n.*symbols read: \w", reading(first, CELLS))
    assert reading(first, LINES) == ""


def test_a_tap_tells_a_value(browser, address):
    page = browser.new_page(has_touch=True, viewport=PHONE)
    page.goto(f"{address}01_bottleneck.html")
    page.locator(f"{CELLS} svg.pane").tap(position={"x": 50, "y": 20})
    assert "symbols read" in reading(page, CELLS)
    page.close()


def test_arrow_keys_walk_through_the_points_of_a_figure_which_is_one_stop(first):
    chart = first.locator(LINES)
    chart.focus()
    said = []
    for key in ("ArrowRight", "ArrowRight", "ArrowDown", "Home", "End", "Escape"):
        first.keyboard.press(key)
        said.append(reading(first, LINES))
    assert [line.split("\n")[0] for line in said[:3]] == ["one vector", "one vector", "attention"]
    assert len(set(said)) == len(said) and said[-1] == ""
    assert chart.locator("[tabindex]").count() == 0
    assert chart.locator("output").count() == 1  # a live region


def test_arrow_keys_go_on_to_the_next_pane(tab, address):
    tab.goto(f"{address}06_cost.html")
    tab.locator("#fig-cost .chart").focus()
    for key in ("End", "ArrowRight"):
        tab.keyboard.press(key)
    assert "peak memory" in reading(tab, "#fig-cost .chart")


def test_a_value_lies_where_it_is_drawn(first):
    """The ring around a point is where the line has its marker."""
    chart = first.locator(LINES)
    chart.focus()
    first.keyboard.press("Home")
    ring = [float(chart.locator(".chart-ring").get_attribute(at)) for at in ("cx", "cy")]
    marked = chart.locator("path[fill='var(--series-0)'][stroke]").first.get_attribute("d")
    x, y = map(float, re.match(r"M([\d.]+) ([\d.]+)", marked).groups())
    assert ring == pytest.approx([x, y], abs=0.5)


def test_without_scripts_a_figure_is_an_image_with_a_name(pages):
    for name in chapters():
        for chart in pages[f"{name}.html"].select("figure .chart"):
            assert chart["role"] == "img" and len(chart["aria-label"]) > 40
            assert "tabindex" not in chart.attrs and not chart.select("[id], [tabindex]")


def test_the_font_of_the_figures_has_every_character_in_them(book):
    drawn = [re.findall(r"<text.*?</text>", path.read_text()) for path in book.glob("*.html")]
    texts = re.findall(r">([^<]*)<", "".join(itertools.chain(*drawn)))
    font = TTFont(book / "_static" / "figures" / "figures.woff2")
    assert {ord(one) for one in html.unescape("".join(texts))} <= font.getBestCmap().keys()


def test_pages_without_a_figure_load_nothing_for_it(pages):
    for name in ("index.html", "glossary.html"):
        assert "figures/figures" not in str(pages[name])
