"""What stands around the code: licences, the version, how to cite it, and what GitHub reads."""

import json
import re
import subprocess
import sys
import tomllib

import book_site
import pytest
import yaml

ROOT = book_site.ROOT
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text())
WORKFLOW = ROOT / ".github" / "workflows" / "ci.yml"
DOCUMENTS = ("README.md", "SECURITY.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md")
FORMATS = {
    ".github/workflows/ci.yml": "github-workflows",
    ".github/ISSUE_TEMPLATE/config.yml": "github-issue-config",
    ".github/ISSUE_TEMPLATE/page-wrong.yml": "github-issue-forms",
    ".github/ISSUE_TEMPLATE/right-answer-rejected.yml": "github-issue-forms",
    "CITATION.cff": "citation-file-format",
}
ASK = """
import sys
from autograder.cli import main
try:
    main(["--version"])
finally:
    print("torch" in sys.modules)
"""


def read(name):
    return (ROOT / name).read_text()


def targets(text):
    """The targets of make that a text names, as code or as a line of it."""
    return set(re.findall(r"(?:^|`)make ([a-z]+(?:-[a-z]+)*)\b", text, re.MULTILINE))


def makes():
    return set(re.findall(r"^([a-z]+(?:-[a-z]+)*):", read("Makefile"), re.MULTILINE))


def test_one_version_and_date_stand_in_the_package_the_citation_and_the_changelog():
    numbered = re.findall(
        r"^## \[(\d.*?)\] - (\d{4}-\d\d-\d\d)$", read("CHANGELOG.md"), re.MULTILINE
    )
    assert numbered[0] == (CITATION["version"], str(CITATION["date-released"]))
    assert PROJECT["version"] == CITATION["version"]


def test_attn_says_its_version_without_loading_torch():
    done = subprocess.run([sys.executable, "-c", ASK], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [f"attn {PROJECT['version']}", "False"]


def test_code_has_one_licence_wherever_it_is_named():
    assert PROJECT["license"] == CITATION["license"] == "MIT"
    assert PROJECT["license-files"] == ["LICENSE"]
    assert read("LICENSE").startswith("MIT License\n")


def test_both_licences_are_said_where_a_visitor_looks():
    assert "SPDX-License-Identifier: CC-BY-4.0\n" in read("book/LICENSE")
    for document, links in {
        "README.md": ("(LICENSE)", "(book/LICENSE)"),
        "book/index.md": ("opensource.org/license/mit)", "creativecommons.org/licenses/by/4.0/)"),
    }.items():
        for link in links:
            assert link in read(document), f"{document} does not link to {link}"


@pytest.mark.parametrize("name", FORMATS)
def test_what_github_reads_has_its_format(name):
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema"]
    command += [f"vendor.{FORMATS[name]}", str(ROOT / name)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_no_file_that_github_reads_is_left_unchecked():
    files = {path.relative_to(ROOT).as_posix() for path in (ROOT / ".github").rglob("*.y*ml")}
    assert files == {name for name in FORMATS if name.startswith(".github/")}


def test_every_action_of_the_workflow_is_one_of_githubs_own_at_a_fixed_major_version():
    uses = re.findall(r"uses: (.*)", WORKFLOW.read_text())
    assert uses
    for action in uses:
        assert re.fullmatch(r"actions/[a-z-]+@v\d+", action), action


def test_what_the_workflow_runs_and_publishes_exists():
    steps = yaml.safe_load(WORKFLOW.read_text())["jobs"]["test"]["steps"]
    commands = [step["run"] for step in steps if "run" in step]
    assert ".ci/run" in commands
    assert (ROOT / ".ci" / "run").stat().st_mode & 0o111
    assert targets("\n".join(commands)) == {"book"} <= makes()
    published = [step["with"]["path"] for step in steps if "pages" in step.get("uses", "")]
    assert [ROOT / path for path in published] == [book_site.HTML]


def test_nothing_in_the_workflow_may_write_but_what_publishes_the_pages():
    workflow = yaml.safe_load(WORKFLOW.read_text())
    assert workflow["permissions"] == {"contents": "read"}
    jobs = workflow["jobs"]
    assert [name for name in jobs if "permissions" in jobs[name]] == ["publish"]
    assert jobs["publish"]["permissions"] == {"pages": "write", "id-token": "write"}
    assert jobs["publish"]["if"] == "github.ref == 'refs/heads/main'"


def test_the_development_container_has_our_python_and_lets_the_sandbox_work():
    lines = read(".devcontainer/devcontainer.json").splitlines()
    found = json.loads("\n".join(line for line in lines if not line.lstrip().startswith("//")))
    assert found["image"].startswith(f"python:{PROJECT['requires-python'].removeprefix('>=')}-")
    assert targets(found["postCreateCommand"]) <= makes()
    lifted = {option for option in found["runArgs"] if option != "--security-opt"}
    assert lifted == {f"{what}=unconfined" for what in ("seccomp", "apparmor", "systempaths")}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_document_names_files_and_targets_that_exist(name):
    text = read(name)
    links = [link for link in re.findall(r"\]\(([^)#]+)", text) if "://" not in link]
    assert [link for link in links if not (ROOT / link).exists()] == []
    assert targets(text) - makes() == set()
    tests = re.findall(r"\btests/[\w/]+\.py", text)
    assert [test for test in tests if not (ROOT / test).exists()] == []


STRANGERS = """
from autograder.author import Case, Exercise

exercise = Exercise("total", points=1, difficulty=1, minutes=1, builds_on=("weighted",))


@exercise.variant
def by_what_was_written_before(W_x, values: Float[Tensor, "rows columns"]):
    return weighted(W_x, values).sum()
"""


def test_a_new_exercise_lints_though_it_calls_what_only_its_notebook_has():
    def lint(path):
        command = [sys.executable, "-m", "ruff", "check", "--stdin-filename", path, "-"]
        said = subprocess.run(command, cwd=ROOT, input=STRANGERS, capture_output=True,
                              text=True, check=False)  # fmt: skip
        return said.stdout

    assert "F821" in lint("autograder/course/total.py")
    told = lint("solutions/13_more/total.py")
    assert "F821" not in told and "N803" not in told and "F722" not in told
