"""Which of a student's cells answers an exercise in code, also where it has lost its mark."""

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from nbformat import NotebookNode

from autograder.common.cell import CHECK, grade_id, is_in_words, is_solution, sent_elsewhere
from autograder.notebooks.helpers import bound
from autograder.notebooks.parsing import (
    CELL_LIMIT,
    defines_nothing,
    from_definition,
    quietly,
    without,
)
from autograder.notebooks.prose import Part
from autograder.notebooks.submission import SubmittedCell

SOURCE_LIMIT = 1_000_000  # characters of code that a person may have written for one cell
SEARCH_LIMIT = 5_000_000  # characters of unmarked code that are searched
IMPORTED = re.compile(r"\bimport\b(.*)")  # the rest of its line; the work is linear
ELSEWHERE = "Found in a cell that is not marked as the one for it"
BELOW = "Defined again between its cell and its check, where the last one counts"
NO_CODE = "Found in a cell that is not a code cell any more"
SEVERAL = "Written differently in several cells, of which the last counts"


@dataclass(frozen=True)
class Answer:
    """A student's text for a released cell, the position it was found at, and a note on that.

    note: the beginning of a sentence that ends with the name of the exercise.
    parts: of an answer in words, the pieces that the text is made of.
    """

    position: int
    source: str
    note: str = ""
    parts: tuple[Part, ...] = ()


class CodeAnswers:
    """The code of one submission, to be asked for the answer to each exercise."""

    def __init__(self, released: NotebookNode, cells: list[SubmittedCell]):
        self.cells = cells
        solutions = filter(is_solution, released["cells"])
        self._exercises = {grade_id(c): c["source"] for c in solutions if not is_in_words(c)}
        self._marked = _marked(cells)

    def to(self, cell: NotebookNode) -> Answer | None:
        """Return the answer to a released cell; its stub without one, None without a cell.

        What else is answered in the same cell is left out: it has a cell of its own again, so that
        one can be right where the other is wrong.
        """
        name = grade_id(cell)
        answer = self._found[name]
        if answer is None:
            return None
        others = {
            other
            for other, found in self._found.items()
            if found and found.position == answer.position
        } - {name}
        return replace(answer, source=without(others, answer.source)) if others else answer

    def reason(self, name: str) -> str:
        """Say why the code in a cell is no answer, "" where there is no such reason."""
        if magic := self._sent_elsewhere(name):
            return (
                f"The cell for {name} begins with {magic}, so it is not run as Python here: "
                "take that line out and run the cell again."
            )
        own = (cell for cell in self.cells if cell.grade_id == name and cell.kind == "code")
        if any(len(cell.source) > SOURCE_LIMIT for cell in own):
            return f"The cell for {name} is longer than {SOURCE_LIMIT:,} characters."
        return ""

    @cached_property
    def _found(self) -> dict[str, Answer | None]:
        return {name: self._answer(name, stub) for name, stub in self._exercises.items()}

    def _answer(self, name: str, stub: str) -> Answer | None:
        """Return the last answer that is written, in the most certain place where some are."""
        begun, blank = None, None
        for note, positions in self._places(name):
            written = [
                (at, text)
                for at, text in self._texts(name, positions)
                if text.strip() not in ("", stub.strip())
            ]
            for at, text in written[::-1]:
                if not defines_nothing(name, text) and not (note and _is_broken(text)):
                    several = not note and len({text for _, text in written}) > 1
                    return Answer(at, self._continued(name, at, text), SEVERAL if several else note)
                begun = begun or Answer(at, text, note)
            blank = blank or next((Answer(at, stub) for at in positions[::-1]), None)
        return begun or (None if self._sent_elsewhere(name) else blank)

    def _continued(self, name: str, at: int, text: str) -> str:
        """Put a text that may build on the answer's own cell above below what stands there."""
        above = [own for own in self._marked[name] if own < at and self._is_begun(name, own)]
        once = len(re.findall(rf"\b{name}\b", text)) < 2
        if once or not above or at in self._marked[name]:
            return text
        both = f"{self.cells[above[-1]].source}\n\n{text}"
        return both if name in bound(both) else text

    def _is_begun(self, name: str, at: int) -> bool:
        """Tell whether the cell at a position holds code that is more than a stub."""
        cell, stub = self.cells[at], self._exercises[name]
        blank = cell.source.strip() in ("", stub.strip()) or defines_nothing(name, cell.source)
        return cell.kind == "code" and not blank

    def _texts(self, name: str, positions: list[int]) -> Iterator[tuple[int, str]]:
        """Yield the texts of some cells; of one without code, what begins with the definition."""
        for at in positions:
            cell = self.cells[at]
            yield at, cell.source if cell.kind == "code" else from_definition(name, cell.source)

    def _places(self, name: str) -> Iterator[tuple[str, list[int]]]:
        """Positions where the answer may be, the most certain first, each with its note."""
        own = [at for at in self._marked[name] if not sent_elsewhere(self.cells[at].source)]
        code = [at for at in own if self.cells[at].kind == "code"]
        definition = _defines(name, rf"^(def|class)[ \t]+{name}\b")
        indented = _defines(name, rf"^[ \t]*(def|class)[ \t]+{name}\b")
        assigned = _lines(rf"^{name}[ \t]*=(?!=)").search
        unmarked = self._that(definition, self._unmarked)
        if own:
            below = [at for at in unmarked if own[-1] < at <= self._check(name, own[-1])]
            again = below and any(self._is_begun(name, at) for at in own)
            yield BELOW if again else ELSEWHERE, below
        yield "", self._that(indented, code)
        yield "", self._that(_binds(name), code)
        yield ELSEWHERE, unmarked
        yield NO_CODE, self._that(definition, own)
        for other, positions in self._shared[name].items():
            yield f"Found in the cell for {other}", positions
        yield NO_CODE, self._that(definition, self._no_code)
        yield ELSEWHERE, self._that(assigned, self._code)
        yield ELSEWHERE, self._that(indented, self._code)
        yield "", code

    def _that(self, fits: Callable[[str], object], positions: list[int]) -> list[int]:
        return [position for position in positions if fits(self.cells[position].source)]

    def _check(self, name: str, above: int) -> int:
        """Return the position of the exercise's check below another; without one, the other."""
        for at in range(above + 1, len(self.cells)):
            cell = self.cells[at]
            if f"{CHECK}{name}" == cell.grade_id or cell.source.strip() == f"check({name})":
                return at
        return above

    def _sent_elsewhere(self, name: str) -> str:
        """Return the magic by which a student's cell for it is not run as Python, "" if none."""
        sources = (self.cells[position].source for position in self._marked[name])
        return next(filter(None, map(sent_elsewhere, sources)), "")

    @cached_property
    def _shared(self) -> dict[str, dict[str, list[int]]]:
        """Find exercises that are defined in a cell for another: by name, by the other's name."""
        names = [*self._exercises]
        defines = _lines(rf"^(?:def|class)[ \t]+({'|'.join(names)})\b")
        shared: dict[str, dict[str, list[int]]] = {name: {} for name in names}
        for other in names:
            for position in self._marked[other]:
                source = self.cells[position].source
                for name in {*defines.findall(source)} - {other}:
                    if not sent_elsewhere(source) and _may_bind(name, source):
                        shared[name].setdefault(other, []).append(position)
        return shared

    @cached_property
    def _unmarked(self) -> list[int]:
        return self._searched(lambda cell: cell.kind == "code" and not sent_elsewhere(cell.source))

    @cached_property
    def _code(self) -> list[int]:
        """Code cells that are the answer to no other exercise, then those that are to one."""
        marked = [at for name in self._exercises for at in self._marked[name]]
        others = [at for at in marked if self.cells[at].kind == "code"]
        return [
            *(at for at in others if not sent_elsewhere(self.cells[at].source)),
            *self._unmarked,
        ]

    @cached_property
    def _no_code(self) -> list[int]:
        """Cells of text that are the answer to no exercise."""
        return self._searched(lambda cell: cell.kind != "code")

    def _searched(self, wanted: Callable[[SubmittedCell], bool]) -> list[int]:
        positions, searched = [], 0
        for position, cell in enumerate(self.cells):
            if cell.grade_id in self._exercises or not wanted(cell):
                continue
            searched += len(cell.source)
            if searched > SEARCH_LIMIT:
                break
            positions.append(position)
        return positions


