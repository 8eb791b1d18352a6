"""An answer is what of a student's notebook answers a cell of the release."""

from nbformat import NotebookNode

from autograder.common.cell import grade_id, is_in_words, is_solution
from autograder.notebooks.code_answers import Answer, CodeAnswers
from autograder.notebooks.prose import Part, Prose
from autograder.notebooks.submission import Submission
from autograder.notebooks.watchdog import processor_limit


class Answers:
    """The cells of one submission, to be asked for the answer to each cell of the release."""

    def __init__(self, released: NotebookNode, submission: Submission):
        self.released, self.submission = released, submission
        self._code = CodeAnswers(released, submission.cells)
        self._prose = Prose(released, submission.cells)

    def to(self, cell: NotebookNode) -> Answer | None:
        """Return a student's answer; the cell's own stub where nothing is written.

        None where no cell can be the answer.
        """
        return self._in_words(cell) if is_in_words(cell) else self._code.to(cell)

    def written(self) -> dict[str, str]:
        """Return every answer that is not the stub any more, by the name of its exercise.

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
        """Say why there is no answer to a cell, as a sentence for the student."""
        name = grade_id(cell)
        if reason := self._code.reason(name):
            return reason
        if any(other.grade_id == name for other in self.submission.cells):
            return f"The cell for {name} is not a {cell['cell_type']} cell any more."
        if not self.submission.whole:
            return f"The notebook is damaged: the cell for {name} could not be read from it."
        return f"The cell for {name} is not in the notebook any more."

    def _in_words(self, cell: NotebookNode) -> Answer | None:
        """Return all that was written at a question; else what was written elsewhere."""
        name = grade_id(cell)
        parts = tuple(self._prose.to(cell))
        if parts:
            text = "\n\n".join(part.text for part in parts)
            return Answer(parts[0].position, text, self._note(name, parts), parts)
        own = [at for at, other in enumerate(self.submission.cells) if other.grade_id == name]
        return Answer(own[-1], cell["source"]) if own else None

    def _note(self, name: str, parts: tuple[Part, ...]) -> str:
        """Tell the teacher where the words of an answer stood, if that is odd."""
        if any(part.question != name for part in parts):
            return "Nothing is written at its question, so other text of the notebook is shown"
        if len(parts) > 1:
            return f"Written in {len(parts)} cells, which are shown as one"
        if self.submission.cells[parts[0].position].grade_id != name:
            return "Found by its question"
        return ""
