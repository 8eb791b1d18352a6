"""The page on Slurm and Kubernetes: a job as Slurm would start it, and what its manifest names."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from dask_cluster import Cluster, end
from test_cluster import as_environment, make_certificate, of_the_client
from whole_runs import outcome, start

ROOT = Path(__file__).parents[2]
PAGE, SECURITY = (ROOT / "book" / "clusters.md").read_text(), (ROOT / "SECURITY.md").read_text()
BLOCKS = dict(re.findall(r"\{code-block\} \w+\n:name: (\w+)\n\n(.*?)^```", PAGE, re.M | re.S))


@pytest.fixture
def shared(toy_root, tmp_path):
    """The folder that all machines have."""
    (tmp_path / "tls").mkdir()
    make_certificate(tmp_path / "tls")
    course = tmp_path / "course"
    course.mkdir()
    for name in ("solutions", "exercises"):
        (course / name).symlink_to(toy_root / name)
    (course / ".venv").symlink_to(sys.prefix)
    (tmp_path / "workers.sh").write_text(BLOCKS["workers"])
    return tmp_path


def test_the_job_of_the_page_joins_a_scheduler_with_certificates_and_grades(
    shared, class_root, alone, sandbox, monkeypatch
):
    pem = shared / "tls"
    tls = ["--tls-ca-file", pem / "cert.pem", "--tls-cert", pem / "cert.pem",
           "--tls-key", pem / "key.pem"]  # fmt: skip
    cluster = Cluster(shared, "tls", tls)
    slurm = os.environ | {"SCHEDULER": cluster.address, "SLURM_CPUS_PER_TASK": "1"}
    cluster.workers.append(subprocess.Popen(["sh", "workers.sh"], cwd=shared, env=slurm))
    try:
        for name, value in as_environment(of_the_client(pem)).items():
            monkeypatch.setenv(name, value)
        process = start(class_root, "--scheduler", cluster.address)
        assert process.wait(timeout=300) == 0, process.stderr.read()
        assert outcome(class_root) == alone
    finally:
        end([*cluster.workers, cluster.scheduler])


def test_the_manifest_names_what_the_page_makes_and_confines_as_the_security_document_says():
    service, *deployments = yaml.safe_load_all(BLOCKS["manifest"])
    pods = [one["spec"]["template"] for one in deployments]
    assert service["spec"]["selector"] == pods[0]["metadata"]["labels"]
    for pod in (one["spec"] for one in pods):
        mounted = {one["name"] for one in pod["containers"][0]["volumeMounts"]}
        assert mounted == {one["name"] for one in pod["volumes"]}
    worker = pods[1]["spec"]
    assert f"tls://{service['metadata']['name']}:8786" in worker["containers"][0]["args"]
    for name, value in worker["containers"][0]["securityContext"].items():
        kind = f"{{type: {value['type']}}}" if isinstance(value, dict) else value
        assert f"`{name}: {kind}`" in SECURITY
    assert worker["hostUsers"] is False and "`hostUsers: false`" in SECURITY
