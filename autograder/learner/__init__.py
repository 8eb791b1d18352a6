"""This room is what a learner uses: check, status, a clean run of the notebook."""

from autograder.common import libraries

libraries.require()  # before any of them is loaded, whose own errors would say less
