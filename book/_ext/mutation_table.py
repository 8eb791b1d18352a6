"""How many mutants of each exercise the grader rejects.

```{mutation-table} grading_mutants     the record to show
```
"""

from docutils import nodes
from exercise_tables import title
from measured_numbers import measurements
from myst_lines import Rows, parsed, table
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

HEADINGS = ("Exercise", "Mutants", "Rejected", "No mistakes", "Score")
OPTIONS = (":widths: 40 15 15 15 15", ":class: mutation-table")


class MutationTable(SphinxDirective):
    """A row for each exercise, under its chapter's."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        found = measurements.load(self.arguments[0])["series"]["exercises"]
        rows: Rows = [HEADINGS]
        for chapter, exercises in found.items():
            sums = [sum(column) for column in zip(*exercises.values(), strict=True)]
            rows.append((f"**{title(chapter)}**", *_cells(sums)))
            rows += [(f"`{name}`", *_cells(numbers)) for name, numbers in exercises.items()]
        return parsed(self, table(rows, *OPTIONS))


def _cells(numbers: list[int]) -> tuple[str, ...]:
    mutants, rejected, explained = numbers
    return (*(f"{one:,}" for one in numbers), f"{rejected / (mutants - explained):.0%}")


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_directive("mutation-table", MutationTable)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
