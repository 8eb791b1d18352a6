"""Claim 57: what one more token costs a decoder layer, in bytes and in operations, by its cache.

One layer of width 4,096 with a gated MLP writes one token after others. Operations are counted in
its matrix products, on tensors that hold no data; what the mask hides does not count. Bytes are
those of what was there before the step and has to be read: the weights, and the cache, each number
once. Four ways to keep keys and values; the latent one is that of DeepSeek-V2, with its matrices
absorbed into the query and the output.
"""

import math

import torch
from measurements import Numbers, Series, number, run_and_save
from torch import Tensor
from torch.utils.flop_counter import FlopCounterMode
from verdicts import claim

D_MODEL, HEADS, D_K, HIDDEN, LAYERS = 4096, 32, 128, 11008, 32
LATENT, ROTATED, ITEM = 512, 64, 2  # numbers of a latent key; two bytes a number
LENGTHS = (256, 1024, 4096, 16384, 65536)
LONG, BATCHES = 16384, (1, 4, 16, 64, 256)
KINDS = {"all heads": 32, "8 heads": 8, "1 head": 1, "latent": 0}

CLAIMS = [
    claim(
        57,
        "One head of keys for all heads lets a decoder read far less for each token.",
        "One layer of width 4,096 with 32 heads, 16-bit numbers. Its cache holds {token_1} a token "
        "and layer instead of {token_32}. At {long} tokens a step reads {less_1} times less in "
        "all for a single text and {less_many_1} times less for each of {many} texts together; at "
        "1,024 tokens and one text {less_short} times less, because then it reads the weights.",
        "holds if",
        "the caches of all texts together are larger than the weights that the texts share",
        scope="one decoder layer of width 4,096 with 32 heads and 16-bit numbers, counted",
        control="The count is checked against the formula: the weights are {weights}, and each "
        "token of the cache adds {token_32} or {token_1}.",
        stands=lambda n: n.less_many_1 > 10 and n.less_short < 1.3 and n.less_1 > 1.5,
    )
]


class Step(FlopCounterMode):
    """Counts the operations of matrix products, and the bytes that they read of what was kept."""

    def __init__(self) -> None:
        super().__init__(display=False)
        self.read = 0

    @property
    def flops(self) -> int:
        return self.get_total_flops()

    def kept(self, *shape: int) -> Tensor:
        """Weights, or a part of a cache: each of its numbers is read once."""
        self.read += math.prod(shape) * ITEM
        return empty(*shape)

    def linear(self, x: Tensor, columns: int) -> Tensor:
        """x: [tokens, width], by a matrix that all texts share."""
        return torch.mm(x, self.kept(x.size(-1), columns))


def empty(*shape: int) -> Tensor:
    return torch.empty(*shape, device="meta")


