"""Odd things that a student can hand in, each with the verdicts and the sentence it must get.

A case writes into the student's folder of the chapter, from a notebook in which every exercise is
solved. It expects one verdict for all exercises, or one for each, and a part of the sentence that
the student reads where there is no pass. Each room here registers its own.
"""

from . import cells, elsewhere, files, formats, helpers, places, surroundings
from .case import CASES, EXERCISES, NAME, text

__all__ = [
    "CASES",
    "EXERCISES",
    "NAME",
    "cells",
    "elsewhere",
    "files",
    "formats",
    "helpers",
    "places",
    "surroundings",
    "text",
]
