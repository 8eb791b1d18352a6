"""An author writes here what is right about an exercise, what is often wrong, and what to try."""

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from autograder.common import source_location
from autograder.common.errors import CourseError
from autograder.exercise import definitions
from autograder.exercise.case import Case, Property, Rng


@dataclass(frozen=True)
class Word:
    """A course's name for a general pattern, and the hint that it gives."""

    name: str
    hint: str


@dataclass(frozen=True)
class Vocabulary:
    """A course's words, from its file `solutions/vocabulary.py`; a course without one has none.

    words: the course's words for a general pattern, by the name of the pattern in the engine.
    selecting: a word in the names of those boolean inputs that say which entries count. Other
        boolean inputs are not looked at then; without such a word all of them are.
    confused: names that are easily confused in code, each with the one that is written in its
        place. A mutation test exchanges them.
    """

    words: Mapping[str, Word] = field(default_factory=dict)
    selecting: str = ""
    confused: Mapping[str, str] = field(default_factory=dict)


NO_WORDS = Vocabulary()


EVERY, UNTRIED = "every case", "nothing to try"  # by what a promise may be tried, beside a case

Target = TypeVar("Target", bound=Callable[..., Any])


@dataclass(frozen=True)
class Implementation:
    """A named function or class whose source can be put into a notebook cell.

    text, statement: of one that no file holds, its definition and the place of what made it.
    """

    name: str
    target: Callable[..., Any]
    text: str = field(default="", kw_only=True)
    statement: str = field(default="", kw_only=True)

    @property
    def place(self) -> str:
        """The file and the line where the author wrote it."""
        return self.statement or source_location.of_definition(self.target)

    def source_as(self, name: str) -> str:
        """Return its source under another name, with what it uses of its chapter."""
        return definitions.source_as(self.target, name, self.text)


@dataclass(frozen=True)
class Misconception(Implementation):
    """A wrong implementation that real people write, with the hint that helps them."""

    hint: str


@dataclass(frozen=True)
class Accepted:
    """A learner's answer that is right and was rejected once; from now on it has to pass.

    source: the text of its cell. It is no code of the author's, and runs nowhere but confined.
    """

    name: str
    source: str
    path: Path


@dataclass(frozen=True)
class Group:
    """Part of an exercise with points of its own, which count once all that is in no group passes.

    cases: names of the cases that belong to it. properties: relations that only its points hang
    on; they are looked for in every case, beside those of the exercise.
    """

    name: str
    points: int
    cases: tuple[str, ...] = ()
    properties: tuple[Property, ...] = ()


@dataclass(frozen=True)
class Promise:
    """Part of one sentence of the docstring, and the names of the cases that try the sentence."""

    part: str
    cases: tuple[str, ...]


