"""One hand-in for a whole group: the newest one of its members goes into the folder of each.

All that follows, such as grading, feedback and export, is then the same as for everybody.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from autograder.course.course import Course
from autograder.course.dates import Dates
from autograder.course.group_list import Groups, groups_of
from autograder.course.group_record import GroupRecord, Share
from autograder.course.own_work import Folders, digest, stamp_digest
from autograder.course.which_counts import Work, newest


@dataclass(frozen=True)
class Spread:
    """What the groups of a chapter have now; all by ids and in order.

    counts: whose hand-in counts, by group; "" where it came for the group as a whole. members:
    how many students have a group's hand-in. given: who got it just now. back: whose own earlier
    hand-in is back. without: who has none now. undecided: by group, the members whose hand-ins
    differ where it is not known which is the newest. alone: who handed in and is in no group, if
    they are others than before.
    """

    counts: Mapping[str, str] = field(default_factory=dict)
    members: int = 0
    given: list[str] = field(default_factory=list)
    back: list[str] = field(default_factory=list)
    without: list[str] = field(default_factory=list)
    undecided: Mapping[str, list[str]] = field(default_factory=dict)
    alone: list[str] = field(default_factory=list)


def spread(course: Course, chapter: str) -> Spread:
    """Give each group's newest hand-in of a chapter to all of its members.

    What a member handed in is kept in `own_hand_ins/`, and comes back to whoever leaves the group.
    Doing it again changes nothing. Call it with the lock of grading. No notebook is parsed. Raises
    CourseError, before anything is changed, where the groups are not clear.
    """
    groups, record = groups_of(course, chapter), GroupRecord.read(course, chapter)
    if not groups.members and not record.shares:
        return Spread()
    return _Spreading(course, chapter, groups, record).done()


def sharing(course: Course, chapter: str) -> dict[str, list[str]]:
    """Return by group who has its work, as `spread` has left it; both sorted."""
    members: dict[str, set[str]] = {}
    for student, share in GroupRecord.read(course, chapter).shares.items():
        members.setdefault(share.group, set()).update(filter(None, (student, share.source)))
    return {group: sorted(members[group]) for group in sorted(members)}


def note_group(course: Course, chapter: str, group: str, student: str) -> None:
    """Remember that the work in a student's folder came for the whole group, from a platform."""
    record = GroupRecord.read(course, chapter)
    found = digest(Folders(course, chapter).of(student))
    record.shares[student] = Share(group, "", [found])
    record.write()


