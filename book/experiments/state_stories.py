"""Claim 90: what a model of four layers still looks up when some or all of them keep a state.

The stories are those of chapter 12 with up to twelve people of sixteen names. Four softmax layers,
four layers of gated delta, and three of these after or before one of softmax learn to say the
answers. Keys of 16, 8 and 4 numbers make the states larger and smaller.
"""

import torch
from choosing import Choice
from measurements import Numbers, Series, number, run_and_save
from recall import Params
from state_crowd_layers import D_MODEL, HEADS, STACKS, Kind, Mask, logits_of, losses, train
from state_crowds import LINE, LINES, MORE, TOKENS, Stories, stories
from stories import CITIES
from torch import Tensor
from verdicts import claim

SEEDS = range(5)
TRIAL = 100  # the seed that rates are chosen with
RATES = (5e-3, 1e-2, 2e-2, 4e-2)
STEPS, BATCH, TRAINED, TESTED = 500, 8, 6000, 300
FEWEST, MOST = 2, 12  # people
WIDE = 16  # numbers of a key
ONE_SOFTMAX = ("softmax first", "softmax last")
RUNS = [
    *((stack, d_k) for d_k in (16, 4) for stack in ("softmax", "gated delta", *ONE_SOFTMAX)),
    ("gated delta", 8),
    ("none", 16),
]
COUNTS = (1, 2, 4, 8, LINES)  # lines that a query of a softmax reads, its own among them
RULES = ("mean", "random", "last")

CLAIMS = [
    claim(
        90,
        "With one softmax layer in four, a model recalls as well as with four.",
        "With keys of 16 numbers, four layers of softmax have {right_softmax_16} of the answers "
        "right, a softmax before three of gated delta {right_softmax_first_16}, one after them "
        "{right_softmax_last_16}, and four of gated delta {right_gated_delta_16}. With twelve "
        "people it is {right_softmax_16_12}, {right_softmax_first_16_12}, "
        "{right_softmax_last_16_12} and {right_gated_delta_16_12}. With keys of 4 numbers it is "
        "{right_softmax_4}, {right_softmax_first_4}, {right_softmax_last_4} and "
        "{right_gated_delta_4}.",
        "holds if",
        "the softmax is the first layer",
        scope="stories with 2 to 12 people and 20 lines, four layers with two heads and a short "
        "convolution, 32 wide, keys of 16 numbers, 500 steps of Adam",
        control="If the queries of the softmax read only their own line, {mean_softmax_16_1} of "
        "the answers are right with four softmax layers, {mean_softmax_first_16_1} with one in "
        "the first layer, and {mean_softmax_last_16_1} with one in the last, which looks nothing "
        "up. Four layers without attention have {right_none_16} right.",
        stands=lambda n: (
            abs(n.right_softmax_16 - n.right_softmax_first_16) < 1
            and n.right_softmax_16 > n.right_softmax_last_16 + 2
            and abs(n.right_softmax_last_16 - n.right_gated_delta_16) < 5
            and abs(n.mean_softmax_last_16_1 - n.right_softmax_last_16) < 1
            and n.mean_softmax_first_16_1 < 50
            and n.mean_softmax_16_1 < 50
        ),
    ),
]


def label(stack: str, d_k: int) -> str:
    return f"{stack.replace(' ', '_')}_{d_k}"


def kind_of(stack: str, d_k: int) -> Kind:
    return Kind(stack, d_k, len(TOKENS))


def trained(kind: Kind, seeds: list[int], rates: list[float]) -> Params:
    """Each model learns from stories of its own; only answers count."""
    given, rng = stories("train", TRAINED, FEWEST, MOST), torch.Generator().manual_seed(seeds[0])

    def batch() -> tuple[Tensor, Tensor]:
        drawn = torch.randint(TRAINED, (len(seeds), BATCH), generator=rng)
        return given.tokens[drawn], given.answers[drawn]

    return train(kind, seeds, rates, STEPS, batch)


@torch.no_grad()
def chosen(stack: str) -> Choice:
    """The rate with the fewest nats an answer on stories of their own, for the wide keys."""
    kind, given = kind_of(stack, WIDE), stories("choose", 100, FEWEST, MOST)
    with torch.enable_grad():
        models = trained(kind, [TRIAL] * len(RATES), list(RATES))
    shown = (part.expand(len(RATES), -1, -1) for part in (given.tokens, given.answers))
    return Choice(dict(zip(RATES, losses(models, kind, *shown).tolist(), strict=True)))


