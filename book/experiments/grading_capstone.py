"""What grading a submission of the capstone costs beside the alternatives: see grading_cost.py.

    python book/experiments/grading_capstone.py

Its calls train a model and generate texts, so a call is more work than in other chapters. Stock
nbgrader executes whole notebooks, and the last cell of this one trains for many seconds: the class
is small for that.
"""

import measurements
from grading_cost import measure
from grading_table import costs

from autograder.chapters.solutions import load
from autograder.common.files import REPOSITORY

CHAPTER = "12_language_model"
CLASS, REPEATS, COMPARED = 80, 1, 3

if __name__ == "__main__":
    found, claims = measure(load(REPOSITORY, CHAPTER), CLASS, REPEATS, COMPARED)
    print(measurements.save(__file__, found, claims, seeds=[0]))
    costs(found, CHAPTER)
