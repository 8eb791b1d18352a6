"""What can be wrong with a layer, each kind in several styles: a seed draws members of each."""

from .families import mixed
from .layers import UNMERGED, head_by_head, library, products, query_by_query, rounded

LATE = "v = shares / shares.sum(2, keepdim=True) * ~later @ v"
ONCE = "shares = torch.eye(x.size(1)).to(x).expand_as(shares)"
WIDE = "query, key, value = (t.double() for t in (query, key, value))"


def kinds(share):
    """By kind, the styles and the lines in which it is written. share: what is dropped."""
    return {
        "nothing": [(products, {}), (library, {}), (head_by_head, {}), (query_by_query, {})],
        "no root": [
            (products, {"root": "1"}),
            (library, {"factor": " * d_k ** 0.5"}),
            (head_by_head, {"scale": "1.0"}),
            (query_by_query, {"root": "1"}),
        ],
        "root of the width": [
            (products, {"root": "d_model"}),
            (library, {"factor": " * num_heads ** -0.5"}),
            (head_by_head, {"scale": "x.size(2) ** -0.5"}),
            (query_by_query, {"root": "x.size(2)"}),
        ],
        "softmax over the queries": [
            (products, {
                "axis": "dim=-2", "mask": "scores = scores.masked_fill(~mask, -1e9)",
                "after": "weights = weights * mask"}),
            (head_by_head, {"axis": "1"}),
        ],
        "no mask": [
            (products, {"mask": "mask = mask | True"}),
            (library, {"how": "attn_mask=None"}),
            (head_by_head, {"kept": ""}),
            (query_by_query, {"seen": ":"}),
        ],
        "mask inverted": [
            (products, {"mask": "mask = mask.T"}),
            (products, {"mask": "mask = mask.triu() | mask.T"}),
            (library, {"how": "attn_mask=j >= i"}),
            (head_by_head, {"kept": " * ~later.mT"}),
            (query_by_query, {"seen": "i:"}),
        ],
        "one key ahead": [
            (products, {"mask": "mask = torch.ones_like(scores).tril(1).bool()"}),
            (library, {"how": "attn_mask=j < i + 2"}),
            (head_by_head, {"ahead": "2"}),
            (query_by_query, {"seen": ":i + 2"}),
        ],
        "masked after the softmax": [
            (products, {"after": "weights = scores.softmax(dim=-1) * mask"}),
            (head_by_head, {"kept": "", "late": f"{LATE}; {ONCE}"}),
            (query_by_query, {"weights": "scores.softmax(-1)[..., :i + 1]"}),
        ],
        "heads not merged": [
            (products, {"merged": UNMERGED}),
            (products, {"merged": "reshape(x.shape)"}),
            (library, {"merged": "heads.contiguous().view(x.shape)"}),
        ],
        "keys as values": [
            (products, {"matrices": "W_q, W_k, W_k"}),
            (library, {"value": "W_k"}),
            (head_by_head, {"value": "W_k"}),
            (query_by_query, {"value": "W_k"}),
        ],
        "dropout": [
            (products, {"after": f"weights = F.dropout(weights, {share})"}),
            (products, {"before": f"query = F.dropout(query, {share})"}),
            (library, {"how": f"is_causal=True, dropout_p={share}"}),
            (query_by_query, {"weights": f"F.dropout(scores[..., :i + 1].softmax(-1), {share})"}),
        ],
    }  # fmt: skip


def disguise(rng, style):
    """What changes nothing but rounding."""
    times, how = rng.integer(3, 99), rng.integer(0, 4)
    some = {"out": f" * {times} / {times}"}
    if style is products:
        some |= [
            {},
            {"end": rounded(rng.integer(40, 90) / 7)},
            {"before": WIDE, "end": "heads = heads.to(W_o)"},
            {"end": "heads = heads.clone()"},
        ][how]
    return some


def members(rng, first):
    """Two of each kind in an order of the seed's, called layer `first` and so on."""
    drawn = []
    for kind in kinds(rng.integer(10, 50) / 100).values():
        drawn += mixed(rng, kind)[:2]
    for at, (style, lines) in enumerate(mixed(rng, drawn)):
        yield style(f"layer {first + at}", **disguise(rng, style) | lines)