@torch.no_grad()
def right(models: Params, kind: Kind, given: Stories, mask: Mask | None = None) -> Tensor:
    """Whether each answer is the likeliest token. [models, answers]"""
    count = len(models["embed"])
    said = []
    for tokens in given.tokens.split(50):
        logits = logits_of(models, kind, tokens[:, :-1].expand(count, -1, -1), mask)
        said.append(logits.argmax(dim=-1))
    correct = torch.cat(said, dim=1) == given.tokens[:, 1:]
    return 100.0 * correct[:, given.answers[:, 1:]].double()


def by_people(found: Tensor, given: Stories) -> dict[int, list[float]]:
    """For each number of people, the percentage of each model."""
    answers = given.answers[:, 1:]
    people = given.people[:, None].expand_as(answers)[answers]
    return {n: found[:, people == n].mean(dim=1).tolist() for n in range(FEWEST, MOST + 1)}


def lines_read(rule: str, count: int) -> Mask:
    """A query reads its own line and `count - 1` earlier ones: with the best mean of its scores,
    any, or the last."""
    rng = torch.Generator().manual_seed(3)

    def mask(scores: Tensor) -> Tensor:
        length = scores.size(-1)
        line = torch.arange(length) // LINE
        blocks = torch.nn.functional.pad(scores, (0, -length % LINE)).unflatten(-1, (-1, LINE))
        rank = {
            "mean": lambda: blocks.mean(dim=-1),
            "random": lambda: torch.rand(blocks.shape[:-1], generator=rng),
            "last": lambda: torch.arange(1.0 * blocks.size(-2)).expand(blocks.shape[:-1]),
        }[rule]()  # [..., queries, lines]
        block = torch.arange(rank.size(-1))
        rank = rank.masked_fill(block >= line[:, None], -torch.inf).masked_fill(
            block == line[:, None], torch.inf
        )
        best = rank.topk(min(count, rank.size(-1)), dim=-1).indices
        kept = torch.zeros_like(rank, dtype=torch.bool).scatter(-1, best, True)
        return kept.repeat_interleave(LINE, dim=-1)[..., :length]

    return mask


def of_blocks(models: Params, kind: Kind) -> dict[str, list[list[float]]]:
    """By rule: percent right of each model, for each number of lines read."""
    given = stories("test", 100, FEWEST, MOST)
    return {rule: [right(models, kind, given, lines_read(rule, count)).mean(dim=1).tolist()
                   for count in COUNTS] for rule in RULES}  # fmt: skip


def kept(stack: str, d_k: int, tokens: int) -> int:
    """Numbers that the layers keep of a text: keys and values, or states; convolutions apart."""
    d_v = D_MODEL // HEADS
    each = {"softmax": tokens * (d_k + d_v), "gated delta": d_k * d_v, "none": 0}
    return HEADS * sum(each[mixer] for mixer in STACKS[stack])


def measure() -> tuple[Numbers, Series]:
    rates = {stack: chosen(stack) for stack in STACKS if stack != "none"}
    given = stories("test", TESTED, FEWEST, MOST)
    numbers: Numbers = {
        "people": number(MOST, "d"),
        "names": number(len(MORE), "d"),
        "lines": number(LINES, "d"),
        "tokens": number(LINE * LINES, "d"),
        "steps": number(STEPS, ",d"),
        "seeds": number(len(SEEDS), "d"),
        "answers": number(int(given.answers.sum()), ",d"),
        "chance": number(100 / len(CITIES), ".0f", "%"),
        **{f"rate_{label(stack, WIDE)}": rate.number("g") for stack, rate in rates.items()},
    }
    rates["none"] = rates["softmax"]  # without attention, no rate is better than another
    curves, blocks = {}, {}
    for stack, d_k in RUNS:
        name, kind = label(stack, d_k), kind_of(stack, d_k)
        models = trained(kind, list(SEEDS), [rates[stack].best] * len(SEEDS))
        found = right(models, kind, given)
        people = by_people(found, given)
        numbers[f"right_{name}"] = number(found.mean(dim=1).tolist(), ".0f", "%")
        numbers |= {f"right_{name}_{n}": number(one, ".0f", "%") for n, one in people.items()}
        numbers[f"kept_{name}"] = number(kept(stack, d_k, LINE * LINES), ",d")
        curves[name] = [*people.values()]
        if stack in ("softmax", *ONE_SOFTMAX) and d_k == WIDE:
            blocks[name] = of_blocks(models, kind)
            for rule, several in blocks[name].items():
                numbers |= {f"{rule}_{name}_{count}": number(one, ".0f", "%")
                            for count, one in zip(COUNTS, several, strict=True)}  # fmt: skip
    series = {
        "people": [*range(FEWEST, MOST + 1)],
        "right": curves,
        "lines": list(COUNTS),
        "right_by_lines": blocks,
    }
    return numbers, series


if __name__ == "__main__":
    run_and_save(__file__, measure, CLAIMS, SEEDS)
