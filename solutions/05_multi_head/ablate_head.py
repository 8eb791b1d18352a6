"""Cases, oracle and known mistakes of `ablate_head`."""

import torch

from autograder.author import EVERY, Case, Exercise, Finite

exercise = Exercise(
    "ablate_head",
    points=3,
    difficulty=3,
    minutes=15,
    returns=("output",),
    read="05_what_heads_do.html#silencing-heads",
    builds_on=("merge_heads",),
    properties=(Finite(),),
)


def inputs(rng, batch, num_heads, queries, d_v, d_model, head, dtype=torch.float32):
    return {
        "heads": rng.normal(batch, num_heads, queries, d_v, dtype=dtype),
        "weight": rng.normal(d_model, num_heads * d_v, dtype=dtype),
        "bias": rng.normal(d_model, dtype=dtype),
        "head": head,
    }


@exercise.cases
def cases(rng):
    yield Case("every dimension different", inputs(rng, 2, 3, 4, 5, 7, 1), gradient=True)
    heads, weight = torch.tensor([[[[5.0]], [[7]]]]), torch.tensor([[1.0, 10]])
    example = {"heads": heads, "weight": weight, "bias": torch.tensor([100.0]), "head": 0}
    yield Case("the first head in half precision", inputs(rng, 3, 4, 2, 3, 12, 0, torch.float16))
    yield Case("the last head", inputs(rng, 2, 4, 5, 2, 8, 3))
    yield Case("the example of the text", example)
    only = inputs(rng, 2, 1, 3, 4, 1, 0, torch.float16)
    yield Case("the only head in half precision", only, gradient=True)
    nothing = inputs(rng, 2, 3, 4, 3, 6, 2)
    nothing["heads"][1, 2], nothing["heads"][0, 2, 1] = float("inf"), float("-inf")
    yield Case("the head to remove overflowed", nothing, gradient=True)


@exercise.secret_cases
def secret_cases(rng):
    head, queries = rng.integer(1, 5), rng.integer(6, 9)
    yield Case("many heads", inputs(rng, 3, 6, queries, 4, 9, head), gradient=True)
    yield Case("as many heads as all else", inputs(rng, 4, 4, 4, 4, 4, 2), gradient=True)
    yield Case("one sequence and one query", inputs(rng, 1, 3, 1, 2, 5, 1))
    yield Case("heads of width 1", inputs(rng, 2, 5, queries, 1, 3, head))
    yield Case("float64", inputs(rng, 2, 5, queries, 3, 15, head, torch.float64))


exercise.promise("the result of each head", "the first head in half precision", "float64")
exercise.promise("The head to be removed", "the head to remove overflowed")
exercise.promise("Not changed.", EVERY)
exercise.promise("of `W_o`, as `nn.Linear`", "every dimension different")
exercise.promise("which head to remove", "the first head in half precision", "the last head")
exercise.promise("It may be the only one.", "the only head in half precision")
exercise.promise("The output, in the dtype", EVERY)
exercise.promise("Gradients flow to all three; those", "every dimension different")


@exercise.oracle
def sum_of_the_others(heads, weight, bias, head):
    total = bias.expand(heads.size(0), heads.size(2), -1)
    for other, columns in enumerate(weight.chunk(heads.size(1), dim=1)):
        if other != head:
            total = total + heads[:, other] @ columns.T
    return total


@exercise.base
def right(heads, weight, bias, head):
    kept = heads.clone()
    kept[:, head] = 0
    return kept.transpose(1, 2).flatten(2) @ weight.T + bias


# fmt: off
@exercise.misconception(
    "You return the contribution of the head. The exercise asks for the output without it."
)
def returns_the_contribution(heads, weight, bias, head):
    d_v = heads.size(3)
    return heads[:, head] @ weight[:, head * d_v : (head + 1) * d_v].T


@exercise.misconception("You keep this head and remove all others. Which one should be removed?")
def keeps_only_the_head(heads, weight, bias, head):
    d_v = heads.size(3)
    return heads[:, head] @ weight[:, head * d_v : (head + 1) * d_v].T + bias


right.mistake("loses_the_bias", {" + bias": ""},
    "The bias is missing. It belongs to W_o, not to a head, so removing a head leaves it as it is.")
