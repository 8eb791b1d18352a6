"""A link to the section that an exercise names to be read again; its text is the section's title.

{section}`04_masks.html#empty-rows`
"""

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.docutils import SphinxRole

logger = logging.getLogger(__name__)


class Section(SphinxRole):
    """Its title is known when all pages are read."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        place = nodes.reference("", "", nodes.Text(self.text), internal=True, section=self.text)
        place["refuri"] = ""
        self.set_source_info(place)
        return [place], []


def resolve(app: Sphinx, doctree: nodes.document, page: str) -> None:
    for place in doctree.findall(nodes.reference):
        if "section" not in place:
            continue
        name, _, anchor = place["section"].partition("#")
        target = name.removesuffix(".html")
        title = _title(app, target, anchor) if target in app.env.found_docs else ""
        if not title:
            said = f"there is no section {place['section']!r} in the book"
            logger.warning(said, location=place, type="section")
        else:
            place["refuri"] = f"{app.builder.get_relative_uri(page, target)}#{anchor}"
            place.children = [nodes.Text(title)]


def _title(app: Sphinx, page: str, anchor: str) -> str:
    """Of the section that has the anchor, or in which it stands; "" if the page has none such."""
    for found in app.env.get_doctree(page).findall(nodes.Element):
        if anchor in found.get("ids", ()):
            holder = found
            while holder.parent and not isinstance(holder, nodes.section):
                holder = holder.parent
            return next((title.astext() for title in holder.findall(nodes.title)), "")
    return ""


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_role("section", Section())
    app.connect("doctree-resolved", resolve)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
