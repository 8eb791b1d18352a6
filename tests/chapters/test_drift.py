"""A release is left as it is where only rounding differs, and nowhere else."""

import shutil
from dataclasses import replace

import pytest
import torch
from torch.utils._pytree import tree_map

from autograder.chapters.drift import drift
from autograder.cli import main
from autograder.common.errors import OtherFormat, WireError
from autograder.common.files import CHECKS
from autograder.exercise import wire
from autograder.judging import checks_file


@pytest.fixture(scope="module")
def made_here(nbgrader, toy_root, tmp_path_factory):
    """The small course, released on this processor, which may round in a way of its own."""
    folder = tmp_path_factory.mktemp("course")
    shutil.copytree(toy_root / "solutions", folder / "solutions")
    released(folder)
    return folder


@pytest.fixture
def root(made_here, tmp_path):
    return shutil.copytree(made_here, tmp_path / "course")


@pytest.fixture
def known(made_here):
    return [*checks_file.load(made_here / "exercises" / "01_toy" / CHECKS).values()]


def released(root):
    assert main(["release", "01_toy", "--root", str(root)]) == 0
    return root / "exercises" / "01_toy" / CHECKS


def scaled(known, factor):
    """The checks with every floating number that misconceptions gave times `factor`."""

    def change(leaf):
        is_float = isinstance(leaf, torch.Tensor) and leaf.is_floating_point()
        return leaf * factor if is_float else leaf

    def of_case(item):
        return {
            name: replace(seen, output=tree_map(change, seen.output))
            for name, seen in item.wrong.items()
        }

    return [
        replace(one, cases=[replace(item, wrong=of_case(item)) for item in one.cases])
        for one in known
    ]


def test_rounding_is_no_drift_and_what_is_more_than_that_is_told_with_its_size(known):
    assert drift(known, known) == ""
    assert drift(known, scaled(known, 1 + 2**-23)) == ""
    told = drift(known, scaled(known, 1.001))
    assert told.startswith("normalise / two batches / sums_columns: ")
    assert "It moved by 0.001 of the largest entry." in told


def test_a_release_from_other_rounding_stays_byte_by_byte(root, known):
    path = root / "exercises" / "01_toy" / CHECKS
    path.write_bytes(checks_file.packed(scaled(known, 1 + 2**-23)))
    before = path.read_bytes()
    assert released(root).read_bytes() == before
    path.write_bytes(checks_file.packed(scaled(known, 1.001)))
    assert released(root).read_bytes() == checks_file.packed(known)


@pytest.mark.parametrize(
    ("name", "old", "new", "told"),
    [
        ("normalise", "You summed over another", "You summed over one", "normalise / hints / "),
        ("normalise", "rng.normal(2, 3, 4)", "rng.normal(2, 3, 5)", "float32 (2, 3, 4)"),
        ("normalise", ".abs() + 0.1}, g", ".abs() + 0.2}, g", "two batches / inputs"),
        ("normalise", '"two batches"', '"a batch"', "two batches, half precision"),
        ("normalise", "points=2", "points=3", "normalise / points was 2 and is 3"),
        ("normalise", "values.sum(-2, keepdim", "values.sum(-3, keepdim", "/ sums_columns / "),
        ("normalise", ", gradient=True)", ")", "gradient was True and is False"),
    ],
)
def test_what_is_changed_at_its_source_is_noticed_until_it_is_released(
    root, known, name, old, new, told
):
    source = root / "solutions" / "01_toy" / f"{name}.py"
    text = source.read_text()
    assert text.count(old) == 1
    source.write_text(text.replace(old, new))
    fresh = [*checks_file.load(released(root)).values()]
    assert told in drift(known, fresh)


@pytest.mark.parametrize("place", [20, 3000, -1])
def test_no_byte_can_be_edited_by_hand(root, place):
    path = root / "exercises" / "01_toy" / CHECKS
    data = path.read_bytes()
    edited = bytearray(data)
    edited[place] ^= 1
    path.write_bytes(edited)
    with pytest.raises(WireError):
        checks_file.load(path)
    assert released(root).read_bytes() == data


def test_what_an_engine_of_another_format_released_is_released_anew(root, known):
    path = root / "exercises" / "01_toy" / CHECKS
    data = path.read_bytes()
    trees = [checks_file.to_tree(item) | {"unheard_of": 1} for item in known]
    path.write_bytes(wire.seal(wire.pack(trees)))
    with pytest.raises(OtherFormat):
        checks_file.load(path)
    assert released(root).read_bytes() == data


def test_a_seal_is_that_of_the_whole_file(known):
    packed = checks_file.packed(known)
    assert wire.is_sealed(packed)
    assert not wire.is_sealed(packed + b" ")
    assert not wire.is_sealed(wire.pack("never sealed"))
    with_digest = {"text": '"sha256":"' + "0" * 64 + '"', "tensor": torch.zeros(3)}
    assert wire.is_sealed(wire.seal(wire.pack(with_digest)))
    assert repr(wire.unpack(wire.seal(wire.pack(with_digest)))) == repr(with_digest)
