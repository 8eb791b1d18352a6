"""Exercises and pages meet: each row leads to the section that teaches it, and to its notebook."""

import book_site
import pytest

from autograder.chapters import solutions

CHAPTERS = book_site.chapters()


@pytest.mark.parametrize("name", CHAPTERS)
def test_each_row_has_an_anchor_and_leads_to_its_section_by_its_title(pages, name):
    for exercise in solutions.load(book_site.ROOT, name).exercises.values():
        for page in (f"{name}.html", "exercises.html"):
            row = pages[page].find(id=f"exercise-{exercise.name}")
            link = row.select_one(".exercise-links a")
            assert row.code.text == exercise.name
            assert link["href"] == exercise.read.removeprefix(f"{page}")
            target, _, anchor = exercise.read.partition("#")
            section = pages[target].find(id=anchor)
            section = section if section.name == "section" else section.find_parent("section")
            assert section.find(["h2", "h3"]).text.rstrip("#") == link.text


@pytest.mark.parametrize("name", CHAPTERS)
def test_each_row_of_the_overview_leads_to_the_notebook(pages, book, name):
    for exercise in solutions.load(book_site.ROOT, name).exercises:
        row = pages["exercises.html"].find(id=f"exercise-{exercise}")
        link = row.select_one("a.download")
        assert link.text == "notebook" and link["href"].endswith(f"/{name}.zip")
        assert (book / link["href"]).is_file()


def test_nothing_offers_to_open_a_notebook_where_no_repository_is_configured(pages):
    for name, page in pages.items():
        links = [link["href"] for link in page.select("a[href]")]
        places = ("colab.research", "mybinder.org", "git-pull")
        assert not [link for link in links if any(place in link for place in places)], name
