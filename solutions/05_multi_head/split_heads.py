"""Cases, oracle and known mistakes of `split_heads`."""

import torch

from autograder.author import EVERY, Case, Exercise

exercise = Exercise(
    "split_heads",
    points=2,
    difficulty=2,
    minutes=12,
    returns=("the heads",),
    read="05_multi_head.html#view-and-transpose",
)


def inputs(rng, batch, length, num_heads, d_k, dtype=torch.float32):
    return {"x": rng.normal(batch, length, num_heads * d_k, dtype=dtype), "num_heads": num_heads}


@exercise.cases
def cases(rng):
    example = {"x": torch.arange(8.0).view(1, 2, 4), "num_heads": 2}
    yield Case("every dimension different", inputs(rng, 2, 6, 3, 4), gradient=True)
    yield Case("the example of the text", example)
    yield Case("one head and one position", inputs(rng, 3, 1, 1, 6))
    yield Case("heads of width 1", inputs(rng, 2, 8, 4, 1))
    yield Case("half precision", inputs(rng, 2, 3, 3, 5, torch.float16))


@exercise.secret_cases
def secret_cases(rng):
    d_k = rng.integer(3, 6)
    yield Case("as many heads as their width", inputs(rng, 3, 2 * d_k, d_k, d_k), gradient=True)
    yield Case("many heads in bfloat16", inputs(rng, 2, 24, 12, d_k, torch.bfloat16))
    yield Case("one sequence in float64", inputs(rng, 1, 8, 4, d_k, torch.float64))


exercise.promise("the result of a projection", "half precision", "many heads in bfloat16")
exercise.promise("It is not changed.", EVERY)
exercise.promise("number of heads, from 1", "one head and one position", "heads of width 1")
exercise.promise("The features head *", "every dimension different", "the example of the text")


@exercise.oracle
def head_by_head(x, num_heads):
    width = x.size(2) // num_heads
    return torch.stack([x[:, :, i * width :][:, :, :width] for i in range(num_heads)], dim=1)


@exercise.base
def right(x, num_heads):
    return x.unflatten(2, (num_heads, -1)).transpose(1, 2)


# fmt: off
right.mistake("views_without_a_transpose",
    {"unflatten(2, (num_heads, -1)).transpose(1, 2)":
        "reshape(x.size(0), num_heads, x.size(1), -1)"},
    "The shape is right, but the numbers are in the wrong places: `view` cut the sequence into "
    "blocks of tokens. In which order do the numbers of one token lie in memory?")
right.mistake("deals_features_out_in_turn",
    {"num_heads, -1": "-1, num_heads", "transpose(1, 2)": "permute(0, 3, 1, 2)"},
    "Head 0 gets features at regular intervals. It should get the first d_k in a row. Which of "
    "the two new axes changes slowest along a token's features?")
right.mistake("leaves_the_heads_behind_the_length", {".transpose(1, 2)": ""},
    "The heads are split, but their axis is still behind that of the length. Compare the order of "
    "your axes with the one in the docstring.")
right.mistake("turns_each_head_on_its_side", {"transpose(1, 2)": "permute(0, 2, 3, 1)"},
    "The last two axes of each head are swapped: d_k and length. Which two axes have to change "
    "places, and which stay?")
right.mistake("takes_the_number_for_the_width", {"num_heads, -1": "-1, num_heads"},
    "You use `num_heads` as the width of a head, and the width as the number of heads. Which of "
    "the two new axes has the length `num_heads`?")
right.mistake("merges_batch_and_heads", {"2)": "2).flatten(0, 1)"},
    "An axis is missing. If you merged batch and heads, as some implementations do, or squeezed "
    "axes of length 1, note that all four axes should stay.")
right.mistake("puts_the_heads_before_the_batch",
    {"x.unflatten(2, (num_heads, -1)).transpose(1, 2)": "torch.stack(x.chunk(num_heads, dim=2))"},
    "The heads come first, before the batch. If you stack them, along which axis?")
right.mistake("repeats_the_input",
    {"x.unflatten(2, (num_heads, -1)).transpose(1, 2)": "x[:, None].repeat(1, num_heads, 1, 1)"},
    "Each of your heads is the whole input. A head gets only d_model / num_heads of the features.")
right.mistake("slices_that_overlap",
    {"x.unflatten(2, (num_heads, -1)).transpose(1, 2)":
        "torch.stack([x[..., head:head + x.size(2) // num_heads] for head in "
        "range(num_heads)], dim=1)"},
    "The slices overlap: each begins one feature after the previous one. If you slice, with d_k "
    "features for each head, at which feature does head 1 begin?")
right.mistake("cuts_the_sequence",
    {"x.unflatten(2, (num_heads, -1)).transpose(1, 2)":
        "torch.stack(x.chunk(num_heads, dim=1), dim=1)"},
    "You cut the sequence, not the features: each head has some of the tokens with all of their "
    "features. Along which axis should you cut?")
# fmt: on


@exercise.variant
def viewed_and_transposed(x, num_heads):
    batch, length, d_model = x.size()
    return x.view(batch, length, num_heads, d_model // num_heads).transpose(1, 2).contiguous()


@exercise.variant
def chunks_stacked(x, num_heads):
    return torch.stack(x.chunk(num_heads, dim=-1), 1)


@exercise.variant
def chosen_by_index(x, num_heads):
    features = torch.arange(x.shape[-1], device=x.device).reshape(num_heads, -1)
    return x[:, :, features].movedim(2, 1)


@exercise.variant
def with_selecting_matrices(x, num_heads):
    width = x.size(-1)
    one_hot = torch.eye(width, dtype=x.dtype, device=x.device).view(width, num_heads, -1)
    return torch.einsum("blm,mhk->bhlk", x, one_hot)
