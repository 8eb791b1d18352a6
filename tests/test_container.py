"""The Containerfile and its options: what can be checked without building the image."""

import json
import re
import shlex
import tomllib

import book_site

ROOT = book_site.ROOT
TEXT = (ROOT / "Containerfile").read_text()
LINES = [
    line.partition(" ")[::2]
    for line in re.sub(r"^#.*\n", "", TEXT, flags=re.MULTILINE).replace("\\\n", "").splitlines()
    if line
]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
PYTHON_OF = {"bookworm": "3.11"}  # a release of Debian, and its Python


def of(instruction):
    return [words for name, words in LINES if name == instruction]


def test_the_base_is_a_release_of_debian_whose_python_is_ours():
    (base,) = of("FROM")
    release = re.fullmatch(r"debian:(\w+)-slim(@sha256:[0-9a-f]{64})?", base)[1]
    assert PROJECT["requires-python"] == f">={PYTHON_OF[release]}"


def test_what_is_copied_is_there_and_is_not_left_out_of_the_context():
    copied = [word for words in of("COPY") for word in shlex.split(words)[:-1]]
    assert [path for path in copied if not (ROOT / path).exists()] == []
    first, *kept = (ROOT / ".containerignore").read_text().splitlines()[1:]
    assert first == "*"
    assert {line.removeprefix("!") for line in kept if line.startswith("!")} == set(copied)
    assert {"solutions", "exercises", "book"} & set(copied) == set()


def test_every_package_of_python_has_the_version_of_the_lock():
    installs = [part for words in of("RUN") for part in words.split("&&") if "pip install" in part]
    assert len(installs) == 2
    assert all("-c /opt/attn/requirements.lock" in part for part in installs)
    extras = re.search(r"\[([\w,]+)\]", installs[-1])[1].split(",")
    assert set(extras) <= set(PROJECT["optional-dependencies"])
    assert {"course", "cluster"} <= set(extras)


def test_the_sandbox_is_installed_and_the_user_is_not_root():
    assert "bubblewrap libseccomp2" in of("RUN")[0]
    (user,) = of("USER")
    assert re.fullmatch(r"[1-9]\d*:[1-9]\d*", user)


def test_the_options_are_those_that_the_document_on_security_explains():
    options = set(re.findall(r"--security-opt (\S+)", TEXT))
    security = (ROOT / "SECURITY.md").read_text()
    assert len(options) == 3
    assert all(f"`--security-opt {option}`" in security for option in options)
    lines = (ROOT / ".devcontainer" / "devcontainer.json").read_text().splitlines()
    own = json.loads("\n".join(line for line in lines if not line.lstrip().startswith("//")))
    assert set(own["runArgs"]) - {"--security-opt"} == options