@dataclass(eq=False)
class Exercise:
    """One function or class that a learner writes.

    Args:
        name: of the function or class.
        points: of which those of a group are awarded for it, and the others if all the rest passes.
        difficulty: 1 (warm-up) to 5 (hard).
        minutes: a learner needs, reading included.
        returns: names of what it returns, for messages.
        read: the section of the book to read again, as a path relative to the book's root.
        builds_on: earlier exercises whose functions this one may call.
        forbids: how the names of library functions begin that no call may reach, not even inside
            torch: forbid only what has no other use.
        properties: relations that every case must satisfy, besides equalling the oracle.
        groups: what a teacher would give part of the points for; without them it is all or nothing.
        device: whether what is made has to be on the device of the inputs; None: as in the course.
    """

    name: str
    points: int
    difficulty: int
    minutes: int
    returns: tuple[str, ...] = ("the result",)
    read: str = ""
    builds_on: tuple[str, ...] = ()
    forbids: tuple[str, ...] = ()
    properties: tuple[Property, ...] = ()
    groups: tuple[Group, ...] = ()
    device: bool | None = None
    misconceptions: list[Misconception] = field(default_factory=list)
    variants: list[Implementation] = field(default_factory=list)
    accepted: tuple[Accepted, ...] = ()
    promises: list[Promise] = field(default_factory=list)
    vocabulary: Vocabulary = NO_WORDS
    right: Implementation | None = None
    _cases: Callable[[Rng], Iterator[Case]] | None = None
    _secret_cases: Callable[[Rng], Iterator[Case]] | None = None

    def oracle(self, target: Target) -> Target:
        """Say what is right. Called with float64 inputs, so that it is exact to any dtype.

        Raises TypeError for a second one.
        """
        if self.right is not None:
            raise TypeError(f"{self.right.name} is the oracle already; mark one function only")
        self.right = Implementation(target.__name__, target)
        return target

    def misconception(self, hint: str) -> Callable[[Target], Target]:
        """Name a wrong implementation and the hint for whoever wrote it.

        Raises TypeError where the hint was forgotten.
        """
        if inspect.isfunction(hint) or inspect.isclass(hint):
            raise TypeError(f'{hint.__name__} has no hint: write @exercise.misconception("hint")')

        def register(target: Target) -> Target:
            self.misconceptions.append(Misconception(target.__name__, target, hint))
            return target

        return register

    def base(self, target: Callable[..., Any]) -> "Base":
        """Take a right implementation from which mistakes differ in a few words; see `Base`."""
        if not (inspect.isfunction(target) or inspect.isclass(target)):
            raise TypeError(f"{target!r} is no function or class, which a base has to be")
        return Base(self, target)

    def variant(self, target: Target) -> Target:
        """Take a correct implementation, written differently; the grader must accept it."""
        self.variants.append(Implementation(target.__name__, target))
        return target

    def cases(self, generate: Callable[[Rng], Iterator[Case]]) -> Callable[[Rng], Iterator[Case]]:
        """Take the cases for one seed: public with the public seed, graded with a secret one."""
        self._cases = generate
        return generate

    def secret_cases(
        self, generate: Callable[[Rng], Iterator[Case]]
    ) -> Callable[[Rng], Iterator[Case]]:
        """Further cases that only the instructor's grading runs."""
        self._secret_cases = generate
        return generate

    def promise(self, part: str, *cases: str) -> None:
        """Say by which cases a sentence of the docstring is tried.

        Args:
            part: the beginning of the sentence, or another part; no other sentence contains it.
            cases: their names, EVERY for all, or UNTRIED for what a sentence leaves to learners.

        Raises TypeError for a list of names.
        """
        if not all(isinstance(text, str) for text in (part, *cases)):
            raise TypeError('a promise is of texts: exercise.promise("part", "case", "case")')
        self.promises.append(Promise(part, cases))

    @property
    def has_cases(self) -> bool:
        """Tell whether the author declared any; what they are is known once they are generated."""
        return self._cases is not None

    def generate(self, seed: int, secret: bool) -> list[Case]:
        """Return all cases for a seed, the secret ones only if asked for.

        Raises ValueError if there are none or two have the same name.
        """
        rng = Rng(seed)
        sources = [self._cases, self._secret_cases if secret else None]
        cases = [case for source in sources if source for case in source(rng)]
        names = [case.name for case in cases]
        if not cases:
            raise ValueError("there are none")
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise ValueError(f"two are named {twice!r}")
        return cases


@dataclass(frozen=True)
class Base:
    """A right implementation of an exercise, from whose text mistakes are made."""

    exercise: Exercise
    target: Callable[..., Any]

    def mistake(self, name: str, changes: Mapping[str, str], hint: str) -> None:
        """A misconception by what it has in the place of what is right: `{right: wrong}`.

        Raises CourseError unless the text of the base has each part once and stays Python.
        """
        statement = source_location.of_statement()
        try:
            target, text = definitions.changed(self.target, name, changes)
        except ValueError as error:
            raise CourseError(f"{statement}: the mistake {name!r} {error}. Correct it.") from error
        wrong = Misconception(name, target, hint, text=text, statement=statement)
        self.exercise.misconceptions.append(wrong)
