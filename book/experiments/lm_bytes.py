"""A trained transformer in one byte a weight, small enough to lie in a page, and what it writes.

The page draws with these weights; how many of the words it writes are known is measured here.
"""

import base64
import copy
import re
from dataclasses import replace

import torch
from lm_model import LENGTH, VOCABULARY, Attention, Transformer
from lm_text import START, documents, tokens_of
from lm_training import mean, tokenizer
from torch import Tensor

MOST = 127  # steps of the largest weight of a matrix: a byte with a sign
WORD = re.compile("[A-Za-z]{3,}")
PROMPTS = ("The", "If the", "is not", "an object")  # each ends in its only word of three letters
TOKENS, TEXTS = 60, 50  # drawn for a text, and texts for a prompt
SHOWN = 4  # texts that stand in where no script runs


def rounded(model: Transformer) -> Transformer:
    """A copy, each of whose matrices has whole multiples of its step; a query sees a window."""
    model = copy.deepcopy(model)
    for weight in model.parameters():
        weight.data = (weight.data / step(weight)).round() * step(weight)
    for attention in model.modules():
        if isinstance(attention, Attention):
            attention.kind = replace(attention.kind, window=LENGTH)
    return model


def step(weight: Tensor) -> float:
    return float(weight.detach().abs().max()) / MOST


def used() -> Tensor:
    """The start, and the tokens that the training text has: no other can be learned."""
    return torch.cat(tokens_of(documents()[0], tokenizer())).unique()


def packed(model: Transformer) -> dict[str, object]:
    """Its matrices one after the other: [name, rows, columns, step] of each, and all the bytes."""
    parts, bytes_ = [], b""
    for name, weight in model.named_parameters():
        if name == "positions.weight":  # turned, not added
            continue
        matrix = (weight[used()] if name == "embed.weight" else weight).detach()
        matrix = matrix.reshape(-1, matrix.size(-1))
        parts.append([name, *matrix.shape, step(weight)])
        bytes_ += (matrix / step(weight)).round().to(torch.int8).numpy().tobytes()
    return {"parts": parts, "weights": base64.b64encode(bytes_).decode()}


@torch.no_grad()
def drawn(model: Transformer, prompt: str, temperature: float) -> list[str]:
    """Texts after a prompt. The start and tokens that were never seen are not drawn."""
    rng = torch.Generator().manual_seed(0)
    never = torch.ones(VOCABULARY, dtype=torch.bool)
    never[used()[1:]] = False
    begun = torch.tensor([START, *tokenizer().encode(prompt)])
    tokens = begun.repeat(TEXTS, 1)
    for _ in range(TOKENS):
        logits = model(tokens)[:, -1].masked_fill(never, -torch.inf)
        weights = (logits / temperature).softmax(dim=-1)
        tokens = torch.cat([tokens, torch.multinomial(weights, 1, generator=rng)], dim=1)
    return [prompt + tokenizer().decode(row[len(begun) :].tolist()) for row in tokens]


def words(text: str) -> list[str]:
    return [word.lower() for word in WORD.findall(text)]


def vocabulary() -> set[str]:
    """The words of the training text."""
    return {word for text in documents()[0] for word in words(text)}


def found(texts: list[list[str]]) -> float:
    """Percent of the words that are in the training text."""
    known = vocabulary()
    return 100 * mean(float(word in known) for text in texts for word in text)


def words_written(model: Transformer, temperature: float) -> list[list[str]]:
    """Words of the texts: not the prompt's, and not the last, which may be cut."""
    return [words(text)[1:-1] for prompt in PROMPTS for text in drawn(model, prompt, temperature)]


def shipped(model: Transformer, temperatures: tuple[float, ...]) -> dict[str, object]:
    """What the page ships: the model, its tokens, the known words, and a few texts."""
    place = {token: at for at, token in enumerate(used().tolist())}
    prompts = {p: [place[token] for token in tokenizer().encode(p)] for p in PROMPTS}
    texts = {f"{cold:g}": drawn(model, PROMPTS[0], cold)[:SHOWN] for cold in temperatures}
    return {
        **packed(model),
        "tokens": [tokenizer().decode([token]) for token in place],
        "prompts": prompts,
        "words": " ".join(sorted(vocabulary())),
        "written": texts,
    }
