"""Where the heads of a model look that tells who stays where, and what it knows without one.

A line has five tokens: a name, two words, a city and a line break. The model says the city of a
line with "stays" at its third token. What it needs stands at the city of each earlier line on this
person, back to the one in which the person came there: these tokens are called the facts.
"""

import math

import torch
from lm_model import Attention, rotated
from lm_text import IGNORED
from measurements import Numbers, Series, number, run_and_save
from stories_models import TESTED
from stories_trained import Run, Trained, trained
from stories_training import KIND, USUAL, Stories, made, stories, tested
from torch import Tensor, nn

SEEDS = range(5)
LINE, NAME, SAYS, CITY = 5, 1, 3, 4  # tokens of a line, and where they are in the first one
KINDS = ("name", "facts")
SHOWN = 3  # the story of the picture


def facts(given: Stories) -> Tensor:
    """For each line and each earlier one, whether the latter says where the person of the former
    is. [stories, lines, lines]"""
    lines = given.tokens[:, 1:].unflatten(1, (-1, LINE))
    name, city = lines[..., 0], lines[..., 3]
    stays = given.steps[:, 1:].unflatten(1, (-1, LINE))[..., 3] > 0
    same = (name[:, :, None] == name[:, None]).tril(-1)  # [stories, line, earlier line]
    came = (same & ~stays[:, None]).long() * torch.arange(1, name.size(1) + 1)
    since = came.amax(dim=-1) - 1  # the line in which the person came
    at = torch.arange(name.size(1))
    return same & (at >= since[..., None]) & stays[..., None] & (city >= 0)[:, None]


@torch.no_grad()
def weights(model: nn.Module, tokens: Tensor) -> Tensor:
    """What each query gives to each key. [layers, stories, heads, queries, keys]"""
    kept: list[Tensor] = []

    def keep(attention: nn.Module, given: tuple[Tensor, ...]) -> None:
        assert isinstance(attention, Attention)
        query, key = (
            rotated(W(given[0]).unflatten(-1, (-1, attention.d_k)).transpose(1, 2))
            for W in (attention.W_q, attention.W_k)
        )
        scores = query @ key.mT / attention.d_k**0.5
        later = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
        kept.append(scores.masked_fill(later, float("-inf")).softmax(dim=-1))

    hooks = [part.register_forward_pre_hook(keep) for part in attentions(model)]
    model(tokens.clamp(min=0))
    for hook in hooks:
        hook.remove()
    return torch.stack(kept)


