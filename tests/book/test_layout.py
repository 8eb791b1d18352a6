"""Every page at the widths of a desk, a tablet and two phones, in all schemes of colours."""

import axe
import pytest
from book_site import at_rest, listed_pages, watched

PAGES = listed_pages()
CHAPTERS = [name for name in PAGES if name[2] == "_"]
WIDTHS = (1280, 768, 390, 320)
DESK, PHONE = 1280, 390
# Pages of which axe asks everything on a phone, too; of the others, what a width may change.
KINDS = ("index", "02_qkv", "04_masks", "12_path", "claims", "exercises", "cards", "search")
OF_WIDTH = {"runOnly": ["scrollable-region-focusable", "target-size", "landmark-unique"]}

# What scrolls in the article, and is seen: its tag, whether Tab reaches it, and its name.
REGIONS = """() => [...document.querySelectorAll('.bd-article *')]
  .filter(place => place.scrollWidth > place.clientWidth + 1 && place.checkVisibility()
    && /auto|scroll|hidden|clip/.test(getComputedStyle(place).overflowX)
    && !place.closest('.katex-mathml, .widget-static, details:not([open])'))
  .map(place => [`${place.tagName}.${place.className}`, place.tabIndex, place.ariaLabel])"""

# Of each displayed formula: how far its left end lies outside its box, and its right end.
FORMULAS = """places => places.map(place => {
  const [box, ...parts] = [place, ...place.querySelectorAll('.katex-base')]
    .map(one => one.getBoundingClientRect());
  return [box.left - Math.min(...parts.map(one => one.left)),
    Math.max(...parts.map(one => one.right)) - box.right];
})"""

HEADINGS = """['h1', 'h2', 'h3', 'p'].map(tag => {
  const style = getComputedStyle(document.querySelector(`.bd-article section > ${tag}`));
  return [parseFloat(style.fontSize), Number(style.fontWeight)];
})"""

SETTLED = """async () => {
  const late = new Promise(done => setTimeout(done, 20000));  // a window out of sight draws nothing
  const drawn = new Promise(done => requestAnimationFrame(() => setTimeout(done, 50)));
  await Promise.race([late, drawn]);
  const changes = document.getAnimations().filter(one => one instanceof CSSTransition);
  await Promise.race([late, Promise.allSettled(changes.map(one => one.finished))]);
}"""

# The numbers of characters in the lines of each paragraph, but for its last line.
LINES = """paragraphs => paragraphs.map(paragraph => {
  const walk = document.createTreeWalker(paragraph, NodeFilter.SHOW_TEXT), lines = {};
  const range = document.createRange();
  while (walk.nextNode()) for (let at = 0; at < walk.currentNode.length; at++) {
    range.setStart(walk.currentNode, at);
    range.setEnd(walk.currentNode, at + 1);
    const { bottom } = range.getBoundingClientRect();
    lines[Math.round(bottom / 12)] = (lines[Math.round(bottom / 12)] || 0) + 1;
  }
  return Object.values(lines).slice(0, -1);
})"""


@pytest.fixture(scope="module")
def page(request, window, address):
    """Open for all its tests, alone: those in the background would slow it down."""
    page = watched(window.new_page())
    at_rest(page, f"{address}{request.param}.html")
    yield page
    assert page.said == []  # no console message, whatever its size and colours were
    page.close()


def each(names):
    return pytest.mark.parametrize("page", names, indirect=True, scope="module")


def resize(page, width):
    """The page at that width, once its own observers have seen it and its menus have moved."""
    page.set_viewport_size({"width": width, "height": 800})
    page.evaluate(SETTLED)


@each(PAGES)
def test_a_page_asks_nothing_outside_the_sites_own_path_and_reports_no_error(page, address):
    assert [url for url in page.asked if not url.startswith((address, "data:"))] == []
    assert page.failed == page.said == []


@each(PAGES)
def test_at_each_width_nothing_scrolls_sideways_but_what_the_keyboard_can_scroll(page):
    for width in WIDTHS:
        resize(page, width)
        assert page.evaluate("document.documentElement.scrollWidth") == width
        regions = page.evaluate(REGIONS)
        assert [one for one in regions if one[1] != 0 or not one[2]] == [], width
        names = [name for _, _, name in regions]
        assert len(names) == len(set(names))
        if width != DESK:
            assert axe.violations(page, options=OF_WIDTH) == [], width


