"""Where one exercise was added, what a record lacks or what changed is measured, and no more."""

import os
import time

import check_cost
import measure
import measurements
from machine import this_machine
from outdated import MADE_OF, made_of, outdated

TODAY = {"01": {"lookup": "a", "context": "b"}, "02": {"score": "c"}}


def record(**known):
    return {"series": {MADE_OF: known}}


def has_all(chapter, name):
    return False


def test_what_a_record_lacks_is_measured_and_what_was_measured_before_stays():
    found = outdated(TODAY, record(), lambda chapter, name: name == "context")
    assert found == {"01": ["context"]}


def test_an_exercise_is_measured_again_whose_files_have_changed():
    known = record(**{"01": {"lookup": "a", "context": "b"}, "02": {"score": "another"}})
    assert outdated(TODAY, known, has_all) == {"02": ["score"]}


def test_where_nothing_is_outdated_all_is_measured_again():
    assert outdated(TODAY, {"series": {}}, has_all) == TODAY
    assert outdated(TODAY, record(**TODAY), has_all) == TODAY


def test_a_record_says_of_which_files_what_was_measured_was_made():
    known = record(**{"01": {"lookup": "old", "context": "old", "removed": "old"}})
    found = made_of(TODAY, known, {"01": ["context"]})
    assert found == {"01": {"lookup": "old", "context": "b"}, "02": {}}


def times(machine, **values):
    return {key: {"value": value, "on": {machine: [value]}, "format": ".0f", "unit": "ms"}
            for key, value in values.items()}  # fmt: skip


def test_a_chapter_that_was_timed_on_another_machine_stands_beside_the_others():
    one, other = "validate_{0} quicker_{0}".format, "warm_{0} first_{0}".format
    first = " ".join([one("01"), other("lookup"), other("context")]).split()
    second = " ".join([one("02"), other("score")]).split()
    numbers = times("A", **dict.fromkeys(first, 4.0)) | times("B", **dict.fromkeys(second, 8.0))
    found = check_cost.told(numbers | times("A", warm_removed=900.0), TODAY)
    assert found["exercises"]["value"] == 3 and "warm_removed" not in found
    assert found["warm"]["on"] == {"A": [4.0, 4.0], "B": [8.0]}
    text = measurements.text_of({"numbers": found}, "quicker_than_validate")
    assert text == "4 to 8 ms"


def test_what_measures_exercises_runs_again_once_an_exercise_has_changed(tmp_path, monkeypatch):
    exercise = tmp_path / "01" / "lookup.py"
    exercise.parent.mkdir()
    for file, text in (("of_all.py", "import outdated"), ("outdated.py", ""), (exercise, "")):
        (tmp_path / file).write_text(text)
    for module, name in ((measure, "EXPERIMENTS"), (measure, "SOLUTIONS"), (measurements, "FRESH")):
        monkeypatch.setattr(module, name, tmp_path)
    fresh = tmp_path / "of_all.json"
    fresh.write_text(f'{{"machine": "{this_machine()}"}}')
    os.utime(fresh, (time.time() + 1, time.time() + 1))
    assert measure.is_fresh("of_all")
    os.utime(exercise, (time.time() + 2, time.time() + 2))
    assert not measure.is_fresh("of_all")
