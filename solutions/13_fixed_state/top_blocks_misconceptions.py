"""Known mistakes of `top_blocks`."""

import math

import torch
import torch.nn.functional as F

from .top_blocks import exercise


@exercise.base
def right(query, key, block, count):
    length = key.size(-2)
    blocks = -(-length // block)
    at = torch.arange(length, device=key.device)
    own, place = at[:, None] // block, torch.arange(blocks, device=key.device)
    padded = F.pad(key, (0, 0, 0, blocks * block - length))
    means = padded.unflatten(-2, (blocks, block)).mean(dim=-2)
    scores = query @ means.mT
    scores = scores.masked_fill(place > own, -math.inf)
    scores = scores.masked_fill(place == own, math.inf)
    ranks = scores.argsort(dim=-1, descending=True, stable=True).argsort(dim=-1)
    chosen = ranks < count
    mask = chosen.repeat_interleave(block, dim=-1)[..., :length]
    return mask & (at <= at[:, None])


# fmt: off
right.mistake("lets_the_own_block_compete",
    {"    scores = scores.masked_fill(place == own, math.inf)\n": ""},
    "A query's own block has to be chosen like the others, so it may be missing, or another block "
    "with it. It is always kept, whatever its score.")
right.mistake("lets_a_short_own_block_compete",
    {"    scores = scores.masked_fill(place == own, math.inf)\n": "",
     "means = padded.unflatten(-2, (blocks, block)).mean(dim=-2)":
        "means = torch.stack([part.mean(dim=-2) for part in key.split(block, -2)], dim=-2)",
     "    padded = F.pad(key, (0, 0, 0, blocks * block - length))\n": ""},
    "You let a query's own block compete, with the mean of all its keys, even those after the "
    "query. It may then be missing. It needs no score: a query always reads its own block, up to "
    "itself.")
right.mistake("lets_the_own_block_compete_up_to_the_query",
    {"    scores = scores.masked_fill(place == own, math.inf)\n":
        "    many = math.lcm(*range(1, block + 1))  # whole numbers, so that nothing is rounded\n"
        "    sums = padded.double().unflatten(-2, (blocks, block)).cumsum(dim=-2)\n"
        "    sums = sums.flatten(-3, -2)[..., :length, :] * (many // (at % block + 1))[:, None]\n"
        "    so_far = (query.double() * sums).sum(dim=-1, keepdim=True)\n"
        "    scores = torch.where(place == own, so_far, many * scores.double())\n"},
    "A query's own block is chosen only if the mean of its keys up to the query has a high score. "
    "It needs no score: it is always kept.")
right.mistake("leaves_out_the_own_block",
    {"place > own, -math.inf": "place >= own, -math.inf",
     "    scores = scores.masked_fill(place == own, math.inf)\n": "",
     "ranks < count": "(ranks < count) & (place < own)"},
    "A query may attend only to earlier blocks. Its own block, up to itself, is always kept.")
right.mistake("does_not_count_the_own_block",
    {"place == own, math.inf": "place == own, -math.inf",
     "ranks < count": "(ranks < count) & (place < own) | (place == own)"},
    "There is one block too many: the own block counts among `count`, so `count - 1` others "
    "remain.")
right.mistake("is_not_causal_in_the_own_block", {"mask & (at <= at[:, None])":
        "mask & (place <= own).repeat_interleave(block, dim=-1)[..., :length]"},
    "A query may attend to later tokens of its own block. Within the chosen blocks, keys up to "
    "the query itself are left.")
right.mistake("is_not_causal",
    {"    scores = scores.masked_fill(place > own, -math.inf)\n": "",
     "mask & (at <= at[:, None])": "mask"},
    "Queries choose later blocks and attend to them. Only earlier blocks have a score, and keys "
    "after the query are hidden.")
right.mistake("spends_choices_on_later_blocks",
    {"    scores = scores.masked_fill(place > own, -math.inf)\n": ""},
    "Later blocks compete, too. They are hidden at the end, but by then they have taken the "
    "place of an earlier block. Give them minus infinity before you choose.")
right.mistake("fills_later_blocks_with_a_number", {"place > own, -math.inf": "place > own, -1e9"},
    "The number that later blocks get is not low enough: scores may be lower. Minus infinity is "
    "below every score.")
right.mistake("fills_the_own_block_with_a_number", {"place == own, math.inf": "place == own, 1e9"},
    "The number that the own block gets is not high enough: scores may be higher. Infinity is "
    "above every score.")
right.mistake("fills_with_numbers",
    {"place > own, -math.inf": "place > own, -1e9", "place == own, math.inf": "place == own, 1e9"},
    "You fill with large numbers, and scores may be larger. Infinity is above every score, and "
    "minus infinity below.")
right.mistake("chooses_later_blocks_when_few_exist", {"mask & (at <= at[:, None])":
        "mask & ((place != own).repeat_interleave(block, dim=-1)[..., :length] "
        "| (at <= at[:, None]))"},
    "Where fewer than `count` blocks exist so far, blocks with the score minus infinity are "
    "chosen, and these are later ones. Hide them after the choice, too.")
right.mistake("takes_the_largest_key", {"mean(dim=-2)": "amax(dim=-2)"},
    "You compare with the largest numbers of a block's keys. Take their mean.")
right.mistake("takes_the_best_key",
    {"scores = query @ means.mT":
        "scores = (query @ padded.mT).unflatten(-1, (blocks, block)).amax(dim=-1)",
     "    means = padded.unflatten(-2, (blocks, block)).mean(dim=-2)\n": ""},
    "A block's score is that of its best key. It should be the dot product with the mean of its "
    "keys.")
right.mistake("takes_the_first_key", {"mean(dim=-2)": "select(-2, 0)"},
    "You compare with the first key of a block. Take the mean of all its keys.")
right.mistake("takes_the_last_key", {"mean(dim=-2)": "select(-2, block - 1)"},
    "You compare with the last key of a block. Take the mean of all its keys.")
right.mistake("takes_the_mean_of_distant_keys",
    {"unflatten(-2, (blocks, block)).mean(dim=-2)": "unflatten(-2, (block, blocks)).mean(dim=-3)"},
    "Your means are over keys that are far apart. The keys of a block are neighbours: the axis of "
    "tokens splits into [blocks, block].")
right.mistake("compares_directions", {"query @ means.mT": "query @ F.normalize(means, dim=-1).mT"},
    "You divide the means by their length. The score is the plain dot product.")
right.mistake("prefers_the_later_of_equals",
    {"scores.argsort(dim=-1, descending=True, stable=True).argsort(dim=-1)":
        "scores.flip(-1).argsort(dim=-1, descending=True, stable=True).argsort(dim=-1).flip(-1)"},
    "Of blocks with equal scores you take the later one. Take the earlier one.")
right.mistake("takes_any_of_equals",
    {"    ranks = scores.argsort(dim=-1, descending=True, stable=True).argsort(dim=-1)\n": "",
     "chosen = ranks < count":
        "chosen = torch.zeros_like(scores, dtype=torch.bool)\n"
        "    best = scores.topk(min(count, blocks), dim=-1).indices\n"
        "    chosen = chosen.scatter(-1, best, True)"},
    "Which of equal scores `topk` takes, and a sort without `stable=True`, is not defined. A "
    "stable sort keeps their order, so the earlier block comes first.")
right.mistake("takes_all_of_equals",
    {"    ranks = scores.argsort(dim=-1, descending=True, stable=True).argsort(dim=-1)\n":
        "    last = scores.sort(dim=-1, descending=True).values[..., :count][..., -1:]\n",
     "ranks < count": "scores >= last"},
    "You keep all blocks that reach the score of the last chosen one, so equal scores give more "
    "than `count` blocks. Keep the earlier ones.")
right.mistake("takes_absolute_scores", {"query @ means.mT": "(query @ means.mT).abs()"},
    "You choose by the absolute score. A large negative score is a low one.")
right.mistake("takes_the_smallest", {"query @ means.mT": "-(query @ means.mT)"},
    "You choose the blocks with the smallest scores. Sort in descending order.")
right.mistake("takes_the_nearest", {"query @ means.mT": "(query @ means.mT) * 0 + place"},
    "You choose the nearest blocks, whatever their scores.")
right.mistake("takes_the_first_blocks", {"query @ means.mT": "(query @ means.mT) * 0"},
    "You choose the first blocks of the sequence, whatever their scores.")
right.mistake("chooses_for_a_whole_block",
    {"scores = query @ means.mT":
        "many = F.pad(query, (0, 0, 0, blocks * block - length))\n"
        "    many = many.unflatten(-2, (blocks, block)).mean(dim=-2)\n"
        "    scores = (many @ means.mT).repeat_interleave(block, dim=-2)[..., :length, :]"},
    "The queries of a block all choose the same blocks, by their mean. Each query chooses for "
    "itself.")
right.mistake("chooses_by_the_first_query",
    {"query @ means.mT": "query[..., at // block * block, :] @ means.mT"},
    "All queries of a block use the choice of its first query. Each query chooses for itself.")
right.mistake("chooses_for_all_heads",
    {"query @ means.mT": "query @ means.mT\n"
        "    scores = scores.sum(dim=0, keepdim=True).expand_as(scores) if scores.dim() > 2 "
        "else scores\n"
        "    scores = scores.sum(dim=-3, keepdim=True).expand_as(scores) if scores.dim() > 3 "
        "else scores"},
    "All sequences and heads make the same choice, by the sum of their scores. Each of them "
    "chooses for itself.")
right.mistake("chooses_for_all_heads_of_a_sequence",
    {"query @ means.mT": "query @ means.mT\n"
        "    scores = scores.sum(dim=-3, keepdim=True).expand_as(scores) if scores.dim() > 2 "
        "else scores"},
    "All heads of a sequence make the same choice, by the sum of their scores. Each head chooses "
    "for itself.")
right.mistake("turns_the_mask_round",
    {"mask & (at <= at[:, None])": "~(mask & (at <= at[:, None]))"},
    "The mask is inverted. True means \"may attend\".")
right.mistake("turns_the_mask_round_before_the_future_is_hidden",
    {"mask & (at <= at[:, None])": "~mask & (at <= at[:, None])"},
    "Queries attend to the earlier blocks that were not chosen, and not to those that were.")
right.mistake("counts_tokens",
    {"scores = query @ means.mT\n"
     "    scores = scores.masked_fill(place > own, -math.inf)\n"
     "    scores = scores.masked_fill(place == own, math.inf)\n":
        "scores = (query @ key.mT).masked_fill(at > at[:, None], -math.inf)\n",
     "    padded = F.pad(key, (0, 0, 0, blocks * block - length))\n"
     "    means = padded.unflatten(-2, (blocks, block)).mean(dim=-2)\n": "",
     "    own, place = at[:, None] // block, torch.arange(blocks, device=key.device)\n": "",
     "    blocks = -(-length // block)\n": "",
     "chosen.repeat_interleave(block, dim=-1)[..., :length]": "chosen"},
    "You choose `count` single tokens. `count` counts blocks, and all tokens of a chosen block "
    "that are not after the query are allowed.")
right.mistake("needs_as_many_blocks",
    {"    ranks = scores.argsort(dim=-1, descending=True, stable=True).argsort(dim=-1)\n": "",
     "chosen = ranks < count":
        "order = scores.argsort(dim=-1, descending=True, stable=True)\n"
        "    order = order.gather(-1, torch.arange(count, device=key.device).expand("
        "*order.shape[:-1], count))\n"
        "    chosen = torch.zeros_like(scores, dtype=torch.bool).scatter(-1, order, True)"},
    "`count` may be more than the number of blocks. Where there are fewer, choose all of them: "
    "`min(count, blocks)`, or a slice.")
right.mistake("needs_blocks_that_fit",
    {"padded = F.pad(key, (0, 0, 0, blocks * block - length))": "padded = key"},
    "The length need not be a multiple of `block`. The last block may be shorter; its mean is "
    "never needed.")
right.mistake("leaves_out_the_short_block",
    {"-(-length // block)": "length // block",
     "F.pad(key, (0, 0, 0, blocks * block - length))": "key[..., : blocks * block, :]",
     "chosen.repeat_interleave(block, dim=-1)[..., :length]":
        "F.pad(chosen.repeat_interleave(block, dim=-1), (0, length - blocks * block))"},
    "The tokens after the last complete block may not attend to one another. The shorter block at "
    "the end is their own block.")
right.mistake("repeats_in_another_order",
    {"chosen.repeat_interleave(block, dim=-1)[..., :length]":
        "chosen.repeat(*[1] * (chosen.dim() - 1), block)[..., :length]"},
    "You repeat the blocks as 0, 1, 2, 0, 1, 2. The tokens of a block are neighbours, so their "
    "columns come as 0, 0, 1, 1, 2, 2: `repeat_interleave`.")
right.mistake("counts_blocks_from_the_end",
    {"own, place = at[:, None] // block,": "at = at + blocks * block - length\n    "
        "own, place = at[:, None] // block,",
     "(0, 0, 0, blocks * block - length)": "(0, 0, blocks * block - length, 0)",
     "[..., :length]": "[..., blocks * block - length :]"},
    "Your first block is the short one. Blocks are counted from the first token, and the last one "
    "may be shorter.")
right.mistake("hides_the_query_itself", {"at <= at[:, None]": "at < at[:, None]"},
    "No query may attend to itself. Keys up to and including the query's own position are "
    "allowed.")
right.mistake("chooses_nothing", {"ranks < count": "(ranks >= 0) & (place <= own)"},
    "Every query may attend to all earlier blocks: nothing is chosen.")
right.mistake("returns_blocks", {"mask & (at <= at[:, None])": "chosen & (place <= own)",
     "    mask = chosen.repeat_interleave(block, dim=-1)[..., :length]\n": ""},
    "You return a column for each block. The mask has a column for each key: each block's value "
    "for all of its tokens.")
right.mistake("returns_places",
    {"ranks = scores.argsort(dim=-1, descending=True, stable=True).argsort(dim=-1)":
        "ranks = scores.argsort(dim=-1, descending=True, stable=True)"},
    "You treat what `argsort` returns as the rank of each block. Its first entry is the block "
    "with the largest score; the rank of each block is the `argsort` of that.")
right.mistake("forgets_its_leading_axes",
    {"query @ means.mT": "query @ means.mT\n"
        "    scores = scores[(0,) * (scores.dim() - 2)].expand_as(scores)"},
    "All sequences and heads get the choice of the first one. Each chooses for itself.")
# fmt: on
