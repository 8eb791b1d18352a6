"""What grading a submission of the capstone costs beside the alternatives: see grading_cost.py.

    python book/experiments/grading_capstone.py

Its calls train a model and generate texts, so a call is more work than in other chapters.
"""

import measurements
from grading_cost import measure, show

from autograder.calls.files import REPOSITORY
from autograder.course.solutions import load

CHAPTER = "12_language_model"

if __name__ == "__main__":
    found, claims = measure(load(REPOSITORY, CHAPTER))
    print(measurements.save(__file__, found, claims, seeds=[0]))
    show(found, CHAPTER)
