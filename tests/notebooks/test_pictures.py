"""Pictures attached to a written answer: kept if they are of a fair size, told of if not."""

import base64
import struct

import pytest
from nbformat.v4 import new_markdown_cell

from autograder.common.cell import grade_id
from autograder.notebooks.pictures import BYTES, NUMBER, TOLD, Pictures
from autograder.notebooks.splice import notes, splice
from autograder.notebooks.submission import Submission


def picture(kind, width=3, height=2):
    """The first bytes of one, which hold its size."""
    ends, begins = struct.pack("<HH", width, height), struct.pack(">HH", height, width)
    three = (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
    return {
        "image/png": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", width, height),
        "image/gif": b"GIF89a" + ends + b"\0\0\0",
        "image/jpeg": b"\xff\xd8\xff\xe0\0\x04ab\xff\xc2\0\x11\x08" + begins,
        "image/webp": b"RIFF\0\0\0\0WEBPVP8X" + b"\0" * 8 + three,
    }[kind]


def text(data):
    return base64.b64encode(data).decode()


def frame(left, top, width, height):
    """A GIF of 3 by 2 pixels with a comment, and with a frame of any size anywhere."""
    comment, colours = b"\x21\xfe\x02ab\0", b"\x81" + b"\0" * 12
    data = b"\x02\x03abc\x01d\0"
    return (b"GIF89a\x03\0\x02\0\x80\0\0" + b"\0" * 6 + comment + b"\x2c"
            + struct.pack("<HHHH", left, top, width, height) + colours + data + b";")  # fmt: skip


KINDS = ["image/png", "image/gif", "image/jpeg", "image/webp"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_picture_is_kept_as_it_is(kind):
    attached = {"a.b": {kind: text(picture(kind))}}
    assert Pictures("![](attachment:a.b)", attached).kept == attached


@pytest.mark.parametrize("cut", [0, 1, 3, 20])
def test_a_gif_is_kept_with_its_frames_also_where_its_end_is_missing(cut):
    data = frame(0, 0, 3, 2)
    attached = {"a.gif": {"image/gif": text(data[: len(data) - cut])}}
    assert Pictures("![](attachment:a.gif)", attached).kept == attached


@pytest.mark.parametrize(("kind", "data", "why"), [
    *((kind, picture(kind, 9_000, 9_000), "9,000 by 9,000 pixels") for kind in KINDS),
    *((kind, picture(kind)[:9], "it is no") for kind in KINDS),
    ("image/gif", frame(0, 0, 9_000, 9_000), "9,000 by 9,000 pixels"),
    ("image/gif", frame(8_900, 8_990, 100, 10), "9,000 by 9,000 pixels"),
    ("image/gif", picture("image/gif") + b"\x21\xfe\0" * 20_000, "it is no GIF picture"),
    ("image/jpeg", picture("image/jpeg", 9_000, 9_000).replace(b"\xff\xc2", b"\xff\xff\xff\xc2"),
     "9,000 by 9,000 pixels"),
    ("image/png", picture("image/gif"), "it is no PNG picture"),
    ("image/jpeg", b"\xff\xd8" + b"\xff\x01\0\x02" * 9_999, "it is no JPEG picture"),
    ("image/png", picture("image/png") + bytes(BYTES + BYTES // 10), "larger than 5 MB"),
    ("image/svg+xml", b"<svg onload=alert(1) />", "'image/svg+xml', which is none of PNG, JPEG"),
    ("text/html\x1b[2J", b"", r"'text/html\x1b[2J', which is none of"),
])  # fmt: skip
def test_what_is_no_picture_of_a_fair_size_is_left_out_with_a_reason(kind, data, why):
    pictures = Pictures("", {"a": {kind: text(data)}})
    (told,) = pictures.told
    assert pictures.kept == {} and told.startswith("the picture 'a' was left out: ") and why in told


@pytest.mark.parametrize("attached", [
    None, 1, [], {"a": None}, {"a": {}}, {"a": [1]}, {"a": {"image/png": 1}}, {"a": {"b": ["c"]}},
    {"a" * 1_000: {"image/png": text(picture("image/png"))}},
    {"a": {"image/png": "not base64!"}}, {"a": {"image/png": ["iVBO", 1]}},
])  # fmt: skip
def test_whatever_is_attached_costs_nothing_but_itself(attached):
    assert Pictures("Because.", attached).kept == {}


def test_no_more_pictures_are_kept_than_a_page_can_show():
    many = {f"{n}.png": {"image/png": text(picture("image/png"))} for n in range(NUMBER + 1)}
    pictures = Pictures("", many)
    assert len(pictures.kept) == NUMBER and "more than 10" in pictures.told[0]


@pytest.mark.parametrize(("count", "said"), [
    (TOLD + 1, "1 more picture was left out"),
    (96_000, f"{96_000 - TOLD:,} more pictures were left out"),
])  # fmt: skip
def test_of_many_pictures_that_are_left_out_the_first_and_their_number_are_told(count, said):
    told = Pictures("![](data:image/png;base64,)" * count, None).told
    assert len(told) == TOLD + 1 and "in-the-text-1.png" in told[0] and told[-1] == said


def test_a_picture_that_colab_wrote_into_the_text_is_attached():
    data = text(picture("image/png"))
    pictures = Pictures(f"a ![b](data:image/png;base64,{data}) c", None)
    assert pictures.text == "a ![b](attachment:in-the-text-1.png) c"
    assert pictures.kept == {"in-the-text-1.png": {"image/png": data}}


def test_the_grader_keeps_the_pictures_of_a_written_answer_and_notes_what_it_left_out(released):
    attached = {"a.png": {"image/png": text(picture("image/png"))}, "b": {"image/svg+xml": ""}}
    answer = new_markdown_cell("See ![](attachment:a.png)", attachments=attached,
                               metadata={"nbgrader": {"grade_id": "why"}})  # fmt: skip
    spliced = splice(released, Submission.of({"cells": [answer]}))
    (why,) = (cell for cell in spliced.cells if grade_id(cell) == "why")
    assert why.attachments == {"a.png": attached["a.png"]}
    assert notes(spliced)[-1].startswith("why: the picture 'b' was left out: it is 'image/svg+xml'")
