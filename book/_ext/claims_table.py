"""The table of all claims, in the order of their numbers, from every record in measured/.

```{claims-table}
1: 2 3          claim 1 stands in texts 2 and 3
```
"""

import re

import measured_numbers
from docutils import nodes
from measured_numbers import BOOK, measurements
from measurements import Claim, Record
from myst_lines import Rows, parsed, table
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

HEADINGS = ("Claim", "Stated in", "What was measured", "Verdict", "Measured in")
OPTIONS = (":widths: 26 12 36 14 12", ":class: measured-table")


class ClaimsTable(SphinxDirective):
    """One row for each claim that an experiment decided; its lines say where the claims stand."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        texts = dict(line.split(": ") for line in self.content if line)
        rows: Rows = [HEADINGS]
        for number, name, record, entry in decided():
            if str(number) not in texts:
                raise self.error(f"claim {number} ({name}) has no line that says where it stands")
            rows.append(_cells(number, texts[str(number)], name, record, entry))
        if left := texts.keys() - {str(number) for number, *_ in decided()}:
            raise self.error(f"no experiment decides claim {', '.join(sorted(left))}")
        return parsed(self, table(rows, *OPTIONS))


def decided() -> list[tuple[int, str, Record, Claim]]:
    """Number, experiment, record and entry of every claim, sorted."""
    found = []
    for path in sorted(measurements.FOLDER.glob("*.json")):
        record = measurements.load(path.stem)
        found += [(entry["claim"], path.stem, record, entry) for entry in record["claims"]]
    return sorted(found, key=lambda row: row[:2])


def chapter_of(name: str) -> str:
    """The page whose table shows the experiment. Raises LookupError if none does."""
    for page in sorted(BOOK.glob("[0-9]*.md")):
        tables = re.findall(r"^```\{measured-table\} (.*)$", page.read_text(), re.MULTILINE)
        if name in " ".join(tables).split():
            return page.stem
    raise LookupError(f"no page has a measured-table of {name}")


def _cells(number: int, texts: str, name: str, record: Record, entry: Claim) -> tuple[str, ...]:
    _, found, _, verdict = measured_numbers.cells(name, record, entry)
    page, stated = chapter_of(name), texts.split()
    link = f"{{doc}}`chapter {int(page[:2])} <{page}>`"
    where = f"{'text' if len(stated) == 1 else 'texts'} {', '.join(stated)}"
    return (f"{number}\\. {entry['text']}", where, found, verdict, link)


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_directive("claims-table", ClaimsTable)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
