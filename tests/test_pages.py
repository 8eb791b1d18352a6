"""The pages in a real browser, as a reader meets them: light, dark, on a phone, from a file."""

import io

import book_site
import numpy as np
import pytest
from PIL import Image
from serve import serving

PAGES = book_site.listed_pages()
CHAPTERS = [name for name in PAGES if name[:2].isdigit()]
THEMES = ("light", "dark")
SMALLEST_TEXT = 10 * 96 / 72  # pixels in a figure at full size: 10 points in course.mplstyle
INK = {"light": (0x1F, 0x23, 0x28), "dark": (0xE6, 0xE6, 0xE6)}
WIDE, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 800}


@pytest.fixture(scope="module")
def address(html):
    with serving(html) as root:
        yield root


@pytest.fixture(scope="module")
def visits(browser, address):
    """Open a page in a theme, once; what it asks for and says is kept."""
    opened = {}

    def open_page(name, theme):
        # the system prefers the other theme: the reader's choice on the page must win
        system = {"light": "dark", "dark": "light"}[theme]
        context = browser.new_context(color_scheme=system, device_scale_factor=2, viewport=WIDE)
        context.add_init_script(f"localStorage.mode = localStorage.theme = '{theme}'")
        page = watched(context.new_page())
        page.goto(f"{address}{name}.html")
        page.wait_for_load_state("networkidle")
        page.evaluate("window.MathJax?.startup?.promise.then(() => true)")  # all is typeset
        return page

    def visit(name, theme="light", size=WIDE):
        if (name, theme) not in opened:
            opened[name, theme] = open_page(name, theme)
        opened[name, theme].set_viewport_size(size)
        return opened[name, theme]

    yield visit
    for page in opened.values():
        page.context.close()


def watched(page):
    page.asked, page.said = [], []
    page.on("request", lambda request: page.asked.append(request.url))
    page.on("requestfailed", lambda request: page.said.append(request.url))
    page.on("pageerror", lambda error: page.said.append(str(error)))
    page.on("console", lambda m: page.said.append(m.text) if m.type == "error" else None)
    return page


@pytest.mark.parametrize("name", PAGES)
def test_a_page_asks_nothing_outside_the_sites_own_path_and_reports_no_error(visits, address, name):
    page = visits(name)
    assert [url for url in page.asked if not url.startswith((address, "data:"))] == []
    assert page.said == []


@pytest.mark.parametrize("name", ["index", *CHAPTERS])
def test_a_page_of_text_works_from_a_file(browser, html, name):
    page = watched(browser.new_page())
    page.goto((html / f"{name}.html").as_uri())
    page.wait_for_load_state("networkidle")
    assert [url for url in page.asked if not url.startswith(("file:", "data:"))] == []
    assert page.said == []
    page.close()


@pytest.mark.parametrize("name", CHAPTERS)
def test_formulas_are_typeset_without_a_network(visits, name):
    page = visits(name)
    assert page.locator("mjx-container").count() > 0
    assert page.locator("mjx-merror").count() == 0


@pytest.mark.parametrize("name", CHAPTERS)
@pytest.mark.parametrize("theme", THEMES)
def test_the_ink_of_every_figure_follows_the_theme(visits, name, theme):
    figures = visits(name, theme).locator("figure img").all()
    assert figures
    for figure in figures:
        picture = np.array(Image.open(io.BytesIO(figure.screenshot())).convert("RGB"), dtype=int)
        ink = (abs(picture - INK[theme]) < 12).all(axis=-1)  # [height, width]
        assert ink.sum() > 100, "the text and axes of a figure cannot be read in this theme"
        assert contrast(INK[theme], picture[1, 1]) > 7, "a figure has a background"


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_not_wider_than_a_phone(visits, name):
    assert visits(name, size=PHONE).evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.parametrize("name", CHAPTERS)
def test_no_table_is_cut_on_a_phone(visits, name):
    for table in visits(name, size=PHONE).locator(".bd-article table").all():
        room = table.evaluate("table => table.parentElement.clientWidth")
        assert table.evaluate("table => table.scrollWidth") <= room, table.inner_text()


@pytest.mark.parametrize("name", CHAPTERS)
def test_the_text_in_every_figure_can_be_read_on_a_phone(visits, name):
    for figure in visits(name, size=PHONE).locator(".bd-article figure img").all():
        scale = figure.evaluate("image => image.clientWidth / image.naturalWidth")
        assert scale * SMALLEST_TEXT >= 7, figure.get_attribute("alt")


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_nothing_that_keeps_a_reader_out(visits, name, theme):
    page = visits(name, theme)
    page.evaluate(book_site.AXE.read_text())
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    told = [f"{v['id']}: {n['target']} {n['failureSummary']}" for v in found["violations"]
            for n in v["nodes"]]  # fmt: skip
    assert told == []


def contrast(one, other):
    """WCAG 2 contrast ratio of two sRGB colours."""
    bright, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


def luminance(color):
    parts = [c / 255 for c in color]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
