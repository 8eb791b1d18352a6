"""Layers of causal self-attention in four styles, some lines of which are others."""

from autograder.author import Case, Specimen

from .families import filled

PRODUCTS = """
def layer(x, W_q, W_k, W_v, W_o, num_heads):
    batch, length, d_model = x.shape
    query, key, value = (
        (x @ W).unflatten(2, (num_heads, -1)).transpose(1, 2) for W in ({matrices})
    )
    mask = torch.ones(length, length, device=x.device).tril().bool()
    {before}
    scores = query @ key.mT / math.sqrt({root})
    {mask}
    weights = scores.masked_fill(~mask, -math.inf).softmax({axis})
    {after}
    heads = weights @ value
    {end}
    return heads.{merged} @ W_o{out}
"""
LIBRARY = """
def layer(x, W_q, W_k, W_v, W_o, num_heads):
    def split(W):
        return (x @ W).unflatten(-1, (num_heads, d_k)).transpose(1, 2)

    n, d_model = x.size(1), x.size(2)
    d_k = d_model // num_heads
    i, j = torch.arange(n, device=x.device)[:, None], torch.arange(n, device=x.device)
    heads = F.scaled_dot_product_attention(split(W_q){factor}, split(W_k), split({value}), {how})
    return {merged} @ W_o{out}
"""
HEAD_BY_HEAD = """
def layer(x, W_q, W_k, W_v, W_o, num_heads):
    outputs = []
    for part in torch.arange(x.size(2), device=x.device).chunk(num_heads):
        q, k, v = x @ W_q[:, part], x @ W_k[:, part], x @ {value}[:, part]
        scores = torch.einsum("bqd,bkd->bqk", q, k) * {scale}
        later = torch.ones_like(scores).triu({ahead}) > 0
        shares = (scores - scores.detach().amax({axis}, keepdim=True)).exp(){kept}
        {late}
        outputs.append(shares / shares.sum({axis}, keepdim=True) @ v)
    return torch.cat(outputs, 2) @ W_o{out}
"""
QUERY_BY_QUERY = """
def layer(x, W_q, W_k, W_v, W_o, num_heads):
    key, value = ((x @ W).unflatten(2, (num_heads, -1)) for W in (W_k, {value}))
    outputs = []
    for i, token in enumerate(x.unbind(1)):
        query = (token @ W_q).unflatten(1, (num_heads, -1))
        scores = torch.einsum("bhd,bnhd->bhn", query, key) / {root} ** 0.5
        weights = {weights}
        outputs.append(torch.einsum("bhn,bnhd->bhd", weights, value[:, {seen}]))
    return torch.stack(outputs, dim=1).flatten(2) @ W_o{out}
"""
UNMERGED = "reshape(batch, length, d_model)"


def products(name, **lines):
    """By products of all heads at once."""
    given = dict.fromkeys(("before", "mask", "after", "end"), "pass")
    given |= {"matrices": "W_q, W_k, W_v", "root": "query.size(-1)", "axis": "dim=-1"}
    return made(name, PRODUCTS, given | {"merged": "transpose(1, 2).flatten(2)"} | lines)


def library(name, **lines):
    """By torch's own function."""
    given = {"factor": "", "value": "W_v", "how": "is_causal=True"}
    return made(name, LIBRARY, given | {"merged": "heads.transpose(1, 2).flatten(-2)"} | lines)


def head_by_head(name, **lines):
    """By a loop over the heads."""
    given = {"value": "W_v", "scale": "q.size(-1) ** -0.5", "ahead": "1", "axis": "2"}
    return made(name, HEAD_BY_HEAD, given | {"kept": " * ~later", "late": "pass"} | lines)


def query_by_query(name, seen=":i + 1", **lines):
    """By a loop over the positions, each of which sees a slice of the keys."""
    given = {"value": "W_v", "root": "query.size(2)", "seen": seen}
    return made(
        name, QUERY_BY_QUERY, given | {"weights": f"scores[..., {seen}].softmax(-1)"} | lines
    )


def made(name, template, lines):
    return Case(name, {"layer": Specimen(filled(template, **{"out": ""} | lines))})


def rounded(by):
    return f"heads = (heads + {by}) - {by}"
