"""Where nbgrader and learning platforms plug in: marks, feedback, exports, archives, dates."""