def _marked(cells: list[SubmittedCell]) -> dict[str, list[int]]:
    """Return the cells of each id, in order; of too much code, the cells at the end."""
    marked, length = defaultdict[str, list[int]](list), Counter[str]()
    for position in reversed(range(len(cells))):
        cell = cells[position]
        size = len(cell.source) if cell.kind == "code" else 0
        if cell.grade_id and length[cell.grade_id] + size <= SOURCE_LIMIT:
            length[cell.grade_id] += size
            marked[cell.grade_id].append(position)
    for positions in marked.values():
        positions.reverse()
    return marked


def _lines(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.MULTILINE)


def _defines(name: str, pattern: str) -> Callable[[str], object]:
    """Return a test whether a text has a line that defines the name, not only within a string."""
    looks = _lines(pattern)
    return lambda text: looks.search(text) and _may_bind(name, text)


def _may_bind(name: str, source: str) -> bool:
    """Tell whether a text gives a value to a name, or cannot be parsed."""
    return name in bound(source) or quietly(ast.parse, source) is None


def _is_broken(source: str) -> bool:
    """Tell whether a text is no Python, such as words around a piece of code."""
    return len(source) <= CELL_LIMIT and quietly(ast.parse, source) is None


def _binds(name: str) -> Callable[[str], object]:
    """Return a test whether a text assigns to a name or imports it."""
    assigned, word = _lines(rf"^[ \t]*{name}[ \t]*[:=]"), re.compile(rf"\b{name}\b")
    return lambda text: assigned.search(text) or any(map(word.search, IMPORTED.findall(text)))
