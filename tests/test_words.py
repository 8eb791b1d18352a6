"""The engine is written for any course: no word of attention is in it."""

import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

from autograder.common.files import PACKAGE
from autograder.diagnosis.catalogue import hints
from autograder.exercise.spec import NO_WORDS

OF_ATTENTION = re.compile(
    r"\b(attention|attend(?:s|ed|ing)?|query|queries|softmax|masks?|masked|heads|multi-head|tokens?|causal"
    r"|W_[qkv]|embeddings?|transformers?)\b",
    re.IGNORECASE,
)
# What these words mean elsewhere, by file or folder.
EXCEPTIONS = {
    "__init__.py": {"attention": "it says that the engine does not know it"},
    "common/files.py": {"attention": "pip knows the engine by the name of this course"},
    "common/fake_gpu.py": {"embedding": "a function of torch"},
    "classes": {"token": "of Python text", "tokens": "of Python text",
                "query": "of the database"},
    "authoring/operators.py": {"softmax": "a function of torch"},
    "diagnosis/catalogue.py": {"softmax": "a function of torch, and of statistics"},
    "diagnosis/tensor_patterns.py": {"softmax": "a function of torch, and of statistics"},
    "confined/syscalls.py": {"mask": "of bits", "masked": "of bits"},
    "confined/worker.py": {"softmax": "a function of torch that it calls in advance",
                          "query": "an argument of a function of torch that it calls in advance",
                          "mask": "an argument of a function of torch that it calls in advance"},
    "templates/similar.html": {"tokens": "of Python text"},
}  # fmt: skip
READ = {tokenize.STRING, tokenize.COMMENT}
SPEAK_OF_CALLS = ("common/fake_gpu", "exercise/", "confined/", "judging/", "diagnosis/",
                  "authoring/operators", "authoring/mutants")  # fmt: skip
WITH_NAMES = {*READ, tokenize.NAME}  # in the rooms and files that speak of what is computed
MARKUP = re.compile(r"<[^>]*>|\{%.*?%\}|\{\{.*?\}\}|<!--.*?-->", re.DOTALL)


def words_of_code(path: Path) -> Iterator[str]:
    inside = path.relative_to(PACKAGE).as_posix()
    names = inside.startswith(SPEAK_OF_CALLS)
    with tokenize.open(path) as file:
        for token in tokenize.generate_tokens(file.readline):
            if token.type in (WITH_NAMES if names else READ):
                yield from OF_ATTENTION.findall(token.string)


def words_of(path: Path) -> set[str]:
    if path.suffix == ".py":
        found = words_of_code(path)
    else:
        found = iter(OF_ATTENTION.findall(MARKUP.sub("", path.read_text())))
    return {word.lower() for word in found}


def excepted(path: Path) -> set[str]:
    inside = path.relative_to(PACKAGE)
    places = [inside.as_posix(), *(parent.as_posix() for parent in inside.parents)]
    return {word for place in places for word in EXCEPTIONS.get(place, {})}


FILES = sorted(path for path in PACKAGE.rglob("*") if path.is_file() and path.suffix != ".pyc")


@pytest.mark.parametrize("room", sorted({path.relative_to(PACKAGE).parts[0] for path in FILES}))
def test_no_word_of_attention_stands_in_the_engine(room: str) -> None:
    for path in FILES:
        if path.relative_to(PACKAGE).parts[0] == room:
            assert not words_of(path) - excepted(path), path


def test_each_exception_is_still_needed() -> None:
    for place, words in EXCEPTIONS.items():
        files = (
            [PACKAGE / place] if (PACKAGE / place).is_file() else (PACKAGE / place).rglob("*.py")
        )
        found = {word for path in files for word in words_of(path)}
        assert words.keys() <= found, place


def test_no_hint_that_every_course_gives_speaks_of_attention() -> None:
    said = {word for hint in hints(NO_WORDS).values() for word in OF_ATTENTION.findall(hint)}
    assert said == {"softmax"}