def looks(model: nn.Module, given: Stories) -> dict[str, Tensor]:
    """How much weight each head gives, on average: [layers, heads]

    facts: of the token that says an answer, to the facts; name: to the name in its line.
    """
    found = weights(model, given.tokens)
    at = torch.arange(given.tokens.size(1) // LINE) * LINE
    of_answer = found[..., at + SAYS, :]  # [layers, stories, heads, lines, keys]
    needed = facts(given)[:, None].double()  # [stories, 1, lines, lines]
    asked = needed.amax(dim=-1) > 0  # [stories, 1, lines]
    to_facts = (of_answer[..., at + CITY] * needed).sum(dim=-1)
    to_name = of_answer[..., torch.arange(len(at)), at + NAME]
    return {"facts": _mean(to_facts, asked), "name": _mean(to_name, asked)}


def _mean(values: Tensor, which: Tensor) -> Tensor:
    """Over stories and lines.

    values: [layers, stories, heads, lines]; which: [stories, 1, lines].
    """
    return (values * which).sum(dim=(1, 3)) / which.sum()


@torch.no_grad()
def averages(model: nn.Module, given: Stories) -> list[Tensor]:
    """What the heads of each layer give, at each place its mean over stories. [tokens, d_model]"""
    kept: list[Tensor] = []
    real = (given.tokens[:, :-1] != IGNORED)[..., None]

    def keep(_: nn.Module, of_heads: tuple[Tensor, ...]) -> None:
        kept.append((of_heads[0] * real).sum(dim=0) / real.sum(dim=0))

    hooks = [one.W_o.register_forward_pre_hook(keep) for one in attentions(model)]
    model(given.tokens[:, :-1].clamp(min=0))
    for hook in hooks:
        hook.remove()
    return kept


def without(model: nn.Module, head: int, given: Stories, average: list[Tensor]) -> float:
    """Percent of the answers that are right if a head gives what it gives on average."""
    layer = head // KIND.heads
    attention = attentions(model)[layer]
    first = head % KIND.heads * attention.d_k
    part = slice(first, first + attention.d_k)

    def cut(_: nn.Module, of_heads: tuple[Tensor, ...]) -> Tensor:
        changed = of_heads[0].clone()
        changed[..., part] = average[layer][: changed.size(1), part]
        return changed

    hook = attention.W_o.register_forward_pre_hook(cut)
    right = tested(model, given).right
    hook.remove()
    return right


def attentions(model: nn.Module) -> list[Attention]:
    return [part for part in model.modules() if isinstance(part, Attention)]


def cut(model: nn.Module, given: Stories) -> dict[str, float]:
    """Percent of right answers without the head that looks most at each kind of token.

    others: without one of the rest, on average; worst: without the one that costs most.
    """
    scores, average = looks(model, given), averages(model, given)
    every = range(KIND.layers * KIND.heads)
    right = [without(model, head, given, average) for head in every]
    best = {kind: int(scores[kind].argmax()) for kind in KINDS}
    rest = [one for head, one in enumerate(right) if head not in best.values()]
    found = {"whole": tested(model, given).right, "others": math.fsum(rest) / len(rest)}
    found["worst"] = min(rest)
    for kind, head in best.items():
        found |= {kind: scores[kind].max().item(), f"without_{kind}": right[head]}
    return found


def history(one: Trained, seed: int, given: Stories) -> list[list[float]]:
    """At each kept moment of training: how much of it is done, the most that a head looks at each
    kind of token, and the percentage of right answers."""
    model, found = made("transformer", seed), []
    for done, state in sorted(one.states.items()):
        model.load_state_dict(state)
        scores = looks(model, given)
        best = [scores[kind].max().item() for kind in KINDS]
        found.append([done, *best, tested(model, given).right])
    return found


def picture(model: nn.Module, given: Stories) -> dict[str, object]:
    """A story, and for its last answer the weights of the head that looks most at the facts."""
    scores = looks(model, given)["facts"]
    layer, head = divmod(int(scores.argmax()), KIND.heads)
    row = given.tokens[SHOWN]
    asked = int((given.steps[SHOWN] > 0).nonzero()[-1])
    weight = weights(model, row[None])[layer, 0, head, asked - 1, :asked]
    pieces = [USUAL.tokenizer().decode([token]) for token in row[1 : asked + 1].tolist()]
    return {"layer": layer + 1, "head": head + 1, "pieces": pieces, "weights": weight[1:].tolist()}


def measure() -> tuple[Numbers, Series]:
    given, numbers = stories("test", TESTED), Numbers()
    models = [trained(Run("transformer", seed)) for seed in SEEDS]
    for seed, one in zip(SEEDS, models, strict=True):
        for key, value in cut(one.model, given).items():
            weight = key in KINDS
            numbers[f"{key}_{seed}"] = number(
                value, ".2f" if weight else ".0f", "" if weight else "%"
            )
    clearest = max(SEEDS, key=lambda seed: float(numbers[f"facts_{seed}"]["value"]))
    numbers["clearest"] = number(clearest, "d")
    few = stories("watch", TESTED // 4)
    histories = [history(one, seed, few) for seed, one in zip(SEEDS, models, strict=True)]
    shown = picture(models[clearest].model, given)
    return numbers, {"histories": histories, "picture": shown}


if __name__ == "__main__":
    run_and_save(__file__, measure, [], SEEDS)
