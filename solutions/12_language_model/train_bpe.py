"""Cases, oracle and variants of `train_bpe`."""

import re
from collections import Counter
from itertools import pairwise

from autograder.author import Case, Exercise

exercise = Exercise(
    "train_bpe",
    points=4,
    difficulty=3,
    minutes=30,
    returns=("the merges",),
    read="12_language_model.html#merges-by-hand",
)

# Whoever changes the text before it is bytes changes them: a byte order mark, blanks at the end,
# capital letters, accents that are joined and that are not, ends of lines, and what is not seen.
ROUGH = "\ufeff \tAb e\u0301\u00e9\r\n\u00a0\ufb01\u200b\U0001d11e\u1e9e \t"


def drawn(rng, letters, count):
    """A text of these letters, drawn one by one."""
    return "".join(letters[at] for at in rng.integers(0, len(letters), count).tolist())


@exercise.cases
def cases(rng):
    yield Case("the example of the text", {"text": "low lower lowest", "merges": 4})
    yield Case("equal counts", {"text": "ba dc ba dc fe fe", "merges": 4})
    yield Case("one letter again and again", {"text": "aaaaa baaa aab", "merges": 3})
    yield Case("pairs across words", {"text": "xa bx xa by za bz", "merges": 5})
    yield Case("lines", {"text": " n\nna\nnan\na\nb\nab", "merges": 9})
    yield Case("other scripts", {"text": "äö äö é éé 日本 日本語 日", "merges": 8})
    yield Case("until no pair is left", {"text": f"{ROUGH}Up on up\t", "merges": 60})
    yield Case("drawn letters", {"text": drawn(rng, "aabce ", 120), "merges": 14})


@exercise.secret_cases
def secret_cases(rng):
    yield Case("drawn lines", {"text": drawn(rng, "mnno \n", 150), "merges": 16})
    yield Case("two letters", {"text": drawn(rng, "pq", 40), "merges": 7})
    yield Case("drawn scripts", {"text": drawn(rng, "éèß日 ", 90), "merges": 12})
    yield Case("tabs", {"text": drawn(rng, "uuv\t\r ", 120), "merges": 12})
    yield Case("spaces in a row", {"text": drawn(rng, "  ko", 80), "merges": 9})
    yield Case("one merge", {"text": drawn(rng, "stuv ", 60), "merges": 1})
    yield Case("rare pairs", {"text": drawn(rng, "abcdefghijklmnop ", 50), "merges": 40})


exercise.promise("has at least one word", "one merge")
exercise.promise("how many to learn, at least 1.", "one merge", "drawn letters")
exercise.promise(
    "a pair of tokens for each merge", "the example of the text", "one letter again and again"
)
exercise.promise("A pair that occurs", "until no pair is left", "rare pairs")
exercise.promise("Where no pair is left", "until no pair is left")


@exercise.oracle
def as_texts_of_numbers(text, merges):
    """Tokens are numbers in a text, between commas; a merge is a replacement in it."""
    parts = re.findall(r"[ \n][^ \n]*|^[^ \n]+", text)
    lines = ["," + "".join(f"{byte}," for byte in part.encode()) for part in parts]
    made: list[tuple[int, int]] = []
    while len(made) < merges:
        counts: Counter[tuple[int, int]] = Counter()
        for line in lines:
            numbers = [int(number) for number in line.strip(",").split(",")]
            counts.update((numbers[at], numbers[at + 1]) for at in range(len(numbers) - 1))
        if not counts:
            break
        left, right = sorted(counts, key=lambda pair: (-counts[pair], pair[0], pair[1]))[0]
        token = 256 + len(made)
        lines = [re.sub(rf"(?<=,){left},{right},", f"{token},", line) for line in lines]
        made.append((left, right))
    return made


@exercise.variant
def counted_once_a_word(text, merges):
    words = Counter(re.split(r"(?=[ \n])", text))
    pieces = {word: list(word.encode("utf-8")) for word in words}
    made: list[tuple[int, int]] = []
    for number in range(merges):
        counts: Counter[tuple[int, int]] = Counter()
        for word, parts in pieces.items():
            for pair in pairwise(parts):
                counts[pair] += words[word]
        if not counts:
            return made
        most = max(counts.values())
        best = min(pair for pair, count in counts.items() if count == most)
        made.append(best)
        for parts in pieces.values():
            at = 0
            while at < len(parts) - 1:
                if (parts[at], parts[at + 1]) == best:
                    parts[at : at + 2] = [256 + number]
                at += 1
    return made


@exercise.variant
def with_walls(text, merges):
    """One list for the whole text; a wall of -1 stands before each space and line break."""
    tokens = []
    for byte in text.encode():
        tokens += [-1, byte] if byte in b" \n" else [byte]
    made: list[tuple[int, int]] = []
    while len(made) < merges:
        counts: dict[tuple[int, int], int] = {}
        for left, right in pairwise(tokens):
            if left >= 0 and right >= 0:
                counts[left, right] = counts.get((left, right), 0) + 1
        if len(counts) == 0:
            break
        best = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[0][0]
        found: list[int] = []
        for token in tokens:
            if found and (found[-1], token) == best:
                found[-1] = 256 + len(made)
            else:
                found.append(token)
        tokens = found
        made.append(best)
    return made


@exercise.variant
def with_lists_of_words(text, merges):
    words: list[list[int]] = []
    current: list[int] = []
    for character in text:
        if character in (" ", "\n"):
            words.append(current)
            current = []
        current.extend(character.encode())
    words.append(current)
    made = []
    for _ in range(merges):
        pairs = [pair for word in words for pair in pairwise(word)]
        if not pairs:
            break
        counts = Counter(sorted(pairs))
        pair = counts.most_common(1)[0][0]  # sorted first, so of equal ones the smallest
        made.append((pair[0], pair[1]))
        new = 255 + len(made)
        merged = []
        for word in words:
            out, at = [], 0
            while at < len(word):
                here = at + 1 < len(word) and (word[at], word[at + 1]) == pair
                out.append(new if here else word[at])
                at += 2 if here else 1
            merged.append(out)
        words = merged
    return made
