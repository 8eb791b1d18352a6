"""Cases, oracle and variants of `encode`."""

import re
from itertools import pairwise

import torch

from autograder.author import Case, Exercise

from .train_bpe import ROUGH

exercise = Exercise(
    "encode",
    points=3,
    difficulty=3,
    minutes=20,
    returns=("the tokens",),
    read="12_language_model.html#merges-by-hand",
)

# ow, low, " low", er, " lower"
OF_LOW = [(111, 119), (108, 256), (32, 257), (101, 114), (258, 259)]
OF_A = [(97, 97), (256, 97), (98, 256)]  # aa, aaa, baa
OF_ORDER = [(98, 99), (97, 98), (97, 256), (257, 99)]  # bc, ab, abc by bc, abc by ab
OF_ACCENTS = [(195, 169), (32, 256), (230, 151), (258, 165)]
OF_LINES = [(10, 120), (120, 10), (120, 32), (32, 120), (120, 121), (120, 9)]


def drawn(rng, letters, count):
    return "".join(letters[at] for at in rng.integers(0, len(letters), count).tolist())


@exercise.cases
def cases(rng):
    yield Case("the example of the text", {"text": "slow lower", "merges": OF_LOW})
    yield Case("one letter again and again", {"text": "aaaaa baaaa aaabaa", "merges": OF_A})
    yield Case("the earlier merge first", {"text": "abc bcab abab", "merges": OF_ORDER})
    yield Case("other scripts", {"text": " é éa 日ê 日 naïve\n", "merges": OF_ACCENTS})
    yield Case("across words", {"text": "x x\nx\nxy x\tx", "merges": OF_LINES})
    yield Case("without merges", {"text": ROUGH, "merges": []})
    yield Case("drawn letters", {"text": drawn(rng, "abc ", 60), "merges": OF_ORDER})


@exercise.secret_cases
def secret_cases(rng):
    low = drawn(rng, ["l", "low", " low", "er", "w"], 40)
    yield Case("drawn low", {"text": low, "merges": OF_LOW})
    yield Case("drawn rows", {"text": drawn(rng, "aaab ", 70), "merges": OF_A})
    yield Case("drawn lines", {"text": drawn(rng, "x \ny\t", 70), "merges": OF_LINES})
    yield Case("drawn accents", {"text": drawn(rng, "éê日 a", 50), "merges": OF_ACCENTS})
    yield Case("one character", {"text": "Q", "merges": OF_LOW})
    yield Case("one space", {"text": " ", "merges": OF_LOW})


exercise.promise("has at least one character.", "one character", "one space")
exercise.promise(
    "pairs of tokens; the one at place", "the example of the text", "the earlier merge first"
)
exercise.promise("There may be none.", "without merges")
exercise.promise("the tokens of all words", "across words", "without merges")


@exercise.oracle
def the_lowest_merge_again_and_again(text, merges):
    """In each word the pair that was learned earliest is replaced, until none is there."""
    rank = {tuple(pair): at for at, pair in enumerate(merges)}
    tokens = []
    for word in re.findall(r"[ \n]?[^ \n]+|[ \n]", text):
        parts = [*word.encode()]
        while True:
            pairs = [
                (rank.get((a, b), len(merges)), at) for at, (a, b) in enumerate(pairwise(parts))
            ]
            if not pairs or min(pairs)[0] == len(merges):
                break
            which, at = min(pairs)
            parts[at : at + 2] = [256 + which]
        tokens += parts
    return torch.tensor(tokens)


@exercise.variant
def merge_by_merge(text, merges):
    words = [list(word.encode("utf-8")) for word in re.split(r"(?=[ \n])", text)]
    for number, (left, right) in enumerate(merges):
        for word in words:
            at = 0
            while at + 1 < len(word):
                if word[at] == left and word[at + 1] == right:
                    word[at : at + 2] = [256 + number]
                at += 1
    return torch.tensor([token for word in words for token in word], dtype=torch.int64)


@exercise.variant
def with_a_wall(text, merges):
    tokens = []
    for byte in text.encode():
        tokens.extend([None, byte] if byte in (32, 10) else [byte])
    for new, pair in enumerate(merges, start=256):
        found: list[int] = []
        for token in tokens:
            joins = found and found[-1] is not None and (found[-1], token) == tuple(pair)
            found[-1 if joins else len(found) :] = [new if joins else token]
        tokens = found
    return torch.LongTensor([token for token in tokens if token is not None])


@exercise.variant
def with_texts_of_bytes(text, merges):
    def once(parts, pair, new):
        out: list[int] = []
        while parts:
            if len(parts) > 1 and parts[0] == pair[0] and parts[1] == pair[1]:
                out, parts = [*out, new], parts[2:]
            else:
                out, parts = [*out, parts[0]], parts[1:]
        return out

    starts = [0, *(at for at in range(1, len(text)) if text[at] in " \n"), len(text)]
    tokens = []
    for begin, end in pairwise(starts):
        parts = list(text[begin:end].encode())
        for at in range(len(merges)):
            parts = once(parts, merges[at], at + 256)
        tokens.extend(parts)
    return torch.as_tensor(tokens).long()
