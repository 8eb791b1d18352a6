"""A student's answer in words may stand anywhere between its question and the next exercise.

People write below the cell that is meant, into a code cell, into the question itself, or a
paragraph to a cell. Whoever marks the answer gets all of it, in order.
"""

import ast
import re
from collections import Counter
from dataclasses import dataclass
from functools import cached_property, lru_cache

from nbformat import NotebookNode

from autograder.common.cell import grade_id, is_in_words, is_solution
from autograder.notebooks.parsing import CELL_LIMIT, quietly
from autograder.notebooks.submission import SubmittedCell

ADDED = 3  # words: what is written into a line of the release, and no correction of it
FENCES = re.compile(r"`{3,}")
MAGIC = re.compile(r"\A\s*%.*\n")
SHOWS = {"print", "display", "Markdown", "md", "HTML", "Latex"}  # functions of a text
SAID = (ast.Expr, ast.Call, ast.Name, ast.Attribute, ast.Load, ast.Constant)
COMMENT = re.compile(r"^[ \t]*#+[ \t]?", re.MULTILINE)


@dataclass(frozen=True)
class Part:
    """A piece of an answer: the position of its cell, and its text.

    question: the id of the answer in words that it belongs to, "" where that is not certain.
    """

    position: int
    text: str
    question: str


class Prose:
    """The text that a submission holds beside the cells of the release."""

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
        """Return what was written at the question of `cell`; else the words that are at no other.

        Where its cell is gone too, it may have been joined with another: then all words.
        What was copied, with what is attached to it, is there once.
        """
        name = grade_id(cell)
        own = [part for part in self._parts if part.question == name]
        found = own or [part for part in self._parts if not part.question]
        if not found and not any(one.grade_id == name or self._is_stub(one) for one in self._cells):
            found = self._parts
        once = dict[tuple[str, str], Part]()
        for part in found:
            once.setdefault((part.text.strip(), repr(self._cells[part.position].attached)), part)
        return [*once.values()]

    def _is_stub(self, cell: SubmittedCell) -> bool:
        return _words(cell).strip() in self._stubs

    @cached_property
    def _parts(self) -> list[Part]:
        """All texts that are not the release's, in order."""
        parts, here = list[Part](), 0
        for position, cell in enumerate(self._cells):
            at = self._place(cell)
            if at is not None and (at > here or self._given[at]["cell_type"] != "code"):
                here = at  # whoever copies a cell of code does not go back to its exercise
            text, question = self._text(cell, at, here), self._questions[here]
            if question and not text.strip():
                text, question = self._comments(cell, at), ""
            if text.strip():
                parts.append(Part(position, text, question))
        return parts

    def _place(self, cell: SubmittedCell) -> int | None:
        """Find the released cell that this one is, or was before it was edited.

        Words in a copied cell of code are not that cell, and a definition among words is no answer.
        """
        marked, words = self._by_mark.get(cell.grade_id), _words(cell)
        if marked is not None and is_in_words(self._given[marked]):
            return marked
        for text in dict.fromkeys((cell.source.strip(), words.strip())):
            if text in self._by_text:
                return self._by_text[text]
        edited = self._edited(words)
        if edited is not None:
            return edited
        amid_words = words and (marked is None or cell.kind != "code")
        looked_for = self._defines.match if amid_words else self._defines.search
        defined = looked_for(cell.source.strip()) if cell.kind == "code" or cell.grade_id else None
        return self._by_mark[defined[1]] if defined else None if words else marked

    def _text(self, cell: SubmittedCell, at: int | None, here: int) -> str:
        """Return what a marker should read of a cell that is the released one `at`, if any."""
        if self._is_stub(cell):
            return ""
        if at is not None and not is_in_words(self._given[at]):
            return self._added(cell, at)
        answer = self._by_mark.get(self._questions[here], -1)  # the place of its cell, if any
        near = self._given[here]["cell_type"] != "code" and here <= answer
        text = _words(cell)
        if not text and (near or at is not None):
            text = _fenced(cell.source)
        released = all(line.strip() in self._lines for line in text.split("\n"))
        return "" if released else _uncommented(text)

    def _comments(self, cell: SubmittedCell, at: int | None) -> str:
        """Return the comments in a cell of code that is no solution, but for the release's own."""
        if cell.kind != "code" or (at is not None and is_solution(self._given[at])):
            return ""
        lines = [line for line in cell.source.split("\n") if COMMENT.match(line)]
        own = [line for line in lines if line.strip() not in self._lines]
        return COMMENT.sub("", "\n".join(own))

    @cached_property
    def _lines(self) -> set[str]:
        """All lines of the release, and the blank one."""
        return {line.strip() for cell in self._given for line in cell["source"].split("\n")} | {""}

    def _added(self, cell: SubmittedCell, at: int) -> str:
        """Return what a person wrote into another text of the release, which may have changed."""
        if self._given[at]["cell_type"] == "code":
            return ""
        given, lines = self._given[at]["source"].split("\n"), _words(cell).split("\n")
        known = {line.strip() for line in given}
        gone = [Counter(line.split()) for line in {*known} - {line.strip() for line in lines}]
        other = {line for line in lines if line.strip() not in known}
        new = {line for line in other if _is_new(Counter(line.split()), gone)}
        return "\n".join(line for line in lines if line in new)

    def _edited(self, text: str) -> int | None:
        """Return the released text that has its first line, or half of its lines, in this one."""
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
    def _defines(self) -> re.Pattern[str]:
        code = [cell for cell in self._given if is_solution(cell) and not is_in_words(cell)]
        names = "|".join(re.escape(grade_id(cell)) for cell in code)
        return re.compile(rf"^(?:def|class)[ \t]+({names or '(?!)'})\b", re.MULTILINE)


