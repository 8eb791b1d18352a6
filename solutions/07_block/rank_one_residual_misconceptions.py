"""Known mistakes of `rank_one_residual`."""

import torch

from .rank_one_residual import exercise


def widened(x):
    return x.to(torch.promote_types(x.dtype, torch.float32))


def size(x):
    return x.square().sum(dim=(-2, -1)).sqrt()


def share(part, whole):
    return part / whole.masked_fill(whole == 0, 1.0)


def centred(x):
    return x - x.mean(dim=-2, keepdim=True)


@exercise.base
def right(x):
    wide = widened(x)
    return share(size(centred(wide)), size(wide)).to(x.dtype)


@exercise.base
def of_both(x):
    wide = widened(x)
    rest, whole = (part.square().sum(dim=(-2, -1)).sqrt() for part in (centred(wide), wide))
    return share(rest, whole).to(x.dtype)


# fmt: off
right.mistake("mean_of_each_token", {"centred(wide)": "wide - wide.mean(dim=-1, keepdim=True)"},
    "You subtract from each token the mean of its own features. Which axis holds the tokens that "
    "you should compare?")
right.mistake("mean_of_all_entries",
    {"centred(wide)": "wide - wide.mean(dim=(-2, -1), keepdim=True)"},
    "You subtract one number from everything: the mean of all entries. The mean token has a "
    "number for each feature. Along which axis does it average?")
right.mistake("not_as_a_share", {"share(size(centred(wide)), size(wide))": "size(centred(wide))"},
    "You return the absolute size of what is left. If all tokens are twice as long, are they less "
    "alike? Divide by the size of x.")
right.mistake("forgets_the_roots", {"size(wide))": "size(wide)).square()"},
    "Your result is the square of the distance. A size is the root of a sum of squares.")
right.mistake("over_the_whole_batch",
    {"size(centred(wide)), size(wide)":
        "centred(wide).square().sum().sqrt(), wide.square().sum().sqrt()"},
    "You return one number for all sequences together. Which axes may the sums of squares "
    "run over?")
right.mistake("mean_token_of_the_batch",
    {"centred(wide)": "wide - wide.reshape(-1, x.size(-1)).mean(dim=0)"},
    "The sizes are right, but the mean token is that of the whole batch. Each sequence has its "
    "own mean token.")
right.mistake("zero_over_zero", {" share": "", ", size": "/ size"},
    "A sequence of zeros gives NaN: 0 / 0. Which number may replace the denominator there?")
right.mistake("squares_in_half_precision", {"widened(x)": "x"},
    "Squares of float16 are computed in float16: above 255 they are infinite, and below 0.0002 "
    "they are 0. In which dtype can you compute them?")
right.mistake("sizes_in_half_precision",
    {"wide = widened(x)": "rest, whole = (part.norm(dim=(-2, -1)) for part in (centred(x), x))",
     "size(centred(wide)), size(wide)).to(x.dtype": "rest, whole"},
    "You compute in the dtype of x. In float16 the mean of two neighbouring numbers is rounded to "
    "one of them, and sizes above 65,504 are infinite. In which dtype can you compute everything?")
right.mistake("mean_in_half_precision",
    {"centred(wide)": "wide - widened(x.mean(dim=-2, keepdim=True))"},
    "Nearly equal tokens are wrong in float16: the mean of two neighbouring numbers lies between "
    "them, where there is no float16 number. In which dtype do you take the mean, or subtract it?")
right.mistake("difference_of_squares",
    {"size(centred(wide))":
        "(size(wide).square() - x.size(-2) * "
        "wide.mean(dim=-2).square().sum(dim=-1)).clamp(min=0).sqrt()"},
    "You subtract one sum of squares from another. Where tokens are nearly equal, only rounding "
    "is left of the difference. Which numbers are small before you square them?")


@exercise.misconception(
    "You compute a difference of two sums of squares. Both are large, and where tokens are nearly "
    "equal no digit of the difference is right. Subtract the mean token before you square "
    "anything."
)
def difference_of_sums(x):
    wide = widened(x)
    whole = wide.square().sum(dim=(-2, -1))
    rest = whole - x.size(-2) * wide.mean(dim=-2).square().sum(dim=-1)
    return share(rest.clamp(min=0), whole).sqrt().to(x.dtype)


right.mistake("returns_float32",
    {"wide = widened(x)\n    return": "return",
     "wide)), size(wide)).to(x.dtype": "x.float())), size(x.float())"},
    "You compute in float32 and return it. The exercise asks for the caller's dtype.")
of_both.mistake("mean_over_the_tokens", {"dim=(-2, -1)": "dim=-1", "to": "mean(dim=-1).to"},
    "You compare each token with its own size and average that. The exercise asks for the size of "
    "everything left over the size of all of x.")
right.mistake("nearest_of_rank_one",
    {"return share(size(centred(wide)), size(wide))":
        "rest = share(torch.linalg.svdvals(wide)[..., 1:].square().sum(dim=-1).sqrt(), "
        "size(wide))\n"
        "    return rest.masked_fill(rest < 1e-6, 0)"},
    "You compute the distance from the nearest matrix of rank one, by singular values. Its rows "
    "may be multiples of one another. Here all rows have to be the same token.")
of_both.mistake("spectral_norms",
    {"part.square().sum(dim=(-2, -1)).sqrt()": "torch.linalg.matrix_norm(part, ord=2)"},
    "Your sizes are largest singular values (`ord=2`). The exercise asks for the root of the sum "
    "of the squares of all entries.")
of_both.mistake("sums_of_magnitudes", {"square": "abs", "1)).sqrt()": "1))"},
    "Your sizes are sums of magnitudes. The exercise asks for roots of sums of squares.")
right.mistake("from_the_first_token", {"centred(wide)": "wide - wide[..., :1, :]"},
    "You subtract the first token from all of them. The row that is nearest to all tokens "
    "together is their mean.")
right.mistake("over_the_size_of_the_mean",
    {"size(wide)": "size(wide.mean(dim=-2, keepdim=True).expand_as(wide))"},
    "You divide by the size of the mean tokens. The exercise asks for the size of x, so that the "
    "result is 1 at most.")
right.mistake("divides_by_one_less",
    {"share": "((x.size(-2) / max(x.size(-2) - 1, 1)) ** 0.5 * share", ".to": ").to"},
    "Your distance is too large by the root of n / (n - 1), for n tokens. If you use `var` or "
    "`std`, note that they divide by n - 1 unless you pass `correction=0`.")
of_both.mistake("a_number_for_each_token",
    {"wide = widened(x)\n    rest": "rest",
     "dim=(-2, -1)": "dim=-1",
     "wide), wide": "widened(x)), widened(x)"},
    "You return a number for each token. The exercise asks for one for each sequence. Which axes "
    "may the sums of squares run over?")
right.mistake("changes_x",
    {"widened(x)": "size(widened(x))\n    x -= x.mean(dim=-2, keepdim=True)",
     "size(centred(wide)), size(wide)": "size(widened(x)), wide"},
    "You change the caller's x. What does `-=` do to a tensor?")
right.mistake("adds_to_the_denominator", {" share": "", ", size(wide)": "/ (size(wide) + 1e-6)"},
    "The number you add to the denominator is not small compared with small tokens. Only a "
    "denominator that is exactly 0 needs help.")
