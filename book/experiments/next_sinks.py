"""Claims 63 to 65: what happens when the first token leaves the cache, and where sinks come from.

Models of one layer, and some of two, learn a task in which their head is needed at few tokens. Then
they read longer texts through a rolling cache: the last tokens, and none to four of the first.
"""

from typing import Any

from measurements import Numbers, Series, number, run_and_save
from next_sink_model import (
    CLIP,
    KINDS,
    OFTEN,
    TRAINED,
    Model,
    Text,
    losses,
    rolling_mask,
    said_by_start,
    shares,
    train,
)
from torch import Tensor
from verdicts import claim

SEEDS = range(5)
STEPS, LONG, TEXTS, WINDOW = 1000, 192, 32, 24
SINKS = range(5)

SCOPE = (
    "one layer of one head, 32 wide, no MLP, positions as a bias by distance, a random chain of 24 "
    "symbols in which three triggers copy, 1,000 steps of Adam at one untuned learning rate"
)
CLAIMS = [
    claim(
        63,
        "A window without the first token ruins a model.",
        "One layer, trained on {trained} tokens after a start token, reads {long} through a "
        "window of {window}. Its loss after token {trained} is {loss_all} with all keys and "
        "{loss_0} with the window alone. The loss rises by {start_one} with one layer and by "
        "{start_two} with two. Without a start token it changes in no seed by more than "
        "{free_one_most} with one layer and {free_two_most} with two.",
        "false",
        "since it costs about 0.1 nats here",
        scope=SCOPE.replace("one layer", "one or two layers", 1),
        control="The window is not too small for the task: with the first token kept beside it, "
        "the loss is {loss_1}. The number of layers is not what decides: with a start token the "
        "loss rises in models of one layer and of two, and without a start token in neither.",
        stands=lambda n: (
            all(0.05 < rise < 0.2 for rise in (n.start_one, n.start_two))
            and max(n.free_one_most, n.free_two_most) < 0.02
        ),
    ),
    claim(
        63,
        "A few first tokens, kept beside the window, save the model.",
        "The same model of one layer. With the first token kept, its loss is {loss_1}, with all "
        "keys {loss_all}. With two, three or four first tokens it is the same.",
        "holds if",
        "the model has learned to put weight on the first token",
        scope=SCOPE,
        control="It is not that one more key helps: this model has a weight of {idle_softmax} on "
        "the first token and gains {rise_softmax} from keeping it. With sigmoids, whose weights "
        "need not sum to 1, the weight is {idle_sigmoid} and the gain {rise_sigmoid}.",
        stands=lambda n: abs(n.loss_1 - n.loss_all) < 0.02 and n.rise_softmax > 0.05,
    ),
    claim(
        64,
        "Sinks come from the softmax: weights that have to sum to 1 have to go somewhere.",
        "Weight on the first token where the head has nothing to do: {idle_softmax} with a "
        "softmax, {idle_sigmoid} with sigmoids, whose weights sum to {sum_sigmoid} there, at "
        "losses of {short_softmax} and {short_sigmoid}. As a share of that sum, with sigmoids the "
        "first token gets half or more in {half_sigmoid} of five seeds. At triggers, where it has "
        "something to do: {busy_softmax} with a softmax. When the first token is gone the loss "
        "rises by {rise_softmax} and {rise_sigmoid}. With a zero in the denominator, which lets "
        "the weights sum to less than 1, the first token still has {idle_zero}.",
        "holds if",
        "the whole softmax is meant and not the sum alone, since with a zero the sink stays",
        scope=SCOPE,
        control="The models with sigmoids are not worse: the losses are about equal. The sum "
        "alone is not the cause: the zero allows a smaller sum, and the sink stays.",
        stands=lambda n: (
            n.idle_softmax > 3 * n.idle_sigmoid
            and n.rise_softmax > 3 * n.rise_sigmoid
            and n.busy_softmax < n.idle_softmax / 3
            and n.idle_zero > 3 * n.idle_sigmoid
        ),
    ),
    claim(
        65,
        "A zero added to the denominator of the softmax removes the sink.",
        "With the zero, weights still sum to {sum_zero} where the head has nothing to do, and "
        "the first token has {idle_zero}; without, {idle_softmax}. The loss rises by "
        "{rise_zero} and {rise_softmax} when that token is gone. A logit that is learned: "
        "{idle_learned}, {rise_learned}. A gate on the output: {idle_gate}, {rise_gate}.",
        "false",
        scope=SCOPE,
        control="The task does not need a sink: with sigmoids the loss is about the same "
        "({short_sigmoid} and {short_zero}) and the first token has {idle_sigmoid}.",
        stands=lambda n: n.idle_zero > n.idle_softmax / 3 and n.rise_zero > n.rise_softmax / 3,
    ),
]


