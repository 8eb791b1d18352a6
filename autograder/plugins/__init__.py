"""This room is what nbgrader loads: preprocessors, feedback, exports, formgrader, the exchange."""
