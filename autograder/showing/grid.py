"""A table in a terminal."""

from rich.table import Table


def grid(*columns: str, title: str | None = None) -> Table:
    """An empty table with these headings; what is too long for its column goes on below."""
    table = Table(title=title, title_justify="left")
    for column in columns:
        table.add_column(column, overflow="fold")
    return table