def attend(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """query: [texts and heads of keys, group, width]."""
    scores = torch.bmm(query, key.mT) / math.sqrt(query.size(-1))
    return torch.bmm(scores.softmax(dim=-1), value)


def of_heads(count: Step, x: Tensor, kv_heads: int, length: int) -> None:
    rows = x.size(0) * kv_heads
    query = count.linear(x, HEADS * D_K).view(rows, HEADS // kv_heads, D_K)
    count.linear(x, 2 * kv_heads * D_K)  # the new key and value
    attend(query, count.kept(rows, length, D_K), count.kept(rows, length, D_K))


def of_latent(count: Step, x: Tensor, length: int) -> None:
    """Scores and outputs in the space of the latent vectors, of which all heads share one.

    A key is the latent vector and ROTATED numbers that hold its position; a value is the vector.
    """
    batch = x.size(0)
    query = count.linear(x, HEADS * (D_K + ROTATED)).view(HEADS, batch, -1)
    query = torch.bmm(query[..., :D_K], count.kept(HEADS, D_K, LATENT))  # absorbed W_k
    query = torch.cat([query, empty(HEADS, batch, ROTATED)], dim=-1).transpose(0, 1)
    count.linear(x, LATENT + ROTATED)
    key = count.kept(batch, length, LATENT + ROTATED)
    output = attend(query, key, key[..., :LATENT])  # [batch, heads, latent]
    torch.bmm(output.transpose(0, 1), count.kept(HEADS, LATENT, D_K))  # absorbed W_v


def step(kind: str, batch: int, length: int) -> Step:
    """One new token for each of `batch` texts of this length."""
    x = empty(batch, D_MODEL)
    with Step() as count:
        if kind == "latent":
            of_latent(count, x, length)
        else:
            of_heads(count, x, KINDS[kind], length)
        after_attention(count, batch)
    return count


def after_attention(count: Step, tokens: int) -> None:
    """W_o and a gated MLP."""
    x = count.linear(empty(tokens, HEADS * D_K), D_MODEL)
    for _ in range(2):
        count.linear(x, HIDDEN)
    count.linear(empty(tokens, HIDDEN), D_MODEL)


def prefill(length: int) -> Step:
    """All tokens of a text at once, with all heads; nothing is masked yet."""
    x = empty(length, D_MODEL)
    with Step() as count:
        count.linear(x, 3 * D_MODEL)
        heads = empty(HEADS, length, D_K)
        attend(heads, heads, heads)
        after_attention(count, length)
    return count


def prefill_flops(length: int) -> int:
    """Without the scores of keys ahead and the values they weight, which the mask hides."""
    ahead = length * (length - 1) // 2
    return prefill(length).flops - 2 * 2 * HEADS * D_K * ahead  # products; operations of each


def token(kind: str) -> int:
    """Bytes that a token adds to the cache of one layer."""
    numbers = 2 * KINDS[kind] * D_K if KINDS[kind] else LATENT + ROTATED
    return numbers * ITEM


def measure() -> tuple[Numbers, Series]:
    steps = {kind: [step(kind, 1, n) for n in LENGTHS] for kind in KINDS}
    series: Series = {
        "lengths": LENGTHS,
        "batches": BATCHES,
        "read": {kind: [s.read / 1e6 for s in found] for kind, found in steps.items()},
        "flops": {kind: [s.flops / 1e6 for s in found] for kind, found in steps.items()},
        "again": [prefill_flops(n) / 1e6 for n in LENGTHS],
        "read_each": {
            kind: [step(kind, b, LONG).read / b / 1e6 for b in BATCHES] for kind in KINDS
        },
    }
    long, many = LENGTHS.index(LONG), BATCHES[-1]
    full, alone = step("all heads", many, LONG), step("all heads", 1, 0)
    numbers = {
        "long": number(LONG, ",.0f"),
        "longest": number(LENGTHS[-1], ",.0f"),
        "many": number(many, ".0f"),
        "layers": number(LAYERS, ".0f"),
        "weights": number(alone.read / 1e6, ".0f", "MB"),
        "even": number(alone.read / token("all heads"), ",.0f", "tokens"),
        "less_short": number(series["read"]["all heads"][1] / series["read"]["1 head"][1], ".1f"),
        "saved": number(series["again"][long] / series["flops"]["all heads"][long], ",.0f"),
        "growth_flops": number(
            series["flops"]["all heads"][-1] / series["flops"]["all heads"][-2], ".1f"
        ),
        "growth_again": number(series["again"][-1] / series["again"][-2], ".1f"),
        "per_byte_weights": number(alone.flops / alone.read, ".0f"),
        "per_byte_weights_many": number(_without_cache(many), ".0f"),
        "per_byte_prefill": number(prefill_flops(LONG) / prefill(LONG).read, ",.0f"),
        "rotated": number(ROTATED, ".0f"),
        "hidden": number(HIDDEN, ",d"),
    }
    for kind, kv_heads in KINDS.items():
        numbers |= of_kind(kind, kv_heads or "latent", full, series)
    return numbers, series


def _without_cache(batch: int) -> float:
    """Operations for each byte of the weights, the cache left out."""
    found = step("all heads", batch, 0)
    return found.flops / found.read


def of_kind(kind: str, key: object, full: Step, series: Series) -> Numbers:
    many, long = BATCHES[-1], LENGTHS.index(LONG)
    found, without = step(kind, many, LONG), step(kind, many, 1)
    cached = (LONG - 1) * many * token(kind)  # bytes
    of_cache = (found.flops - without.flops) / cached
    whole = token(kind) * LAYERS
    return {
        f"token_{key}": number(token(kind) / 1024, ".3g", "KiB"),
        f"whole_{key}": number(whole / 1024, ".0f", "KiB"),
        f"text_{key}": number(whole * LONG / 2**30, ".2g", "GiB"),
        f"less_{key}": number(
            series["read"]["all heads"][long] / series["read"][kind][long], ".1f"
        ),
        f"less_many_{key}": number(full.read / found.read, ".0f"),
        f"read_{key}": number(series["read"][kind][long], ",.0f", "MB"),
        f"read_many_{key}": number(series["read_each"][kind][-1], ",.0f", "MB"),
        f"together_{key}": number(
            series["read_each"][kind][0] / series["read_each"][kind][-1], ".1f"
        ),
        f"flops_{key}": number(series["flops"][kind][long], ",.0f", "million"),
        f"per_byte_{key}": number(of_cache, ".0f"),
    }


if __name__ == "__main__":
    run_and_save(__file__, measure, CLAIMS, [])
