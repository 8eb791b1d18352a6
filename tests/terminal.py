"""`attn grade` on the small course, and what it says on the error stream."""

from autograder.cli import main


def grade(root, *options):
    return main(["grade", "01_toy", "--root", str(root), "--seed", "s", *options])


def said(capsys):
    return " ".join(capsys.readouterr().err.split())
