"""Predict, then see: the question of each chapter takes a guess, then shows what was measured."""

import json

import axe
import measurements
import predict
import pytest
from book_site import chapters, watched

CHAPTERS = chapters()
PICKS = [name for name in CHAPTERS if not name.startswith("01")]


@pytest.fixture(scope="module")
def window(browser):
    context = browser.new_context(viewport={"width": 1280, "height": 800}, has_touch=True)
    yield context
    context.close()


@pytest.fixture
def chapter(window, book):
    """Opens a chapter as a reader does who has just come, from a file."""
    opened = []

    def go(name, width=1280, place=""):
        page = watched(window.new_page())
        page.set_viewport_size({"width": width, "height": 800})
        page.goto(f"{(book / f'{name}.html').as_uri()}{place}")
        opened.append(page)
        return page

    yield go
    for page in opened:
        assert page.said == page.failed == []
        page.close()


def guess(page, kind):
    return page.locator(f"[data-predict={kind}]")


def compare(place):
    place.get_by_role("button", name="Compare").click()


def says(place):
    return place.get_by_role("status").inner_text()


@pytest.mark.parametrize("name", CHAPTERS)
def test_the_question_of_each_chapter_takes_a_guess(pages, name):
    (section,) = [
        one for one in pages[f"{name}.html"]("section") if one.get("id") == "the-question"
    ]
    guesses = section.select("[data-predict]")
    assert guesses
    assert guesses[-1].find_next_sibling("details"), "an answer follows"


def test_a_curve_is_that_of_the_record(pages):
    (script,) = pages["01_bottleneck.html"].select("[data-predict=curve] script")
    found, series = json.loads(script.text), measurements.load("bottleneck_recall")["series"]
    runs = [run[:16] for run in series["exact"]["fixed"]]
    assert found["x"] == series["lengths"][:16]
    assert found["mean"] == pytest.approx([sum(column) / 5 for column in zip(*runs, strict=True)])
    assert found["low"] == [min(column) for column in zip(*runs, strict=True)]


def test_a_curve_drawn_by_keyboard_says_its_values_and_is_compared(chapter):
    page = chapter("01_bottleneck")
    place = guess(page, "curve")
    figure = page.locator("#fig-question-1")
    assert not figure.is_visible(), "it would tell"
    compare(place)
    assert says(place) == "Draw your curve first."
    chart = place.get_by_role("slider")
    chart.focus()
    page.keyboard.press("End")
    for _ in range(20):
        page.keyboard.press("ArrowDown")
    assert chart.get_attribute("aria-valuetext") == "at length 16: 0%"
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("PageDown")
    assert chart.get_attribute("aria-valuetext") == "at length 15: 80%"
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert says(place) == "Farthest off at length 14: you drew 100%; measured 0%."
    assert "length 16: yours 0%, measured 0%" in place.get_by_role("img").get_attribute(
        "aria-label"
    )
    assert figure.is_visible()


def test_a_curve_drawn_by_pointer_has_a_value_at_each_place_that_it_passed(chapter):
    page = chapter("01_bottleneck", width=390)
    place = guess(page, "curve")
    chart = place.locator("svg")
    chart.scroll_into_view_if_needed()
    box = chart.bounding_box()
    right, bottom = box["x"] + box["width"] - 15, box["y"] + box["height"] - 48
    page.mouse.move(box["x"] + 60, bottom)
    page.mouse.down()
    page.mouse.move(right, bottom)  # one step over all places
    page.mouse.up()
    compare(place)
    assert says(place).startswith("Farthest off at length 2: you drew 0%; measured 100%")
    name = place.get_by_role("img").get_attribute("aria-label")
    assert name.count("yours 0%") == 15


def test_the_chart_is_drawn_on_without_scrolling_the_page_until_it_is_compared(chapter):
    place = guess(chapter("03_scaling", width=390), "curve")
    action = "node => getComputedStyle(node).touchAction"
    assert place.locator("svg").evaluate(action) == "none"
    place.get_by_role("button", name="Show without").click()
    assert place.locator("svg").evaluate(action) == "auto"


