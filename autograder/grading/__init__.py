"""A class graded: submissions out to workers, verdicts into journal, gradebook and notebooks."""
