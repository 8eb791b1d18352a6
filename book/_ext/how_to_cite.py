"""How to cite the course, as text and as BibTeX, from CITATION.cff: the directive {how-to-cite}.

The first page tells it to the programs that gather references, too.
"""

import html
from typing import Any

from docutils import nodes
from imprint import CITATION, citation
from myst_lines import parsed
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective


class HowToCite(SphinxDirective):
    """A sentence, and below it a block to copy."""

    def run(self) -> list[nodes.Node]:
        self.env.note_dependency(str(CITATION))
        entry = bibtex(address(self.config.html_baseurl))
        block = nodes.literal_block(entry, entry, language="bibtex")
        return [*parsed(self, [sentence(address(self.config.html_baseurl))]), block]


def address(base: str) -> str:
    return base.rstrip("/") + "/" if base else ""


def authors() -> list[str]:
    """As they sign: a group by its one name, a person by two."""
    people = citation()["authors"]
    return [one.get("name") or f"{one['given-names']} {one['family-names']}" for one in people]


def sentence(url: str) -> str:
    cited = citation()
    where = f" <{url}>" if url else ""
    return (
        f"{', '.join(authors())}. *{cited['title']}*. Version {cited['version']}, "
        f"{cited['date-released'].year}.{where}"
    )


def bibtex(url: str) -> str:
    """Braces keep a group's name, and the capitals of a title, as they are."""
    cited = citation()
    fields = {
        "author": " and ".join(f"{{{name}}}" for name in authors()),
        "title": f"{{{cited['title']}}}",
        "year": str(cited["date-released"].year),
        "note": f"Version {cited['version']}",
    } | ({"url": url} if url else {})
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items()]
    return "\n".join(["@misc{attention-measured,", *lines, "}"])


def add_tags(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """To the first page, which is what one cites."""
    if app.builder.name != "html" or page != app.config.root_doc:
        return
    cited, url = citation(), address(app.config.html_baseurl)
    tags = [("title", cited["title"]), *(("author", name) for name in authors())]
    tags.append(("publication_date", cited["date-released"].strftime("%Y/%m/%d")))
    tags += [("public_url", url)] if url else []
    lines = [
        f'<meta name="citation_{kind}" content="{html.escape(text)}" />' for kind, text in tags
    ]
    context["metatags"] = "\n    ".join([context.get("metatags", ""), *lines])


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_directive("how-to-cite", HowToCite)
    app.connect("html-page-context", add_tags)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
