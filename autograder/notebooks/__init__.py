"""What was handed in, and the notebook that is graded: the pristine one with its solutions."""
