"""The built book: its files, and its pages in a real browser."""

import io
import re
import sys
from collections import Counter

import book_site
import numpy as np
import pytest
from PIL import Image

from autograder import chapter

sys.path.insert(0, str(book_site.BOOK / "experiments"))
import measurements

pytestmark = pytest.mark.xdist_group("book")  # one build, one browser
PAGES = book_site.listed_pages()
CHAPTERS = [name for name in PAGES if name[:2].isdigit()]
SMALLEST_TEXT = 10 * 96 / 72  # pixels in a figure at full size: 10 points in course.mplstyle
INK = {"light": (0x1F, 0x23, 0x28), "dark": (0xE6, 0xE6, 0xE6)}


@pytest.fixture(scope="session")
def html():
    return book_site.build()


@pytest.fixture(scope="session")
def pages(html):
    return book_site.pages(html)


@pytest.fixture(scope="session")
def address(html):
    with book_site.server(html) as root:
        yield root


@pytest.fixture
def visit(browser, address):
    """Open a page in a theme and wait until it is quiet; what it asked for and said is kept."""
    contexts = []

    def open_page(name, theme="light"):
        # the system prefers the other theme: the reader's choice on the page must win
        system = {"light": "dark", "dark": "light"}[theme]
        context = browser.new_context(color_scheme=system, device_scale_factor=2)
        contexts.append(context)
        context.add_init_script(f"localStorage.mode = localStorage.theme = '{theme}'")
        page = context.new_page()
        page.asked, page.said = [], []
        page.on("request", lambda request: page.asked.append(request.url))
        page.on("pageerror", lambda error: page.said.append(str(error)))
        page.on("console", lambda m: page.said.append(m.text) if m.type == "error" else None)
        page.goto(f"{address}{name}.html")
        page.wait_for_load_state("networkidle")
        return page

    yield open_page
    for context in contexts:
        context.close()


@pytest.mark.parametrize("name", PAGES)
def test_a_page_asks_no_other_site_for_anything_and_reports_no_error(visit, address, name):
    page = visit(name)
    assert [url for url in page.asked if not url.startswith((address, "data:"))] == []
    assert page.said == []


@pytest.mark.parametrize("name", CHAPTERS)
def test_formulas_are_typeset_without_a_network(visit, name):
    page = visit(name)
    page.wait_for_selector("mjx-container", timeout=10_000)
    assert page.locator("mjx-merror").count() == 0


@pytest.mark.parametrize("name", CHAPTERS)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_ink_of_every_figure_follows_the_theme(visit, name, theme):
    page = visit(name, theme)
    figures = page.locator("figure img").all()
    assert figures
    for figure in figures:
        picture = np.array(Image.open(io.BytesIO(figure.screenshot())).convert("RGB"), dtype=int)
        ink = (abs(picture - INK[theme]) < 12).all(axis=-1)  # [height, width]
        assert ink.sum() > 100, "the text and axes of a figure cannot be read in this theme"
        assert contrast(INK[theme], picture[1, 1]) > 7, "a figure has a background"


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_not_wider_than_a_phone(visit, name):
    page = visit(name)
    page.set_viewport_size({"width": 390, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.parametrize("name", CHAPTERS)
def test_no_table_is_cut_on_a_phone(visit, name):
    page = visit(name)
    page.set_viewport_size({"width": 390, "height": 800})
    for table in page.locator(".bd-article table").all():
        room = table.evaluate("table => table.parentElement.clientWidth")
        assert table.evaluate("table => table.scrollWidth") <= room, table.inner_text()


@pytest.mark.parametrize("name", CHAPTERS)
def test_the_text_in_every_figure_can_be_read_on_a_phone(visit, name):
    page = visit(name)
    page.set_viewport_size({"width": 390, "height": 800})
    for figure in page.locator(".bd-article figure img").all():
        scale = figure.evaluate("image => image.clientWidth / image.naturalWidth")
        assert scale * SMALLEST_TEXT >= 7, figure.get_attribute("alt")


def test_the_site_has_the_pages_of_the_table_of_contents_and_no_other(pages):
    assert {f"{name}.html" for name in PAGES} == set(pages)


def test_every_figure_has_an_alt_text_with_a_number_that_is_not_a_path(pages):
    for name, page in pages.items():
        for image in page.select(".bd-article img"):
            alt = image.get("alt", "")
            assert len(alt.split()) > 12 and re.search(r"\d", alt), f"{name}: alt text {alt!r}"
            assert not re.search(r"\.(svg|png)|_images|\[\[", alt), f"{name}: alt text {alt!r}"


def test_every_figure_has_a_caption(pages):
    for name, page in pages.items():
        for image in page.select(".cell_output img"):
            assert image.find_parent("figure").figcaption.text.strip(), name


def test_every_internal_link_and_anchor_resolves(html, pages):
    assert book_site.broken_links(html, pages) == []


@pytest.mark.parametrize("name", CHAPTERS)
def test_the_section_that_an_exercise_points_to_exists(html, pages, name):
    for exercise in chapter.load(book_site.ROOT, name).exercises.values():
        assert book_site.resolves(html, pages, "index.html", exercise.read), exercise.name


@pytest.mark.parametrize("name", CHAPTERS)
def test_the_table_of_exercises_says_what_the_exercises_say(pages, name):
    rows = [[cell.text for cell in row.find_all("td")] for row in pages[f"{name}.html"]("tr")]
    shown = {row[0]: row[2:] for row in rows if len(row) == 4}
    for exercise in chapter.load(book_site.ROOT, name).exercises.values():
        assert shown[exercise.name] == [str(exercise.difficulty), str(exercise.minutes)]


def test_no_cell_printed_to_stderr_or_failed(pages):
    for name, page in pages.items():
        assert page.select(".output.stderr, .output.traceback") == [], name


def test_every_measured_number_on_a_page_is_the_one_in_its_file(pages):
    shown = Counter()
    for name, page in pages.items():
        for span in page.select("[data-measured]"):
            file, key = span["data-measured"].split(":")
            record = measurements.load(file)
            choices = {measurements.text_of(record, key, spread) for spread in (False, True)}
            assert span.text in choices, f"{name}: {span['data-measured']} shows {span.text!r}"
            shown[name] += 1
    assert all(shown[f"{name}.html"] > 10 for name in CHAPTERS)


def test_every_claim_of_an_experiment_stands_in_a_table(pages):
    tables = " ".join(t.text for page in pages.values() for t in page.select(".measured-table"))
    for path in measurements.FOLDER.glob("*.json"):
        for entry in measurements.load(path.stem)["claims"]:
            assert entry["text"] in tables


def contrast(one, other):
    """WCAG 2 contrast ratio of two sRGB colours."""
    bright, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


def luminance(color):
    parts = [c / 255 for c in color]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
