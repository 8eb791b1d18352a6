"""Cases, oracle and variants of `reach`."""

import torch

from autograder.author import EVERY, Case, Exercise

exercise = Exercise(
    "reach",
    points=3,
    difficulty=2,
    minutes=15,
    returns=("the dependence",),
    read="09_pieces.html#window-reach",
)


def window(length, width):
    apart = torch.arange(length)[:, None] - torch.arange(length)
    return (apart >= 0) & (apart < width)


def only(length, *pairs):
    """One layer in which these queries see these keys, and nobody sees anything else."""
    mask = torch.zeros(length, length, dtype=torch.bool)
    for query, key in pairs:
        mask[query, key] = True
    return mask


def case(name, *masks):
    return Case(name, {"masks": torch.stack(masks)})


@exercise.cases
def cases(rng):
    yield case("the example of the text", only(3, (1, 0)), only(3, (2, 1)))
    yield case("the layers in the other order", only(3, (2, 1)), only(3, (1, 0)))
    yield case("one layer", rng.bools(5, 5, chance=0.3))
    yield case("three layers of a window", *[window(9, 3)] * 3)
    yield case(
        "windows of several widths", window(10, 2), window(10, 4), window(10, 1), window(10, 3)
    )
    yield case("layers without order", *rng.bools(4, 8, 8, chance=0.15).unbind())
    seen = rng.bools(3, 7, 7, chance=0.3) & ~torch.eye(7, dtype=torch.bool)
    yield case("positions that do not see themselves", *seen.unbind())
    yield case("many layers", *[window(14, 2)] * 11)
    yield case("very many layers", *[torch.ones(6, 6, dtype=torch.bool).tril()] * 190)


@exercise.secret_cases
def secret_cases(rng):
    length, layers = rng.integer(9, 13), rng.integer(3, 6)
    yield case("other layers", *rng.bools(layers, length, length, chance=0.12).unbind())
    yield case("nobody sees anything", only(5), only(5))
    yield case("one position", only(1))
    stripes = (torch.arange(12)[:, None] - torch.arange(12)) % 4 == 0
    yield case("local and strided", window(12, 2), stripes.tril(), window(12, 3))
    yield case("two positions that pass it to and fro", *[only(4, (0, 1), (1, 0), (2, 3))] * 128)
    yield case("two hundred layers", *[torch.arange(40).expand(40, 40) < 39] * 200)
    yield case("a window to both sides", *[window(11, 2) | window(11, 2).mT] * 3)
    ways = [(257, key) for key in range(256)]  # by all of which position 0 is reached
    yield case("256 ways", only(258, *((query, 0) for query in range(1, 256))), only(258, *ways))


exercise.promise(
    "of each layer, the first", "the example of the text", "the layers in the other order"
)
exercise.promise("There are up to 200", "very many layers", "two positions that pass it to and fro")
exercise.promise("They are not changed.", EVERY)
exercise.promise(
    "True at [i, j] where position", "three layers of a window", "windows of several widths"
)
exercise.promise(
    "Each layer adds the result", "positions that do not see themselves", "nobody sees anything"
)


@exercise.oracle
def follow_each_position(masks):
    """Backwards from each output: who was seen, and by whom."""
    length = masks.size(-1)
    result = torch.zeros(length, length, dtype=torch.bool)
    layers = [[{*row.nonzero().flatten().tolist()} for row in mask] for mask in masks]
    for i in range(length):
        asked = {i}
        for seen in reversed(layers):
            asked = asked.union(*(seen[j] for j in asked))
        for j in asked:
            result[i, j] = True
    return result


@exercise.variant
def by_any(masks):
    n = masks.shape[-1]
    known = torch.eye(n, device=masks.device).bool()
    for layer in masks.unbind(0):
        # [query, seen, input]: what is seen, and what that depends on
        passed_on = (layer[:, :, None] & known[None]).any(dim=1)
        known = known | passed_on
    return known


@exercise.variant
def products_from_the_top(masks):
    size = masks.size(1)
    steps = masks.to(torch.float64) + torch.eye(size, dtype=torch.float64, device=masks.device)
    paths = steps[-1]
    for step in reversed(steps[:-1]):
        paths = torch.mm(paths, step).clamp(max=1.0)
    return paths.ne(0)


@exercise.variant
def shares_of_attention(masks):
    """Average over what is seen and keep half: what ends above 0 was reached."""
    state = torch.eye(masks.size(-1), dtype=torch.float64, device=masks.device)
    for mask in masks:
        seen = mask.double() @ state
        state = torch.sign(state + seen)
    return state > 0


@exercise.variant
def row_by_row(masks):
    length = masks.size(-1)
    rows = [torch.arange(length, device=masks.device) == i for i in range(length)]
    for mask in masks:
        rows = [
            torch.stack([rows[i], *(rows[j] for j in mask[i].nonzero().flatten().tolist())]).amax(0)
            for i in range(length)
        ]
    return torch.stack(rows)
