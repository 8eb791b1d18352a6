"""Cases, oracle and known mistakes of `count_parameters`."""

from torch import nn

from autograder.author import EVERY, UNTRIED, Case, Exercise

exercise = Exercise(
    "count_parameters",
    points=2,
    difficulty=2,
    minutes=10,
    returns=("the number",),
    read="05_multi_head.html#heads-cost",
)


def inputs(d_model, num_heads, d_k, d_v, bias):
    return {"d_model": d_model, "num_heads": num_heads, "d_k": d_k, "d_v": d_v, "bias": bias}


@exercise.cases
def cases(rng):
    yield Case("all widths different", inputs(10, 3, 4, 5, True))
    yield Case("the same without biases", inputs(10, 3, 4, 5, False))
    yield Case("heads that share d_model", inputs(768, 12, 64, 64, True))
    yield Case("one head as wide as the model", inputs(768, 1, 768, 768, True))
    yield Case("one head of a base model without biases", inputs(768, 1, 64, 64, False))


@exercise.secret_cases
def secret_cases(rng):
    for name, bias in (("with biases", True), ("without biases", False)):
        d_model, num_heads = rng.integer(20, 40), rng.integer(5, 9)
        yield Case(name, inputs(d_model, num_heads, rng.integer(9, 14), rng.integer(2, 7), bias))
    yield Case("heads that keep the full width", inputs(512, 8, 512, 512, True))
    yield Case("everything is 1", inputs(1, 1, 1, 1, True))


exercise.promise("width of the inputs", "all widths different")
exercise.promise("number of heads.", "all widths different", "one head as wide as the model")
exercise.promise("width of the queries", "all widths different")
exercise.promise(
    "whether each of the four layers", "all widths different", "the same without biases"
)
exercise.promise("The number, a Python int.", EVERY)
exercise.promise("It does not have to be fast.", UNTRIED)


@exercise.oracle
def counted_in_layers(d_model, num_heads, d_k, d_v, bias):
    wide, widths = num_heads * d_v, (num_heads * d_k, num_heads * d_k, num_heads * d_v)
    layers = [nn.Linear(d_model, width, bias=bias, device="meta") for width in widths]
    layers.append(nn.Linear(wide, d_model, bias=bias, device="meta"))
    return sum(parameter.numel() for layer in layers for parameter in layer.parameters())


@exercise.base
def right(d_model, num_heads, d_k, d_v, bias):
    return (d_model + bias) * num_heads * (2 * d_k + d_v) + (num_heads * d_v + bias) * d_model


# fmt: off
right.mistake("forgets_the_output_layer", {" + (num_heads * d_v + bias) * d_model": ""},
    "You leave out W_o. Four layers belong to the module, not three.")
right.mistake("forgets_the_biases",
    {"(d_model + bias)": "2 * d_model",
     "2 * d_k": "d_k",
     " + (num_heads * d_v + bias) * d_model": ""},
    "Everything is right where there are no biases. Each of the four layers has a bias. How long "
    "is it?")
right.mistake("always_counts_biases",
    {"(d_model + bias) *": "2 * d_model * num_heads * (d_k + d_v) +",
     "+ (num_heads * d_v + bias) *": "+"},
    "You count biases even where `bias` says that there are none. What should it change?")
right.mistake("counts_one_head",
    {"(d_model + bias) * num_heads": "2 * d_model * (d_k + d_v) + bias",
     "d_v) + (num_heads * d_v + bias) * d_model": "d_v + d_model)"},
    "You count one head. Each projection holds `num_heads` of them side by side.")
right.mistake("counts_four_squares",
    {"return": "return 4 * d_model *",
     " * num_heads * (2 * d_k + d_v) + (num_heads * d_v + bias) * d_model": ""},
    "You count four square matrices, which is right only if num_heads * d_k and num_heads * d_v "
    "both equal d_model. How wide are the input and the output of each layer?")
right.mistake("takes_the_wrong_side_for_the_bias",
    {"(d_model + bias)": "2 * d_model",
     "2 * d_k": "d_k",
     "(num_heads * d_v + bias) * d_model": "bias * (2 * num_heads * (d_k + d_v))"},
    "The weights are right, but the biases are not: a bias is as long as the output of its layer. "
    "How wide is the output of W_o?")
right.mistake("gives_each_head_a_bias_of_w_o",
    {"(d_model + bias) * num_heads * (2 * d_k + d_v) + (num_heads * d_v + bias) * d_model":
        "num_heads * (2 * d_model * (d_k + d_v) + bias * (2 * d_k + d_v + d_model))"},
    "You give every head its own W_o with its own bias. W_o is one layer, with one bias.")
right.mistake("takes_d_k_for_d_v",
    {"(d_model + bias) * num_heads * (2 * d_k + d_v) + (num_heads * d_v + bias) * d_model":
        "4 * d_model * num_heads * d_k + bias * (3 * num_heads * d_k + d_model)"},
    "Your values are as wide as your keys. They need not be. Where does d_v matter, and where d_k?")
right.mistake("gives_w_o_the_width_of_the_keys", {"* d_v": "* d_k"},
    "W_o does not read keys. What do the heads return, and how wide is that?")
right.mistake("takes_w_o_for_a_square",
    {"num_heads * (2 * d_k + d_v) + (num_heads * d_v + bias) * d_model":
        "(num_heads * (2 * d_k + d_v) + d_model)"},
    "W_q, W_k and W_v are right. You count W_o as a square of d_model. How wide are all heads "
    "together, which W_o reads?")
right.mistake("counts_one_head_before_w_o", {"* num_heads *": "*"},
    "W_o reads all heads, but you count W_q, W_k and W_v for a single one. How many features does "
    "each of them return?")
right.mistake("takes_every_bias_for_the_input",
    {"(d_model + bias)": "2 * d_model",
     "2 * d_k": "d_k",
     "(num_heads * d_v + bias) * d_model": "bias * (3 * d_model + num_heads * d_v)"},
    "The weights are right. Your biases are as long as the input of a layer. What is a bias added "
    "to?")
# fmt: on


@exercise.variant
def counted_head_by_head(d_model, num_heads, d_k, d_v, bias):
    total = 0
    for _ in range(num_heads):
        total += 2 * d_model * d_k + 2 * d_model * d_v
        if bias:
            total += 2 * d_k + d_v
    return total + (d_model if bias else 0)


@exercise.variant
def layer_by_layer(d_model, num_heads, d_k, d_v, bias):
    def linear(into, out):
        return into * out + out * int(bias)

    key, value = num_heads * d_k, num_heads * d_v
    return 2 * linear(d_model, key) + linear(d_model, value) + linear(value, d_model)


@exercise.variant
def real_layers(d_model, num_heads, d_k, d_v, bias):
    module = nn.ModuleDict({
        "W_q": nn.Linear(d_model, num_heads * d_k, bias),
        "W_k": nn.Linear(d_model, num_heads * d_k, bias),
        "W_v": nn.Linear(d_model, num_heads * d_v, bias),
        "W_o": nn.Linear(num_heads * d_v, d_model, bias),
    })  # fmt: skip
    return sum(p.numel() for p in module.parameters())
