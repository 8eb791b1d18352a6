"""What nbgrader loads: preprocessors, pages of feedback, exports, formgrader, the exchange."""
