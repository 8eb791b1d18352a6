"""How long a step may take: by its own processor time, whatever else the machine does."""

import os
import time

import pytest

from autograder.common.cell import Cell
from autograder.exercise.wire import HEADER, pack
from autograder.sandbox.sandbox import Sandbox
from autograder.sandbox.steps import (
    LOOK,
    MIN_CPU_SHARE,
    Run,
    RunOver,
    Step,
    Taken,
    frames,
    note_end,
)

BUSY = "import time\nbegan = time.process_time()\nwhile time.process_time() - began < {}: pass"
NAP = "import time\ntime.sleep(0.5)"


def test_what_waits_for_a_processor_goes_on():
    step = Step(5.0, before=0.0)
    assert [step.goes_on(spent) for spent in (1.0, 1.1, 1.2, 4.9)] == [True] * 4


def test_what_has_used_up_its_time_is_stopped():
    step = Step(5.0, before=0.0)
    assert [step.goes_on(spent) for spent in (4.9, 5.0)] == [True, False]


def test_what_sleeps_is_stopped_at_the_second_look():
    step = Step(5.0, before=0.0)
    assert [step.goes_on(spent) for spent in (0.1, 0.1 + MIN_CPU_SHARE * LOOK / 2)] == [True, False]


def test_the_time_of_earlier_steps_is_not_counted():
    step = Step(5.0, before=20.0)
    assert step.goes_on(24.0) and not step.goes_on(25.0)


def test_a_step_gets_its_processor_time_and_no_more(sandbox: Sandbox):
    def end(seconds):
        cells = [Cell("first", BUSY.format(0.3)), Cell("second", BUSY.format(seconds))]
        return sandbox.run(cells, pack({}), [], patience=1.0).end

    assert (end(0.3), end(4.0)) == ("done", "timeout")


def test_a_step_that_sleeps_is_stopped_too(sandbox: Sandbox):
    cells = [Cell("asleep", "import time\ntime.sleep(60)")]
    run = sandbox.run(cells, pack({}), [], patience=0.5)
    assert run.end == "timeout" and run.seconds < 30


def test_a_step_that_waited_for_a_processor_took_no_more_than_its_processor_time():
    step = Step(5.0, before=2.0)
    step.began -= 60  # so long ago
    assert step.taken(lambda: Taken(2.5, 0.0)) == 0.5


def test_when_all_steps_have_used_up_their_time_the_one_that_is_on_is_not_blamed(sandbox: Sandbox):
    cells = [Cell("endless", "while True: pass")]
    assert sandbox.run(cells, pack({}), [], patience=60.0, longest=0.5).end == "over"


def test_what_waits_for_a_processor_does_not_use_up_the_time_of_a_run():
    began, looks = time.monotonic(), []

    def spent():
        looks.append(len(looks))
        return Taken(float(len(looks)), time.monotonic() - began if len(looks) < 4 else 0.0)

    reading, writing = os.pipe()
    os.write(writing, HEADER.pack(1) + b".")  # that it is confined
    with pytest.raises(RunOver):
        list(frames(reading, 60.0, 0.01, spent))
    os.close(reading), os.close(writing)
    assert len(looks) == 4


@pytest.mark.parametrize(("seconds", "end"), [(60.4, "over"), (1.0, "signal")])
def test_when_the_kernel_ends_a_run_for_its_processor_time_no_step_is_blamed(seconds, end):
    run = Run(ready=True)
    note_end(run, {"end": "signal", "detail": "SIGKILL", "seconds": str(seconds)}, most=61)
    assert run.end == end


def test_the_seconds_of_each_step_come_back_and_not_of_what_came_before(sandbox: Sandbox):
    cells = [Cell("idle", "import time"), Cell("busy", BUSY.format(0.5)), Cell("asleep", NAP)]
    idle, busy, asleep = sandbox.run(cells, pack({}), [], patience=60.0).steps
    assert busy > 0.4 > max(idle, asleep)
