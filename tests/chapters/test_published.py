"""What a course that is published adds to its notebooks and cards; others have no dead links."""

import shutil

import pytest
from chapter_zip import launches
from taking_away import readme

from autograder.chapters import source_notebook
from autograder.chapters.settings import Published, published
from autograder.chapters.solutions import load
from autograder.common.errors import CourseError
from autograder.common.files import CHECKS
from autograder.course.course import Course
from autograder.course.release import release
from autograder.judging import checks_file

CONFIG = """
html: {baseurl: "https://example.org/book"}
repository: {url: "https://github.com/owner/course", branch: spring}
sphinx: {config: {course_hub: "https://hub.example.org/"}}
"""


@pytest.fixture
def course(nbgrader, toy_root, tmp_path):
    shutil.copytree(toy_root / "solutions", tmp_path / "solutions")
    return Course(tmp_path)


@pytest.fixture
def public(course):
    (course.root / "_config.yml").write_text(CONFIG)
    return course


def cells(course):
    return source_notebook.build(load(course.root, "01_toy")).cells


def test_a_course_that_says_nothing_is_published_nowhere(course):
    assert published(course.root) == Published()
    assert Published().launches("01_toy") == {} and launches("01_toy", Published()) == ""
    assert "github" not in cells(course)[1].source


def test_this_course_has_no_button_that_leads_nowhere(course):
    (course.root / "_config.yml").write_text('repository: {url: "", branch: main}')
    assert published(course.root).launches("01_toy") == {}


def test_a_released_check_has_the_whole_address_of_its_section(public):
    known = checks_file.load(release(public, "01_toy") / CHECKS)
    assert known["normalise"].read == "https://example.org/book/01_toy.html#normalise"


def test_a_repository_on_github_opens_in_colab_and_binder_and_any_in_a_hub(public):
    found = published(public.root)
    path = "exercises/01_toy/01_toy.ipynb"
    asked = path.replace("/", "%2F")
    assert found.launches("01_toy") == {
        "Colab": f"https://colab.research.google.com/github/owner/course/blob/spring/{path}",
        "Binder": f"https://mybinder.org/v2/gh/owner/course/spring?urlpath=lab%2Ftree%2F{asked}",
        "JupyterHub": "https://hub.example.org/hub/user-redirect/git-pull?repo=https%3A%2F%2F"
        f"github.com%2Fowner%2Fcourse&branch=spring&urlpath=lab%2Ftree%2Fcourse%2F{asked}",
    }
    elsewhere = Published(repository="https://git.example.org/course.git", hub="https://hub.a")
    assert [*elsewhere.launches("01_toy")] == ["JupyterHub"]
    assert launches("01_toy", found).count("](https://") == 3


@pytest.mark.parametrize("address", ["javascript:alert(1)", "https://a.org/)[x](y", "a.org"])
def test_an_address_that_is_none_is_told(course, address):
    (course.root / "_config.yml").write_text(f"html: {{baseurl: {address!r}}}")
    with pytest.raises(CourseError, match="html: baseurl is"):
        published(course.root)


def test_the_readme_of_a_zip_says_where_the_book_is():
    text = readme("04_masks", "engine.whl", Published(book="https://a.org/b/"))
    assert "# Masks\n" in text and "<https://a.org/b/04_masks.html>" in text
    elsewhere = readme("04_masks", "engine.whl", Published())
    assert "a.org" not in elsewhere
    assert elsewhere.endswith("The chapter is the page of the book that offered this.\n")
