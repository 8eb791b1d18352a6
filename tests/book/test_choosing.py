"""What a record may claim: choices inside what was tried, verdicts as wide as their measurement."""

import json

import measurements
import pytest
import verdicts
from choosing import Choice, search

SOUND = {
    "claim": 1, "text": "Attention is fast.", "finding": "It took {steps}.", "verdict": "holds if",
    "condition": "the text is short", "scope": "models 32 wide, 800 steps",
    "control": "Training could differ: a GRU took {gru}.",
}  # fmt: skip


def test_a_search_goes_on_until_both_neighbours_of_the_best_are_worse():
    choice = search(lambda rate, seed: (rate - 64) ** 2, seeds=[100], start=1, step=2)
    assert choice.best == 64 and choice.tried()[-1] == 128 and choice.tried()[0] == 0.5


def test_a_search_takes_the_loss_of_the_worst_seed_and_a_failure_for_the_worst_loss():
    losses = {100: {1: 0.0, 2: 1.0, 4: 2.0}, 101: {1: float("nan"), 2: 1.0, 4: 2.0}}
    choice = search(lambda rate, seed: losses[seed].get(rate, 9.0), seeds=losses, start=2, step=2)
    assert choice.best == 2


def test_a_search_without_an_end_is_refused():
    with pytest.raises(ValueError, match="edge"):
        search(lambda rate, seed: -rate, seeds=[100], start=1, step=2)


@pytest.mark.parametrize("best", [(1, 0.1), (4, 0.1), (2, 0.0), (2, 0.2)])
def test_a_grid_whose_best_lies_at_an_edge_is_refused(best):
    grid = [(rate, decay) for rate in (1, 2, 4) for decay in (0.0, 0.1, 0.2)]
    with pytest.raises(ValueError, match="edge"):
        Choice({one: float(one != best) for one in grid})


def test_a_value_beyond_which_there_is_nothing_may_be_best():
    grid = {(rate, decay): float((rate, decay) != (2, 0.0)) for rate in (1, 2, 4)
            for decay in (0.0, 0.1)}  # fmt: skip
    choice = Choice(grid, natural=(0.0,))
    assert choice.number(".1f", axis=1) == {
        "value": 0.0, "format": ".1f", "unit": "", "tried": [0.0, 0.1]}  # fmt: skip


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"verdict": "true"}, "none of"),
        ({"scope": ""}, "no scope"),
        ({"condition": ""}, "needs a condition"),
        ({"verdict": "holds"}, "'holds if'"),
        ({"control": ""}, "no control"),
        ({"without_attention": ""}, "'not tested'"),
        ({"condition": "it is short; it is long"}, "one clause"),
        ({"scope": "Models 32 wide."}, "one clause"),
    ],
)
def test_a_verdict_that_says_more_than_was_measured_is_refused(change, fault):
    assert not [*verdicts.faults(SOUND)]
    (found,) = verdicts.faults(SOUND | change)
    assert fault in found


def test_a_claim_that_quotes_what_was_not_measured_is_refused():
    numbers = {"steps": measurements.number(3, "d")}
    with pytest.raises(ValueError, match="not measured: gru"):
        measurements.decided(numbers, [SOUND | {"stands": lambda n: True}])


@pytest.mark.parametrize(
    ("sample", "printed"),
    [([0.1, 1.0], "0.1 to 1.0"), ([0.2, 1.0], "0.6 ± 0.6"), ([-5.0, -0.5], "−5.0 to −0.5")],
)
def test_a_mean_that_hides_a_spread_of_tenfold_is_printed_as_a_range(sample, printed):
    record = {"numbers": {"x": measurements.number(sample, ".1f")}}
    assert measurements.text_of(record, "x", spread=True) == printed


def records():
    return [json.loads(path.read_text()) for path in measurements.FOLDER.glob("*.json")]


def test_no_verdict_of_the_book_says_more_than_was_measured():
    found = {(one["script"], entry["claim"]): [*verdicts.faults(entry)] for one in records()
             for entry in one["claims"]}  # fmt: skip
    assert len(found) > 80 and not [*filter(None, found.values())]


def test_every_setting_that_the_book_says_was_chosen_has_worse_neighbours():
    chosen = [entry for one in records() for entry in one["numbers"].values() if "tried" in entry]
    at_an_edge = [one for one in chosen if one["value"] in (one["tried"][0], one["tried"][-1])]
    assert not [one for one in at_an_edge if one["value"] != 0]
