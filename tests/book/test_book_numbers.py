"""What the book's pages are made of: measured numbers, figures, and when cells run again."""

import importlib
import json
import re
from types import SimpleNamespace

import measurements
import numpy as np
import plots
import pytest
import readings
import torch

from autograder.grading.provenance import engine

torch.set_num_threads(1)  # tiny tensors: more threads only wait for each other
CHEAP = ["masks_fill", "masks_torch", "masks_after_softmax", "qkv_embeddings", "qkv_memory",
         "scaling_softmax_example", "scaling_variance"]  # fmt: skip


@pytest.mark.parametrize("name", CHEAP)
def test_running_an_experiment_again_gives_the_numbers_on_disk(name):
    numbers, _ = importlib.import_module(name).measure()
    saved = measurements.load(name)["numbers"]
    assert numbers.keys() == saved.keys()
    for key, entry in numbers.items():
        assert same(entry["value"], saved[key]["value"]), key


def test_the_error_of_masking_before_the_softmax_does_not_depend_on_the_hidden_score():
    for runs in measurements.load("masks_after_softmax")["series"]["before"].values():
        assert all(len(set(run)) == 1 for run in runs)


def test_a_row_with_a_key_has_the_same_weights_with_a_large_negative_fill_and_with_infinity():
    fill = importlib.import_module("masks_fill")
    kept = fill.MASK[fill.KEPT]  # the rows with a key
    for dtype in (one for one in fill.DTYPES if not fill.fill_raises(one)):
        for seed in fill.SEEDS:
            query, key, _ = fill.tensors(seed, dtype)
            scores = (query @ key.mT)[fill.KEPT]
            large, infinite = (
                scores.masked_fill(~kept, low).softmax(dim=-1) for low in (-1e9, float("-inf"))
            )
            assert torch.equal(large, infinite), dtype


def test_the_floor_on_disk_follows_from_the_source_alone():
    leak = importlib.import_module("masks_leak")
    saved = measurements.load("masks_leak")["numbers"]
    for key, entry in leak.exact_numbers(leak.the_chain()).items():
        assert entry["value"] == pytest.approx(saved[key]["value"], rel=1e-5)


def test_the_source_surprises_its_own_model_by_its_entropy():
    chain = importlib.import_module("masks_leak").the_chain()
    tokens = chain.sample(4000, 20, np.random.default_rng(1))
    assert chain.surprise(tokens).mean() == pytest.approx(chain.entropy, abs=0.02)


def test_only_models_with_a_leak_score_below_the_floor():
    saved = measurements.load("masks_leak")["numbers"]
    floor = saved["floor"]["value"]
    assert all(loss > floor for loss in saved["causal_loss"]["sample"])
    for leak in ("off_by_one", "none"):
        assert all(loss < floor / 2 for loss in saved[f"{leak}_loss"]["sample"])
        assert all(loss > 2 * floor for loss in saved[f"{leak}_alone"]["sample"])


def test_every_verdict_follows_from_the_numbers_beside_it():
    for path in measurements.FOLDER.glob("*.json"):
        for entry in measurements.load(path.stem)["claims"]:
            assert entry["stands"] is True, (path.stem, entry["claim"])


def test_one_verdict_only_rests_on_times_and_none_on_the_memory_of_a_process():
    """Take those numbers away, and each claim but the one about times on a GPU can be decided."""
    for path in measurements.FOLDER.glob("*.json"):
        if path.stem == "bottleneck_gpu_time":
            continue
        numbers = measurements.load(path.stem)["numbers"]
        fixed = {key: entry["value"] for key, entry in numbers.items() if "on" not in entry}
        script = importlib.import_module(path.stem)
        for entry in getattr(script, "CLAIMS", []):
            assert entry["stands"](SimpleNamespace(**fixed)), (path.stem, entry["claim"])


def test_every_time_says_on_which_machines_and_is_printed_as_their_range():
    saved = measurements.load("bottleneck_step_time")
    assert len(measurements.machines(saved)) > 1
    low, high = measurements.text_of(saved, "gru_by_block").split(" to ")
    every = measurements.samples(saved["numbers"]["gru_by_block"])
    assert (low, high) == (f"{min(every):.2g}", f"{max(every):.2g}")


def test_a_record_of_the_grader_says_whether_it_is_of_todays():
    saved = measurements.load("grading_scale")
    saved["numbers"][measurements.ENGINE] = measurements.number(engine())
    assert measurements.text_of(saved, measurements.ENGINE) == "the grader as it is now"
    saved["numbers"][measurements.ENGINE] = measurements.number("another")
    assert measurements.text_of(saved, measurements.ENGINE) == "an earlier version of the grader"


def test_a_ratio_above_a_hundred_is_printed_without_a_power_of_ten():
    saved = measurements.load("bottleneck_gpu_time")
    assert measurements.text_of(saved, "stepwise_by_block") == "2.4 to 260"


def test_a_spread_is_that_of_the_sample_it_stands_for():
    for path in measurements.FOLDER.glob("*.json"):
        for key, entry in measurements.load(path.stem)["numbers"].items():
            if "sample" in entry:
                again = measurements.number(entry["sample"])
                assert entry["value"] == pytest.approx(again["value"], rel=1e-4, abs=1e-9), key
                assert entry["spread"] == pytest.approx(again["spread"], rel=1e-2, abs=1e-7), key


def test_a_figure_drawn_twice_is_the_same_bytes():
    assert a_figure() == a_figure()


def test_a_figure_has_no_date_no_background_and_no_id_and_its_colours_have_names():
    style, _, drawn = a_figure().partition("</style>")
    assert not {"<dc:date>", " id=", "url("} & set(re.findall(r"<dc:date>| id=|url\(", drawn))
    assert not re.search(r'"#\w{6}"', drawn)
    assert "var(--ink)" in drawn and "var(--series-0)" in drawn and "--series-0:#" in style


def test_a_hidden_cell_is_hatched_and_prints_no_value():
    figure, axes = plots.panels(1)
    plots.weights(axes[0], [[1.0, 0.0]], mask=[[True, False]])
    grey, strokes = axes[0].patches
    assert grey.get_path().get_extents().x0 == strokes.get_path().get_extents().x0 == 1
    assert [text.get_text() for text in axes[0].texts] == ["1.00"]
    plots.plt.close(figure)


def test_a_figure_tells_the_mean_and_range_of_each_point_and_the_weight_of_each_cell():
    (chart,) = json.loads(re.search("<metadata>(.*)</metadata>", a_figure())[1])
    one = {"name": "one", "color": 0, "x": [0, 1, 2], "y": [1.5, 2.5, 3.5]}
    assert chart["series"] == [one | {"low": [1, 2, 3], "high": [2, 3, 4]}]
    cells = readings.cells(np.array([[0.25, 0, 0.0001]]), np.ones((1, 3)), ["a"], list("xyz"))
    assert cells["cells"] == [[250, 0, 0.1]]


def a_figure():
    figure, axes = plots.chart()
    plots.lines(axes, [0, 1, 2], {"one": [[1, 2, 3], [2, 3, 4]]})
    text = plots.svg(figure)
    plots.plt.close(figure)
    return text


def same(value, saved):
    """Equal up to rounding that differs between machines; sizes of rounding errors within 10x."""
    if isinstance(saved, str) or isinstance(value, str):
        return value == saved
    if 0 < abs(saved) < 0.02:
        return saved / 10 < value < saved * 10
    return value == pytest.approx(saved, rel=0.02, abs=1e-9)
