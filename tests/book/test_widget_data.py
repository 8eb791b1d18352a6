"""Pages give their widgets what was measured."""

import measurements
from widget_pages import widget_data


def test_the_page_of_heads_has_what_was_measured(book):
    saved = measurements.load("heads_induction")
    page = widget_data(book, "heads")
    assert page["threshold"] == saved["numbers"]["threshold"]["value"]
    for name, scores in page["scores"].items():
        assert scores == saved["series"]["scores"][0][name]
    for shown, picture in zip(page["sentences"], saved["series"]["pictures"], strict=True):
        assert [ord(sign) - 65 for sign in shown["signs"]] == picture["tokens"]
        size = len(picture["tokens"])
        whole = [
            [[row + [0] * (size - len(row)) for row in head] for head in layer]
            for layer in shown["weights"]
        ]
        assert whole == picture["weights"]


def test_the_page_of_alignments_has_what_was_measured(book):
    saved = measurements.load("cross_dates")["series"]["examples"]
    expected = [*saved["layer"], *saved["none"]]
    page = widget_data(book, "alignment")
    assert [one["network"] for one in page] == ["A"] * len(saved["layer"]) + ["B"] * len(
        saved["none"]
    )
    for shown, example in zip(page, expected, strict=True):
        assert [shown[key] for key in ("text", "readings", "made")] == [
            example[key] for key in ("text", "readings", "made")
        ]
        assert [[weight / 1000 for weight in row] for row in shown["weights"]] == example["weights"]
