"""What a student wrote as an answer in words, wherever between its question and the next exercise.

People write below the cell that is meant, into a code cell, into the question itself, or a
paragraph to a cell. Whoever marks the answer gets all of it, in order.
"""

import ast
import re
from collections import Counter
from dataclasses import dataclass
from functools import cached_property

from nbformat import NotebookNode

from autograder.notebooks.nbgrader_cells import grade_id, is_in_words, is_solution
from autograder.notebooks.parsing import CELL_LIMIT, quietly
from autograder.notebooks.submission import SubmittedCell

FENCES = re.compile(r"`{3,}")
COMMENT = re.compile(r"^[ \t]*#+[ \t]?", re.MULTILINE)


@dataclass(frozen=True)
class Part:
    """A piece of an answer: the position of its cell, and its text.

    question: the id of the answer in words that it belongs to, "" where it stands at an exercise
    that is answered in code.
    """

    position: int
    text: str
    question: str


class Prose:
    """What a submission holds beside the cells of the release."""

    def __init__(self, released: NotebookNode, cells: list[SubmittedCell]):
        self._given, self._cells = released["cells"], cells
        self._questions = _questions(self._given)
        self._stubs = {cell["source"].strip() for cell in self._given if is_in_words(cell)}
        self._by_mark = {
            grade_id(cell): at for at, cell in enumerate(self._given) if grade_id(cell)
        }
        texts = {cell["source"].strip(): at for at, cell in enumerate(self._given)}
        self._by_text = {text: at for text, at in texts.items() if text not in self._stubs}

    def to(self, cell: NotebookNode) -> list[Part]:
        """What was written at the question of `cell`; if nothing, the words that are at no other.

        Where its cell is gone too, it may have been joined with another: then all words.
        What was copied, with what is attached to it, is there once.
        """
        name = grade_id(cell)
        own = [part for part in self._parts if part.question == name]
        found = own or [part for part in self._parts if not part.question]
        if not found and not any(self._is_blank(one, name) for one in self._cells):
            found = self._parts
        once = dict[tuple[str, str], Part]()
        for part in found:
            once.setdefault((part.text.strip(), repr(self._cells[part.position].attached)), part)
        return [*once.values()]

    def _is_blank(self, cell: SubmittedCell, name: str) -> bool:
        """Whether it is the cell of a question, left as it was."""
        return cell.grade_id == name or cell.source.strip() in self._stubs

    @cached_property
    def _parts(self) -> list[Part]:
        """All texts that are not the release's, in order."""
        parts, here = list[Part](), 0
        for position, cell in enumerate(self._cells):
            at = self._place(cell)
            if at is not None and (at > here or cell.kind != "code"):
                here = at  # whoever copies a cell of code does not go back to its exercise
            text = self._text(cell, at, here)
            if text.strip():
                parts.append(Part(position, text, self._questions[here]))
        return parts

    def _place(self, cell: SubmittedCell) -> int | None:
        """The place in the release of the cell that this one is, or was before it was edited."""
        by_mark = self._by_mark.get(cell.grade_id)
        at = self._by_text.get(cell.source.strip()) if by_mark is None else by_mark
        if at is not None:
            return at
        if cell.kind == "code":
            defined = self._defines.search(cell.source) if self._defines else None
            return self._by_mark[defined[1]] if defined else None
        return self._edited(cell.source)

    def _text(self, cell: SubmittedCell, at: int | None, here: int) -> str:
        """What whoever marks should read of a cell that is the released one `at`, if it is one."""
        if cell.source.strip() in self._stubs:
            return ""
        if at is not None and not is_in_words(self._given[at]):
            return self._added(cell, at)
        question = self._questions[here]
        near = bool(question) and here <= self._by_mark[question]
        return _readable(cell, code_too=near or at is not None)

    def _added(self, cell: SubmittedCell, at: int) -> str:
        """The lines that a released text did not have; the code of a cell is no answer in words."""
        if "code" in (cell.kind, self._given[at]["cell_type"]):
            return ""
        given = {line.strip() for line in self._given[at]["source"].split("\n")}
        return "\n".join(line for line in cell.source.split("\n") if line.strip() not in given)

    def _edited(self, text: str) -> int | None:
        """The released text that has its first line, or half of its lines, in this one."""
        lines = {line.strip() for line in text.split("\n")}
        shared = Counter(self._by_line[line] for line in lines if line in self._by_line)
        for at, number in shared.most_common(1):
            own = [line.strip() for line in self._given[at]["source"].split("\n") if line.strip()]
            if own[0] in lines or 2 * number >= len(own):
                return at
        return None

    @cached_property
    def _by_line(self) -> dict[str, int]:
        """The place of each line that is in one released text only."""
        places = Counter[str]()
        by_line: dict[str, int] = {}
        for at, cell in enumerate(self._given):
            if cell["cell_type"] != "code" and not is_in_words(cell):
                lines = {line.strip() for line in cell["source"].split("\n")} - {""}
                places.update(lines)
                by_line |= dict.fromkeys(lines, at)
        return {line: at for line, at in by_line.items() if places[line] == 1}

    @cached_property
    def _defines(self) -> re.Pattern[str] | None:
        """A line that defines an exercise, if there is one to define."""
        code = [cell for cell in self._given if is_solution(cell) and not is_in_words(cell)]
        names = "|".join(re.escape(grade_id(cell)) for cell in code)
        return re.compile(rf"^(?:def|class)[ \t]+({names})\b", re.MULTILINE) if names else None


def _questions(given: list[NotebookNode]) -> list[str]:
    """For each cell, the answer in words at whose question it stands; "" at another exercise.

    A question begins behind the exercise before it. What is behind the last is the last one's.
    """
    questions, name = [""] * len(given), ""
    begins = 0
    for at, cell in enumerate(given):
        if is_solution(cell):
            name = grade_id(cell) if is_in_words(cell) else ""
            questions[begins : at + 1] = [name] * (at + 1 - begins)
        if is_solution(cell) or cell["metadata"].get("nbgrader", {}).get("grade"):
            questions[at], begins = name, at + 1
    questions[begins:] = [name] * (len(given) - begins)
    return questions or [""]


def _readable(cell: SubmittedCell, code_too: bool) -> str:
    """A cell's text; of code, only what a person wrote to be read, unless all of it is wanted."""
    if cell.kind != "code" or len(cell.source) > CELL_LIMIT:
        return cell.source
    tree = quietly(ast.parse, cell.source)
    if tree is None:  # words in a cell that is meant for code
        return cell.source
    if not tree.body:
        return COMMENT.sub("", cell.source)
    if code_too or all(_is_text(node) for node in tree.body):
        fence = max(["``", *FENCES.findall(cell.source)], key=len) + "`"
        return f"{fence}python\n{cell.source}\n{fence}"
    return ""


def _is_text(node: ast.stmt) -> bool:
    value = node.value if isinstance(node, ast.Expr) else None
    return isinstance(value, ast.Constant) and isinstance(value.value, str)