right.mistake("scales_up_the_rest",
    {"= 0": "= 0\n    kept = kept * heads.size(1) / max(heads.size(1) - 1, 1)"},
    "What is left is scaled up, as dropout does. Removing a head leaves the others unchanged.")
right.mistake("changes_the_callers_heads",
    {"kept = heads.clone()\n    kept[:, head] = 0": "heads.data[:, head] = 0",
     "return kept": "return heads"},
    "You set the head to zero in the caller's tensor, so the caller has lost it. Work on a copy.")
right.mistake("merges_without_a_transpose",
    {"transpose(1, 2).flatten(2)": "reshape(heads.size(0), heads.size(2), -1)"},
    "The heads are merged without exchanging two axes, so rows mix tokens. Compare this with your "
    "`merge_heads`.")
right.mistake("clears_rows_of_the_weight",
    {"kept = heads": "d_v, kept = heads.size(3), weight",
     "[:, head]": "[head * d_v : (head + 1) * d_v]",
     "return kept": "return heads",
     "weight.T": "kept.T"},
    "You remove rows of the weight, which are features of the output. Which axis of `W_o.weight` "
    "reads the heads?")
right.mistake("clears_every_so_many_th_column",
    {"heads.clone": "weight.clone",
     "[:, head]": "[:, head :: heads.size(1)]",
     "return kept": "return heads",
     "weight.T": "kept.T"},
    "You remove columns at regular intervals. A head's columns lie next to each other. At which "
    "column does it start?")
right.mistake("multiplies_the_head_by_zero", {"] = 0": "] *= 0"},
    "Everything is right except where the removed head is infinite: 0 times infinity is NaN, and "
    "so is infinity minus infinity. Leave the head out, or replace its numbers.")
right.mistake("clears_the_columns_of_the_weight",
    {"kept = heads": "d_v, kept = heads.size(3), weight",
     "[:, head]": "[:, head * d_v : (head + 1) * d_v]",
     "return kept": "return heads",
     "weight.T": "kept.T"},
    "Everything is right except where the removed head is infinite. If you clear the columns of "
    "the weight that read it, what is 0 times infinity? Replace the head's numbers, or leave them "
    "out.")
right.mistake("clears_a_query", {"[:, head]": "[:, :, head]"},
    "You clear one query of every head instead of one head. Which axis of `heads` counts the "
    "heads?")
right.mistake("removes_nothing", {"    kept[:, head] = 0\n": ""},
    "Nothing is removed: this is the output with all heads. If you set zeros in a copy, do you "
    "then use that copy?")
right.mistake("removes_a_share_of_the_bias",
    {"+ bias": "+ bias * (heads.size(1) - 1) / heads.size(1)"},
    "Part of the bias is removed with the head. The bias belongs to W_o, not to a head, and stays "
    "whole.")


@exercise.misconception(
    "The call raises an exception where the head to remove is the only one. If you join or add up "
    "the results of the other heads, what is left to join in this case?"
)
def needs_another_head(heads, weight, bias, head):
    parts = zip(heads.unbind(1), weight.chunk(heads.size(1), dim=1), strict=True)
    others = [x @ columns.T for at, (x, columns) in enumerate(parts) if at != head]
    return torch.stack(others).sum(dim=0) + bias
# fmt: on


@exercise.variant
def replaced_by_zeros(heads, weight, bias, head):
    kept = heads.clone()
    kept[:, head] = 0
    merged = kept.transpose(1, 2).reshape(heads.size(0), heads.size(2), -1)
    return torch.nn.functional.linear(merged, weight, bias)


@exercise.variant
def left_out_of_both(heads, weight, bias, head):
    others = [i for i in range(heads.size(1)) if i != head]
    matrices = weight.unflatten(1, (heads.size(1), -1))[:, others]
    return torch.einsum("bhqv,mhv->bqm", heads[:, others], matrices) + bias


@exercise.variant
def one_product_of_what_is_left(heads, weight, bias, head):
    d_v = heads.shape[-1]
    parts = [part for i, part in enumerate(heads.unbind(1)) if i != head]
    if not parts:
        return bias.repeat(heads.shape[0], heads.shape[2], 1)
    left, right = weight[:, : head * d_v], weight[:, (head + 1) * d_v :]
    return torch.matmul(torch.cat(parts, -1), torch.cat([left, right], 1).t()) + bias
