"""Claims 76 and 77: who looks answers up after equal work of training, and when that begins.

The rival is the best of the GRUs of `stories_rivals.py`, and the n-gram that of
`stories_settings.py`. The test stories had no say in any choice.
"""

import math
from collections import Counter
from operator import gt

from lm_ngram import KneserNey
from lm_training import mean
from measurements import Numbers, Series, load, number, run_and_save
from stories import CITIES, EVENTS, MOST, NAMES, STAYS, Story
from stories_rivals import rival
from stories_settings import counted, parameters
from stories_trained import LOOKS, Run, Trained, trained
from stories_training import STEPS, USUAL, VOCABULARY, WORK, Source, Stories, stories, tested
from verdicts import claim

SEEDS = range(5)
TESTED, CROWDED = 200, 100  # stories of the test, and of one with more people than in training
MORE = range(MOST + 1, len(NAMES) + 1)
BEGUN, STEEP, FAR = 50.0, 65.0, 80.0  # percent of the answers: above what a guess reaches, and on
SETTLED = 0.1  # of the training: the first fall of the loss is over
TRAINING = (
    "stories of 2 to 5 people and 8 cities, a transformer of three layers 64 wide, 10,000 steps"
)
CLAIMS = [
    claim(
        76,
        "Recurrent models recall what is in their context less well than models with attention.",
        "After {work} operations the transformer gives {right_transformer} of the answers, a GRU "
        "of {layers} layers {right_gru} and an {order}-gram {right_ngram}. With five people it is "
        "{right_transformer_5}, {right_gru_5} and {right_ngram_5}. The GRU has {parameters_gru} "
        "parameters and the transformer {parameters_transformer}.",
        "false",
        "a GRU of two layers recalls at least as much here, where a story is far smaller than its "
        "state",
        scope=f"{TRAINING} and as much work for the GRU",
        control="The GRU is the best of three, and each model has the best of the rates tried, all "
        "on other stories. The GRU has more right in {ahead} of {seeds} seeds. A model that "
        "knows nothing is right in {chance}.",
        without_attention="right_gru",
        stands=lambda n: n.ahead == n.seeds and n.right_transformer > n.right_ngram,
    ),
    claim(
        77,
        "The ability to look back appears suddenly in training.",
        "For {begins} of the training the transformer has fewer than {begun} of the answers right. "
        "From there to {steep} it takes {takes} of the training, and from {steep} to {far} another "
        "{later}.",
        "holds if",
        "its beginning is meant and not the rest, which takes longer in most seeds",
        scope=TRAINING,
        control="The learning rate has no jump there: it falls along half a cosine. Right answers "
        "may jump where bits do not, but so do these: they fall by {slow} an answer in a tenth of "
        "the training before, and {fast} times as fast there. Naming the city where most people "
        "are is right in {most}. The models were looked at after each {look} of the training.",
        stands=lambda n: n.begins > 2 * n.takes and n.later > n.takes and n.fast > 2,
    ),
]


def counts_know(model: KneserNey, given: Stories) -> tuple[float, dict[int, list[float]]]:
    """Bits an answer, and for each number of people whether each answer is right, in percent."""
    bits, right = 0.0, dict[int, list[float]]()
    for row, steps, people in zip(
        given.tokens.tolist(), given.steps, given.people.tolist(), strict=True
    ):
        for at in steps.nonzero().flatten().tolist():
            context = tuple(row[max(0, at - model.order + 1) : at])
            each = [model.probability(context, token) for token in range(VOCABULARY)]
            bits -= math.log2(each[row[at]])
            right.setdefault(people, []).append(100.0 * (max(each) == each[row[at]]))
    return bits / sum(map(len, right.values())), right


def of_counts() -> Numbers:
    """What the n-gram needs for the test stories."""
    order = load("stories_settings")["numbers"]["order"]["value"]
    model, given = counted(order), stories("test", TESTED)
    per_byte = sum(model.bits(row[row >= 0]) for row in given.tokens) / given.size
    bits, right = counts_know(model, given)
    return {
        "order": number(order, "d"),
        "bits_ngram": number(per_byte, ".3f", "bits"),
        "above_ngram": number(per_byte - given.bits / given.size, ".3f", "bits"),
        "answer_ngram": number(bits, ".2f", "bits"),
        "right_ngram": number(mean([each for found in right.values() for each in found]),
                              ".0f", "%"),
        **{f"right_ngram_{people}": number(mean(found), ".0f", "%")
           for people, found in right.items()},
    }  # fmt: skip


