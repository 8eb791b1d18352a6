"""What the heads of `heads_language_model` look at, and whether the answer depends on it."""

from functools import partial

import torch
from heads_language_model import HEADS, LAYERS, Reader, changed, heads_output, parts
from heads_language_text import NUMBER, OF_FIRST, OF_SECOND, PAD, Sentences
from torch import Tensor

WORDS_IN = (
    "first",
    "second",
    "because",
    "it",
    "was",
    "adjective",
    "stop",
    "blame",
    "the",
    "answer",
)
PLACES = {"none": (), "nouns": ("first", "second"), **{role: (role,) for role in WORDS_IN}}


def question(text: Sentences) -> Tensor:
    """Pronoun sentences with the answer blanked. [sentences, length]"""
    return text.blanked("answer")


def at(x: Tensor, places: Tensor) -> Tensor:
    """Each sentence's own place of [sentences, length, …]."""
    return x[torch.arange(len(x)), places]


def between(weights: Tensor, text: Sentences, query: str, key: str) -> Tensor:
    """Weight of one word on another. [layers, sentences, heads]"""
    rows = torch.arange(len(text))
    return weights[:, rows, :, text.places[query], text.places[key]].transpose(0, 1)


@torch.no_grad()
def right(model: Reader, tokens: Tensor, places: Tensor, answer: Tensor) -> Tensor:
    """Whether the guess at the place is the answer. [sentences]"""
    return at(model(tokens)[0], places).argmax(dim=-1) == answer


def accuracy(model: Reader, verbs: Sentences, its: Sentences, asked: str) -> dict[str, float]:
    """Share of the verbs, of the answers, and of the blanked determiners that are right."""
    found = {}
    for role in ("verb", "determiner"):
        good = right(model, verbs.blanked(role), verbs.places[role], verbs.word(role))
        found[role] = good.double().mean().item()
    good = right(model, question(its), its.places[asked], its.word("answer"))
    return found | {"answer": good.double().mean().item()}


@torch.no_grad()
def weights_between(
    model: Reader, choose: Sentences, report: Sentences, query: str, blank: bool = True
) -> list[dict[str, float]]:
    """By layer, weights on the query's own noun and on the other one, of the head with the largest
    difference between the two, which is chosen on other sentences than those that are reported.
    """
    weights, keys = {}, ("subject", "other")
    for name, text in (("choose", choose), ("report", report)):
        kept = model(text.blanked(query) if blank else text.tokens)[1]
        weights[name] = {key: between(kept, text, query, key).mean(1) for key in keys}
    found = []
    for layer in range(LAYERS):
        gap = weights["choose"]["subject"][layer] - weights["choose"]["other"][layer]  # [heads]
        head = int(gap.argmax())
        one = {key: weight[layer, head].item() for key, weight in weights["report"].items()}
        found.append({**one, "head": head})
    return found


def twins(text: Sentences) -> tuple[Tensor, Tensor]:
    """The sentences with an adjective of the first noun, and with one of the second."""
    rows, tokens = torch.arange(len(text)), question(text)
    both = []
    for words in (OF_FIRST, OF_SECOND):
        changed_word = tokens.clone()
        numbers = torch.tensor([NUMBER[word] for word in words])
        changed_word[rows, text.places["adjective"]] = numbers[rows % len(words)]
        both.append(changed_word)
    return both[0], both[1]


def odds(model: Reader, tokens: Tensor, text: Sentences, query: str) -> tuple[Tensor, Tensor]:
    """The query's weights on the first noun, on the second. Each [layers, sentences, heads]"""
    weights = model(tokens)[1]
    return between(weights, text, query, "first"), between(weights, text, query, "second")


@torch.no_grad()
def _with_both(model: Reader, text: Sentences, query: str) -> list[Tensor]:
    """Change of the log-odds, referent's weight and the other noun's (mean of both adjectives),
    share of sentences in which the referent has more. Each [layers, heads], but the change
    [layers, sentences, heads]."""
    (first, other), (lost, second) = (odds(model, tokens, text, query) for tokens in twins(text))
    change = (first / other).log() - (lost / second).log()
    more = (first > other).double().mean(1) + (second > lost).double().mean(1)
    return [change, (first + second).mean(1) / 2, (other + lost).mean(1) / 2, more / 2]


