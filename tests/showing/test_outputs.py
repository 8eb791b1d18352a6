"""What a hostile submission says, where a person sees it: pages in a browser, terminal, CSV."""

import csv
import io
import json
import shutil
from contextlib import redirect_stdout
from urllib.parse import urlsplit

import book_site
import nbformat
import pytest
from nbgrader.api import Gradebook
from nbgrader.plugins import CsvExportPlugin
from servers import formgrader, get

from autograder.cli import main
from autograder.course.course import Course
from autograder.judging.verdict import Kind, Verdict
from autograder.plugins.marks_export import CsvExport
from autograder.showing.mathml import KATEX
from autograder.showing.outputs import MAX_SHOWN_CHARACTERS, write_outputs

# Each sets `owned` when it runs, asks the network for something, or covers the page.
ATTACKS = {
    "script": "<script>owned = 1</script>",
    "image": '<img src=x onerror="owned = 1">',
    "svg": '<svg onload="owned = 1"></svg>',
    "frame": '<iframe srcdoc="<script>parent.owned = 1</script>"></iframe>',
    "link": '[go](javascript:owned=1) <a href="javascript:void(owned=1)">go</a>',
    "details": '<details open ontoggle="owned = 1">more</details>',
    "style": "<style>*{display:none}</style><div style='position:fixed;inset:0'>4 / 4</div>",
    "beacon": "<img src=http://beacon.test/1> ![](http://beacon.test/2)",
    "unclosed": "<!-- <b>",
    "mutation": "<math><mtext><table><mglyph><style><!--</style><img title='--&gt;"
    "&lt;img src=x onerror=owned=1&gt;'>",
    "picture": "![a drawing](attachment:drawing.png)",
    "formula": r"$\text{<img src=x onerror=owned=1>}\href{javascript:owned=1}{go}$ "
    r"$\htmlStyle{position:fixed;inset:0}{4}$ $$\kern-99em\rule{999em}{999em}$$",
    "<img src=x onerror=owned=1>": "My name runs.",
    "=1+1": "My name is a formula.",
}
DOT = {"dot.png": {"image/png": (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJg"
    "gg=="
)}}  # fmt: skip
STEERS = "steers\x1b]0;owned\x07\u202e"  # a name that steers the terminal
RAISES = r"""
def normalise(values):
    raise ValueError("\x1b[2J[bold]\u202e<script>owned = 1</script>" + "x" * 50_000_000)
"""


@pytest.fixture(scope="module")
def course(toy_root, tmp_path_factory, sandbox):
    """A graded class in which every student attacks whoever looks, and one sent 10 MB."""
    root = tmp_path_factory.mktemp("hostile")
    shutil.copytree(toy_root, root, dirs_exist_ok=True)
    shutil.copy(book_site.ROOT / "nbgrader_config.py", root)
    for student, text in ATTACKS.items():
        submit(root, student, why=f"Because.\n\n{text}")
    submit(root, "honest", why="$w_i < 1$ ![](attachment:dot.png)", attached=DOT)
    submit(root, "raises", normalise=RAISES)
    submit(root, "huge", why="word " * 2_000_000, normalise="# " + "x" * 900_000 + RAISES)
    for name in (STEERS, "[link=a]none\x1b[5m"):
        (root / "submitted" / name / "01_toy").mkdir(parents=True)
    said = io.StringIO()
    with redirect_stdout(said):
        assert main(["grade", "01_toy", "--root", str(root), "--results", f"{root}/r.jsonl"]) == 0
    (root / "said.txt").write_text(said.getvalue())
    return Course(root)


@pytest.fixture(scope="module")
def feedback(course, nbgrader):
    nbgrader(course.root, "generate_feedback", "01_toy")
    return course.root / "feedback"


def submit(root, student, attached=None, **answers):
    notebook = nbformat.read(root / "exercises" / "01_toy" / "01_toy.ipynb", as_version=4)
    for cell in notebook.cells:
        name = cell.metadata.get("nbgrader", {}).get("grade_id")
        cell.source = answers.get(name, cell.source)
        if attached and name in answers:
            cell.attachments = attached
        cell.metadata["stolen"] = "<script>owned = 1</script>"
        if cell.cell_type == "code":
            data = {"text/html": "<script>owned = 1</script>"}
            cell.outputs = [nbformat.v4.new_output("display_data", data)]
    folder = root / "submitted" / student / "01_toy"
    folder.mkdir(parents=True)
    nbformat.write(notebook, folder / "01_toy.ipynb")


def ran(browser, address):
    """What a page did that it should not: ran, asked another server, hid or covered its text."""
    page, asked = browser.new_page(), []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(address, wait_until="domcontentloaded")
    for link in page.query_selector_all("a[href*=javascript]"):
        link.evaluate("link => link.click()")
    page.wait_for_timeout(200)
    host = urlsplit(address).netloc
    done = [f"asked {url}" for url in asked if urlsplit(url).netloc not in ("", host)]
    done += ["ran"] if page.evaluate("typeof owned") != "undefined" else []
    fixed = "[...document.querySelectorAll('#notebook *')].some(e => getComputedStyle(e).position"
    done += ["covered the page"] if page.evaluate(f"{fixed} === 'fixed')") else []
    done += ["hid the page"] if not page.is_visible("#notebook") else []
    page.close()
    return done


def test_nothing_runs_in_a_feedback_page(feedback, browser):
    pages = {path.parts[-3]: path for path in feedback.glob("*/01_toy/01_toy.html")}
    assert pages.keys() == {*ATTACKS, "honest", "huge", "raises"}
    found = {student: ran(browser, path.as_uri()) for student, path in pages.items()}
    assert not any(found.values()), found


