"""Claims 88 and 89: what is lost when a question reads the blocks of keys that score best.

One softmax recalls 255 pairs. It is trained with all keys or through four of its 16 blocks, and
reads through blocks chosen by the mean of their keys, by their greatest score, at random, or last.
"""

from choosing import Choice
from measurements import Numbers, Series, number, run_and_save
from recall import Params
from state_blocks_model import (
    ALL,
    BLOCK,
    BLOCKS,
    D_K,
    TOKENS,
    TOPICS,
    VALUES,
    Reading,
    tested,
    train,
)
from verdicts import claim

SEEDS = range(5)
TRIAL = 100  # the seed that rates are chosen with
RATES = (2.5e-3, 5e-3, 1e-2, 2e-2, 4e-2)
STEPS, KEPT = 1000, 4
THROUGH = Reading(count=KEPT)
COUNTS = (1, 2, 3, 4, 6, 8, 12, 16)
RULES = ("mean", "greatest", "random", "last")
SIZES = (1, 2, 4, 8, 16, 32)  # of a block, where 64 keys are read in all
LONG = 65_536  # tokens, for which scores are only counted

TRAINING = (
    "255 pairs and a question, one softmax of one head with keys of 32 numbers, {} 1,000 steps "
    "of Adam at a rate chosen on another seed"
)
SCOPE = TRAINING.format("blocks of 16,")
CLAIMS = [
    claim(
        88,
        "A model that chooses its blocks does as well as with all keys.",
        "With all keys {right_all} of the answers are right. With {kept} of {blocks} blocks, "
        "chosen by the mean of their keys, it is {right_mean}, and {right_alike} if names of one "
        "topic stand together in training and test.",
        "false",
        "since the mean of 16 keys hides the one that is asked for",
        scope=SCOPE,
        control="It is not too few keys: with as many blocks, chosen by their greatest score, "
        "{right_greatest} are right. The choice does something: with random blocks it is "
        "{right_random}.",
        stands=lambda n: (
            n.right_all > 95
            and n.right_mean < n.right_alike < 95
            and n.right_greatest > 95
            and n.right_mean > 1.3 * n.right_random
        ),
    ),
    claim(
        88,
        "Blocks that the model chooses are better than a window of as many keys.",
        "Of {kept} blocks read, the pair that is asked for is in those chosen by the mean of their "
        "keys in {found_mean}, and in the last ones in {found_last}. {right_mean} and {right_last} "
        "of the answers are right.",
        "holds if",
        "what is asked for can stand anywhere",
        scope=SCOPE,
        control="Other blocks would not do: with random ones it is {right_random}. With one block "
        "beside the own one, the three are {right_mean_2}, {right_last_2} and {right_random_2}.",
        stands=lambda n: n.right_mean > 1.3 * n.right_last and n.right_mean > 1.3 * n.right_random,
    ),
    claim(
        88,
        "A model has to be trained with its blocks.",
        "Trained with all keys, a model has {right_mean} right through {kept} blocks; trained "
        "through them, {right_through}. If names of one topic stand together it is {right_alike} "
        "and {right_through_alike}.",
        "holds if",
        "names stand in any order, and then training makes up for a small part of the loss",
        scope=SCOPE,
        control="Both have the same steps and each the best of five rates. The model trained "
        "through blocks learned the task: with all keys it has {right_through_all} right.",
        stands=lambda n: (
            3 < n.right_through - n.right_mean < (n.right_all - n.right_mean) / 3
            and n.right_through_alike < n.right_alike + 3
            and n.right_through_all > 95
        ),
    ),
    claim(
        89,
        "Smaller blocks are chosen better.",
        "Where {keys} keys are read, {size_32} of the answers are right with blocks of 32, "
        "{size_16} with 16, {size_8} with 8, {size_4} with 4, and {size_1} if each key is its own "
        "block.",
        "holds if",
        "the scores of the blocks are paid for, of which smaller blocks have more",
        scope=TRAINING.format("names in any order, read through blocks after"),
        control="The number of keys and the models are the same. Blocks of 32 need {scores_32} "
        "scores a question, blocks of 4 {scores_4}, and single keys {scores_1}. All keys need "
        "{scores_all}.",
        stands=lambda n: n.size_32 < n.size_16 < n.size_8 < n.size_4 and n.size_1 > 95,
    ),
]