@each(PAGES)
def test_axe_finds_nothing_that_keeps_a_reader_out(page, request):
    resize(page, DESK)
    assert axe.faults(page) == []
    axe.show(page, "light")
    resize(page, PHONE)
    if request.node.callspec.params["page"] in KINDS:
        assert axe.violations(page) == []
    page.emulate_media(forced_colors="active")
    assert axe.violations(page, options=axe.COLORS) == []
    page.emulate_media(forced_colors="none")


@each(CHAPTERS)
def test_a_formula_fits_a_phone_or_scrolls_from_its_left_end(page):
    for width in (390, 360, 320):
        resize(page, width)
        for left, right in page.locator("div.math").evaluate_all(FORMULAS):
            assert left <= 1
            assert right <= 1 or width < 360


@each(CHAPTERS)
def test_a_line_of_text_has_about_70_characters_and_a_phones_about_40(page):
    for width, least, most in ((1440, 60, 75), (390, 32, 48)):
        resize(page, width)
        text = page.locator(".bd-article section > p:not(:has(.katex, code))")
        lines = [line for paragraph in text.evaluate_all(LINES) for line in paragraph]
        lines.sort()
        assert least <= lines[len(lines) // 2] <= most
        assert lines[len(lines) * 9 // 10] <= most + 5


@each(CHAPTERS[:1])
def test_a_heading_is_larger_than_those_below_it_and_no_lighter(page):
    for width in (1280, 390):
        resize(page, width)
        shown = page.evaluate(HEADINGS)
        sizes, weights = zip(*shown, strict=True)
        assert sorted(set(sizes), reverse=True) == list(sizes)
        assert sorted(weights, reverse=True) == list(weights)
        assert sizes[-1] >= 16


NOT_YET = ".bd-article section section > :not(section, .is-laid-out)"
ALL_LAID_OUT = f"() => !document.querySelector('{NOT_YET}')"
AT_THE_TOP = """one => {
  const { top } = one.querySelector('h2').getBoundingClientRect();
  return top >= 0 && top < 200;
}"""
# Down the page and back in longer steps: the heights that it had, and the places where the list of
# its sections does not name the heading that passed the top last.
READ = """async () => {
  const root = document.documentElement, heights = new Set(), wrong = [];
  const links = [...document.querySelectorAll('#pst-page-toc-nav a')];
  const headings = links.map(({ hash }) =>
    document.getElementById(hash.slice(1)).querySelector('h2, h3'));
  const picture = () => new Promise(requestAnimationFrame);
  const look = async top => {
    scrollTo({ top, behavior: 'instant' });
    await picture();
    await picture();
    heights.add(root.scrollHeight);
    const passed = headings.findLastIndex(one => one.getBoundingClientRect().top <= 72);
    const named = links.filter(link => link.ariaCurrent && link.classList.contains('active'));
    if (named.length !== 1 || named[0] !== links[Math.max(passed, 0)]) wrong.push(top);
  };
  for (let top = 0; top < root.scrollHeight; top += 700) await look(top);
  for (let top = root.scrollHeight; top > 0; top -= 1900) await look(top);
  return [links.length, heights.size, wrong];
}"""


@pytest.mark.parametrize("name", CHAPTERS)
def test_wherever_one_reads_the_page_keeps_its_height_and_its_contents_name_the_section(
    window, address, name
):
    page = window.new_page()
    page.set_viewport_size({"width": DESK, "height": 800})
    page.goto(f"{address}{name}.html")
    page.wait_for_function(ALL_LAID_OUT)
    sections, heights, wrong = page.evaluate(READ)
    assert sections > 1 and heights == 1 and wrong == []
    page.close()


def test_a_section_that_a_link_led_to_stays_where_it_is_until_the_page_is_laid_out(window, address):
    page = window.new_page()
    page.set_viewport_size({"width": PHONE, "height": 800})
    page.goto(f"{address}05_multi_head.html")
    last = page.locator(".bd-article > section > section").last
    page.evaluate("id => (location.hash = id)", last.get_attribute("id"))
    page.wait_for_function(ALL_LAID_OUT)
    page.wait_for_function(AT_THE_TOP, arg=last.element_handle())
    page.wait_for_timeout(300)
    assert last.evaluate(AT_THE_TOP)
    page.close()
