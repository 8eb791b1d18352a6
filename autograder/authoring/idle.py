"""Mutants that do nothing: what they add gives back what it is given, whatever a case asks.

`.detach()` does nothing to what carries no gradient, and `.float()` nothing to what is float32.
That is not guessed from the code: the value is watched in all cases, each with gradients, too.
"""

import ast
from collections.abc import Callable, Iterator
from dataclasses import replace

from autograder.authoring.operators import DETACH
from autograder.common.cell import Cell
from autograder.common.errors import WireError
from autograder.exercise.observation import Failure
from autograder.judging.claims import claimed
from autograder.judging.grader import Grader
from autograder.judging.marker import Marker
from autograder.notebooks.chapter import libraries, reference_cells

RAISES = "{}['nothing']"
SEEN = ("KeyError", "'nothing'")
# What is added, and a function that raises where that would change the value.
WATCHED = {
    DETACH: f"lambda value: {RAISES} if value.requires_grad else value",
    "float": f"lambda value: value if value.float() is value else {RAISES}",
}
CATCHES = ast.Try | ast.TryStar
Raised = tuple[str, str] | None
Failures = list[tuple[Raised, Raised]]  # of each case: of the call, and of the one with gradients


class Watch:
    """Watches the mutants of one exercise, of which a grader has the checks.

    originals: the sources that its mutants were made of.
    """

    def __init__(self, grader: Grader, name: str, originals: list[str]):
        self.name, self.cells = name, reference_cells(grader.chapter)
        self.originals = {ast.unparse(ast.parse(source)) for source in originals}
        known = grader.checks[name]
        cases = [
            replace(one, case=replace(one.case, gradient=True, traced=False, placed=False))
            for one in known.cases
        ]
        checks = {name: replace(known, cases=cases)}
        self.marker = Marker(checks, grader.sandbox, libraries(grader.chapter))
        self._plain: dict[str, Failures] = {}

    def is_idle(self, mutant: str) -> bool:
        """Whether the source of a mutant adds what changes nothing, and some case gets there."""
        return any(self._changes_nothing(mutant, place) for place in self._places(mutant))

    def _places(self, mutant: str) -> Iterator[int]:
        """Where it adds something to an original that would not hide what is raised."""
        for place in range(len(_watched(ast.parse(mutant)))):
            original = _rewritten(mutant, place, _value)
            caught = any(isinstance(node, CATCHES) for node in ast.walk(ast.parse(original)))
            if original in self.originals and not caught and "suppress" not in original:
                yield place

    def _changes_nothing(self, mutant: str, place: int) -> bool:
        original = _rewritten(mutant, place, _value)
        if original not in self._plain:
            self._plain[original] = self._failures(original)
        plain = self._plain[original]
        gone = self._failures(_rewritten(mutant, place, lambda _: _expression(RAISES)))
        reached = any(
            not before and after == SEEN
            for (before, _), (after, _) in zip(plain, gone, strict=False)
        )
        return reached and self._failures(_rewritten(mutant, place, _watching)) == plain

    def _failures(self, source: str) -> Failures:
        """What each call raises; nothing of all where one stops the process."""
        cells = [Cell(one.name, source) if one.name == self.name else one for one in self.cells]
        run = self.marker.sandbox.run(cells, self.marker.calls, [self.name])
        calls = len(self.marker.checks[self.name].cases)
        try:
            seen = claimed(run.exercises.get(0, ()), self.name, calls, None)
        except WireError:
            return []
        return [(_raised(one.failure), _raised(one.gradient_failure)) for one in seen]


def _raised(failure: Failure | None) -> Raised:
    return (failure.type, failure.message) if failure else None


def _watched(tree: ast.AST) -> list[ast.Call]:
    """The calls that may be what a mutant adds."""
    return [
        node for node in ast.walk(tree)
        if isinstance(node, ast.Call) and not node.args and not node.keywords
        and isinstance(node.func, ast.Attribute) and node.func.attr in WATCHED
    ]  # fmt: skip


def _rewritten(source: str, place: int, other: Callable[[ast.Call], ast.expr]) -> str:
    """Replace one watched call, the one at index `place`, and return the new source."""
    tree = ast.parse(source)
    call = _watched(tree)[place]
    return ast.unparse(_Instead(call, other(call)).visit(tree))


class _Instead(ast.NodeTransformer):
    def __init__(self, old: ast.AST, new: ast.AST):
        self.old, self.new = old, new

    def visit(self, node: ast.AST) -> ast.AST:
        return self.new if node is self.old else super().visit(node)


def _value(call: ast.Call) -> ast.expr:
    assert isinstance(call.func, ast.Attribute)
    return call.func.value


def _watching(call: ast.Call) -> ast.expr:
    assert isinstance(call.func, ast.Attribute)
    return ast.Call(_expression(WATCHED[call.func.attr]), [call.func.value], [])


def _expression(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body
