"""The same on every processor: release, what is accepted, and what a learner is told.

torch picks its kernels by the processor, and can be told to pick those for an older one. All other
tests run with one set; here the one that differs most from it is tried.
"""

import itertools
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from test_course import CHAPTERS, files_of

from autograder.chapters.course_root import CONFIG, SOLUTIONS
from autograder.common.files import REPOSITORY

NAMES = ("ATEN_CPU_CAPABILITY", "MKL_ENABLE_INSTRUCTIONS", "ONEDNN_MAX_CPU_ISA")
KERNELS = {
    "DEFAULT": ("default", "SSE4_2", "SSE41"),
    "AVX2": ("avx2", "AVX2", "AVX2"),
    "AVX512": ("avx512", "AVX512", "AVX512_CORE"),
}
NEEDED = {"DEFAULT": set(), "AVX2": {"avx2", "fma"}, "AVX512": {"avx512f", "avx512dq", "avx512vl"}}
OWN = torch.backends.cpu.get_cpu_capability()
ONE = "04_masks"  # of the chapters; that of the others holds the same, says on_a_processor.py
SEEDS = ("1127", "1131", "1158")  # with each of these a reference once failed by rounding
SEED = dict(zip(CHAPTERS, itertools.cycle(SEEDS), strict=False))


def flags():
    """What this processor can do, as Linux names it."""
    line = next((line for line in Path("/proc/cpuinfo").read_text().splitlines()
                 if line.startswith("flags")), "")  # fmt: skip
    return set(line.split())


def run(*command, kernels=None, threads=1):
    """The output of a command that must succeed, with the kernels of one set."""
    chosen = dict(zip(NAMES, KERNELS[kernels], strict=True)) if kernels else {}
    environment = {**os.environ, **chosen, "OMP_NUM_THREADS": str(threads)}
    done = subprocess.run(
        [sys.executable, *map(str, command)],
        env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout


@pytest.fixture(scope="module")
def kernels():
    """The plainest, which any processor has; the widest where all other tests run with these."""
    if OWN != "DEFAULT":
        return "DEFAULT"
    there = [name for name in KERNELS if name != OWN and not NEEDED[name] - flags()]
    return there[-1] if there else pytest.skip("this processor has the plainest kernels only")


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    """A folder that is linked to the course, with one chapter's release as it is committed."""
    folder = tmp_path_factory.mktemp("linked")
    for part in (CONFIG, SOLUTIONS):
        (folder / part).symlink_to(REPOSITORY / part)
    shutil.copytree(REPOSITORY / "exercises" / ONE, folder / "exercises" / ONE)
    return folder


@pytest.fixture(scope="module", params=CHAPTERS)
def other(request, kernels, sandbox):
    """What on_a_processor.py finds with other kernels; a notebook has all threads."""
    script = REPOSITORY / "tests" / "on_a_processor.py"
    return json.loads(run(script, request.param, SEED[request.param], kernels=kernels, threads=2))


def test_a_release_leaves_the_committed_one_as_it_is(kernels, root, nbgrader):
    """To the byte, where nothing differs beyond rounding."""
    run("-m", "autograder.cli", "release", ONE, "--root", root, kernels=kernels)
    assert files_of(root / "exercises" / ONE) == files_of(REPOSITORY / "exercises" / ONE)


def test_the_kernels_are_those_that_were_asked_for(kernels, other):
    assert other["kernels"] == kernels


def test_no_checks_differ_beyond_rounding(other):
    assert other["drift"] == ""


def test_every_reference_and_variant_passes_with_secret_cases(other):
    """With this processor's own kernels the self-test tries them, in test_course.py."""
    assert other["faults"] == []


def test_a_learner_is_told_the_same_of_every_known_answer(other):
    assert other["told"]  # the variants at least; others only where a bit differs
    assert [name for name, before, now in other["told"] if before != now] == []
