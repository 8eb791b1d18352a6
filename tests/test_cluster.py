"""A class graded by real Dask workers on this machine: whatever happens to them, as if alone."""

import json
import os
import shutil
import signal
import subprocess
import sys
from contextlib import suppress

import dask
import pytest
from distributed import Client, WorkerPlugin
from processes import alive, command, descendants, kill
from servers import free_port
from test_interruptions import finished, outcome, start, wait_for_progress

from autograder.cli import main
from autograder.cluster import GPU, ClusterExecutor
from autograder.course import Course
from autograder.session import grade_in_session
from autograder.simulate import make_class, write_class

STUDENTS = 12
ACCIDENTS = ("stub", "exception", "colab", "infinite loop")


class Cluster:
    """A scheduler and workers, as a shell starts them."""

    def __init__(self, folder):
        self.folder, self.workers = folder, []
        self.address = f"tcp://127.0.0.1:{free_port()}"
        self.schedule()

    def schedule(self):
        self.scheduler = self._start("scheduler", "--port", self.address.rpartition(":")[2])

    def add(self, root, *more):
        """A worker whose clone of the course is `root`."""
        options = ["--nthreads", "1", "--no-nanny", "--local-directory", str(self.folder), *more]
        self.workers.append(self._start("worker", self.address, *options, root=root))

    def _start(self, role, *options, root=None):
        shared = ["--host", "127.0.0.1", "--no-dashboard"]
        return subprocess.Popen([sys.executable, "-m", "dask", role, *shared, *options],
                                env=os.environ | {"ATTN_ROOT": str(root)},
                                stderr=(self.folder / "log").open("a"))  # fmt: skip

    def remove_workers(self):
        end(self.workers)
        self.workers = []

    def start_anew(self):
        """Another scheduler, at the same address; it knows of no task and no worker."""
        end([self.scheduler])
        self.schedule()

    def sandboxes(self):
        below = [pid for worker in self.workers for pid in descendants(worker.pid)]
        return [pid for pid in below if "autograder.worker" in command(pid)]


def end(processes):
    """As when machines fail."""
    for process in processes:
        for pid in (process.pid, *descendants(process.pid)):
            with suppress(ProcessLookupError):
                kill(pid)
        process.wait()


@pytest.fixture(scope="module")
def clone(toy_root, tmp_path_factory):
    """The course as a worker has it: nobody has handed in anything there."""
    return shutil.copytree(toy_root, tmp_path_factory.mktemp("clone") / "course")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory, clone, sandbox):
    cluster = Cluster(tmp_path_factory.mktemp("cluster"))
    cluster.add(clone)
    yield cluster
    end([*cluster.workers, cluster.scheduler])


@pytest.fixture(scope="module")
def submitted(toy, toy_root, tmp_path_factory):
    root = shutil.copytree(toy_root, tmp_path_factory.mktemp("submitted") / "class")
    write_class(Course(root), toy, make_class(toy, STUDENTS, seed=8, accidents=ACCIDENTS), seed=8)
    return root


@pytest.fixture(scope="module")
def alone(submitted, tmp_path_factory):
    """What this computer makes of the class without a cluster."""
    root = shutil.copytree(submitted, tmp_path_factory.mktemp("alone") / "class")
    assert start(root).wait(timeout=300) == 0
    return outcome(root)


@pytest.fixture
def class_root(submitted, tmp_path):
    return shutil.copytree(submitted, tmp_path / "class")


def test_whatever_happens_to_the_cluster_all_is_as_on_one_computer(
    cluster, class_root, clone, alone
):
    process = start(class_root, "--scheduler", cluster.address)
    for happens in (cluster.remove_workers, cluster.start_anew):
        before = finished(class_root)
        wait_for_progress(class_root, process, before, 1)
        assert before < finished(class_root) < STUDENTS, process.communicate()
        happens()
        cluster.add(clone)
    assert process.wait(timeout=300) == 0, process.stderr.read()
    assert outcome(class_root) == alone


def test_the_scheduler_opens_nothing_and_needs_no_engine(cluster):
    with Client(cluster.address) as client:
        assert not client.run_on_scheduler(lambda: "autograder" in sys.modules)


def test_stopped_by_hand_it_leaves_no_task_and_no_sandbox_on_the_cluster(cluster, class_root):
    process = start(class_root, "--scheduler", cluster.address)
    wait_for_progress(class_root, process, 0, 1)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=60) == 130
    assert alive(cluster.sandboxes()) == []
    with Client(cluster.address) as client:
        assert not any(client.processing().values())
    assert 0 < finished(class_root) < STUDENTS


def test_a_worker_with_other_exercises_refuses_and_says_what_differs(
    cluster, class_root, clone, tmp_path, capsys
):
    other = shutil.copytree(clone, tmp_path / "other")
    oracle = other / "solutions" / "01_toy" / "normalise.py"
    oracle.write_text(oracle.read_text() + "# corrected since\n")
    cluster.remove_workers()
    cluster.add(other)
    arguments = ["grade", "01_toy", "--root", str(class_root), "--scheduler", cluster.address]
    assert main(arguments) == 1
    assert "does not have the same exercises of 01_toy" in " ".join(capsys.readouterr().err.split())
    assert finished(class_root) == 0


def test_a_scheduler_that_cannot_be_reached_is_one_sentence_and_a_refusal(class_root, capsys):
    address = f"tcp://127.0.0.1:{free_port()}"
    with dask.config.set({"distributed.comm.timeouts.connect": "0.2s"}):
        arguments = ["grade", "01_toy", "--root", str(class_root), "--scheduler", address]
        assert main(arguments) == 2
    error = " ".join(capsys.readouterr().err.split())
    assert f"The scheduler at {address} cannot be reached" in error and "Traceback" not in error


def address():
    """In the place of grading: the result is where it was made."""

    class Address(WorkerPlugin):  # within a function, so that it travels as a whole
        name = "address"

        def setup(self, worker):
            self.address = worker.address

        def do(self, message):
            return json.dumps({"student": self.address}).encode()

    return Address()


def test_what_is_taken_back_is_settled_before_the_client_is_closed(cluster):
    """Else a process that is stopped by hand would not end: Dask asks a closed client for it."""
    with Client(cluster.address) as client:
        client.wait_for_workers(1)
        client.register_plugin(address())
        for _ in range(20):
            executor = ClusterExecutor(client, "address")
            handed_out = [executor.submit(grade_in_session, str(n)) for n in range(12)]
            executor.shutdown()
            assert all(future.done() for future in handed_out)
        client.unregister_worker_plugin("address")


def test_work_for_the_gpu_goes_to_workers_that_were_started_as_having_one(cluster, clone):
    cluster.add(clone, "--resources", "GPU=1")
    with Client(cluster.address) as client:
        client.wait_for_workers(2)
        client.register_plugin(address())
        known = client.scheduler_info(n_workers=-1)["workers"]
        has_one = {address for address, worker in known.items() if worker["resources"]}
        executor = ClusterExecutor(client, "address", GPU)
        done = [executor.submit(grade_in_session, str(n)) for n in range(12)]
        assert {future.result(60).student for future in done} == has_one and len(has_one) == 1
        client.unregister_worker_plugin("address")
