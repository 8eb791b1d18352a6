"""Work is graded when it arrives: it is collected, marked, and its feedback given back."""
