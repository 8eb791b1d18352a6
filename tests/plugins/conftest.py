"""Stock nbgrader, and a course to collect into."""

from stock_nbgrader import activated, course, roster

__all__ = ["activated", "course", "roster"]
