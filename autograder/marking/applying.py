"""What becomes of saved marks: written, there already, refused, or for somebody to decide."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from autograder.chapters.solutions import refuse_unknown
from autograder.common.errors import CourseError
from autograder.course.course import Course
from autograder.course.roster import roster
from autograder.marking.gradebook_marks import Given, Place
from autograder.marking.marks_file import MarksFile, Offer
from autograder.marking.written_answers import Answer, Written, collect, questions
from autograder.showing.wording import points

GRADEBOOK = "the gradebook"


@dataclass(frozen=True)
class Dispute:
    """Marks that differ: by where they are from, a file or the gradebook. places: the answers."""

    chapter: str
    question: str
    choices: tuple[tuple[str, Given], ...]
    places: tuple[Place, ...]


@dataclass
class Plan:
    """What to do with the marks of a chapter. refused: a sentence on each that is not written."""

    chapter: str
    ready: dict[Place, Given] = field(default_factory=dict)
    same: int = 0
    disputes: list[Dispute] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)

    def decide(self, dispute: Dispute, chosen: int | None) -> bool:
        """Write the mark at this place of a dispute's choices; False where none is chosen."""
        if chosen is None:
            return False
        source, given = dispute.choices[chosen]
        if source != GRADEBOOK:
            self.ready |= dict.fromkeys(dispute.places, given)
        return True


def plan(course: Course, chapter: str, files: Iterable[MarksFile]) -> Plan:
    """Compare saved marks with the answers and the gradebook as they are now; changes nothing.

    Raises CourseError if the course does not have the chapter.
    """
    refuse_unknown(course.root, chapter)
    offers = defaultdict[Place, list[Offer]](list)
    for file in files:
        for offer in file.offers:
            offers[offer.place].append(offer)
    written = _written(course, chapter, {student for _, student in offers})
    return _Planning(course, chapter, written).plan(offers)


def _written(course: Course, chapter: str, students: set[str]) -> Written:
    try:
        return collect(course, chapter, students)
    except CourseError:
        if not questions(course, chapter):
            raise
        return Written(questions(course, chapter))  # nobody is graded any more


class _Planning:
    """Makes the plan of a chapter, one answer after the other."""

    def __init__(self, course: Course, chapter: str, written: Written):
        self.known, self.questions = roster(course), written.questions
        self.now = {(answer.question, answer.student): answer for answer in written.answers}
        self.made = Plan(chapter)
        self.disputes = defaultdict[tuple[str, tuple[tuple[str, Given], ...]], list[Place]](list)

    def plan(self, offers: dict[Place, list[Offer]]) -> Plan:
        for place, several in sorted(offers.items()):
            self._plan_one(place, several)
        for (question, choices), places in self.disputes.items():
            dispute = Dispute(self.made.chapter, question, choices, tuple(places))
            self.made.disputes.append(dispute)
        return self.made

    def _plan_one(self, place: Place, several: list[Offer]) -> None:
        answer = self.now.get(place)
        if answer is None:
            return self._refuse(place, self._missing(place))
        fitting = _newest([offer for offer in several if self._fits(offer, answer)])
        if fitting:
            self._compare(answer, fitting)
        return None

    def _missing(self, place: Place) -> str:
        question, student = place
        if question not in self.questions:
            return f"{self.made.chapter} has no written answer of this name any more"
        if student not in self.known.names:
            return self.known.unknown(student).removesuffix(".")
        return "nothing of theirs is graded in this chapter"

    def _fits(self, offer: Offer, answer: Answer) -> bool:
        most = self.questions[answer.question].points
        if offer.digest != answer.digest:
            why = "the answer has changed since the page was written, so it waits to be marked"
        elif offer.given.points is None or not 0 <= offer.given.points <= most:
            why = f"{offer.given.points:g} is not from 0 to {most:g} points"
        else:
            return True
        self._refuse(offer.place, why)
        return False

    def _compare(self, answer: Answer, offers: list[Offer]) -> None:
        place, given = (answer.question, answer.student), offers[-1].given
        choices = {offer.given: offer.file for offer in offers}
        expected = {one for offer in offers for one in (offer.before, *offer.earlier)}
        if answer.given not in expected:
            choices.setdefault(answer.given, GRADEBOOK)
        if len(choices) > 1:
            key = tuple((file, one) for one, file in choices.items())
            self.disputes[answer.question, key].append(place)
        elif answer.given == given and not answer.waiting:
            self.made.same += 1
        else:
            self.made.ready[place] = given

    def _refuse(self, place: Place, why: str) -> None:
        question, student = place
        self.made.refused.append(f"{question}, {self.known.named(student)}: {why}.")


def _newest(offers: list[Offer]) -> list[Offer]:
    """Leave out the marks that the same work has replaced by later ones."""
    return [offer for offer in offers if not any(_replaces(other, offer) for other in offers)]


def _replaces(later: Offer, offer: Offer) -> bool:
    longer = len(later.earlier) > len(offer.earlier)
    return later.work == offer.work and longer and offer.given in later.earlier


def in_words(given: Given) -> str:
    """Write "1.5 points, “Good.”", or "no mark"."""
    mark = "no mark" if given.points is None else points(given.points)
    return f"{mark}, “{given.comment}”" if given.comment else mark