def after(model: Model, tokens: Tensor, sinks: int | None) -> list[float]:
    """Loss of the tokens that come when the first has left the window, by seed."""
    mask = None if sinks is None else rolling_mask(LONG, WINDOW, sinks)
    return losses(model, tokens, mask)[:, TRAINED:].mean(dim=1).tolist()


def of_model(model: Model, text: Text, start: bool) -> dict[str, Any]:
    tokens = text(TEXTS, LONG + 1, start)
    found: dict[str, Any] = {str(sinks): after(model, tokens, sinks) for sinks in SINKS}
    found |= {"all": after(model, tokens, None)} | shares(model, tokens[..., : TRAINED + 1])
    found["short"] = losses(model, tokens, None)[:, CLIP:TRAINED].mean(dim=1).tolist()
    by_token = [losses(model, tokens, rolling_mask(LONG, WINDOW, n)) for n in (0, 1)]
    found["rise"] = [a - b for a, b in zip(found["0"], found["1"], strict=True)]
    return found | {"curve_0": smooth(by_token[0]), "curve_1": smooth(by_token[1])}


def starts(one_layer: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """With and without a start token, one layer and two."""
    return {
        "start_one": one_layer,
        "start_two": of_model(*train("softmax", 2, STEPS, True, SEEDS), True),
        "free_one": of_model(*train("softmax", 1, STEPS, False, SEEDS), False),
        "free_two": of_model(*train("softmax", 2, STEPS, False, SEEDS), False),
    }


def of_sums(kind: str, idle: list[float], sums: list[float]) -> Numbers:
    """What all weights sum to, and the share of that which the first token gets."""
    share = [first / total for first, total in zip(idle, sums, strict=True)]
    least, next_least = sorted(sums)[:2]
    return {
        f"sum_{kind}": number(sums, ".3f"),
        f"sum_least_{kind}": number(least, ".2f"),
        f"sum_next_{kind}": number(next_least, ".3f"),
        f"share_{kind}": number(share, ".0%"),
        f"half_{kind}": number(sum(one >= 0.5 for one in share), "d"),
    }


def smooth(loss: Tensor) -> list[list[float]]:
    """Means over pieces of 8 tokens: [seeds][pieces]."""
    return loss.unflatten(1, (-1, 8)).mean(dim=-1).tolist()


def measure() -> tuple[Numbers, Series]:
    trained = {kind: train(kind, 1, STEPS, True, SEEDS) for kind in KINDS}
    found = {kind: of_model(*pair, True) for kind, pair in trained.items()}
    by_start = starts(found["softmax"])
    numbers = {
        "trained": number(TRAINED, ".0f"),
        "long": number(LONG, ".0f"),
        "window": number(WINDOW, ".0f"),
        "often": number(OFTEN, ".0%"),
        "said": number(said_by_start(trained["softmax"][0]), ".2f"),
    }
    for name, one in by_start.items():
        rise = [a - b for a, b in zip(one["0"], one["all"], strict=True)]
        numbers[name] = number(rise, ".2f")
        numbers[f"{name}_most"] = number(max(map(abs, rise)), ".3f")
        numbers[f"{name}_idle"] = number(one["idle"], ".2f")
        numbers[f"{name}_loss"] = number(one["all"], ".2f")
    for name in (*map(str, SINKS), "all"):
        numbers[f"loss_{name}"] = number(found["softmax"][name], ".2f")
    for kind, of_kind in found.items():
        for name in ("idle", "busy"):
            numbers[f"{name}_{kind}"] = number(of_kind[name], ".2f")
        for name in ("short", "rise"):
            numbers[f"{name}_{kind}"] = number(of_kind[name], ".2f")
        numbers |= of_sums(kind, of_kind["idle"], of_kind["sum"])
    curves = {name: found["softmax"][name] for name in ("curve_0", "curve_1")}
    series = {
        "idle": {kind: found[kind]["idle"] for kind in KINDS},
        "rise": {kind: found[kind]["rise"] for kind in KINDS},
        "piece": [4 + 8 * n for n in range(LONG // 8)],
        "sinks": list(SINKS),
        "by_sinks": {kind: [[found[kind][str(n)][seed] - found[kind]["all"][seed] for n in SINKS]
                            for seed in SEEDS] for kind in KINDS},
        **curves,
    }  # fmt: skip
    return numbers, series


if __name__ == "__main__":
    run_and_save(__file__, measure, CLAIMS, SEEDS)
