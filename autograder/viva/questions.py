"""Questions on an answer whose keys were executed: three kinds, each with four options."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import zip_longest
from random import Random

from autograder.exercise.case import Case
from autograder.exercise.specimen import Specimen
from autograder.viva.executed import Tried
from autograder.viva.outcomes import Outcome, apart
from autograder.viva.plain_values import is_in_full, is_shown
from autograder.viva.small_changes import Change

OPTIONS = 4
TRIVIAL = ("TypeError", "AttributeError", "NotImplementedError")  # of code that makes no sense
RAISING = 4  # times as many questions have another right answer than an exception


class Kind(StrEnum):
    """What is asked: what a change does, which change did it, or where it shows."""

    asked: str

    def __new__(cls, value: str, asked: str) -> "Kind":
        kind = str.__new__(cls, value)
        kind._value_ = value
        kind.asked = asked
        return kind

    OUTCOME = "outcome", "What happens now?"
    CHANGE = "change", "Which change was it?"
    INPUT = "input", "For which of these inputs does the call now do something else?"


@dataclass(frozen=True)
class Option:
    """One answer to choose: a change, an outcome or a case. came_of: the change that led to it."""

    right: bool
    change: Change | None = None
    outcome: str = ""
    case: Case | None = None
    came_of: Change | None = None


@dataclass(frozen=True)
class Question:
    """A question about one exercise.

    subject: the change that the right answer is about. case: the inputs, None where these are asked
    for. before, after: what the answer as handed in returns for them, and what the subject does.
    executed: the changes that can be read in it, and what came of them.
    """

    exercise: str
    kind: Kind
    subject: Tried
    options: tuple[Option, ...]
    case: Case | None = None
    before: str = ""
    after: str = ""
    executed: tuple[Tried, ...] = ()

    @property
    def right(self) -> int:
        """The place of the right option, from 0."""
        return next(at for at, option in enumerate(self.options) if option.right)

    @property
    def raises(self) -> bool:
        """Tell whether the right answer is that an exception is raised."""
        outcomes = [one for one in self.subject.outcomes if one.case is self.case]
        return any(one.seen.failure for one in outcomes)

    @property
    def is_plain(self) -> bool:
        """Tell whether all inputs are there in full, so that the answer can be worked out."""
        cases = [self.case] if self.case else [option.case for option in self.options]
        return all(case is not None and is_shown(case) for case in cases)

    def agrees(self, other: "Question") -> bool:
        """Tell whether neither gives the other away where both are on one sheet."""
        if self.exercise != other.exercise:
            return True
        behaviours = {one.behaviour for one in self.executed}
        known = any(one.behaviour in behaviours for one in other.executed)
        return not known and (
            self.case is None or other.case is None or self.case.name != other.case.name
        )


def questions(exercise: str, tried: list[Tried], random: Random, first: int = 0) -> list[Question]:
    """Return all questions that the changes allow, in a random order, kinds in turn.

    tried: changes that were run, all on the same cases. first: number of the kind to begin with.
    """
    tried = random.sample(tried, len(tried))
    likely = sorted(tried, key=lambda one: not one.change.likely)
    subjects = [one for one in likely if any(map(_asks, one.outcomes))]
    made = [[*kind(exercise, subjects, likely, random)] for kind in KINDS]
    turn = first % len(made)
    mixed = [one for several in zip_longest(*made[turn:], *made[:turn]) for one in several if one]
    raising = [one for one in mixed if one.raises]
    left_out = raising[(len(mixed) - len(raising)) // RAISING :]
    return [one for one in mixed if one not in left_out]


def _asks(outcome: Outcome) -> bool:
    """Tell whether it is worth a question: another result that can be seen, or none for a shape."""
    failure = outcome.seen.failure
    return apart(outcome, outcome.former) and not (failure and failure.type in TRIVIAL)


def _cases(tried: Tried, random: Random) -> list[int]:
    """Return the cases in which a change shows; those that are shown in full come first."""
    places = [at for at, outcome in enumerate(tried.outcomes) if _asks(outcome)]
    random.shuffle(places)
    return sorted(places, key=lambda at: not is_shown(tried.outcomes[at].case))


Made = Iterator[Question]


def _of_outcome(exercise: str, subjects: list[Tried], tried: list[Tried], random: Random) -> Made:
    for subject in subjects:
        hiding = [at for at, one in enumerate(subject.outcomes) if one.same]
        for at in [*_cases(subject, random), *random.sample(hiding, min(1, len(hiding)))]:
            several = [subject]
            for other in _mixed(tried, random):
                if all(apart(other.outcomes[at], one.outcomes[at]) for one in several):
                    several.append(other)
            if len(several) >= OPTIONS:
                yield _asked_outcome(exercise, several[:OPTIONS], at, random)


def _asked_outcome(exercise: str, several: list[Tried], at: int, random: Random) -> Question:
    subject, outcome = several[0], several[0].outcomes[at]
    options = [
        Option(one is subject, outcome=one.outcomes[at].text, came_of=one.change) for one in several
    ]
    random.shuffle(options)
    return Question(
        exercise, Kind.OUTCOME, subject, tuple(options), outcome.case, outcome.former.told,
        executed=(subject,),
    )  # fmt: skip


def _mixed(tried: list[Tried], random: Random) -> list[Tried]:
    """Shuffle what may serve as a wrong option; likely changes stay in front."""
    shuffled = random.sample(tried, len(tried))
    return sorted(shuffled, key=lambda one: not one.change.likely)


def _of_change(exercise: str, subjects: list[Tried], tried: list[Tried], random: Random) -> Made:
    """Ask which change led to an outcome; no other option leads to one that is like it."""
    for subject in subjects:
        for at in _cases(subject, random):
            wrong = sorted(_mixed(tried, random), key=lambda one: _is_cheap(one.outcomes[at]))
            others = [one for one in wrong if apart(one.outcomes[at], subject.outcomes[at])]
            if len(others) >= OPTIONS - 1:
                yield _asked_change(exercise, [subject, *others[: OPTIONS - 1]], at)


def _is_cheap(outcome: Outcome) -> bool:
    """Tell whether a wrong option is easily excluded where another result is given."""
    return outcome.same or outcome.seen.failure is not None


def _asked_change(exercise: str, several: list[Tried], at: int) -> Question:
    """The changes stand in the order of their lines."""
    subject, outcome = several[0], several[0].outcomes[at]
    several = sorted(several, key=lambda one: (one.change.first, one.change.lines))
    options = [
        Option(one is subject, change=one.change, outcome=one.outcomes[at].text) for one in several
    ]
    return Question(
        exercise, Kind.CHANGE, subject, tuple(options), outcome.case, outcome.former.told,
        outcome.told, tuple(several),
    )  # fmt: skip


def _of_input(exercise: str, subjects: list[Tried], tried: list[Tried], random: Random) -> Made:
    for subject in subjects:
        readable = [at for at, one in enumerate(subject.outcomes) if _is_legible(one.case)]
        showing = [at for at in _cases(subject, random) if at in readable]
        hiding = [at for at in readable if subject.outcomes[at].same and subject.outcomes[at].firm]
        if showing and len(hiding) >= OPTIONS - 1:
            chosen = [showing[0], *random.sample(hiding, OPTIONS - 1)]
            yield _asked_input(exercise, subject, chosen, random)


def _is_legible(case: Case) -> bool:
    """Tell whether the code of functions among the inputs can be read on a sheet."""
    return all(is_in_full(one) for one in case.inputs.values() if isinstance(one, Specimen))


def _asked_input(exercise: str, subject: Tried, chosen: list[int], random: Random) -> Question:
    options = [
        Option(at == chosen[0], case=subject.outcomes[at].case, outcome=subject.outcomes[at].text)
        for at in chosen
    ]
    random.shuffle(options)
    return Question(exercise, Kind.INPUT, subject, tuple(options), executed=(subject,))


KINDS = (_of_outcome, _of_change, _of_input)
