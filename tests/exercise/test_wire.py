import io
import json

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from autograder.author import Specimen
from autograder.common.errors import WireError
from autograder.exercise import wire
from autograder.exercise.observation import Unsent

scalars = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text() | st.floats()
trees = st.recursive(
    scalars, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=8
)


@given(trees)
def test_a_value_comes_back_as_it_was_sent(tree):
    assert repr(wire.unpack(wire.pack(tree))) == repr(tree)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.bool, torch.int64])
def test_a_tensor_keeps_its_dtype_shape_and_bits(dtype):
    tensor = torch.arange(6).reshape(2, 3).to(dtype)
    back = wire.unpack(wire.pack({"x": (tensor.mT,)}))["x"][0]
    assert back.dtype == dtype
    assert torch.equal(back, tensor.mT)


def test_nan_and_infinity_survive():
    back = wire.unpack(wire.pack(torch.tensor([float("nan"), float("inf")])))
    assert back.isnan()[0] and back[1] == float("inf")


def test_a_tensor_that_stands_in_many_places_is_written_once():
    tensor = torch.rand(1000)
    assert len(wire.pack([tensor] * 9)) < 2 * len(wire.pack([tensor]))
    assert all(torch.equal(tensor, back) for back in wire.unpack(wire.pack([tensor] * 9)))


def test_a_specimen_travels_as_source():
    assert wire.unpack(wire.pack(Specimen("def f(): pass"))) == Specimen("def f(): pass")


def test_what_cannot_be_sent_has_a_form_of_its_own():
    sent = [Unsent("a set"), "a set", {"unsent": "a set"}]
    assert wire.unpack(wire.pack(sent)) == sent


@pytest.mark.parametrize("claim", [5, None, ["a set"], {"dict": {}}])
def test_a_kind_that_is_no_text_is_refused(claim):
    tree = json.dumps({"unsent": claim})
    header = json.dumps({"__metadata__": {"tree": tree}}).encode()
    with pytest.raises(WireError):
        wire.unpack(wire.HEADER.pack(len(header)) + header)


def test_a_kind_is_cut_to_what_a_card_can_show():
    assert len(wire.unpack(wire.pack(Unsent("x" * 10_000))).kind) == 100


def test_an_object_is_refused():
    with pytest.raises(TypeError, match="object cannot be sent"):
        wire.pack([object()])


@given(st.binary(max_size=200))
def test_bytes_that_are_no_value_are_refused_and_run_nothing(data):
    with pytest.raises(WireError):
        wire.unpack(data)


def test_a_message_longer_than_the_limit_is_not_read():
    stream = io.BytesIO(wire.HEADER.pack(2**60))
    with pytest.raises(WireError, match="at most 100"):
        wire.read_frame(stream, limit=100)


def test_a_message_cut_short_is_refused():
    stream = io.BytesIO(wire.HEADER.pack(10) + b"short")
    with pytest.raises(WireError, match="ended after 5 of 10"):
        wire.read_frame(stream, limit=100)