class _Spreading:
    """One run of `spread`."""

    def __init__(self, course: Course, chapter: str, groups: Groups, record: GroupRecord):
        self._groups, self._record = groups, record
        self._folders, self._dates = Folders(course, chapter), Dates(course, chapter)
        students = {*course.submitting(), *record.shares, *self._members()}
        self._there = {one: digest(self._folders.of(one)) for one in sorted(students)}
        self._own = {one: work for one in self._there if (work := self._own_work(one))}
        self._chosen: dict[str, Work] = {}
        self._safe: set[str] = set()  # digests of what there will be another copy of
        self._undecided: dict[str, list[str]] = {}

    def done(self) -> Spread:
        """Find what counts, then copy it, then give back what is no group's any more."""
        for group, members in self._groups.members.items():
            self._choose(group, members)
        self._safe = {work.digest for work in self._chosen.values()}
        wanted = self._wanted()
        given = self._give(wanted)
        back, without = self._take_back(wanted)
        alone = self._note(wanted)
        counts = {group: work.source for group, work in self._chosen.items()}
        number = sum(len(self._groups.members[group]) for group in counts)
        return Spread(counts, number, given, back, without, self._undecided, alone)

    def _members(self) -> set[str]:
        return {one for members in self._groups.members.values() for one in members}

    def _is_shared(self, student: str) -> bool:
        """Tell whether what lies in the folder was put there for the group, as far as is known."""
        share = self._record.shares.get(student)
        return share is not None and self._there[student] in share.digests

    def _own_work(self, student: str) -> Work | None:
        """Return what counts as the student's own.

        A share is nobody's own, unless what it was copied from no longer exists.
        """
        folder, kept = self._folders.of(student), self._folders.kept(student)
        found = self._there[student]
        if found and (not self._is_shared(student) or self._is_orphan(student)):
            return self._work(student, student, folder, found)
        found = digest(kept) if kept else ""
        return self._work(student, student, kept, found) if kept and found else None

    def _is_orphan(self, student: str) -> bool:
        share = self._record.shares[student]
        if not share.source:
            return share.group not in self._groups.members
        has_own = self._there.get(share.source) and not self._is_shared(share.source)
        return not has_own and self._folders.kept(share.source) is None

    def _work(self, source: str, holder: str, folder: Path, found: str) -> Work:
        return Work(source, holder, folder, found, self._dates.of_folder(holder, folder))

    def _choose(self, group: str, members: list[str]) -> None:
        works = [self._own[one] for one in members if one in self._own]
        works += [
            self._work("", one, self._folders.of(one), self._there[one])
            for one, share in self._record.shares.items()
            if share.group == group and not share.source and self._is_shared(one)
        ]
        if not works:
            return
        if chosen := newest(works, self._record.seen, self._record.counted.get(group)):
            self._chosen[group] = chosen
        else:
            self._undecided[group] = sorted({work.holder for work in works})

    def _wanted(self) -> dict[str, tuple[Work, Share]]:
        """Return what is to be in the folders of members whose own hand-in does not count."""
        return {
            one: (work, Share(group, work.source, [work.digest], stamp_digest(work.folder)))
            for group, work in self._chosen.items()
            for one in self._groups.members[group]
            if one != work.source
        }

    def _give(self, wanted: dict[str, tuple[Work, Share]]) -> list[str]:
        """Copy what counts; the record is written first, so that nothing is taken for one's own."""
        before = dict(self._record.shares)
        for one, (_, share) in wanted.items():
            old = before[one].digests if one in before else []
            self._record.shares[one] = replace(share, digests=[*share.digests, *old])
        self._record.write()
        given = []
        for one, (work, share) in wanted.items():
            if work.holder == one:  # it came for the whole group, and is there
                continue
            self._dates.share(work.holder, work.folder, one)
            if one not in before or self._there[one] != work.digest:
                self._folders.give(
                    work.folder, one, self._text(share), partial(self._clear, before)
                )
                given.append(one)
            elif before[one] != share:
                self._folders.note_anew(work.folder, one, self._text(share))
        return given

    def _clear(self, before: Mapping[str, Share], student: str) -> None:
        """Make room in a student's folder; nothing that there is only once is removed."""
        share = before.get(student)
        own = self._own.get(student)
        place = self._folders.of(student)
        if own and own.folder == place:
            self._folders.put_away(student)
        elif share is None or not self._there[student]:  # nothing that could be graded
            self._folders.put_away(student, "replaced-{}")
        elif not share.source and self._there[student] not in self._safe:
            self._safe.add(self._there[student])
            self._folders.put_away(student, "replaced-{}")
        else:
            self._folders.remove(student)

    def _take_back(self, wanted: Mapping[str, Any]) -> tuple[list[str], list[str]]:
        """Take a group's work from those for whom it does not count any more; return Spread's."""
        back: list[str] = []
        without: list[str] = []
        before = dict(self._record.shares)
        for one in [one for one in before if one not in wanted and not self._stays(one)]:
            own = self._own.get(one)
            if self._is_shared(one) and not (own and own.folder == self._folders.of(one)):
                self._clear(before, one)
                (back if self._folders.bring_back(one) else without).append(one)
            elif not self._there[one] and self._folders.bring_back(one):
                back.append(one)
            del self._record.shares[one]
        return back, without

    def _stays(self, student: str) -> bool:
        """Tell whether it has to stay as it is, since it is not known what counts."""
        group = self._groups.of(student)
        return group in self._undecided and self._record.shares[student].group == group

    def _note(self, wanted: Mapping[str, tuple[Work, Share]]) -> list[str]:
        """Keep what is there now; return who is alone if they are others than before."""
        record, members = self._record, self._members()
        record.shares |= {one: share for one, (_, share) in wanted.items()}
        record.counted |= {group: work.digest for group, work in self._chosen.items()}
        waiting = {one for group in self._undecided for one in self._groups.members[group]}
        for one in self._there.keys() - waiting:
            own = [self._own[one].digest] if one in self._own else []
            given = wanted[one][1].digests if one in wanted else []
            record.seen[one] = sorted({*own, *given})
        alone = sorted(self._own.keys() - members) if members else []
        changed = alone != record.alone
        record.alone = alone
        record.write()
        return alone if changed else []

    def _text(self, share: Share) -> str:
        by = f" by {self._groups.roster.named(share.source)}" if share.source else ""
        return f"Handed in{by} for the group {share.group}.\n"