def of_models(label: str, models: list[Trained], floor: float) -> Numbers:
    """What five models need for the test stories, and for stories with more people."""
    found = [tested(one.model, stories("test", TESTED)) for one in models]
    numbers = {
        f"bits_{label}": number([one.bits_per_byte for one in found], ".3f", "bits"),
        f"above_{label}": number([one.bits_per_byte - floor for one in found], ".3f", "bits"),
        f"answer_{label}": number([one.bits_per_answer for one in found], ".2f", "bits"),
        f"right_{label}": number([one.right for one in found], ".0f", "%"),
        f"parameters_{label}": number(parameters(models[0].model), ",d"),
    }
    for people in found[0].right_by_people:
        of_each = [one.right_by_people[people] for one in found]
        numbers[f"right_{label}_{people}"] = number(of_each, ".0f", "%")
    for people in MORE:
        crowd = stories("test", CROWDED, Source(people, people))
        right = [tested(one.model, crowd).right for one in models]
        numbers[f"right_{label}_{people}"] = number(right, ".0f", "%")
    return numbers


def passes(model: Trained, percent: float) -> float:
    """In percent, the part of the training after which more than this many answers are right."""
    return next((100 * done for done, _, _, right in model.curve if right > percent), 100.0)


def falls(model: Trained, begins: float, steep: float) -> tuple[float, float]:
    """How fast the bits an answer fall, in bits a tenth of the training: before lookup begins, and
    from the last look before it to the first one at which it is there."""
    bits = {round(100 * done, 1): bits for done, _, bits, _ in model.curve}
    start, last = 100 * SETTLED, begins - 100 / LOOKS
    slow = (bits[start] - bits[last]) / (last - start)
    return 10 * slow, 10 * (bits[last] - bits[steep]) / (steep - last)


def when(models: list[Trained]) -> Numbers:
    """Where in training lookup begins and how long it takes, in percent of the steps."""
    begins, steep, far = ([passes(one, level) for one in models] for level in (BEGUN, STEEP, FAR))
    speeds = [falls(*each) for each in zip(models, begins, steep, strict=True)]
    slow, fast = (list(each) for each in zip(*speeds, strict=True))
    return {
        "begins": number(begins, ".0f", "%"),
        "takes": number([b - a for a, b in zip(begins, steep, strict=True)], ".0f", "%"),
        "later": number([b - a for a, b in zip(steep, far, strict=True)], ".0f", "%"),
        "slow": number(slow, ".2f", "bits"),
        "fast": number(mean(fast) / mean(slow), ".0f"),
        "look": number(100 / LOOKS, ".1f", "%"),
        "begun": number(BEGUN, ".0f", "%"),
        "steep": number(STEEP, ".0f", "%"),
        "far": number(FAR, ".0f", "%"),
    }


def guesses(told: list[Story]) -> list[tuple[int, float, float]]:
    """Of each answer: how many lines have to be looked up, whether the city of the line before is
    right, and how probably a city in which most people are."""
    found: list[tuple[int, float, float]] = []
    for story in told:
        at, steps, before = dict[str, str](), iter(story.steps), ""
        for line in story.text.splitlines():
            name, does, *_, what = line.split()
            if does == "stays":
                often = Counter(at.values())
                most = [city for city in often if often[city] == max(often.values())]
                found.append((next(steps), before == what, (what in most) / len(most)))
            at[name] = before = at[what] if does == "visits" else what
    return found


def measure() -> tuple[Numbers, Series]:
    given = stories("test", TESTED)
    floor = given.bits / given.size
    width, layers = rival().split("_")[1:]
    guessed = guesses([USUAL.told(f"test {at}") for at in range(TESTED)])
    numbers: Numbers = {
        "work": number(WORK, ".1e"),
        "steps": number(STEPS, ",d"),
        "stories": number(TESTED, "d"),
        "answers": number(int((given.steps > 0).sum()), ",d"),
        "tokens": number(int((given.tokens >= 0).sum()) / TESTED, ".0f"),
        "events": number(EVENTS, "d"),
        "stays": number(100 * STAYS, ".0f", "%"),
        "floor": number(floor, ".3f", "bits"),
        "guess": number(math.log2(len(CITIES)), ".0f", "bits"),
        "chance": number(100 / len(CITIES), ".1f", "%"),
        "seeds": number(len(SEEDS), "d"),
        "width": number(int(width), "d"),
        "layers": number(int(layers), "d"),
        "given": number(load("stories_settings")["numbers"]["order"]["value"] - 1, "d"),
        "line_before": number(100 * mean([float(before) for _, before, _ in guessed]), ".0f", "%"),
        "most": number(100 * mean([most for *_, most in guessed]), ".0f", "%"),
        **of_counts(),
    }
    trained_ones = {
        label: [trained(Run(name, seed)) for seed in SEEDS]
        for label, name in {"transformer": "transformer", "gru": rival()}.items()
    }
    for label, models in trained_ones.items():
        numbers |= of_models(label, models, floor)
    right = [numbers[f"right_{label}"]["sample"] for label in ("gru", "transformer")]
    numbers["ahead"] = number(sum(map(gt, *right)), "d")
    numbers |= when(trained_ones["transformer"])
    begins = [passes(one, BEGUN) for one in trained_ones["gru"]]
    numbers["begins_gru"] = number(begins, ".0f", "%")
    curves = {label: [one.curve for one in models] for label, models in trained_ones.items()}
    return numbers, {"curves": curves}


if __name__ == "__main__":
    run_and_save(__file__, measure, CLAIMS, SEEDS)
