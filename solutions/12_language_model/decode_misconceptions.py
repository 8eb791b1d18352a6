"""Known mistakes of `decode`."""

import re

from .decode import exercise


def unpacked(merges, between=(), swapped=False):
    """The bytes of each token; `between` are pieces that the merges come after."""
    pieces = [*(bytes([byte]) for byte in range(256)), *between]
    for left, right in merges:
        pieces.append(pieces[right] + pieces[left] if swapped else pieces[left] + pieces[right])
    return pieces


def bytes_of(tokens, merges):
    pieces = unpacked(merges)
    return b"".join(pieces[token] for token in tokens.tolist())


def read(tokens, merges):
    return bytes_of(tokens, merges).decode(errors="replace")


@exercise.misconception(
    "You decode each token by itself. A letter such as 日 has three bytes, and they may be in "
    "several tokens: join all bytes first, and decode once."
)
def token_by_token(tokens, merges):
    pieces = unpacked(merges)
    return "".join(pieces[token].decode(errors="replace") for token in tokens.tolist())


@exercise.misconception(
    "You make each byte a character of its own. Letters outside ASCII have several bytes in UTF-8; "
    "decode the bytes together."
)
def character_of_each_byte(tokens, merges):
    return "".join(map(chr, bytes_of(tokens, merges)))


@exercise.misconception(
    "Bytes that are no letter are missing from your text. Show where they are: "
    'errors="replace" writes the character U+FFFD there.'
)
def hides_broken_bytes(tokens, merges):
    return bytes_of(tokens, merges).decode(errors="ignore")


@exercise.misconception(
    "You expand a token once only. The pair of a merge may hold merged tokens itself: expand until "
    "only bytes are left."
)
def expanded_once(tokens, merges):
    parts: list[int] = []
    for token in tokens.tolist():
        parts += merges[token - 256] if token > 255 else [token]
    return bytes(part for part in parts if part < 256).decode(errors="replace")


@exercise.misconception(
    "The right one of a pair comes first in your text. A merge makes a token of the left one and "
    "then the right one."
)
def right_before_left(tokens, merges):
    pieces = unpacked(merges, swapped=True)
    return b"".join(pieces[token] for token in tokens.tolist()).decode(errors="replace")


@exercise.misconception(
    "Your merges are off by one. The token 256 stands for the first pair, which is at place 0."
)
def merges_from_257(tokens, merges):
    pieces = unpacked(merges, between=[b""])
    return b"".join(pieces[token] for token in tokens.tolist()).decode(errors="replace")


@exercise.misconception(
    "Merged tokens are missing from your text. From 256 on a token is a pair of earlier tokens."
)
def bytes_only(tokens, merges):
    return bytes(token for token in tokens.tolist() if token < 256).decode(errors="replace")


@exercise.misconception(
    "You make each token a character. A token from 0 to 255 is a byte, and one from 256 on a pair "
    "of earlier tokens."
)
def character_of_each_token(tokens, merges):
    return "".join(map(chr, tokens.tolist()))


@exercise.misconception(
    "You put a space between tokens. A space is a byte like any other and is in the tokens already."
)
def spaces_between_tokens(tokens, merges):
    pieces = unpacked(merges)
    return b" ".join(pieces[token] for token in tokens.tolist()).decode(errors="replace")


@exercise.misconception(
    "Spaces or line breaks at the ends are missing from your text. Each byte belongs to it."
)
def stripped(tokens, merges):
    return read(tokens, merges).strip()


@exercise.misconception(
    "Several spaces or line breaks in a row became one space in your text. Each byte belongs to it."
)
def one_space_for_all(tokens, merges):
    return " ".join(read(tokens, merges).split())


@exercise.misconception("You leave out the first token. There is no start before these tokens.")
def without_the_first_token(tokens, merges):
    return read(tokens[1:], merges)


@exercise.misconception(
    "Your text shows how Python prints bytes. `str(b)` does that; `b.decode()` reads them as UTF-8."
)
def printed_bytes(tokens, merges):
    return str(bytes_of(tokens, merges))


@exercise.misconception(
    "Each merged token is spelled as the merge before it. The token 256 is the first pair, at "
    "place 0."
)
def one_merge_too_early(tokens, merges):
    pieces = unpacked(merges)
    found = (pieces[token - (token > 256)] for token in tokens.tolist())
    return b"".join(found).decode(errors="replace")


@exercise.misconception(
    "The bytes 0 are missing from your text. Among these tokens there is no start: 0 is a byte as "
    "any other."
)
def without_zeros(tokens, merges):
    return read(tokens[tokens != 0], merges)


@exercise.misconception(
    "Your text stops at the first 0. It is a byte as any other, and the rest belongs to the text."
)
def stops_at_zero(tokens, merges):
    return read(tokens, merges).split("\0")[0]


@exercise.misconception(
    "You write a U+FFFD for every byte that is no letter. The first bytes of one letter that "
    'breaks off are replaced together, as by errors="replace".'
)
def one_mark_for_each_byte(tokens, merges):
    found = bytes_of(tokens, merges).decode(errors="surrogateescape")
    return "".join("\ufffd" if "\udc80" <= letter <= "\udcff" else letter for letter in found)


@exercise.misconception(
    "Bytes that are no letter are written out as a backslash and digits. Replace them by U+FFFD, "
    'as errors="replace" does.'
)
def shows_broken_bytes(tokens, merges):
    return bytes_of(tokens, merges).decode(errors="backslashreplace")


@exercise.misconception(
    "All letters outside ASCII became U+FFFD. Read the bytes as UTF-8, where a letter may have "
    "several."
)
def letters_of_ascii(tokens, merges):
    return bytes_of(tokens, merges).decode("ascii", errors="replace")


@exercise.misconception(
    "You decode each merge, and join texts. A merge may end in the middle of a letter: join bytes, "
    "and decode once at the end."
)
def decodes_each_merge(tokens, merges):
    pieces = [bytes([byte]) for byte in range(256)]
    for left, right in merges:
        pieces.append((pieces[left] + pieces[right]).decode(errors="replace").encode())
    return b"".join(pieces[token] for token in tokens.tolist()).decode(errors="replace")


@exercise.misconception(
    "A byte order mark at the beginning is missing from your text, as `utf-8-sig` leaves it out. "
    "It is a character as any other."
)
def without_a_byte_order_mark(tokens, merges):
    return bytes_of(tokens, merges).decode("utf-8-sig", errors="replace")


@exercise.misconception(
    "You write letters in another way than the tokens have them, as with a letter and an accent "
    "joined to one character. The bytes of the text would be others."
)
def joins_letters_and_accents(tokens, merges):
    return read(tokens, merges).replace("e\u0301", "\u00e9")  # as NFC does


@exercise.misconception(
    r"The ends of lines are others in your text: `\r\n` and `\n` are different bytes. Leave them "
    "as they are."
)
def other_ends_of_lines(tokens, merges):
    return read(tokens, merges).replace("\r\n", "\n").replace("\r", "\n")


@exercise.misconception(
    "Bytes that are no letter became question marks, which the text may have as well. When it "
    'decodes, errors="replace" writes the character U+FFFD.'
)
def question_marks(tokens, merges):
    return bytes_of(tokens, merges).decode(errors="replace").replace("\ufffd", "?")


@exercise.misconception(
    "Several U+FFFD in a row became one. Nothing is left out: write as many as "
    'errors="replace" does.'
)
def one_mark_for_a_run(tokens, merges):
    return re.sub("\ufffd+", "\ufffd", read(tokens, merges))