def scores(tokens: int, reading: Reading) -> int:
    """Scores that a question at the end needs: of the earlier blocks, and of the keys it reads."""
    return tokens // reading.block - 1 + reading.count * reading.block


def chosen(through: Reading) -> Choice:
    """The rate, by the nats a question of one trial seed, read as in training."""
    models = train([TRIAL] * len(RATES), RATES, STEPS, through, alike=False)
    found = tested(models, through, alike=False)["loss"]
    return Choice(dict(zip(RATES, found, strict=True)))


def fitted(rate: float, through: Reading, alike: bool) -> Params:
    return train(list(SEEDS), [rate] * len(SEEDS), STEPS, through, alike)


def by_count(models: Params, rule: str, alike: bool = False) -> dict[int, dict[str, list[float]]]:
    return {count: tested(models, Reading(rule, count), alike) for count in COUNTS}


def numbers_of(found: dict[str, dict[int, dict[str, list[float]]]]) -> Numbers:
    """Of each way to read: right answers and pairs found with a quarter of the keys."""
    numbers: Numbers = {}
    for name, by in found.items():
        numbers[f"right_{name}"] = number(by[KEPT]["right"], ".0f", "%")
        numbers[f"found_{name}"] = number(by[KEPT]["found"], ".0f", "%")
        for count in (2, 8):
            numbers[f"right_{name}_{count}"] = number(by[count]["right"], ".0f", "%")
    numbers["right_all"] = number(found["mean"][BLOCKS]["right"], ".0f", "%")
    numbers["right_through_all"] = number(found["through"][BLOCKS]["right"], ".0f", "%")
    return numbers


def of_sizes(models: Params) -> Numbers:
    keys, numbers = KEPT * BLOCK, {}
    for size in SIZES:
        reading = Reading("mean", keys // size, size)
        numbers[f"size_{size}"] = number(tested(models, reading, False)["right"], ".0f", "%")
        numbers[f"scores_{size}"] = number(scores(TOKENS, reading), ",d")
        numbers[f"long_{size}"] = number(scores(LONG, reading), ",d")
    return numbers


def measure() -> tuple[Numbers, Series]:
    rates = {"all": chosen(ALL), "through": chosen(THROUGH)}
    models = fitted(rates["all"].best, ALL, alike=False)
    found = {rule: by_count(models, rule) for rule in RULES}
    sizes = of_sizes(models)
    found["through"] = by_count(fitted(rates["through"].best, THROUGH, alike=False), "mean")
    found["alike"] = by_count(fitted(rates["all"].best, ALL, alike=True), "mean", alike=True)
    trained = fitted(rates["through"].best, THROUGH, alike=True)
    found["through_alike"] = by_count(trained, "mean", alike=True)
    numbers: Numbers = {
        "pairs": number(TOKENS - 1, "d"),
        "tokens": number(TOKENS, "d"),
        "block": number(BLOCK, "d"),
        "blocks": number(BLOCKS, "d"),
        "kept": number(KEPT, "d"),
        "keys": number(KEPT * BLOCK, "d"),
        "d_k": number(D_K, "d"),
        "topics": number(TOPICS, "d"),
        "chance": number(100 / VALUES, ".0f", "%"),
        "steps": number(STEPS, ",d"),
        "long": number(LONG, ",d"),
        "scores_all": number(TOKENS, "d"),
        "rate_all": rates["all"].number("g"),
        "rate_through": rates["through"].number("g"),
        **numbers_of(found),
        **sizes,
    }
    series = {
        "counts": list(COUNTS),
        "right": {name: [by[n]["right"] for n in COUNTS] for name, by in found.items()},
        "found": {name: [by[n]["found"] for n in COUNTS] for name, by in found.items()},
        "sizes": list(SIZES),
        "right_by_size": [numbers[f"size_{size}"]["sample"] for size in SIZES],
    }
    return numbers, series


if __name__ == "__main__":
    run_and_save(__file__, measure, CLAIMS, SEEDS)
