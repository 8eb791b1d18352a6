"""The names of files that more than one room knows, and where the repository lies."""

from pathlib import Path

CHECKS = "checks.safetensors"  # the public ones, beside a notebook
SEED = ".grading_seed"  # the secret one, in the root of a course
JOURNALS = ".attn"  # the folder in the root that remembers what was graded
PROGRESS = "progress.json"  # what a learner has solved, beside a notebook
DISTRIBUTION = "attention-measured"  # the name by which pip knows this engine
PACKAGE = Path(__file__).resolve().parents[1]  # this engine
TEMPLATES = PACKAGE / "templates"
REPOSITORY = PACKAGE.parent


def in_file_name(text: str) -> str:
    """Write a text so that it can be in the name of a file; different texts stay different."""
    kept = {" ": "_", "-": "-"}
    return "".join(c if c.isalnum() else kept.get(c, f"~{ord(c):x}~") for c in text)
