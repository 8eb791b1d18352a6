"""The parts of the machine that opens each chapter: where each is drawn, what section explains it.

The layout is that of the finished machine, so a part never moves: a chapter adds its own, and those
of later chapters are empty outlines.
"""

from machine_shapes import (
    Box,
    Part,
    down,
    left,
    projection,
    right,
    states,
    station,
    tiles,
    vector,
)

WIDTH, HEIGHT = 340, 588

CHAPTERS = {  # what each chapter adds
    "01_bottleneck": "state, window, memory",
    "02_qkv": "query, key, value",
    "03_scaling": "the root",
    "04_masks": "the mask",
    "05_multi_head": "heads",
    "06_cross_attention": "a second sequence",
    "07_block": "residual, norm, MLP",
    "08_positions": "positions",
    "09_pieces": "pieces",
    "10_next_token": "the cache, the next token",
    "11_find_the_bug": "tests",
    "12_language_model": "the next token",
    "13_fixed_state": "a state matrix",
}

PARTS = (
    Part(
        "state", "01_bottleneck", "a-recurrent-state",
        "state: one vector, updated with each token. Here it is the one who asks",
        Box(18, 36, 80, 46, "state", wide=True), vector(80, 50),
        wires="M58 82V401H110",
    ),
    Part(
        "memory", "01_bottleneck", "all-states",
        "memory: the states of all tokens, kept to be looked at",
        Box(166, 36, 170, 46, "memory", wide=True), states(),
        wires="M205 82V181H58M289 82V138H262V321H58",
    ),
    Part(
        "window", "01_bottleneck", "a-fixed-window",
        "window: the last few tokens only, averaged into one vector",
        Box(276, 61, 58, 20, "window"), "M280 61v3h50v-3", framed=False,
    ),
    Part(
        "output", "01_bottleneck", "the-formula",
        "output: what the one who asked gets back",
        Box(110, 388, 226, 26, "output", wide=True), right(110, 401),
    ),
    Part(
        "same", "02_qkv", "self-attention",
        "Y = X: in self-attention, the tokens that ask are the memory as well",
        Box(106, 46, 52, 24, "$Y = X$"), right(166, 76),
        wires="M98 76H166", framed=False,
    ),
    Part(
        "W_q", "02_qkv", "projections", "W_q: projects each token that asks to a query",
        projection(58, 90, "q"),
    ),
    Part(
        "W_k", "02_qkv", "projections", "W_k: projects each token of the memory to a key",
        projection(205, 90, "k"),
    ),
    Part(
        "W_v", "02_qkv", "projections", "W_v: projects each token of the memory to a value",
        projection(289, 90, "v"),
    ),
    Part(
        "query", "02_qkv", "shapes", "query Q, queries by d_k: what each token asks for",
        Box(18, 122, 80, 32, "query $Q$", ("$n * d_k$",)),
    ),
    Part(
        "key", "02_qkv", "shapes", "key K, keys by d_k: what each token is found by",
        Box(165, 122, 80, 32, "key $K$", ("$m * d_k$",)),
    ),
    Part(
        "value", "02_qkv", "shapes", "value V, keys by d_v: what each token hands over",
        Box(251, 122, 74, 32, "value $V$", ("$m * d_v$",)),
    ),
    Part(
        "scores", "02_qkv", "score-functions",
        "scores, queries by keys: each query compared with each key",
        station(166, "scores", "$QK^\N{DOWN TACK}$", "$n * m$"), down(58, 166) + down(205, 166),
    ),
    Part(
        "weights", "02_qkv", "the-formula",
        "weights A, queries by keys: the softmax of the scores; each row sums to one",
        station(271, "weights $A$", "softmax", "$n * m$"),
    ),
    Part(
        "weighted sum", "02_qkv", "convexity",
        "weighted sum O, queries by d_v: the values, summed with these weights",
        station(306, "weighted sum $O$", "$AV$", "$n * d_v$"), left(246, 321),
    ),
    Part(
        "root", "03_scaling", "the-formula", "root: the scores are divided by the root of d_k",
        station(201, "root", "$÷ √d_k$"),
    ),
    Part(
        "mask", "04_masks", "three-masks-in-code",
        "mask M, queries by keys: a score where the mask is False becomes minus infinity",
        station(236, "mask $M$", "False: $-∞$", "$n * m$"),
    ),
    Part(
        "heads", "05_multi_head", "in-code",
        "heads: queries, keys and values are split into H heads, which attend in parallel",
        Box(272, 228, 50, 44, "heads", ("$1…H$",)),
        behind=(Box(14, 124, 320, 223), Box(8, 118, 320, 223)),
    ),
    Part(
        "merge", "05_multi_head", "view-and-transpose",
        "merge: the outputs of the heads, side by side",
        station(353, "merge", "$[O^{(1)}, …, O^{(H)}]$"),
    ),
    Part(
        "W_o", "05_multi_head", "the-formula", "W_o: mixes what the heads return",
        projection(58, 389, "o"),
    ),
    Part(
        "second", "06_cross_attention", "the-formula",
        "second sequence Y: in cross-attention, the memory comes from another sequence",
        Box(166, 2, 170, 24, "second sequence $Y$"), down(251, 36), wires="M251 26V36",
    ),
    Part(
        "residual", "07_block", "norm-first",
        "residual: the output is added to the vector of the token that asked",
        station(424, "residual", "$X$ + output"), down(223, 424) + right(18, 439),
        wires="M223 414V424M18 59H3V439H18",
    ),
    Part(
        "norm", "07_block", "layer-norm",
        "norm: shifts and scales each token's vector by itself, before MLP and attention",
        station(459, "norm", "mean 0, variance 1"), wires="M58 454V529",
    ),
    Part(
        "MLP", "07_block", "the-mlp",
        "MLP: two linear layers with a nonlinear function between them, for each token by itself",
        station(494, "MLP", "$n * d_{hidden}$"),
    ),
    Part(
        "block", "07_block", "the-formula",
        "block output: the residual of the MLP, from which the next block begins",
        Box(18, 529, 318, 30, "block output", ("to the next block",), wide=True), right(18, 544),
        wires="M18 446H8V544H18",
    ),
    Part(
        "rotate", "08_positions", "rotary-positions",
        "rotate: queries and keys are turned by their positions, before they are compared",
        Box(270, 160, 54, 30, "rotate", ("$Q, K$",)), wires="M270 160H58",
    ),
    Part(
        "distance", "08_positions", "a-bias-by-distance",
        "distance: a bias for each distance of query and key is added to the scores",
        Box(270, 195, 54, 30, "bias", ("$t_i - t_j$",)), left(246, 216), wires="M270 216H246",
    ),
    Part(
        "pieces", "09_pieces", "attention-by-chunks",
        "pieces: the weights exist one tile at a time; a maximum and two sums are kept",
        Box(270, 276, 64, 22, "pieces"), tiles(281, 302),
    ),
    Part(
        "cache", "10_next_token", "rolling-window",
        "cache: the keys and values of the tokens so far, kept from step to step",
        Box(254, 354, 82, 28, "cache $K, V$"),
    ),
    Part(
        "next token", "10_next_token", "sampling",
        "next token: drawn from the probabilities, and appended to X for the next step",
        Box(198, 563, 138, 24, "next token", ("to $X$",), wide=True), wires="M267 559V563",
    ),
    Part(
        "tests", "11_find_the_bug", "prefix-test",
        "tests: the same tokens are given in two ways, and the outputs have to be the same",
        Box(270, 476, 64, 22, "tests"), down(302, 529), wires="M302 498V529",
    ),
    Part(
        "logits", "12_language_model", "the-model",
        "logits: after the last block, one number for each token that may come next",
        Box(98, 563, 86, 24, "logits"), right(198, 575), wires="M141 559V563M184 575H198",
    ),
    Part(
        "loss", "12_language_model", "one-step",
        "loss: in training, how unlikely the tokens were that came next",
        Box(18, 563, 66, 24, "loss"), left(84, 575), wires="M98 575H84",
    ),
    Part(
        "state matrix", "13_fixed_state", "a-delta-step",
        "state matrix S, d_k by d_v: keys write into it, queries read it, and its size is fixed",
        Box(101, 122, 61, 32, "state $S$", ("$d_k * d_v$",)),
        wires="M98 138H101M162 138H165M245 138H251",
    ),
    Part(
        "chosen blocks", "13_fixed_state", "chosen-blocks",
        "chosen blocks: each query attends to the few blocks of keys that the model chooses for it",
        Box(254, 420, 82, 22, "blocks"),
    ),
    Part(
        "hybrids", "13_fixed_state", "hybrids",
        "hybrids: some layers keep a state of fixed size, the others attend to all tokens",
        Box(254, 446, 82, 22, "hybrids"),
    ),
)  # fmt: skip