def pointing(
    model: Reader, choose: Sentences, report: Sentences, query: str
) -> list[dict[str, float]]:
    """By layer, of the head whose odds the adjective changes most (chosen on other sentences)."""
    chosen = _with_both(model, choose, query)[0].mean(1).argmax(-1)  # [layers]
    change, referent, other, more = _with_both(model, report, query)
    return [
        {
            "change": change[layer, :, head].mean().item(),
            "change_of_all": change[layer].mean().item(),
            "largest": change[layer].abs().max().item(),
            "referent": referent[layer, head].item(),
            "other": other[layer, head].item(),
            "share": more[layer, head].item(),
        }
        for layer, head in enumerate(chosen.tolist())
    ]


@torch.no_grad()
def flips(model: Reader, text: Sentences, asked: str) -> list[dict[str, float]]:
    """By layer and exchange: how often the answer becomes the second noun where "it" is the first,
    if the heads at some places put out what they put out with the other adjective, all of it or in
    part.
    """
    tokens, found = twins(text)[0], []
    for layer in range(LAYERS):
        by_exchange = {}
        for name, (there, roles) in exchanges(model, text, layer, asked).items():
            swap = partial(put_in, there=there, places=[text.places[one] for one in roles])
            with changed(model, layer, swap):
                flipped = right(model, tokens, text.places[asked], text.word("second"))
            by_exchange[name] = flipped.double().mean().item()
        found.append(by_exchange)
    return found


def exchanges(
    model: Reader, text: Sentences, layer: int, asked: str
) -> dict[str, tuple[Tensor, tuple[str, ...]]]:
    """What the heads put out instead, [sentences, length, d_model], and the words at which they do.

    At the place that is asked also in part: with the other adjective's weights and this one's
    values, and the other way round.
    """
    tokens, twin = twins(text)
    there = heads_output(model, twin, layer)
    (weights, values), (other_weights, other_values) = (
        parts(model, words, layer) for words in (tokens, twin)
    )
    return {name: (there, roles) for name, roles in PLACES.items()} | {
        f"weights_{asked}": (side_by_side(other_weights @ values), (asked,)),
        f"values_{asked}": (side_by_side(weights @ other_values), (asked,)),
    }


def side_by_side(output: Tensor) -> Tensor:
    """[batch, heads, length, d_k] to [batch, length, d_model]."""
    return output.transpose(1, 2).flatten(-2)


def put_in(x: Tensor, there: Tensor, places: list[Tensor]) -> Tensor:
    """`x` with what `there` has at some places of each sentence. [sentences, length, …]"""
    x, rows = x.clone(), torch.arange(len(x))
    for place in places:
        x[rows, place] = there[rows, place]
    return x


def verb_without(
    model: Reader, choose: Sentences, text: Sentences, head: int | None, layer: int
) -> float:
    """Share of correct verbs if one head of a layer (or all) puts out its mean at the verb."""
    place = text.places["verb"]
    there = heads_output(model, text.blanked("verb"), layer)
    usual = at(heads_output(model, choose.blanked("verb"), layer), choose.places["verb"]).mean(0)
    width = len(usual) // HEADS
    part = slice(None) if head is None else slice(head * width, (head + 1) * width)
    there[..., part] = usual[part]
    with changed(model, layer, partial(put_in, there=there, places=[place])):
        good = right(model, text.blanked("verb"), place, text.word("verb"))
    return good.double().mean().item()


@torch.no_grad()
def distances(model: Reader, tokens: Tensor) -> list[float]:
    """Mean distance from query to key in words, by layer, over all words that are no padding."""
    weights, real = model(tokens)[1].mean(dim=2), tokens != NUMBER[PAD]
    place = torch.arange(tokens.size(1))
    far = (weights * (place[:, None] - place).abs()).sum(-1)  # [layers, sentences, queries]
    return far[:, real].mean(dim=1).tolist()
