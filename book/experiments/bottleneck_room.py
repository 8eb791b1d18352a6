"""Claim 1, continued: is the one vector too small, or is it hard to learn to use?

The copier without attention of `bottleneck_recall.py`, once narrower, once wider, once trained for
longer. If the vector had too little room, width would help and training would not.
"""

import torch
from bottleneck_recall import PEAK, STEPS, TRAINED, parameters, score, train
from measurements import claim, number, save

SEEDS = range(3)
MORE = 4
LENGTHS = (2, 4, 6, 8, 10, 12, 14, TRAINED)
RUNS = {  # name: width, steps
    "narrow": (34, STEPS),
    "base": (68, STEPS),
    "wide": (136, STEPS),
    "long": (68, MORE * STEPS),
}

CLAIMS = [
    claim(
        1,
        "… because the context vector has too little room.",
        "Exact copies of 8 symbols: {base_8} at width {width_base}, {wide_8} at twice the width "
        "({parameters_wide} parameters instead of {parameters_base}), {long_8} at the same width "
        "after {more} times as many steps. What fails is learning to use the vector.",
        "false",
        "at these lengths",
    )
]


def main() -> None:
    torch.set_num_threads(1)
    numbers: dict = {"more": number(MORE, "d"), "peak": number(PEAK, ".3f")}
    series: dict = {"lengths": LENGTHS, "exact": {}}
    for name, (width, steps) in RUNS.items():
        models = [train(width, False, seed, steps) for seed in SEEDS]
        runs = [score(model, seed, LENGTHS) for seed, model in zip(SEEDS, models, strict=True)]
        series["exact"][name] = [run["exact"] for run in runs]
        numbers[f"width_{name}"] = number(width, "d")
        numbers[f"steps_{name}"] = number(steps, ",d")
        numbers[f"parameters_{name}"] = number(parameters(models[0]), ",d")
        for at, length in enumerate(LENGTHS):
            numbers[f"{name}_{length}"] = number([run["exact"][at] for run in runs], ".0%")
        print(name, series["exact"][name], flush=True)
    print(save(__file__, numbers, CLAIMS, SEEDS, series))


if __name__ == "__main__":
    main()
