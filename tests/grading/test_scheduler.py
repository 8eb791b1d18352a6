"""Who else may reach a scheduler is asked before anything is sent to it."""

import shutil

import dask
import pytest

from autograder.authoring.simulate import make_class, write_class
from autograder.cli import main
from autograder.common.errors import CourseError
from autograder.course.course import Course
from autograder.grading.scheduler import Scheduler

PRIVATE = ("tcp://127.0.0.1:8786", "tcp://127.9.9.9:8786", "tcp://localhost:8786", "tcp://[::1]:8786",
           "127.0.0.1:8786", "ws://127.0.0.1:8786")  # fmt: skip
EXPOSED = ("tcp://192.0.2.7:8786", "tcp://grader.example:8786", "192.0.2.7:8786", "tcp://[2001:db8::7]:8786",
           "tcp://0.0.0.0:8786", "tcp://localhost.example:8786", "tcp://127.0.0.1@grader.example:8786",
           "ws://192.0.2.7:8786", "wss://192.0.2.7:8786")  # fmt: skip
NOWHERE = ("tls://tcp://192.0.2.7:8786", "https://192.0.2.7:8786", "tcp://192.0.2.7", "tcp://",
           "ucx://192.0.2.7:8786")  # fmt: skip


@pytest.mark.parametrize("address", PRIVATE)
def test_a_scheduler_on_the_loopback_address_needs_no_certificate(address):
    Scheduler(address).check()


@pytest.mark.parametrize("address", EXPOSED)
def test_any_other_needs_tls_or_to_be_asked_for_as_insecure(address):
    with pytest.raises(CourseError, match=r"Without TLS, whoever reaches .* can read the seed"):
        Scheduler(address).check()
    Scheduler(address, insecure=True).check()


@pytest.mark.filterwarnings("ignore:The 'ucx' protocol")
@pytest.mark.parametrize("address", NOWHERE)
def test_an_address_that_dask_cannot_use_is_told_of_before_it_tries(address):
    with pytest.raises(CourseError, match="cannot be used"):
        Scheduler(address).check()


def test_the_refusal_is_one_sentence_and_nothing_is_kept(toy, toy_root, tmp_path, capsys):
    root, address = shutil.copytree(toy_root, tmp_path / "class"), "tcp://192.0.2.7:8786"
    write_class(Course(root), toy, make_class(toy, 1, seed=1), seed=1)
    assert main(["grade", "01_toy", "--root", str(root), "--scheduler", address]) == 2
    said = " ".join(capsys.readouterr().err.split())
    assert said == (
        f"attn grade: Without TLS, whoever reaches {address} can read the seed, forge marks and "
        "run code on the workers and here: make certificates and give a tls:// address "
        '("On a cluster" in book/grading.md shows how), or add --insecure where nobody else can '
        "reach it."
    )
    assert not Course(root).journal("01_toy").exists()


def test_tls_without_certificates_says_what_to_set():
    with pytest.raises(
        CourseError, match=r"needs certificates: .*DASK_DISTRIBUTED__COMM__TLS__CA_"
    ):
        Scheduler("tls://192.0.2.7:8786").check()


def test_tls_by_dasks_own_default_scheme_needs_certificates_too():
    with (
        dask.config.set({"distributed.comm.default-scheme": "tls"}),
        pytest.raises(CourseError, match="needs certificates"),
    ):
        Scheduler("192.0.2.7:8786").check()


def test_a_certificate_that_is_not_there_is_named():
    told = {f"distributed.comm.tls.{name}": f"/nowhere/{name}.pem"
            for name in ("ca-file", "client.cert", "client.key")}  # fmt: skip
    with dask.config.set(told), pytest.raises(CourseError, match=r"/nowhere/client\.key\.pem"):
        Scheduler("tls://192.0.2.7:8786").check()
