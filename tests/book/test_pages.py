"""The pages in a real browser, as a reader meets them: light, dark, on a phone, from a file."""

import pytest
import widget_pages
from book_site import at_rest, numbered_pages, watched

CHAPTERS = numbered_pages()
REFERENCE = ["index", "exercises", "glossary", "notation"]
# test_widgets.py has the chapters that have a widget, all from a file
FROM_FILE = ["index", *sorted(set(CHAPTERS) - set(widget_pages.PAGES.values()))]
OTHER = {"light": "dark", "dark": "light"}
WIDE, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 800}


def each(names):
    return pytest.mark.parametrize("page", names, indirect=True, scope="module")


@pytest.fixture(scope="module")
def page(request, window, address):
    """Open for all its tests, alone: those in the background would slow it down."""
    page = watched(window.new_page())
    at_rest(page, f"{address}{request.param}.html")
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
    at_rest(page, (book / f"{name}.html").as_uri())
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


@each(CHAPTERS + REFERENCE)
def test_no_table_is_cut_on_a_phone(phone):
    phone.locator("details").evaluate_all("all => all.forEach(one => (one.open = true))")
    for table in phone.locator(".bd-article table").all():
        room = table.evaluate("table => table.parentElement.clientWidth")
        assert table.evaluate("table => table.scrollWidth") <= room, table.inner_text()
