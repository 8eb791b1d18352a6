"""What keeps a reader out of a page and axe does not look for; book/accessibility.md names each."""

import re
import string

import axe
import book_as_pdf
import book_site
import contrast
import pytest
import standalone

# One of each kind: a cover that runs, widgets, drawings and tables, numbers, lists, and forms.
KINDS = ["index", "02_qkv", "04_masks", "12_path", "claims", "exercises", "cards", "search"]
DESK = {"width": 1280, "height": 800}
SERIES = """() => {
  const series = [0, 1, 2, 3, 4, 5].map((at) => `series-${at}`);
  for (const name of [...series, "rule", "ink", "quiet", "accent"]) {
    const one = document.body.appendChild(document.createElement("i"));
    one.className = "of-a-series";
    one.style.color = `var(--${name})`;
  }
}"""
SAYS = """() => [...document.querySelectorAll(".widget, .opening, .machine, .warm-up, .predict")]
  .filter((one) => one.querySelector("button, input, [role=slider]"))
  .filter((one) => !one.querySelector("[aria-live=polite], [role=status], output"))
  .map((one) => one.className)"""
PDF = ["/Marked true", "/StructTreeRoot ", "/Lang (en)", "/S /H2", "/S /TH", "/Outlines ",
       "/Title (Attention, measured)", "/DisplayDocTitle true"]  # fmt: skip
ALT = re.compile(rb"/Alt [(<]")


@pytest.fixture
def page(window, address):
    page = window.new_page()
    page.set_viewport_size(DESK)
    page.at = lambda name: book_site.at_rest(page, f"{address}{name}.html")
    yield page
    page.close()


@pytest.mark.parametrize("name", KINDS)
def test_lines_words_and_letters_that_a_reader_spaces_out_are_all_there(page, name):
    page.at(name)
    page.locator(".bd-article details").evaluate_all("all => all.forEach(one => one.open = true)")
    assert standalone.spaced_out(page) == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_icons_edges_of_fields_and_lines_of_figures_stand_out_from_the_page(page, theme):
    page.at("search").evaluate(SERIES)
    axe.show(page, theme)
    for what, part in {
        "form.bd-search": "borderTopColor",
        ".theme-switch-button, .primary-toggle": "color",
        ".of-a-series": "color",
    }.items():
        assert contrast.faint(page, what, part) == [], what


@pytest.mark.parametrize("name", ["04_masks", "search"])
def test_a_key_without_ctrl_or_alt_does_nothing_but_where_the_focus_is(page, name):
    page.at(name)
    before = page.content(), page.url, page.evaluate("scrollY")
    for key in string.ascii_letters + string.digits + "/.,;?'-=[]":
        page.keyboard.press(key)
        assert page.evaluate("document.activeElement === document.body"), key
    assert (page.content(), page.url, page.evaluate("scrollY")) == before


def test_the_first_stop_of_a_page_leads_past_the_menu_to_its_text(page):
    page.at("04_masks").keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('#main-content') !== null")


def test_escape_puts_away_what_the_pointer_shows_wherever_the_focus_is(page):
    page.at("04_masks").locator("#fig-three-tokens .pane").first.hover()
    reading = page.locator("#fig-three-tokens output")
    assert reading.inner_text()
    page.keyboard.press("Escape")
    assert reading.inner_text() == ""


def test_the_pointer_can_go_from_words_to_what_they_say_of_a_figure_and_stay_there(page):
    page.at("04_masks")
    page.set_viewport_size({"width": 1280, "height": 250})  # the figure is off the screen
    words, reading = page.locator("[data-figure]").first, page.locator(".bd-article > output")
    words.evaluate("one => one.scrollIntoView({ block: 'start', behavior: 'instant' })")
    page.mouse.wheel(0, -80)
    words.hover()
    assert reading.is_visible() and "unseen" not in reading.get_attribute("class")
    box = reading.bounding_box()
    page.mouse.move(box["x"] + 5, box["y"] + box["height"] / 2, steps=30)
    assert reading.inner_text()
    page.mouse.move(0, 0)
    assert reading.inner_text() == ""


@pytest.mark.parametrize("name", ["index", "02_qkv", "04_masks"])
def test_where_something_answers_a_control_the_answer_is_read_out(page, name):
    assert page.at(name).evaluate(SAYS) == []


def test_how_many_pages_a_search_found_is_read_out(page, address):
    page.goto(f"{address}search.html?q=softmax")
    said = page.locator("#search-results [role=status]", has_text="found")
    said.wait_for()
    assert re.search(r"found \d+ page", said.inner_text())


def test_the_pdf_is_tagged_and_has_its_title_its_language_and_the_words_of_each_figure(
    book, tmp_path, browser
):
    names, file = ["index", "03_scaling"], tmp_path / "some.pdf"
    charts = sum(len(book_as_pdf.page(name).select(".chart")) for name in names)
    book_as_pdf.write(file, names, browser)
    content = file.read_bytes()
    assert [part for part in PDF if part.encode() not in content] == []
    assert charts > 5 and len(ALT.findall(content)) >= charts
