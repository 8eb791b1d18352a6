"""Measuring again: what runs, what is compared, and that nothing is overwritten unless asked."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import measurements
import moved
import pytest
from machine import this_machine
from processes import command, descendants

BOOK = Path(measurements.__file__).parents[1]
QUICK = """
from pathlib import Path
from measurements import number, of_machine, save
from verdicts import claim
import small
FOUND = small.FOUND
with Path(__file__).with_suffix(".count").open("a") as file:
    file.write("x")
CLAIMS = [claim(1, "It is small.", "It is {size}.", "holds", scope="counted",
                control="None: it is a test.", stands=lambda n: n.size < 2)]
numbers = {"size": number(FOUND), "same": number(1.0), "new": number([1.0, 1.1])}
numbers["far"] = number([5.0, 5.1])
save(__file__, numbers, CLAIMS, [0, 1])
"""
TIMED = """
from measurements import of_machine, save
save(__file__, {"time": of_machine([2.0, 3.0], ".1f", "s")}, [], [0])
"""
SLOW = """
import time
from measurements import number, save
time.sleep({seconds})
save(__file__, {{"one": number(1.0)}}, [], [0])
"""


@pytest.fixture
def course(processes, tmp_path):
    """A book with two small experiments, and records of them from another machine."""
    experiments = tmp_path / "book" / "experiments"
    experiments.mkdir(parents=True)
    shutil.copy(BOOK / "measure.py", tmp_path / "book")
    for name in ("measurements", "machine", "moved", "runner", "verdicts"):
        shutil.copy(BOOK / "experiments" / f"{name}.py", experiments)
    (experiments / "small.py").write_text("FOUND = 1.5\n")
    (experiments / "quick.py").write_text(QUICK)
    (experiments / "timed.py").write_text(TIMED)
    (tmp_path / "book" / "measured").mkdir()
    quick = {"size": {"value": 1.49, "format": ".3f", "unit": ""},
             "same": {"value": 1.0, "format": ".3f", "unit": ""},
             "far": {"value": 4.0, "spread": 0.1, "format": ".3f", "unit": ""}}  # fmt: skip
    record(tmp_path, "quick", quick, [{"claim": 1, "verdict": "holds"}])
    time_ = {"value": 8.0, "on": {"elsewhere": [7.0, 9.0]}, "format": ".1f", "unit": "s"}
    record(tmp_path, "timed", {"time": time_})
    return tmp_path


def record(root, name, numbers, claims=()):
    made = {"seconds": 1.0, "machine": "elsewhere"}
    text = json.dumps({"numbers": numbers, "claims": claims, **made})
    (root / "book" / "measured" / f"{name}.json").write_text(text)


def measure(root, *arguments):
    """Run the command to its end."""
    command = [sys.executable, root / "book" / "measure.py", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def kept(root, name):
    return json.loads((root / "book" / "measured" / f"{name}.json").read_text())


def runs(root):
    """How often the script of the quick experiment has run."""
    path = root / "book" / "experiments" / "quick.count"
    return len(path.read_text()) if path.exists() else 0


def test_of_each_number_it_says_what_became_of_it(course):
    done = measure(course, "quick", "timed")
    assert done.returncode == 0, done.stderr
    for line in (
        "quick:size within, by 1%: 1.490 → 1.500",
        "quick:same as before: 1.000",
        "quick:far moved, by 10.5 spreads: 4.000 ± 0.100 → 5.050 ± 0.071",
        "quick:new moved: (not there) → 1.050 ± 0.071",
        "timed:time of the machine, by 0.31 times, outside the range: 7.0 to 9.0 s → 2.0 to 3.0 s",
        "No verdict changes.",
    ):
        assert line in done.stdout


def test_of_all_experiments_it_lists_what_moved_and_writes_the_rest_to_a_file(course):
    done = measure(course)
    assert "quick:far moved" in done.stdout and "quick:same" not in done.stdout
    assert "quick:same as before" in (course / "build" / "measured" / "numbers.txt").read_text()
    summary = json.loads((course / "build" / "measured" / "measure.json").read_text())["numbers"]
    found = {key: summary[key]["value"] for key in ("as_before", "within", "moved", "numbers")}
    assert found == {"as_before": 1, "within": 1, "moved": 2, "numbers": 5}


def test_nothing_is_overwritten_unless_asked_and_times_stay_beside_those_of_other_machines(course):
    before = kept(course, "quick"), kept(course, "timed")
    assert measure(course).returncode == 0
    assert (kept(course, "quick"), kept(course, "timed")) == before
    assert measure(course, "--keep").returncode == 0
    assert kept(course, "quick")["numbers"]["size"]["value"] == 1.5
    time_ = kept(course, "timed")["numbers"]["time"]
    assert set(time_["on"]) == {"elsewhere", this_machine()}
    assert time_["value"] == (8.0 + 2.5) / 2
    assert measurements.text_of(kept(course, "timed"), "time") == "2.0 to 9.0 s"


def test_times_of_another_grader_do_not_stay_beside_those_of_todays(course):
    number = {"value": 8.0, "on": {"elsewhere": [8.0]}, "format": ".1f", "unit": "s"}
    record(course, "timed", {"time": number, "engine": {"value": "an earlier one"}})
    script = course / "book" / "experiments" / "timed.py"
    script.write_text(TIMED.replace("{", '{"engine": {"value": "todays"}, ', 1))
    assert measure(course, "--keep", "timed").returncode == 0
    assert set(kept(course, "timed")["numbers"]["time"]["on"]) == {this_machine()}


def test_what_a_script_measured_is_not_measured_again_until_it_or_what_it_imports_changes(course):
    measure(course, "quick")
    measure(course, "quick")
    assert runs(course) == 1
    for path in ("small", "quick"):
        file = course / "book" / "experiments" / f"{path}.py"
        later = time.time() + 1
        os.utime(file, (later, later))
        measure(course, "quick")
        os.utime(course / "build" / "measured" / "quick.json", (later + 1, later + 1))
    assert runs(course) == 3


def test_what_another_machine_or_other_kernels_measured_is_measured_again(course):
    measure(course, "quick")
    fresh = course / "build" / "measured" / "quick.json"
    fresh.write_text(json.dumps(json.loads(fresh.read_text()) | {"machine": "elsewhere"}))
    measure(course, "quick")
    assert runs(course) == 2 and json.loads(fresh.read_text())["machine"] == this_machine()


def test_a_verdict_that_no_longer_follows_is_told_and_not_kept(course):
    (course / "book" / "experiments" / "small.py").write_text("FOUND = 2.5\n")
    done = measure(course, "--keep", "quick")
    assert "quick: Claim 1, 'holds', does not follow from the new numbers." in done.stdout
    assert "Correct the claim in book/experiments/quick.py, then measure again." in done.stdout
    assert done.returncode == 1 and kept(course, "quick")["numbers"]["size"]["value"] == 1.49
    assert measure(course, "quick").returncode == 1


def test_an_experiment_that_fails_is_told_in_a_sentence_and_holds_nothing_up(course):
    broken = course / "book" / "experiments" / "broken.py"
    broken.write_text("# save(__file__\nraise OSError('no space left')\n")
    done = measure(course)
    assert (
        "broken failed: OSError: no space left (more in build/measured/broken.log)" in done.stdout
    )
    assert done.returncode == 1 and runs(course) == 1 and "Traceback" not in done.stderr


def test_a_name_that_is_no_experiment_is_refused_with_those_that_are(course):
    done = measure(course, "quik")
    assert done.returncode == 2 and runs(course) == 0
    assert "no experiment is called quik. There are: quick timed" in done.stderr


@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGINT])
def test_stopped_or_killed_it_goes_on_where_it_was(course, ending):
    slow = course / "book" / "experiments" / "slow.py"
    slow.write_text(SLOW.format(seconds=1000))
    started = subprocess.Popen(
        ["env", "--default-signal=INT", sys.executable, course / "book" / "measure.py"],
        start_new_session=True, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        wait_for((course / "build" / "measured" / "quick.json").exists)
        (child,) = wait_for(lambda: [p for p in descendants(started.pid) if "slow" in command(p)])
        os.kill(started.pid, ending)
        output, _ = started.communicate()
    finally:
        started.kill()
    wait_for(lambda: "slow" not in command(child))
    assert ending == signal.SIGKILL or "The same command goes on where it was." in output
    assert not [*course.glob("build/measured/slow.json"), *course.glob("build/measured/*.half")]
    slow.write_text(SLOW.format(seconds=0))
    assert measure(course).returncode == 0
    assert runs(course) == 1


def test_new_words_of_a_claim_reach_the_record_without_measuring(course):
    assert measure(course, "quick", "--keep").returncode == 0
    script = course / "book" / "experiments" / "quick.py"
    script.write_text(QUICK.replace("It is small.", "It is not large."))
    assert measure(course, "--words", "quick").returncode == 0
    assert kept(course, "quick")["claims"][0]["text"] == "It is not large."


def test_new_words_whose_verdict_does_not_follow_are_refused(course):
    assert measure(course, "quick", "--keep").returncode == 0
    before = kept(course, "quick")
    script = course / "book" / "experiments" / "quick.py"
    script.write_text(QUICK.replace("n.size < 2", "n.size < 1"))
    done = measure(course, "--words", "quick")
    assert done.returncode == 1 and "claim 1 does not follow from its numbers" in done.stdout
    assert kept(course, "quick") == before


def wait_for(condition):
    """What the condition gives, once it gives something."""
    for _ in range(6000):
        if found := condition():
            return found
        time.sleep(0.1)
    raise AssertionError("it never came to be")


def compared(old, new, fmt=".3f"):
    numbers = [measurements.number(value, fmt) for value in (old, new)]
    known, fresh = ({"numbers": {"x": entry}} for entry in numbers)
    return moved._compared("x", known, fresh).kind


@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [
        (1.0, 1.0004, "as before"),
        (1.0, 1.019, "within"),
        (1.0, 1.021, "moved"),
        ([1.0, 1.2], [1.2, 1.5], "within"),
        ([1.0, 1.2], [1.5, 1.6], "moved"),
        ([1.0, 1.0], [1.0, 1.1], "moved"),
        ("none", "none", "as before"),
        ("none", "some", "moved"),
    ],
)
def test_a_number_may_move_by_two_spreads_or_two_percent(old, new, kind):
    assert compared(old, new) == kind


@pytest.mark.parametrize(("new", "kind"), [(3e-7, "as before"), (2e-6, "within"), (9e-6, "moved")])
def test_of_the_size_of_a_rounding_error_only_the_order_counts(new, kind):
    assert compared(3e-7, new, ".0e") == kind