@pytest.fixture(scope="module")
def formgrader_at(course):
    with formgrader(course.root) as address:
        yield address


def test_formgrader_shows_the_rubric_beside_an_answer_and_its_formula_and_picture(
    course, formgrader_at, browser
):
    listed = json.loads(get(f"{formgrader_at}/api/submitted_notebooks/01_toy/01_toy"))
    (honest,) = (item["id"] for item in listed if item["student"] == "honest")
    page = browser.new_page()
    page.goto(f"{formgrader_at}/submissions/{honest}/?index=0")
    beside = "".join(page.locator("aside.rubric").text_content().split())
    formula = "wi<1" if KATEX.exists() else "$w_i<1$"
    assert beside.startswith(f"Rubric1.5thereason,{formula}0.5inonesentence")
    box = "document.querySelector('.marking .nbgrader_cell img')"
    assert page.evaluate(f"{box}.naturalWidth") == 1
    assert page.locator(".marking .nbgrader_cell math").count() == KATEX.exists()
    assert page.evaluate("formgrader.keyboard_manager !== undefined")  # its script ran to the end
    page.close()


def test_nothing_runs_in_formgrader(course, formgrader_at, browser):
    listed = json.loads(get(f"{formgrader_at}/api/submitted_notebooks/01_toy/01_toy"))
    pages = {one["student"]: f"{formgrader_at}/submissions/{one['id']}/?index=0" for one in listed}
    assert pages.keys() >= ATTACKS.keys()
    found = {student: ran(browser, page) for student, page in pages.items()}
    assert not any(found.values()), found


def test_the_terminal_gets_no_control_characters_and_no_markup(course):
    said = (course.root / "said.txt").read_text()
    assert said.replace("\n", "").isprintable()
    assert r"[link=a]none\x1b[5m" in said and r"steers\x1b]0;owned" in said


def test_results_are_ascii_and_short(course):
    for line in (course.root / "r.jsonl").read_bytes().decode("ascii").splitlines():
        assert len(line) < 2_000 and json.loads(line)["message"].isprintable()


def test_ten_megabytes_are_graded_whole_and_shown_in_part(course, feedback):
    notebook = course.root / "autograded" / "huge" / "01_toy" / "01_toy.ipynb"
    assert notebook.stat().st_size < 100_000
    assert (feedback / "huge" / "01_toy" / "01_toy.html").stat().st_size < 300_000
    text = notebook.read_text()
    assert "first 20,000 of 10,000,000 characters" in text and "raised ValueError" in text


def test_no_output_and_no_metadata_of_a_submission_survives(course):
    for path in course.root.glob("autograded/*/01_toy/01_toy.ipynb"):
        assert "stolen" not in path.read_text() and "<script>owned" not in outputs(path)


def outputs(path):
    cells = nbformat.read(path, as_version=4).cells
    html = [o.data["text/html"] for c in cells for o in c.get("outputs", []) if "data" in o]
    assert len(html) == 3
    return "".join(html)


def test_a_short_answer_is_left_alone_and_a_long_one_says_that_it_was_cut(released):
    code, text = (next(c for c in released.cells if c.metadata.get("nbgrader", {}).get("grade_id")
                       == name) for name in ("normalise", "why"))  # fmt: skip
    code.source, text.source = "x" * MAX_SHOWN_CHARACTERS, "y" * (MAX_SHOWN_CHARACTERS + 1)
    write_outputs(released, {"normalise": Verdict("normalise", Kind.PASSED, 2, 2, "Fine.")})
    assert code.source == "x" * MAX_SHOWN_CHARACTERS
    assert text.source.startswith(
        f"**Only the first 20,000 of {MAX_SHOWN_CHARACTERS + 1:,} characters"
    )


def test_an_error_output_is_one_printable_line(released):
    write_outputs(released, {"average": Verdict("average", Kind.WRONG, 0, 3, "a\x1b[31m\nb" * 999)})
    error = next(o for c in released.cells for o in c.get("outputs", []) if "evalue" in o)
    assert error.evalue.isprintable() and len(error.evalue) <= 1_000


def test_nbgrader_export_writes_names_as_text(course, nbgrader):
    with Gradebook(f"sqlite:///{course.root / 'gradebook.db'}") as book:
        book.update_or_create_student(STEERS, first_name="Eve")
        book.update_or_create_student("=1+1", first_name='@SUM(1);"', last_name="-a", email="+b,\n")
    nbgrader(course.root, "export", "--to", "ours.csv")
    with (course.root / "ours.csv").open(newline="") as file:
        found = {row["student_id"]: row for row in csv.DictReader(file)}
    assert "steers\\x1b]0;owned\\x07\\u202e" in found
    row = found["'=1+1"]
    assert (row["first_name"], row["last_name"], row["email"]) == ("'@SUM(1);\"", "'-a", "'+b,\\n")
    assert float(row["max_score"]) == 8.0


def test_an_honest_class_is_exported_as_nbgrader_itself_does(course):
    written = []
    with Gradebook(f"sqlite:///{course.root / 'gradebook.db'}") as book:
        book.update_or_create_student("nobody", first_name="No", last_name="Body")
        for plugin in (CsvExport, CsvExportPlugin):
            path = course.root / f"{plugin.__name__}.csv"
            plugin(to=str(path), student=["script", "image", "nobody"]).export(book)
            written.append(path.read_bytes())
    assert written[0] == written[1] and written[0].count(b"\n") == 4
