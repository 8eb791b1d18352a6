"""What each experiment takes, on which machine its record was made, and both to download.

```{measuring-table}
```
"""

from pathlib import Path

from docutils import nodes
from measured_numbers import BOOK, anchor, measurements
from myst_lines import parsed, table
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

HEADINGS = ("Experiment", "Record", "Numbers", "Seeds", "Took", "On")
OPTIONS = (":widths: 32 12 10 10 12 24", ":class: measured-table measuring-table")
OF_ALL = "measure"  # the record of a run of all of them


class MeasuringTable(SphinxDirective):
    """One row for each experiment, and one for all of them."""

    def run(self) -> list[nodes.Node]:
        found = {path.stem: measurements.load(path.stem) for path in experiments()}
        rows = [HEADINGS, *(_cells(name, record) for name, record in found.items())]
        seconds = sum(record["seconds"] for record in found.values())
        count = sum(len(record["numbers"]) for record in found.values())
        script = "{download}`all, one after the other </measure.py>`"
        rows.append((script, _record(OF_ALL), f"{count:,}", "",
                     measurements.duration(seconds), ""))  # fmt: skip
        holder = nodes.Element("", *parsed(self, table(rows, *OPTIONS)))
        for name, row in zip([*found, OF_ALL], list(holder.findall(nodes.row))[1:], strict=True):
            row["ids"].append(anchor(name))
        return holder.children


def experiments() -> list[Path]:
    """The scripts that a record on a page was written by."""
    scripts = BOOK / "experiments"
    return sorted(path for path in scripts.glob("*.py")
                  if (measurements.FOLDER / f"{path.stem}.json").exists())  # fmt: skip


def _cells(name: str, record: measurements.Record) -> tuple[str, ...]:
    script = f"{{download}}`{name} </experiments/{name}.py>`"
    seeds = str(len(record["seeds"])) if len(record["seeds"]) > 1 else "none"
    took = measurements.duration(record["seconds"])
    return (script, _record(name), str(len(record["numbers"])), seeds, took, record["machine"])


def _record(name: str) -> str:
    return f"{{download}}`JSON </measured/{name}.json>`"


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_directive("measuring-table", MeasuringTable)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
