"""What search engines, those who link and those who cite find."""

import re
import subprocess
import sys

import book_site
import findable
import how_to_cite
import imprint
import pytest

BASE = "https://example.org/course"
CONF = f"""
import sys
sys.path[:0] = [{str(book_site.BOOK / "_ext")!r}, {str(book_site.BOOK)!r}]
extensions = ["myst_parser", "findable", "how_to_cite", "imprint", "social_card"]
html_theme, html_title, root_doc = "sphinx_book_theme", "A book", "index"
html_theme_options = {{}}
exclude_patterns = ["out"]
"""


def built(folder, *options):
    """A book of two pages."""
    (folder / "conf.py").write_text(CONF)
    (folder / "index.md").write_text("# A book\n\nIts first page.\n\n```{toctree}\none\n```\n")
    (folder / "one.md").write_text("# One\n\nSomething else than on the first page.\n")
    command = [sys.executable, "-m", "sphinx", "-q", *options, str(folder), str(folder / "out")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder / "out"


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    """Where the address of the book is known."""
    return built(tmp_path_factory.mktemp("published"), "-D", f"html_baseurl={BASE}/")


def test_every_page_has_its_own_title_and_description(pages):
    for selector in ("title", 'meta[name="description"]'):
        tags = [page.select_one(selector) for page in pages.values()]
        texts = [tag.get("content") or tag.text for tag in tags]
        assert len(set(texts)) == len(texts)
    assert pages["index.html"].title.text == "Attention, measured"
    assert {page.html["lang"] for page in pages.values()} == {"en"}


def test_a_map_names_the_pages_that_were_written(published):
    places = re.findall("<loc>(.*?)</loc>", (published / "sitemap.xml").read_text())
    assert places == [f"{BASE}/index.html", f"{BASE}/one.html"]
    assert f"Sitemap: {BASE}/sitemap.xml" in (published / "robots.txt").read_text()


def test_without_an_address_there_is_no_map(book):
    assert not (book / "sitemap.xml").exists() and not (book / "robots.txt").exists()


def test_cards_and_canonical_links_are_absolute_where_the_address_is_known(published):
    page = book_site.pages(published)["one.html"]
    assert page.select_one('link[rel="canonical"]')["href"] == f"{BASE}/one.html"
    assert page.select_one('meta[property="og:url"]')["content"] == f"{BASE}/one.html"
    assert page.select_one('meta[property="og:image"]')["content"].startswith(f"{BASE}/_static/")


def test_the_page_for_what_is_missing_links_from_any_depth_where_the_address_is_known(published):
    page = book_site.pages(published)["404.html"]
    assert page.select_one('meta[name="robots"]')["content"] == "noindex"
    links = [tag.get("href") or tag.get("src") for tag in page.select("[href], [src]")]
    assert len(links) > 10
    assert [link for link in links if not link.startswith((BASE, "#", "https://"))] == []


def test_a_host_shows_it_at_the_address_that_was_asked_for(window, address):
    page = window.new_page()
    response = page.goto(f"{address}no_such_page.html")
    assert response.status == 404
    page.get_by_role("link", name="The first page").click()
    assert page.title() == "Attention, measured"
    page.close()


def test_links_that_are_absolute_already_stay_as_they_are():
    page = '<a href="one.html#a"></a><a href="#b"></a><a href="https://x.org/"></a>'
    assert findable.absolute(page, BASE) == page.replace('"one', f'"{BASE}/one')


def test_what_to_cite_is_what_the_file_for_it_says(pages):
    cited, page = imprint.citation(), pages["index.html"]
    entry = page.select_one(".highlight-bibtex").text
    for said in (cited["title"], cited["version"], str(cited["date-released"].year)):
        assert said in entry and said in how_to_cite.sentence("")
    assert entry.strip() == how_to_cite.bibtex("").strip()
    meta = {tag["name"]: tag["content"] for tag in page.select('meta[name^="citation_"]')}
    assert meta["citation_title"] == cited["title"]
    assert meta["citation_publication_date"] == cited["date-released"].strftime("%Y/%m/%d")


def test_the_changelog_is_a_page_of_the_book(pages):
    text = (book_site.ROOT / "CHANGELOG.md").read_text()
    shown = [heading.text.rstrip("#") for heading in pages["changelog.html"].select("article h2")]
    assert shown == re.findall(r"^## (.+)$", text, re.MULTILINE)
