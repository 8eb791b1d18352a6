"""A verdict with the mistake's name and hint, as a card shows it."""

from autograder.diagnosis.diagnose import diagnose
from autograder.judging.judge import judge


def diagnosed(checks, observations, device="cpu"):
    return diagnose(checks, judge(checks, observations, device))
