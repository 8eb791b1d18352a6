"""Every course gives nbgrader these settings: its folders, and which parts of it are ours."""

from typing import Any

from autograder.common.files import TEMPLATES
from autograder.course.enrol import read_any_roster
from autograder.course.on_demand import build_when_needed
from autograder.course.opening import skip_alembic_version_check
from autograder.plugins.nbgrader_dates import read_dates_whole


def plug_in(c: Any) -> None:
    """Settle all that courses have in common, as a course's nbgrader_config.py asks for it."""
    _name_folders(c)
    # nbgrader reads notebooks; ours are kept as text.
    build_when_needed()
    # For a new gradebook nbgrader starts another program: seconds, and only where it is found.
    skip_alembic_version_check()
    # A date counts only if it is understood whole, with its time zone.
    read_dates_whole()
    # A roster is as Excel, Canvas or Moodle writes it.
    read_any_roster()
    _grade_by_the_engine(c)
    _show_safely(c)
    _collect(c)


def _name_folders(c: Any) -> None:
    c.CourseDirectory.source_directory = "solutions"
    c.CourseDirectory.release_directory = "exercises"
    # Exercises and texts stay with the instructor. What is released beside the notebook and its
    # public checks, the rule for assistants, is no file of the source.
    c.CourseDirectory.ignore = [
        ".ipynb_checkpoints",
        "__pycache__",
        "feedback",
        "*.py*",
        "*.md",
        "*.part",
        "progress.json",
        "survivors.json",
        "accepted",
        "given",
    ]


def _grade_by_the_engine(c: Any) -> None:
    """Marks come from the confined engine instead of a kernel that the submission controls."""
    c.Autograde.sanitize_preprocessors = [
        "autograder.nbgrader_plugins.TakeSolutions",
        "nbgrader.preprocessors.ClearOutput",
        "nbgrader.preprocessors.DeduplicateIds",
        "nbgrader.preprocessors.OverwriteKernelspec",
        "nbgrader.preprocessors.OverwriteCells",
        "nbgrader.preprocessors.CheckCellMetadata",
    ]
    c.Autograde.autograde_preprocessors = [
        "autograder.nbgrader_plugins.Judge",
        "nbgrader.preprocessors.IgnorePattern",
        "nbgrader.preprocessors.LimitOutput",
        "autograder.nbgrader_plugins.SaveMarks",
        "nbgrader.preprocessors.AssignLatePenalties",
        "nbgrader.preprocessors.CheckCellMetadata",
    ]


def _show_safely(c: Any) -> None:
    """Show what a student wrote as text, and never as a script or a formula."""
    c.HTMLExporter.filters = {
        "markdown2html": "autograder.nbgrader_plugins.markdown_to_html",
        "highlight_code": "autograder.nbgrader_plugins.code_to_html",
        "rubric": "autograder.nbgrader_plugins.rubric",
    }
    c.HTMLExporter.preprocessors = ["autograder.nbgrader_plugins.ShowAsText"]
    # formgrader's page asks no other site for anything, and shows the rubric beside an answer.
    c.HTMLExporter.template_file = "formgrader.html.j2"
    c.HTMLExporter.extra_template_paths = [str(TEMPLATES)]
    c.ExportApp.plugin_class = "autograder.nbgrader_plugins.CsvExport"
    # Feedback is one page that asks for nothing else and says what each mark is for.
    c.GenerateFeedback.exporter_class = "autograder.nbgrader_plugins.FeedbackExporter"
    c.GenerateFeedback.preprocessors = ["autograder.nbgrader_plugins.Grades"]


def _collect(c: Any) -> None:
    """A bad archive costs nobody else anything; the date that collecting knows is kept."""
    c.ZipCollectApp.extractor_plugin = "autograder.nbgrader_plugins.CheckedExtractor"
    # A second download may come; the extractor keeps what it replaces.
    c.ZipCollectApp.force = True
    c.ExchangeFactory.collect = "autograder.nbgrader_plugins.Collect"
    # No solution and no seed goes out with a chapter.
    c.ExchangeFactory.release_assignment = "autograder.nbgrader_plugins.Release"