def _questions(given: list[NotebookNode]) -> list[str]:
    """For each cell, the answer in words that text behind it may be; "" at another exercise.

    A question begins behind the check of the exercise before it. What is behind the last exercise
    is the last one's.
    """
    questions, name, begins = [""] * len(given), "", 0
    for at, cell in enumerate(given):
        if is_solution(cell):
            name = grade_id(cell) if is_in_words(cell) else ""
            questions[begins : at + 1] = [name] * (at + 1 - begins)
            begins = at + 1
        elif cell["metadata"].get("nbgrader", {}).get("grade"):
            begins = at
    questions[begins:] = [name] * (len(given) - begins)
    return questions or [""]


def _is_new(line: Counter[str], gone: list[Counter[str]]) -> bool:
    """Tell whether a line, given as counts of its words, is more than an edited one of the others.

    Some words are enough where no word is of another line.
    """
    shared = max(((line & other).total() for other in gone), default=0)
    return not shared or line.total() - shared >= ADDED


def _words(cell: SubmittedCell) -> str:
    """Return the text of a cell; of one with code, what is to be read in it, "" for a program."""
    return cell.source if cell.kind != "code" else _words_of_code(cell.source)


@lru_cache(maxsize=256)
def _words_of_code(source: str) -> str:
    tree = quietly(ast.parse, source)
    if tree is None:  # words in a cell that is meant for code, unless nobody tried to parse it
        return MAGIC.sub("", source) if len(source) <= CELL_LIMIT else ""
    said = [_said(node) for node in tree.body]
    if all(said):
        return "\n\n".join(said) or COMMENT.sub("", source)
    return ""


def _fenced(source: str) -> str:
    fence = max(["``", *FENCES.findall(source)], key=len) + "`"
    return f"{fence}python\n{source}\n{fence}" if source.strip() else ""


def _said(node: ast.stmt) -> str:
    """Return the text of a statement that is one, or shows one, such as `print("…")`; else ""."""
    parts = list(ast.walk(node))
    if not all(isinstance(part, SAID) and _shows(part) for part in parts):
        return ""
    texts = [part.value for part in parts if isinstance(part, ast.Constant)]
    return "\n".join(text for text in texts if isinstance(text, str))


def _shows(part: ast.AST) -> bool:
    """Tell whether it calls a function that shows a text, or calls none."""
    called = part.func if isinstance(part, ast.Call) else None
    return called is None or getattr(called, "attr", getattr(called, "id", "")) in SHOWS


def _uncommented(text: str) -> str:
    """Return the text; if it is nothing but an HTML comment, which pages hide, the comment."""
    first, *others = text.split("<!--")
    shown = first + "".join(other.partition("-->")[2] for other in others)
    return text if shown.strip() else text.replace("<!--", "").replace("-->", "")
