"""What a page looks like where somebody links to it: a title, a sentence, and one picture.

The picture is drawn at each build, from a seed. Sites that show such cards want its full address:
set `html: baseurl:` in _config.yml to the address of the published book, and it is used.
"""

import html
import sys
from pathlib import Path
from typing import Any

import numpy as np
from docutils import nodes
from markupsafe import Markup
from matplotlib import pyplot as plt
from sphinx.application import Sphinx

BOOK = Path(__file__).resolve().parents[1]
if str(BOOK) not in sys.path:
    sys.path.insert(0, str(BOOK))
import plots  # noqa: E402  (the book's own style)

PICTURE = "social-card.png"
SIZE = (1200, 630)  # pixels; what the sites ask for
WORDS = ("the", "cat", "sat", "on", "the", "mat")
SENTENCE = "Every claim derived or measured.\nEvery exercise says what is wrong, and why."
ALT = "The name of the course beside a heatmap of causal attention weights over six words."
ADDED = {"search": "Search", "genindex": "Index"}  # pages without a title of their own
LONGEST = 200  # characters of a description


def draw(path: Path) -> None:
    """The picture, the same bytes each time: causal self-attention over random vectors."""
    x = np.random.default_rng(0).standard_normal((len(WORDS), 4))  # [tokens, d_model]
    mask = np.tril(np.ones((len(WORDS), len(WORDS)), dtype=bool))
    shares = np.exp(x @ x.T / 2) * mask  # [queries, keys]
    figure = plt.figure(figsize=(SIZE[0] / 100, SIZE[1] / 100), layout="none")
    axes = figure.add_axes((0.56, 0.16, 0.40, 0.74))
    plots.weights(axes, shares / shares.sum(axis=-1, keepdims=True), mask, (WORDS, WORDS))
    axes.tick_params(labelsize=14)
    for text in (*axes.texts, axes.xaxis.label, axes.yaxis.label):
        text.set_fontsize(14)
    figure.text(0.05, 0.60, "Attention,\nmeasured", fontsize=52, va="center", linespacing=1.1)
    figure.text(0.05, 0.30, SENTENCE, fontsize=16, va="center", linespacing=1.5)
    figure.savefig(path, metadata={"Software": None}, dpi=100, facecolor="white", transparent=False)
    plt.close(figure)


def describe(doctree: nodes.document | None, otherwise: str) -> str:
    """The first paragraph without a formula, outside of boxes and lists; cut at a word."""
    if doctree is None:
        return otherwise
    plain = (
        node.astext()
        for node in doctree.findall(nodes.paragraph)
        if isinstance(node.parent, nodes.section) and not list(node.findall(nodes.math))
    )
    text = " ".join(next(plain, otherwise).split())
    return text if len(text) <= LONGEST else text[:LONGEST].rsplit(" ", 1)[0] + " …"


def add_tags(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Before the page is written."""
    if app.builder.format != "html" or app.builder.name == "epub":
        return
    base = app.config.html_baseurl.rstrip("/")
    picture = f"{base}/_static/{PICTURE}" if base else context["pathto"](f"_static/{PICTURE}", 1)
    title = Markup(context.get("title", "")).striptags() or ADDED.get(page, page)
    text = describe(doctree, f"{title}. {SENTENCE}".replace("\n", " "))
    properties = {
        "og:title": title,
        "og:description": text,
        "og:type": "website" if page == app.config.root_doc else "article",
        "og:site_name": app.config.html_title,
        "og:image": picture,
        "og:image:width": str(SIZE[0]),
        "og:image:height": str(SIZE[1]),
        "og:image:alt": ALT,
    }
    if base:
        properties["og:url"] = f"{base}/{app.builder.get_target_uri(page)}"
    tags = [("property", name, value) for name, value in properties.items()]
    tags += [("name", "description", text), ("name", "twitter:card", "summary_large_image")]
    lines = [
        f'<meta {kind}="{name}" content="{html.escape(value)}" />' for kind, name, value in tags
    ]
    context["metatags"] = context.get("metatags", "") + "\n    ".join(lines)


def write_picture(app: Sphinx, exception: Exception | None) -> None:
    if not exception and app.builder.name in {"html", "dirhtml"}:
        draw(Path(app.outdir) / "_static" / PICTURE)


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("html-page-context", add_tags)
    app.connect("build-finished", write_picture)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
