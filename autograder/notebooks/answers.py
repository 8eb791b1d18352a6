"""Which of a student's cells answers a released one, also where it has lost its mark."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from nbformat import NotebookNode

from autograder.calls.magics import sent_elsewhere
from autograder.notebooks.nbgrader_cells import grade_id, is_in_words, is_solution
from autograder.notebooks.parsing import without
from autograder.notebooks.prose import Part, Prose
from autograder.notebooks.submission import Submission, SubmittedCell
from autograder.notebooks.watchdog import processor_limit

SOURCE_LIMIT = 1_000_000  # characters of code that a person may have written for one cell
SEARCH_LIMIT = 5_000_000  # characters of unmarked code that are searched
IMPORTED = re.compile(r"\bimport\b(.*)")  # the rest of its line; nothing is read twice


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


class Answers:
    """The cells of one submission, to be asked for the answer to each cell of the release."""

    def __init__(self, released: NotebookNode, submission: Submission):
        self.released, self.submission = released, submission
        self.cells = submission.cells
        self.marked = self._marked()
        self._prose = Prose(released, self.cells)

    def to(self, cell: NotebookNode) -> Answer | None:
        """A student's answer; the cell's own stub where nothing is written.

        None where no cell can be the answer.
        """
        if is_in_words(cell):
            return self._in_words(cell)
        answer = self._in_code[grade_id(cell)]
        return answer and replace(answer, source=self._alone(answer, grade_id(cell)))

    def _in_words(self, cell: NotebookNode) -> Answer | None:
        """All that was written at a question; else what was written elsewhere in the notebook."""
        name = grade_id(cell)
        parts = tuple(self._prose.to(cell))
        if parts:
            text = "\n\n".join(part.text for part in parts)
            return Answer(parts[0].position, text, self._note(name, parts), parts)
        own = self.marked[name]
        return Answer(own[-1], cell["source"]) if own else None

    def _note(self, name: str, parts: tuple[Part, ...]) -> str:
        """What the teacher should know of where the words of an answer stood."""
        if any(part.question != name for part in parts):
            return "Nothing is written at its question, so other text of the notebook is shown"
        if len(parts) > 1:
            return f"Written in {len(parts)} cells, which are shown as one"
        if self.cells[parts[0].position].grade_id != name:
            return "Found by its question"
        return ""

    @cached_property
    def _in_code(self) -> dict[str, Answer | None]:
        """The answer to each exercise that is solved in code."""
        return {grade_id(cell): self._found(cell) for cell in self._code}

    @property
    def _code(self) -> list[NotebookNode]:
        """The released cells that are answered in code."""
        cells = filter(is_solution, self.released["cells"])
        return [cell for cell in cells if not is_in_words(cell)]

    def _alone(self, answer: Answer, name: str) -> str:
        """The text without other exercises that are answered in the same cell.

        Each has a cell of its own again, so that one can be right where the other is wrong.
        """
        others = {other for other, found in self._in_code.items()
                  if found and found.position == answer.position} - {name}  # fmt: skip
        return without(others, answer.source) if others else answer.source

    def _found(self, cell: NotebookNode) -> Answer | None:
        """The last answer that is written, in the most certain of the places where some are."""
        seen, stub = None, cell["source"].strip()
        for note, positions in self._places(cell):
            for position in reversed(positions):
                source = self.cells[position].source
                if source.strip() not in ("", stub):
                    return Answer(position, source, note)
                seen = Answer(position, cell["source"])
        return None if self._sent_elsewhere(cell) else seen

    def written(self) -> dict[str, str]:
        """The text of every answer that is not the stub any more, by the name of its exercise.

        Raises OutOfTime where to find them takes too long.
        """
        with processor_limit():
            cells = filter(is_solution, self.released["cells"])
            answers = [(cell, self.to(cell)) for cell in cells]
        return {
            grade_id(cell): answer.source
            for cell, answer in answers
            if answer and answer.source.strip() != cell["source"].strip()
        }

    def reason(self, cell: NotebookNode) -> str:
        """Why there is no answer to a cell, as a sentence for the student."""
        name = grade_id(cell)
        if magic := self._sent_elsewhere(cell):
            return (
                f"The cell for {name} begins with {magic}, so it is not run as Python here: "
                "take that line out and run the cell again."
            )
        others = [other for other in self.cells if other.grade_id == name]
        if any(map(_is_too_long, others)):
            return f"The cell for {name} is longer than {SOURCE_LIMIT:,} characters."
        if others:
            return f"The cell for {name} is not a {cell['cell_type']} cell any more."
        if not self.submission.whole:
            return f"The notebook is damaged: the cell for {name} could not be read from it."
        return f"The cell for {name} is not in the notebook any more."

    def _places(self, cell: NotebookNode) -> Iterator[tuple[str, list[int]]]:
        """Positions where the answer may be, the most certain first, each with its note."""
        name = grade_id(cell)
        own = self.marked[name]
        own = [position for position in own if not sent_elsewhere(self.cells[position].source)]
        code = [position for position in own if self.cells[position].kind == "code"]
        definition = _lines(rf"^(def|class)[ \t]+{name}\b").search
        yield "", self._that(_lines(rf"^[ \t]*(def|class)[ \t]+{name}\b").search, code)
        yield "", self._that(_binds(name), code)
        note = "Found in a cell that is not marked as the one for it"
        yield note, self._that(definition, self._unmarked)
        note = "Found in a cell that is not a code cell any more"
        yield note, self._that(definition, own)
        for other, positions in self._shared[name].items():
            yield f"Found in the cell for {other}", positions
        yield "", code

    def _that(self, fits: Callable[[str], object], positions: list[int]) -> list[int]:
        """The positions whose text fits."""
        return [position for position in positions if fits(self.cells[position].source)]

    def _marked(self) -> dict[str, list[int]]:
        """The cells of each id, in order; of too much code, the cells at the end."""
        marked, length = defaultdict[str, list[int]](list), Counter[str]()
        for position in reversed(range(len(self.cells))):
            cell = self.cells[position]
            size = len(cell.source) if cell.kind == "code" else 0
            if cell.grade_id and length[cell.grade_id] + size <= SOURCE_LIMIT:
                length[cell.grade_id] += size
                marked[cell.grade_id].append(position)
        for positions in marked.values():
            positions.reverse()
        return marked

    def _sent_elsewhere(self, cell: NotebookNode) -> str:
        """The magic by which a student's cell for `cell` is not run as Python, "" if none."""
        if cell["cell_type"] != "code":
            return ""
        sources = (self.cells[position].source for position in self.marked[grade_id(cell)])
        return next(filter(None, map(sent_elsewhere, sources)), "")

    @cached_property
    def _shared(self) -> dict[str, dict[str, list[int]]]:
        """Where an exercise is defined in a cell for another: by its name, by that of the other."""
        names = [grade_id(cell) for cell in self._code]
        defines = _lines(rf"^(?:def|class)[ \t]+({'|'.join(names)})\b")
        shared: dict[str, dict[str, list[int]]] = {name: {} for name in names}
        for other in names:
            for position in self.marked[other]:
                source = self.cells[position].source
                for name in {*defines.findall(source)} - {other}:
                    if not sent_elsewhere(source):
                        shared[name].setdefault(other, []).append(position)
        return shared

    @cached_property
    def _unmarked(self) -> list[int]:
        """Code cells that are the answer to no other exercise."""
        solutions = {grade_id(cell) for cell in self.released["cells"] if is_solution(cell)}
        positions, searched = [], 0
        for position, cell in enumerate(self.cells):
            if not _may_answer(cell, solutions):
                continue
            searched += len(cell.source)
            if searched > SEARCH_LIMIT:
                break
            positions.append(position)
        return positions


def _lines(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.MULTILINE)


def _binds(name: str) -> Callable[[str], object]:
    """Whether a text assigns to a name or imports it."""
    assigned, word = _lines(rf"^[ \t]*{name}[ \t]*[:=]"), re.compile(rf"\b{name}\b")
    return lambda text: assigned.search(text) or any(map(word.search, IMPORTED.findall(text)))


def _is_too_long(cell: SubmittedCell) -> bool:
    return cell.kind == "code" and len(cell.source) > SOURCE_LIMIT


def _may_answer(cell: SubmittedCell, solutions: set[str]) -> bool:
    unmarked = cell.kind == "code" and cell.grade_id not in solutions
    return unmarked and not sent_elsewhere(cell.source)
