"""What a reader finds around the chapters: exercises, words, cards, paper."""

import ast
import re
import tomllib

import axe
import book_as_pdf
import book_site
import imprint
import pytest
from PIL import Image

from autograder.chapters import solutions
from autograder.notebooks.chapter import reference

CHAPTERS = book_site.chapters()


def cells(table):
    """The texts of a table, row by row, without its heading and links to sections."""
    return [[words(cell) for cell in row("td")] for row in table("tr") if row("td")]


def words(cell):
    texts = cell.find_all(string=True)
    return "".join(t for t in texts if not t.find_parent(class_="exercise-links")).strip()


def test_the_page_of_exercises_lists_every_exercise_as_solutions_describe_it(pages):
    tables = pages["exercises.html"].select("table.exercise-table")
    for name, table in zip(CHAPTERS, tables, strict=True):
        found = solutions.load(book_site.ROOT, name).exercises.values()
        assert table.find_previous("h2").text.startswith(f"{int(name[:2])}. ")
        assert [[row[0], *map(int, row[2:])] for row in cells(table)] == [
            [one.name, one.points, one.difficulty, one.minutes] for one in found
        ]


def test_a_chapter_asks_for_what_the_docstrings_of_its_notebook_say(pages):
    for name in CHAPTERS:
        sources = reference(solutions.load(book_site.ROOT, name))
        for exercise, what, *_ in cells(pages[f"{name}.html"].select_one("table.exercise-table")):
            tree = ast.parse(sources[exercise]).body
            written = next(one for one in tree if getattr(one, "name", None) == exercise)
            assert letters(ast.get_docstring(written)).startswith(letters(what))


def test_a_formula_of_a_docstring_is_code_in_the_table(pages):
    table = pages["exercises.html"].select_one("table.exercise-table")
    shown = {code.text for code in table.select("td:nth-of-type(2) code")}
    assert "v^T tanh(W_q q + W_k k)" in shown
    for cell in pages["exercises.html"].select("table.exercise-table td"):
        symbols = cell.find_all(string=re.compile("[_^]"))
        assert all(text.find_parent(["code", "a"]) for text in symbols), cell.text


def letters(text):
    """Without quotes, dashes and spaces, which the page sets in type."""
    return re.sub(r"[^a-zA-Z0-9]", "", text)


def test_the_sums_are_those_of_the_exercises_and_the_questions(pages):
    *rows, last = cells(pages["exercises.html"].select_one("table.exercise-totals"))
    for name, row in zip(CHAPTERS, rows, strict=True):
        found = solutions.load(book_site.ROOT, name)
        written = [c.metadata["points"] for c in found.text.cells if "answer" in c.metadata]
        points = sum(one.points for one in found.exercises.values()) + sum(written)
        minutes = sum(one.minutes for one in found.exercises.values())
        assert list(map(int, row[1:])) == [len(found.exercises), len(written), points, minutes]
    assert list(map(int, last[1:])) == [sum(int(row[at]) for row in rows) for at in range(1, 5)]


def test_each_chapter_and_the_cover_lead_to_the_exercises(pages):
    links = [link["href"] for link in pages["exercises.html"].select(".exercise-totals a[href]")]
    assert [link.partition("#")[0] for link in links] == [f"{name}.html" for name in CHAPTERS]
    for link in links:
        name, _, anchor = link.partition("#")
        assert pages[name].find(id=anchor).find_next("h2").text.startswith("Exercises")
    assert pages["index.html"].select('.bd-article a[href^="exercises.html"]')


def test_every_word_of_the_glossary_is_linked_from_a_page(pages):
    words = {term["id"] for term in pages["glossary.html"].select("dt[id]")}
    linked = {
        link["href"].partition("#")[2]
        for name, page in pages.items()
        if name not in {"glossary.html", "genindex.html"}
        for link in page.select('.bd-article a[href^="glossary.html#"]')
    }
    assert len(words) > 40
    assert words == linked


def test_the_glossary_is_in_alphabetical_order(pages):
    words = [term["id"].removeprefix("term-").lower() for term in pages["glossary.html"]("dt")]
    assert words == sorted(words, key=lambda word: word.replace("-", " ").replace("_", " "))


