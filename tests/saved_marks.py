"""A file of marks as the page of `attn mark` saves it, without a browser."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

Given = Mapping[str, tuple[float, str]]  # points and comment by student


def known_to(page: Path) -> dict[str, Any]:
    """What the script of the page knows of the answers."""
    return json.loads(page.read_text().split('id="data">')[1].split("</script>")[0])


def answers(page: Path) -> list[tuple[str, dict[str, Any]]]:
    """Each answer on the page, with the name of its question."""
    return [
        (question["name"], answer)
        for question in known_to(page)["questions"]
        for group in question["groups"]
        for answer in group["answers"]
    ]


def write(page: Path, path: Path, given: Given, earlier: tuple[float, ...] = ()) -> None:
    """Write the file with these marks for the page's first question."""
    data = known_to(page)
    question = data["questions"][0]["name"]
    digests = {answer["student"]: answer["digest"] for _, answer in answers(page)}
    marks = [
        {
            "question": question, "student": student, "digest": digests.get(student, ""),
            "points": points, "comment": comment, "before": {"points": None, "comment": ""},
            "earlier": [{"points": number, "comment": ""} for number in earlier],
        }
        for student, (points, comment) in given.items()
    ]  # fmt: skip
    head = {
        "made_by": "attn mark",
        "format": data["format"],
        "chapter": data["chapter"],
        "part": "",
    }
    path.write_text(json.dumps({**head, "marks": marks}))