def test_fixes_are_put_in_order_by_keyboard_and_compared_with_the_numbers(chapter):
    page = chapter("01_bottleneck")
    place = guess(page, "order")
    place.get_by_role("button", name="up: All states").focus()
    page.keyboard.press("Enter")
    assert says(place) == "second: All states"
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")  # it is first, and stays so
    assert place.locator("li").first.inner_text().startswith("All states")
    answer = page.locator("details", has_text="Sequences of eight symbols copied exactly")
    assert answer.get_attribute("open") is None
    compare(place)
    best = measurements.text_of(measurements.load("bottleneck_recall"), "attention_8", False)
    assert says(place) == (
        f"You put “All states” first; measured: “All states” is first, with {best}. "
        "1 of 3 places as measured."
    )
    assert answer.get_attribute("open") is not None


@pytest.mark.parametrize("name", PICKS)
def test_a_choice_is_compared_and_opens_the_answer(chapter, name):
    page = chapter(name)
    place = guess(page, "pick")
    compare(place)
    assert says(place).startswith("Choose an answer")
    for group in place.locator("fieldset").all():
        group.get_by_role("radio").first.focus()
        page.keyboard.press("Space")
    right = [int(group.get_attribute("data-right")) for group in place.locator("fieldset").all()]
    compare(place)
    if len(right) > 1:
        assert says(place) == f"{right.count(0)} of {len(right)} as measured."
    else:
        assert says(place).startswith("You chose “")
        assert ("as measured" in says(place)) == (right == [0])
    assert place.locator("label .note-measured").count() == len(right)
    assert place.locator("~ details").first.get_attribute("open") is not None


def test_the_answer_shows_without_a_guess_too(chapter):
    page = chapter("04_masks")
    guess(page, "pick").get_by_role("button", name="Show without guessing").click()
    assert says(guess(page, "pick")) == "Measured: “model B: its loss ends far below the other”."
    assert page.get_by_text("Model A. The source is a random process").is_visible()


def test_a_link_to_a_covered_figure_uncovers_it(chapter):
    assert chapter("01_bottleneck", place="#fig-question-1").locator("#fig-question-1").is_visible()


@pytest.mark.parametrize("name", CHAPTERS)
def test_without_scripts_figure_and_answer_are_there_and_no_control_is(browser, book, name):
    page = browser.new_page(java_script_enabled=False)
    page.goto((book / f"{name}.html").as_uri())
    assert page.locator(".predict :is(button, input, svg):visible").count() == 0
    for figure in page.locator("#the-question > .cell figure").all():
        assert figure.is_visible()
    assert page.locator("#the-question > details > summary").is_visible()
    page.close()


def test_paper_has_the_figure_and_no_control(chapter):
    page = chapter("01_bottleneck")
    page.emulate_media(media="print")
    assert page.locator("#fig-question-1").is_visible()
    assert page.locator(".predict :is(button, svg):visible").count() == 0
    page.emulate_media(media="screen")


@pytest.mark.parametrize("name", ["01_bottleneck", "06_cross_attention"])  # all kinds
def test_axe_finds_nothing_before_and_after_a_guess(window, address, name):
    page = window.new_page()
    page.set_viewport_size({"width": 320, "height": 800})
    page.goto(f"{address}{name}.html")
    assert axe.faults(page, ".predict") == []
    for place in page.locator(".predict").all():
        place.get_by_role("button", name="Show without").click()
    assert axe.faults(page, ".predict") == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    page.close()


def test_a_fact_is_what_the_records_say():
    assert predict.holds("masks_leak:off_by_one_loss < masks_leak:floor")
    assert not predict.holds("masks_leak:floor > 2")
    with pytest.raises(ValueError, match="is not like"):
        predict.holds("masks_leak:floor")