def test_every_page_ends_with_the_version_and_both_licences(pages):
    version = tomllib.loads((book_site.ROOT / "pyproject.toml").read_text())["project"]["version"]
    released = imprint.in_words(imprint.citation()["date-released"])
    for name, page in pages.items():
        foot = page.select_one(".bd-footer-content")
        assert f"Version {version}, {released}." in foot.text, name
        licences = [link["href"].split("/")[2] for link in foot.select('a[rel="license"]')]
        assert licences == ["creativecommons.org", "opensource.org"], name
    assert f"Version {version}, 2026" in pages["index.html"].select_one(".bd-article").text


def test_every_page_says_what_it_is_where_somebody_links_to_it(pages):
    for name, page in pages.items():
        tags = {
            tag.get("property") or tag.get("name"): tag["content"]
            for tag in page("meta", content=True)
        }
        assert tags["og:title"] and 20 < len(tags["og:description"]) <= 202, name
        assert tags["description"] == tags["og:description"]
        assert tags["twitter:card"] == "summary_large_image"
        assert not re.search(
            r"[\\$]|Project name", tags["og:description"] + tags["og:site_name"]
        ), name
        with Image.open(book_site.HTML / tags["og:image"]) as picture:
            assert picture.size == (int(tags["og:image:width"]), int(tags["og:image:height"]))


def test_the_icon_of_the_site_is_there(pages):
    for name, page in pages.items():
        assert (book_site.HTML / page.select_one('link[rel~="icon"]')["href"]).is_file(), name


@pytest.mark.parametrize(
    ("width", "height", "lowest"), [(1280, 800, ".opening-drawing"), (390, 844, ".opening-text")]
)
def test_the_cover_shows_in_one_screen_what_this_is_and_where_to_start(
    window, address, width, height, lowest
):
    page = window.new_page()
    page.set_viewport_size({"width": width, "height": height})
    page.goto(f"{address}index.html")
    title, sentence = page.locator(".bd-article h1"), page.locator(".bd-article h1 + p")
    for part in [
        title,
        sentence,
        page.get_by_role("link", name="Start with"),
        page.locator(lowest),
    ]:
        box = part.bounding_box()
        assert box and box["y"] + box["height"] <= height
    page.close()


def test_a_search_works_without_another_site(window, address):
    page = window.new_page()
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{address}search.html?q=softmax")
    page.locator("#search-results li a").first.wait_for()
    found = page.locator("#search-results").inner_text()
    assert "Scaling" in found and "Masks" in found
    assert all(url.startswith((address, "data:")) for url in asked)
    page.close()


@pytest.fixture(scope="module")
def page(window, address):
    """A page with a widget and folded answers."""
    page = window.new_page()
    page.goto(f"{address}04_masks.html")
    page.locator(".widget-ready").first.wait_for()
    page.emulate_media(media="print")
    return page


@pytest.mark.parametrize("theme", axe.THEMES)
def test_paper_is_white_and_shows_answers_and_tables_instead_of_widgets(page, theme):
    axe.show(page, theme)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator("html").get_attribute("data-theme") == "light"
    assert page.get_by_text("Model A. The source is a random process").is_visible()
    assert page.locator(".widget-static").first.is_visible()
    assert not page.locator(".widget-try, .widget-stage").first.is_visible()
    for gone in (".bd-sidebar-primary", ".bd-sidebar-secondary", ".prev-next-area"):
        assert not page.locator(gone).first.is_visible(), gone
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator("html").get_attribute("data-theme") == theme
    assert page.locator("details.sd-dropdown[open]").count() == 0


def test_in_the_pdf_every_link_leads_to_the_one_place_of_that_name(pages):
    whole = book_as_pdf.whole(book_as_pdf.pages())
    names = [tag["id"] for tag in whole.select("article, article [id]")]
    assert len(names) == len(set(names)) > 100
    links = [link["href"] for link in whole.select("article a[href]")]
    inside = {link[1:] for link in links if link.startswith("#")}
    assert inside <= set(names) and len(inside) > 100
    assert all(link.startswith(("#", "https://", "http://")) for link in links)
