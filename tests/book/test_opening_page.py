"""The opening on its page: the still, a phone, paper, forced colours, and what it weighs."""

import gzip

import axe
import measurements
import pytest
from opening_page import ARCS

FIRST = measurements.load("cross_opening")["series"]["examples"][0]


@pytest.fixture
def page(landing):
    return landing


def test_the_still_is_what_the_script_draws_first(page, pages):
    """The means that the record holds are rounded: the last digit may differ."""
    still = pages["index.html"].select(".opening-arcs path")
    before = {path["d"]: float(path["style"].removeprefix("--w:")) for path in still}
    drawn = {d: float(w) for d, w in page.locator(".opening-arcs path").evaluate_all(ARCS)}
    assert (
        page.locator(".opening-iso").text_content()
        == pages["index.html"].select_one(".opening-iso").text
        == FIRST["made"]
    )
    assert drawn == pytest.approx(before, abs=0.0011)


def test_without_scripts_a_still_stands_there_and_nothing_to_click(opening):
    page = opening(wait=".opening-drawing", java_script_enabled=False)
    assert page.get_by_role("img", name=f"the characters of “{FIRST['text']}”").is_visible()
    assert page.locator(".opening-arcs path").count() > 20
    assert page.locator(".opening :is(input, button, p:empty):visible").count() == 0
    assert page.locator(".opening noscript p").is_visible()


@pytest.mark.parametrize("width", [1280, 320])
def test_nothing_moves_when_the_scripts_take_over_and_write(opening, width):
    context = {"viewport": {"width": width, "height": 800}}
    before, after = opening(wait=".opening-drawing", **context), opening(**context)
    place = caption(before)
    assert caption(after) == place
    after.get_by_role("button", name="the 22nd").click()
    after.locator(".opening-iso").press("End")
    assert caption(after) == place
    assert after.evaluate("document.documentElement.scrollWidth") <= width


def caption(page):
    """How far below the top of the page it stands."""
    return page.locator(".opening-caption").evaluate(
        "node => node.getBoundingClientRect().top + scrollY"
    )


def test_a_phone_shows_each_character_large_enough(opening):
    page = opening(viewport={"width": 320, "height": 800})
    place = page.get_by_label("Write a date")
    place.fill("the 22nd of September 2019")
    place.press("Enter")
    sizes = page.locator(".opening :is(span, label, button, p)").evaluate_all(
        "nodes => nodes.map(node => parseFloat(getComputedStyle(node).fontSize))"
    )
    assert min(sizes) >= 12
    cell = page.locator(".opening-iso span").first.bounding_box()
    assert cell["width"] >= 24 and cell["height"] >= 24


def test_axe_finds_nothing_in_the_opening_whatever_is_picked(window, address):
    page = window.new_page()  # served, since axe fetches the styles again
    page.goto(f"{address}index.html")
    page.locator(".opening-says", has_text="becomes").wait_for()
    for row in (".opening-iso", ".opening-text"):
        page.locator(row).press("End")
        assert page.locator(".has-picked").count() == 1
        assert axe.faults(page, ".opening") == []
    page.close()


def test_forced_colours_and_paper_show_the_drawing(page):
    page.emulate_media(forced_colors="active")
    strokes = page.locator(".opening-arcs path").evaluate_all(
        "nodes => nodes.map(node => getComputedStyle(node).stroke)"
    )
    ink = page.evaluate("getComputedStyle(document.querySelector('.opening-looks')).color")
    assert set(strokes) == {ink}
    page.emulate_media(forced_colors="none", media="print")
    assert page.locator(".opening-drawing").is_visible()
    assert page.locator(".opening :is(input, button):visible").count() == 0
    page.emulate_media(media="screen")


def test_it_weighs_150_kilobytes_at_most_and_no_other_page_loads_it(book, pages):
    files = [one for one in (book / "_static" / "opening").iterdir() if one.is_file()]
    assert len(files) > 5
    assert sum(len(gzip.compress(one.read_bytes())) for one in files) <= 150_000
    using = [name for name in pages if "_static/opening" in str(pages[name])]
    assert using == ["index.html"]


def test_it_is_fetched_after_the_page_has_loaded(window, address):
    page = window.new_page()
    page.goto(f"{address}index.html")
    page.locator(".opening-ready").wait_for()
    late = page.evaluate("""() => {
      const loaded = performance.getEntriesByType('navigation')[0].loadEventStart;
      const late = performance.getEntriesByType('resource').filter((one) => one.startTime > loaded);
      return late.map(({name}) => name.split('/').pop().split('?')[0]);
    }""")
    assert {"model.js", "translator.js", "opening.js"} <= set(late)
    page.close()
