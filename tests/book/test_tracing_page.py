"""The page on which a text goes through a network: keys, touch, paper, no scripts, weight."""

import gzip
import math

import axe
import pytest
from book_site import laid_out, watched
from tracing_page import EXAMPLES, FIRST, PAGE, READY, example, field, says, told

STRENGTHS = """nodes => nodes.map((node) =>
  parseFloat(node.style.getPropertyValue('--w') || node.style.getPropertyValue('--v')))"""
PLACES = "nodes => nodes.map((node) => node.getBoundingClientRect().top + scrollY)"
SIZES = "nodes => nodes.map((node) => parseFloat(getComputedStyle(node).fontSize))"


def test_by_keyboard_alone_a_story_grows_and_tokens_and_heads_are_picked(trace):
    press = trace.keyboard.press
    field(trace).focus()
    press("ControlOrMeta+a")
    trace.keyboard.type("Ben is in Oslo\nBen stays")
    press("Tab")
    press("Enter")  # draws, and reads what was typed before
    assert field(trace).input_value().startswith("Ben is in Oslo\nBen stays")
    trace.locator(".trace-chip :checked").focus()
    press("ArrowLeft")
    assert "After “stays”" in says(trace)
    for key, head in (("ArrowRight", 2), ("ArrowRight", 3), ("ArrowLeft", 2)):
        trace.locator("[data-trace=block2] :checked").focus()
        press(key)
        assert f"head {head} looks most at" in told(trace, "block2")
    trace.locator("[data-trace=vector] summary").focus()
    press("Enter")
    trace.locator("[data-trace=vector] td").first.wait_for()


def test_by_touch_a_token_is_picked_and_a_word_drawn(tracing):
    phone = {"width": 390, "height": 800}
    page = laid_out(tracing(viewport=phone, has_touch=True, is_mobile=True))
    page.locator(".trace-chip", has_text="goes").tap()
    assert "After “goes”" in says(page)
    page.get_by_role("button", name="Draw the next word").last.tap()
    assert field(page).input_value().startswith(EXAMPLES["Ben moves"])
    assert field(page).input_value() != EXAMPLES["Ben moves"]


def test_the_still_is_what_the_script_draws_first(trace, pages):
    """The record's numbers are rounded: a last digit may differ."""
    still = pages[PAGE].select(".trace-picture")
    cells = [one for part in still for one in part.select("i")]
    before = [float(one["style"].split(":")[1]) for one in cells]
    drawn = trace.locator(".trace-picture i").evaluate_all(STRENGTHS)
    assert drawn == pytest.approx(before, abs=0.006)
    words = [word.text for part in still for word in part.select(".trace-bars li > :first-child")]
    assert trace.locator(".trace-bars li > :first-child").all_inner_texts() == words


def test_without_scripts_a_still_stands_there_and_nothing_to_click(tracing):
    page = tracing(wait=".trace-still", java_script_enabled=False)
    assert page.locator(".trace-still").inner_text() == FIRST["text"]
    assert page.locator(".trace :is(button, textarea, input, summary):visible").count() == 0
    heads = page.locator(".trace-map")
    assert heads.count() == 12 and heads.first.is_visible()
    assert page.locator("[data-trace=next] li:visible").count() == 8


def test_paper_has_the_text_and_the_pictures_and_no_control(trace):
    example(trace, "Cleo moves")
    trace.emulate_media(media="print")
    assert trace.locator(".trace-still").inner_text() == EXAMPLES["Cleo moves"]
    assert trace.locator(".trace-map").first.is_visible()
    assert trace.locator(".trace :is(button, textarea, summary):visible").count() == 0
    trace.emulate_media(media="screen")


@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_moves_when_the_scripts_take_over(tracing, width):
    how = {"viewport": {"width": width, "height": 800}}
    page = laid_out(tracing(**how))
    parts = page.locator(".trace")
    after = parts.evaluate_all(PLACES)
    late = watched(page.context.new_page())
    late.route("**/_static/tracing/*", lambda route: route.abort())
    late.goto(page.url)
    late.locator(".trace-still").first.wait_for(state="attached")
    assert laid_out(late).locator(".trace").evaluate_all(PLACES) == pytest.approx(after, abs=1)
    late.close()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert min(page.locator(".trace *").evaluate_all(SIZES)) >= 12


def test_axe_finds_nothing_whatever_is_open_and_wherever_the_text_cannot_be_read(window, address):
    page = window.new_page()  # served, since axe fetches the styles again
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(f"{address}{PAGE}")
    page.locator(READY).wait_for()
    laid_out(page)
    page.locator(".trace details").evaluate_all("all => all.forEach((one) => { one.open = true; })")
    page.locator("[data-trace=draw] table").wait_for(state="attached")
    assert axe.faults(page, ".trace") == []
    field(page).fill("Rome")
    page.locator("textarea[aria-invalid=true]").wait_for()
    assert axe.faults(page, ".trace") == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.close()


def test_it_weighs_400_kilobytes_at_most_and_no_other_page_loads_it(book, pages):
    folders = [book / "_static" / name for name in ("tracing", "networks")]
    files = [one for folder in folders for one in folder.iterdir()]
    assert len(files) > 5
    assert sum(len(gzip.compress(one.read_bytes())) for one in files) <= 400_000
    assert [name for name in pages if "_static/tracing" in str(pages[name])] == [PAGE]


def test_it_is_fetched_after_the_page_has_loaded(window, address):
    page = window.new_page()
    page.goto(f"{address}{PAGE}")
    page.locator(READY).wait_for()
    early = page.evaluate("""() => {
      const loaded = performance.getEntriesByType('navigation')[0].loadEventStart;
      const all = performance.getEntriesByType('resource');
      return all.filter((one) => one.startTime <= loaded).map(({name}) => name);
    }""")
    assert early and not [name for name in early if "tracing/" in name]
    page.close()


def test_a_vector_of_the_still_has_the_length_that_it_shows(pages):
    shown = [float(one.text) for one in pages[PAGE].select(".trace-row > .trace-number")]
    vectors = [FIRST["streams"][0]]
    for block in range(3):
        vectors += FIRST["streams"][3 * block : 3 * block + 4]
    assert shown == pytest.approx([math.hypot(*vector) for vector in vectors], abs=0.06)
