"""The pages in a real browser, as a reader meets them: light, dark, on a phone, from a file."""

import io

import axe
import numpy as np
import pytest
import widget_pages
from book_site import listed_pages, watched
from PIL import Image

CHAPTERS = [name for name in listed_pages() if name[:2].isdigit()]
REFERENCE = ["index", "exercises", "glossary", "notation"]
# test_widgets.py has the chapters that have a widget, all from a file
FROM_FILE = ["index", *sorted(set(CHAPTERS) - set(widget_pages.PAGES.values()))]
OTHER = {"light": "dark", "dark": "light"}
SMALLEST_TEXT = 10 * 96 / 72  # pixels in a figure at full size: 10 points in course.mplstyle
INK = {"light": (0x1F, 0x23, 0x28), "dark": (0xE6, 0xE6, 0xE6)}
WIDE, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 800}


def each(names):
    return pytest.mark.parametrize("page", names, indirect=True, scope="module")


@pytest.fixture(scope="module")
def page(request, window, address):
    """Open for all its tests, alone: those in the background would slow it down."""
    page = watched(window.new_page())
    page.goto(f"{address}{request.param}.html", wait_until="networkidle")
    yield page
    page.close()


@pytest.fixture
def phone(page):
    """The page on a phone."""
    page.set_viewport_size(PHONE)
    yield page
    page.set_viewport_size(WIDE)


@pytest.mark.parametrize("name", FROM_FILE)
def test_a_page_of_text_works_from_a_file(window, book, name):
    page = watched(window.new_page())
    page.goto((book / f"{name}.html").as_uri(), wait_until="networkidle")
    assert [url for url in page.asked if not url.startswith(("file:", "data:"))] == []
    assert page.failed == page.said == []
    page.close()


@each(CHAPTERS)
def test_formulas_are_set_in_the_page_with_their_own_fonts(page):
    assert page.locator(".katex-html").count() > 0
    assert page.locator(".katex-error").count() == 0
    assert page.evaluate("document.fonts.check('16px KaTeX_Main')")


@pytest.mark.parametrize("theme", OTHER)
def test_the_readers_choice_of_a_theme_wins_over_the_systems(browser, address, theme):
    page = browser.new_page(color_scheme=OTHER[theme])
    page.add_init_script(f"localStorage.mode = localStorage.theme = '{theme}'")
    page.goto(f"{address}index.html")
    assert page.locator("html").get_attribute("data-theme") == theme
    assert page.evaluate("getComputedStyle(document.documentElement).colorScheme") == theme
    page.close()


@each(CHAPTERS)
@pytest.mark.parametrize("theme", OTHER)
def test_the_ink_of_every_figure_follows_the_theme(page, theme):
    page.emulate_media(color_scheme=OTHER[theme])  # what the system prefers does not matter
    axe.show(page, theme)
    figures = page.locator("figure img").all()
    assert figures
    for figure in figures:
        picture = np.array(Image.open(io.BytesIO(figure.screenshot())).convert("RGB"), dtype=int)
        ink = (abs(picture - INK[theme]) < 12).all(axis=-1)  # [height, width]
        assert ink.sum() > 100, "the text and axes of a figure cannot be read in this theme"
        assert contrast(INK[theme], picture[1, 1]) > 7, "a figure has a background"


@each(CHAPTERS + REFERENCE)
def test_no_table_is_cut_on_a_phone(phone):
    for table in phone.locator(".bd-article table").all():
        room = table.evaluate("table => table.parentElement.clientWidth")
        assert table.evaluate("table => table.scrollWidth") <= room, table.inner_text()


@each(CHAPTERS)
def test_the_text_in_every_figure_can_be_read_on_a_phone(phone):
    for figure in phone.locator(".bd-article figure img").all():
        scale = figure.evaluate("image => image.clientWidth / image.naturalWidth")
        assert scale * SMALLEST_TEXT >= 7, figure.get_attribute("alt")


def contrast(one, other):
    """WCAG 2 contrast ratio of two sRGB colours."""
    bright, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


def luminance(color):
    parts = [c / 255 for c in color]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
