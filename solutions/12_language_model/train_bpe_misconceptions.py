"""Known mistakes of `train_bpe`."""

import re
from collections import Counter
from itertools import pairwise

from .train_bpe import exercise


def merged(parts, pair, token):
    out: list[int] = []
    for part in parts:
        if out and (out[-1], part) == pair:
            out[-1] = token
        else:
            out.append(part)
    return out


def merged_once(word, pair, token):
    at = next((at for at, two in enumerate(pairwise(word)) if two == pair), None)
    return word if at is None else [*word[:at], token, *word[at + 2 :]]


def apart(word):
    """The pairs of a word, but for those that overlap the same pair before them."""
    found, last = [], None
    for at, pair in enumerate(pairwise(word)):
        if last is not None and last[0] == at - 1 and last[1] == pair:
            last = None
        else:
            found.append(pair)
            last = (at, pair)
    return found


def spelled(made):
    """The bytes of each token."""
    pieces = [bytes([byte]) for byte in range(256)]
    for left, right in made:
        pieces.append(pieces[left] + pieces[right])
    return pieces


@exercise.base
def right(text, merges):
    words = [list(word.encode()) for word in re.split(r"(?=[ \n])", text)]
    made = []
    for token in range(256, 256 + merges):
        counts = Counter(pair for word in words for pair in pairwise(word))
        if not counts:
            break
        made.append(min(counts, key=lambda pair: (-counts[pair], pair)))
        words = [merged(word, made[-1], token) for word in words]
    return made


# fmt: off
right.mistake("across_words", {'re.split(r"(?=[ \\n])", text)': "[text]"},
    "You join tokens across words. Cut the text before every space and every line break, then "
    "count and merge only within each word.")
right.mistake("first_of_equals", {"(-counts[pair], pair)": "-counts[pair]"},
    "Among pairs that occur equally often, you take the one that comes first in the text. Which "
    "one does the text of the exercise ask for?")
right.mistake("largest_of_equals",
    {"min(counts, key=lambda pair: (-counts[pair], pair))":
        "max(counts, key=lambda pair: (counts[pair], pair))"},
    "Among pairs that occur equally often, you take the largest, as `max` over (count, pair) "
    "does. The exercise asks for the smallest pair.")
right.mistake("ties_by_the_second_token", {"(-counts[pair], pair)": "(-counts[pair], pair[::-1])"},
    "Among pairs that occur equally often, you compare the second tokens first. The smaller first "
    "token decides, and the second one only where the first ones are equal.")
right.mistake("ties_by_the_first_token_only", {"(-counts[pair], pair)": "(-counts[pair], pair[0])"},
    "Among pairs that occur equally often, you compare only the first tokens. Where these are "
    "equal, the smaller second one decides.")
right.mistake("every_word_once",
    {'re.split(r"(?=[ \\n])", text)': 'dict.fromkeys(re.split(r"(?=[ \\n])", text))'},
    "You count each different word once. A word that occurs five times counts five times.")
right.mistake("without_spaces", {'re.split(r"(?=[ \\n])", text)': "text.split()"},
    "The spaces and line breaks are missing from your words: `text.split()` drops them. They are "
    "bytes of the text like any other.")
right.mistake("drops_what_it_cuts_at", {"(?=[ \\n])": "[ \\n]"},
    "The spaces and line breaks are missing from your words: `re.split` drops what it finds. A "
    "lookahead, `(?=...)`, matches the place before them and drops nothing.")
right.mistake("lower_case", {", text)": ", text.lower())"},
    "You change the text before you count: capital and small letters have different bytes.")
right.mistake("strips_the_text", {", text)": ", text.strip())"},
    "White space at the ends of the text is missing. It consists of bytes of the words like any "
    "others.")
right.mistake("other_ends_of_lines",
    {", text)": ', text.replace("\\r\\n", "\\n").replace("\\r", "\\n"))'},
    "You change the line endings before you count: `\\r\\n` and `\\n` are different bytes.")
right.mistake("joins_letters_and_accents", {", text)": ', text.replace("e\\u0301", "\\u00e9"))'},
    "You rewrite letters before you count, for example by joining a letter and an accent into one "
    "character. That changes the bytes.")
right.mistake("space_at_the_end", {"(?=[ \\n])": "(?<=[ \\n])"},
    "Your words end with the space that follows them. A word begins with the space before it.")
right.mistake("cuts_at_spaces_only", {"(?=[ \\n])": "(?= )"},
    "You cut only before spaces. A line break begins a word, too.")
right.mistake("of_characters", {"list(word.encode())": "list(map(ord, word))"},
    "You begin with the numbers of the characters. Begin with the bytes of the text in UTF-8, "
    "where a letter such as é has two.")


@exercise.misconception(
    "All your merges are pairs of bytes because you count only once, at the beginning. Merge the "
    "first pair everywhere, then count again."
)
def counts_once(text, merges):
    words = re.split(r"(?=[ \n])", text)
    counts = Counter(pair for word in words for pair in pairwise(word.encode()))
    return sorted(counts, key=lambda pair: (-counts[pair], pair))[:merges]


right.mistake("stops_at_one", {"not counts": "not counts or max(counts.values()) < 2"},
    "You stop while there are still pairs. A pair that occurs only once is merged, too. When is "
    "no pair left?")
right.mistake("from_the_right",
    {"merged(word, made[-1], token)": "merged(word[::-1], made[-1][::-1], token)[::-1]"},
    "In a row of equal tokens you merge from the right. Of three equal tokens, the first two "
    "become one.")
right.mistake("numbers_from_257", {"range(256, 256": "range(257, 257"},
    "The numbers of your new tokens are off by one. The bytes are 0 to 255. Which number is free "
    "for the first merge?")
right.mistake("without_overlaps", {"pairwise(word)": "apart(word)"},
    "You count a pair only at places that do not overlap. In a row of three equal tokens the pair "
    "occurs at two places. Count both.")
right.mistake("ties_by_bytes",
    {"(-counts[pair], pair)": "(-counts[pair], [spelled(made)[part] for part in pair])"},
    "Among pairs that occur equally often, you take the one whose bytes come first. Compare the "
    "numbers of the two tokens instead.")
right.mistake("counts_a_pair_once_a_word", {"pairwise(word)": "dict.fromkeys(pairwise(word))"},
    "You count a pair once in a word even if it occurs there at several places. Count every place.")
right.mistake("cuts_at_tabs", {"(?=[ \\n])": "(?=\\s)"},
    "You cut the text before other characters, too, as `\\s` does. Only a space and a line break "
    "begin a word. A tab is a byte like others.")
right.mistake("joins_spaces_in_a_row", {"(?=[ \\n])": "(?<![ \\n])(?=[ \\n])"},
    "You put several spaces in a row into one word. A word begins before every space.")
right.mistake("merges_the_first_place_only", {"merged(word": "merged_once(word"},
    "You merge a pair only at its first place in a word. Merge it at every place.")
right.mistake("pairs_of_bytes",
    {"return made": "return [(spelled(made)[left], spelled(made)[right]) for left, right in made]"},
    "Your pairs hold the bytes of the tokens. A merge is a pair of numbers, such as (108, 256).")
