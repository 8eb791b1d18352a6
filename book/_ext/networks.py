"""Networks that a page runs: their weights as a script, and scripts that come after the page.

book/networks/start.js fetches them, in this order, once the page is there; book/networks/layers.js
is the arithmetic that the networks share.
"""

import functools
import json
import zlib
from pathlib import Path
from typing import Any

import scripted
from measured_numbers import measurements
from sphinx.application import Sphinx
from sphinx.util.osutil import relative_uri

FOLDER = "networks"
START, LAYERS = f"{FOLDER}/start.js", f"{FOLDER}/layers.js"


def series(record: str) -> dict[str, Any]:
    """What a record holds of a network."""
    found: dict[str, Any] = measurements.load(record)["series"]
    return found


def add_place(
    app: Sphinx,
    place: type[scripted.Place],
    visit: scripted.Visit,
    record: str,
    script: str,
    name: str,
) -> None:
    """Let a page have such places; it alone fetches `script`, which sets the network of `name`."""
    scripted.add_place(app, place, visit, script.partition("/")[0])
    written = functools.partial(write, record=record, script=script, name=name)
    app.connect("builder-inited", written, priority=600)  # after the folder is copied
    app.connect("html-page-context", functools.partial(_load, place=place))


def _load(
    app: Sphinx, page: str, template: str, context: Any, doctree: Any, place: type[scripted.Place]
) -> None:
    if scripted.names(app, doctree, place):
        scripted.load(app, START)


def write(app: Sphinx, record: str, script: str, name: str) -> None:
    """The network of a record as a script: from file://, a browser fetches nothing else."""
    if scripted.runs_scripts(app):
        network = json.dumps(series(record)["network"], separators=(",", ":"))
        path = Path(app.outdir) / "_static" / script
        path.write_text(f'"use strict";\n{name}.network = {network};\n', encoding="utf-8")


def addresses(builder: Any, scripts: tuple[str, ...]) -> str:
    """For `data-scripts`, with checksums as Sphinx's own have: a browser keeps no old one."""
    page = builder.get_target_uri(builder.current_docname)
    paths = [f"_static/{script}" for script in scripts]
    sums = [zlib.crc32((Path(builder.outdir) / path).read_bytes()) for path in paths]
    return " ".join(f"{relative_uri(page, path)}?v={one:08x}"
                    for path, one in zip(paths, sums, strict=True))  # fmt: skip


def setup(app: Sphinx) -> dict[str, bool]:
    scripted.add_folder(app, FOLDER)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
