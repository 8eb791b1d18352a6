"""A class graded by real Dask workers on this machine: whatever happens to them, as if alone."""

import json
import shutil
import signal
import subprocess
import sys
import time

import dask
import pytest
from dask_cluster import Cluster, end
from distributed import Client, WorkerPlugin
from distributed.utils import get_ip
from processes import alive
from servers import free_port
from whole_runs import STUDENTS, finished, outcome, start, wait_for_progress

from autograder.cli import main
from autograder.grading import cluster_messages
from autograder.grading.cluster import GPU, ClusterExecutor, Grading
from autograder.grading.results import Graded
from autograder.grading.session import grade_in_session
from autograder.notebooks.hand_in import HandIn


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
    assert process.wait(timeout=300) == 130
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
    """In the place of grading: the note is where the reply was made."""

    class Address(WorkerPlugin):  # within a function, so that it travels as a whole
        name = "address"

        def setup(self, worker):
            self.address = worker.address

        def do(self, message):
            student = cluster_messages.submission(message)[1]
            graded = Graded(student, notes=[self.address], slow=True)
            return cluster_messages.reply(message, graded)

    return Address()


def with_resources(client, seconds=120):
    """Once there are any: how many workers there are does not say it, one that ends is counted."""
    for _ in range(10 * seconds):
        known = client.scheduler_info(n_workers=-1)["workers"]
        if found := {address for address, worker in known.items() if worker["resources"]}:
            return found
        time.sleep(0.1)
    raise TimeoutError("no worker with resources has come")


def hand_out(executor):
    notebook = HandIn("01_toy.ipynb", b"{}")
    return [
        executor.submit(grade_in_session, "01_toy", str(n), notebook, False, None)
        for n in range(12)
    ]


def test_what_is_taken_back_is_settled_before_the_client_is_closed(cluster):
    """Else a process that is stopped by hand would not end: Dask asks a closed client for it."""
    with Client(cluster.address) as client:
        client.wait_for_workers(1)
        client.register_plugin(address())
        for _ in range(20):
            executor = ClusterExecutor(client, "address")
            handed_out = hand_out(executor)
            executor.shutdown()
            assert all(future.done() for future in handed_out)
        client.unregister_worker_plugin("address")


def test_work_for_the_gpu_goes_to_workers_that_were_started_as_having_one(cluster, clone):
    with Client(cluster.address) as client:
        cluster.add(clone, "--resources", "GPU=1")  # a client that comes with a worker is refused
        has_one = with_resources(client)
        client.register_plugin(address())
        executor = ClusterExecutor(client, "address", GPU)
        noted = {note for future in hand_out(executor) for note in future.result(300).notes}
        assert noted == has_one and len(has_one) == 1
        client.unregister_worker_plugin("address")


def swapping(student):
    """Grading whose reply for one student is the one for the submission before."""

    class Swapping(Grading):
        before = None

        def do(self, message):
            answer = super().do(message)
            swapped = cluster_messages.submission(message)[1] == student
            self.before, answer = answer, self.before if swapped else answer
            return answer

    return Swapping


def test_a_reply_for_somebody_else_is_no_verdict_and_costs_nobody_else_anything(
    cluster, class_root, clone, alone, monkeypatch, capsys
):
    cluster.remove_workers()
    cluster.add(clone)
    student = sorted(path.name for path in (class_root / "submitted").iterdir())[5]
    monkeypatch.setattr("autograder.grading.cluster.Grading", swapping(student))
    arguments = ["grade", "01_toy", "--root", str(class_root), "--seed", "s"]
    results = class_root / "r.jsonl"
    arguments += ["--results", str(results), "--scheduler", cluster.address]
    assert main(arguments) == 1
    said = " ".join(capsys.readouterr().err.split())
    assert f"No verdict and no marks for {student}. The grader failed: What came back" in said
    rows = list(map(json.loads, results.read_text().splitlines()))
    assert {row["points"] for row in rows if row["student"] == student} == {None}
    others = [row for row in map(json.loads, alone[0].splitlines()) if row["student"] != student]
    assert [row for row in rows if row["student"] != student] == others


@pytest.mark.skipif(get_ip().startswith("127."), reason="needs a network")
def test_a_scheduler_that_listens_to_the_network_too_is_refused(class_root, tmp_path, capsys):
    listening = Cluster(tmp_path, options=["--host", "0.0.0.0"])
    try:
        said = refused(class_root, listening.address, capsys)
    finally:
        end([listening.scheduler])
    assert f"at {listening.address} also listens at tcp://{get_ip()}" in said


def make_certificate(folder):
    """One that signs itself, for all who take part, as the page for teachers makes it."""
    files = ["-keyout", str(folder / "key.pem"), "-out", str(folder / "cert.pem")]
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:3072", "-nodes", "-days", "180",
                    "-subj", "/CN=attn", *files], check=True, capture_output=True)  # fmt: skip


def of_the_client(folder):
    """Dask's settings of a client, by their names."""
    files = {"ca-file": "cert.pem", "client.cert": "cert.pem", "client.key": "key.pem"}
    return {f"distributed.comm.tls.{name}": str(folder / file) for name, file in files.items()}


def as_environment(settings):
    parts = {name.upper().replace("-", "_").replace(".", "__"): value
             for name, value in settings.items()}  # fmt: skip
    return {f"DASK_{name}": value for name, value in parts.items()}


@pytest.mark.skipif(not shutil.which("openssl"), reason="needs the command openssl")
def test_with_tls_all_is_as_on_one_computer_and_nobody_without_the_certificate_gets_in(
    clone, class_root, alone, tmp_path, monkeypatch, capsys
):
    ours, others = tmp_path / "ours", tmp_path / "others"
    for folder in (ours, others):
        folder.mkdir()
        make_certificate(folder)
    options = ["--tls-ca-file", ours / "cert.pem", "--tls-cert", ours / "cert.pem",
               "--tls-key", ours / "key.pem"]  # fmt: skip
    cluster = Cluster(ours, "tls", options)
    cluster.add(clone)
    try:
        for name, value in as_environment(of_the_client(ours)).items():
            monkeypatch.setenv(name, value)
        process = start(class_root, "--scheduler", cluster.address)
        assert process.wait(timeout=300) == 0, process.stderr.read()
        assert outcome(class_root) == alone
        plain = cluster.address.replace("tls", "tcp")
        assert "cannot be reached" in refused(class_root, plain, capsys)
        with dask.config.set(of_the_client(others)):
            said = refused(class_root, cluster.address, capsys)
        assert "do not accept each other's certificate" in said
    finally:
        end([*cluster.workers, cluster.scheduler])


def refused(root, scheduler, capsys):
    """What `attn grade` says, which grades nothing."""
    before = finished(root)
    arguments = ["grade", "01_toy", "--root", str(root), "--force", "--scheduler", scheduler]
    assert main(arguments) == 2
    assert finished(root) == before
    said = " ".join(capsys.readouterr().err.split())
    assert "Traceback" not in said
    return said
