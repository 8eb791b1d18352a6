"""JupyterLab itself: each released notebook is opened, run as it is, solved, and run again."""

import os
import shutil
import subprocess
import sys

import learners
import pytest
from servers import free_port, get

from autograder.chapters.solutions import chapter_names, load
from autograder.common.files import REPOSITORY
from autograder.notebooks.chapter import reference

OPEN = """async path => {
  const panel = await jupyterapp.commands.execute('docmanager:open', { path });
  await panel.context.ready;
  await panel.sessionContext.ready;
}"""
START = """async sources => {
  const panel = jupyterapp.shell.currentWidget;
  for (const cell of panel.content.model.cells) {
    const name = cell.getMetadata('nbgrader')?.grade_id;
    if (name in sources) cell.sharedModel.setSource(sources[name]);
  }
  await jupyterapp.commands.execute('notebook:clear-all-cell-outputs');
  jupyterapp.commands.execute('notebook:run-all-cells');  // settles at the first check that fails
}"""
ENDED = """() => {
  const cells = [...jupyterapp.shell.currentWidget.content.model.cells];
  return cells.every(cell => cell.type !== 'code' || cell.executionCount !== null);
}"""
CELLS = """() => [...jupyterapp.shell.currentWidget.content.model.cells]
  .filter(cell => cell.type === 'code')
  .map(cell => ({
    name: cell.getMetadata('nbgrader')?.grade_id ?? '',
    outputs: cell.outputs.toJSON(),
  }))"""
KERNEL = "jupyterapp.shell.currentWidget.sessionContext.session.kernel.connectionStatus"
CLOSE = """async () => {
  await jupyterapp.shell.currentWidget.sessionContext.shutdown();
  await jupyterapp.commands.execute('docmanager:save');
  await jupyterapp.commands.execute('application:close');
}"""


@pytest.fixture(scope="module")
def lab(browser, kernel, tmp_path_factory):
    """JupyterLab on a learner's copy of the exercises, in a browser; what the page says is kept."""
    root, port = tmp_path_factory.mktemp("lab"), free_port()
    shutil.copytree(REPOSITORY / "exercises", root / "exercises", ignore=learners.FRESH)
    shorten(root / "exercises/12_language_model/12_language_model.ipynb")
    kept = {f"JUPYTERLAB_{name}_DIR": str(root / name) for name in ("SETTINGS", "WORKSPACES")}
    # The user's list of fonts may be stale; matplotlib would then print warnings into the cells.
    own = {**os.environ, **kept, "MPLCONFIGDIR": str(root / "fonts")}
    subprocess.run([sys.executable, "-c", "import matplotlib.font_manager"], env=own, check=True)
    options = ["--no-browser", "--allow-root", f"--port={port}", "--IdentityProvider.token=",
               "--LabApp.expose_app_in_browser=True"]  # fmt: skip
    server = subprocess.Popen([sys.executable, "-m", "jupyter", "lab", *options],
                              cwd=root / "exercises", env=own,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip
    try:
        get(f"http://127.0.0.1:{port}/api")
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.said = []
        page.on("pageerror", lambda error: page.said.append(str(error)))
        page.on("console", lambda m: page.said.append(m.text) if m.type == "error" else None)
        page.goto(f"http://127.0.0.1:{port}/lab")
        page.wait_for_function("window.jupyterapp?.restored.then(() => true)", timeout=120_000)
        yield page
        page.close()
    finally:
        server.terminate()
        server.wait()


def shorten(notebook):
    """Forty steps of training at the end of the course: they say as much as ten thousand here."""
    text = notebook.read_text()
    assert text.count("= 10_000,") == 1
    notebook.write_text(text.replace("= 10_000,", "= 40,"))


@pytest.fixture(params=chapter_names(REPOSITORY))
def opened(lab, request):
    lab.evaluate(OPEN, f"{request.param}/{request.param}.ipynb")
    lab.said.clear()
    yield request.param, lab
    lab.evaluate(CLOSE)


def texts(cell, mime):
    """What a cell shows in that form, joined."""
    shown = [output.get("data", {}).get(mime, "") for output in cell["outputs"]]
    return "\n".join("".join(part) for part in shown)


def run_all(lab, sources):
    """The code cells after all have run, with the sources put into the cells of that name."""
    lab.evaluate(START, sources)
    lab.wait_for_function(ENDED, timeout=300_000)
    assert lab.evaluate(KERNEL) == "connected"
    return lab.evaluate(CELLS)


def test_a_stub_says_that_it_is_not_written_and_a_solved_notebook_is_all_green(opened):
    name, lab = opened
    chapter = load(REPOSITORY, name)
    for sources, sign in (({}, "not written yet"), (reference(chapter), "✓")):
        cells = run_all(lab, sources)
        checks = {cell["name"]: cell for cell in cells if cell["name"].startswith("check_")}
        assert checks.keys() == {f"check_{exercise}" for exercise in chapter.exercises}
        assert [c for c in checks.values() if sign not in texts(c, "text/html")] == []
    shown = [output for cell in cells for output in cell["outputs"]]
    assert [one for one in shown if one["output_type"] == "error" or "stderr" in one.values()] == []
    drawn = [output for output in shown if "image/png" in output.get("data", ())]
    assert drawn  # with the learner's code
    assert lab.said == []
