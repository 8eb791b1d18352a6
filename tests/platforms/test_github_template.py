"""`attn package github`: the steps of its workflow, in order, in a fresh copy of the template."""

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass

import bleach
import learners
import nbformat
import pytest
import yaml
from autograder_container import write_tools
from bs4 import BeautifulSoup
from learners import RIGHT
from markdown_it import MarkdownIt

from autograder.cli import main
from autograder.common.errors import CourseError
from autograder.course.course import Course
from autograder.judging.verdict import Kind, Verdict
from autograder.learner import printout
from autograder.learner.clean_run import CleanRun

WORKFLOW = ".github/workflows/classroom.yml"
# What GitHub leaves of a summary: neither styles nor classes nor scripts.
TAGS = {
    "h1",
    "h2",
    "b",
    "em",
    "a",
    "img",
    "code",
    "p",
    "table",
    "tbody",
    "tr",
    "td",
    "th",
    "caption",
}
WRONG = "def average(weights, values):\n    return weights @ values"
HOSTILE = """
class Scale(nn.Module):
    def __init__(self, width):
        raise ValueError("@ada $x$\\n\\n# <script>1</script> ![a](http://example.org/a.png)")
"""


@dataclass
class Job:
    """What the steps of the workflow's only job did."""

    statuses: list[int]
    log: str
    summary: str


@pytest.fixture(scope="module")
def template(toy_root):
    assert main(["package", "github", "01_toy", "--root", str(toy_root)]) == 0
    return toy_root / "packages" / "01_toy-github"


@pytest.fixture(scope="module")
def job(template, sandbox, tmp_path_factory):
    """A student has solved one exercise, another one is wrong, a third raises a text of theirs."""
    home = tmp_path_factory.mktemp("github")
    copy = shutil.copytree(template, home / "copy")
    released = nbformat.read(copy / "01_toy.ipynb", as_version=4)
    answers = {"normalise": RIGHT["normalise"], "average": WRONG, "Scale": HOSTILE}
    learners.save(learners.notebook(released, answers), copy / "01_toy.ipynb")
    steps = yaml.safe_load((copy / WORKFLOW).read_text())["jobs"]["run-autograding-tests"]["steps"]
    summary = home / "summary.md"
    variables = {**os.environ, **lent(home), "GITHUB_STEP_SUMMARY": str(summary), "COLUMNS": "100"}
    done = [
        subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
                       cwd=copy, env=variables, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                       text=True, check=False)
        for step in steps if "run" in step
    ]  # fmt: skip
    assert summary.exists(), done[-1].stdout
    return Job([one.returncode for one in done], "".join(one.stdout for one in done),
               summary.read_text())  # fmt: skip


def lent(home):
    """A shell in which pip has what it would download, and what it installs can be run."""
    tools, site = home / "tools", home / "site"
    write_tools(tools)
    start = learners.START.format(names=learners.COURSE_ONLY)
    (tools / "start.py").write_text(start)
    for name, words in (("python", '"$@"'), ("attn", f'{tools / "start.py"} "$@"')):
        (tools / name).write_text(f"#!/bin/sh\nexec {sys.executable} {words}\n")
        (tools / name).chmod(0o755)
    return {"PATH": f"{tools}:{os.environ['PATH']}", "PYTHONPATH": f"{tools}:{site}",
            "LENT_TO": str(site)}  # fmt: skip


def rendered(markdown):
    """A summary as GitHub shows it."""
    html = MarkdownIt("commonmark", {"html": True}).enable("table").render(markdown)
    return BeautifulSoup(bleach.clean(html, tags=TAGS, attributes={"a": ["href"]}), "html.parser")


def test_there_is_nothing_secret_in_the_template(template, toy_root):
    secrets = ["BEGIN SOLUTION", Course(toy_root).seed(None), "row_by_row"]
    files = [path for path in template.rglob("*") if path.is_file()]
    assert not [
        path for path in files for secret in secrets if secret.encode() in path.read_bytes()
    ]
    assert {path.name for path in files} >= {
        "01_toy.ipynb", "checks.safetensors", "README.md", "AGENTS.md", "CLAUDE.md",
    }  # fmt: skip


def test_the_workflow_is_one_that_github_reads_and_takes_points_from(template):
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema",
               "vendor.github-workflows", str(template / WORKFLOW)]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    workflow = yaml.safe_load((template / WORKFLOW).read_text())
    assert (workflow["name"], list(workflow["jobs"])) == (
        "Autograding Tests", ["run-autograding-tests"])  # fmt: skip
    assert workflow["permissions"] == {"contents": "read"}


def test_the_job_fails_until_every_exercise_passes_and_says_the_points(job):
    assert job.statuses == [0, 1], job.log
    assert "::notice title=Autograding complete::Points 2/6\n" in job.log
    (report,) = re.findall("::notice title=Autograding report::(.*)", job.log)
    assert json.loads(report) == {"totalPoints": 2, "maxPoints": 6}


def test_the_summary_shows_a_card_for_each_exercise_that_fails(job):
    page = rendered(job.summary)
    assert page.h2.text == "01_toy: 2 of 6 points on the public cases"
    overview, *matrices = page.find_all("table")
    rows = [[cell.text for cell in row.find_all("td")] for row in overview.find_all("tr")]
    assert ["normalise", "2 of 2", "passed"] in rows and ["average", "0 of 3", "wrong"] in rows
    assert [table.caption.text for table in matrices] == ["expected", "yours"]
    assert not matrices[0].find_all("b") and matrices[1].find_all("b")
    told = page.get_text("\n")
    assert "First case that fails:" in told and "entries that differ are bold" in told
    assert "✓" not in told


def test_what_a_student_wrote_stays_text_in_the_summary(job):
    page = rendered(job.summary)
    assert "<script>1</script> ![a](http://example.org/a.png)" in page.text
    assert not page.find_all(["img", "script", "h1", "a"])
    assert "@" not in job.summary and "$" not in job.summary


def test_a_summary_that_is_too_long_is_cut_between_two_cards(monkeypatch):
    monkeypatch.setattr(printout, "LIMIT", 20_000)
    verdicts = {str(number): Verdict(str(number), Kind.WRONG, 0, 1, "wörd " * 100)
                for number in range(50)}  # fmt: skip
    text = printout.as_markdown(CleanRun(verdicts, [], True), "chapter")
    assert len(text.encode()) < 20_100 and text.endswith("in the log.\n")
    assert text.count("<p>") == text.count("</p>") > 20


def test_outside_a_workflow_nothing_is_run(monkeypatch):
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    with pytest.raises(CourseError, match="for a GitHub workflow"):
        printout.summary_file()
