"""Work without a student's name in Moodle's download: a group's, or that of hidden names."""

import re
from collections import defaultdict
from collections.abc import Collection
from typing import Any

from autograder.platforms.platform_collect import MEND, Entry, NoOwner
from autograder.platforms.whose_name import Names, as_in_moodle

# "Participant" in languages of Moodle, as it is left when slashes are
HIDDEN = {"participant", "participante", "partecipante", "teilnehmer", "teilnehmerin", "deelnemer",
          "deltagare", "deltager", "deltaker", "osallistuja", "uczestnik", "účastník", "résztvevő",
          "συμμετέχων", "участник", "参加者", "参与者", "參與者"}  # fmt: skip
GROUP = re.compile(
    r"\b(groups?|gruppen?|groupes?|grupos?|gruppo|gruppi|groep|grup|grupp|ryhmä|skupina|csoport|"
    r"teams?|[ée]quipes?|equipos?|squad|lab|labor|tutorial|tutorium|übung|section|sektion|pairs?|"
    r"[a-z]?\d+)\b|gruppe\b|группа|グループ|小组|组$",
    re.IGNORECASE,
)

REVEAL = (
    "Reveal the students' identities in Moodle, in the assignment's list of submissions, then "
    "download them again."
)
IMPORT = "Import the roster with `attn roster FILE`, then run this again."


class Nameless:
    """Says of a name that fits nobody what it looks like. entries: of all the downloads."""

    def __init__(self, entries: Collection[Entry], names: Names, chapter: str):
        self._names, self._numbers = names, defaultdict[str, set[str]](set)
        called = {entry.called for entry in entries}
        for entry in entries:
            self._numbers[as_in_moodle(entry.called)].add(entry.person)
        self._none_fits = not any(map(names.fitting, called))
        self._of_group = (
            "To give a group's work to its members, put the notebook into "
            f"submitted/STUDENT/{chapter}/ of each of them; in Moodle, Participants > Groups says "
            "who they are."
        )

    def members(self, called: str) -> list[Any]:
        """Whom older Moodles mean by `Group A-Ada Lovelace`."""
        parts = called.split("-")
        halves = [("-".join(parts[:at]), "-".join(parts[at:])) for at in range(1, len(parts))]
        found = [
            student
            for group, name in halves
            if GROUP.search(group)
            for student in self._names.fitting(name)
        ]
        return list({student.id: student for student in found}.values())

    def nobody(self, entry: Entry) -> NoOwner:
        """Return the error to raise for it: the first that holds."""
        called, none_fits = as_in_moodle(entry.called), self._none_fits
        is_group = bool(GROUP.search(called))
        cases = (
            (not self._names.known, "fits nobody, since the gradebook has no students", IMPORT),
            (called.rpartition("-")[2].rstrip("0123456789 ") in HIDDEN,
             "is an anonymous hand-in: Moodle hides the students' names", REVEAL),
            (none_fits and len(self._numbers[called]) > 1,
             "fits nobody in the roster, and several have that name: it seems to be an anonymous "
             "hand-in, whose name Moodle hides", REVEAL),
            (is_group and not entry.person,
             "is of the default group: students who are in no group or in several handed it in",
             self._of_group),
            (is_group, "looks like a group's hand-in: no student has that name",
             self._of_group),
            (none_fits, "fits nobody in the roster, as no name of the downloads does: perhaps "
             "groups handed in", f"{self._of_group} {MEND}"),
            (True, "fits nobody in the roster, by first_name and last_name, id or email", MEND),
        )  # fmt: skip
        return next(NoOwner(why, advice) for holds, why, advice in cases if holds)
