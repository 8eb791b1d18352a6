"""Known mistakes of `decode`."""

import re  # noqa: F401

from .decode import exercise


@exercise.base
def right(tokens, merges):
    pieces = [bytes([byte]) for byte in range(256)]
    for left, right in merges:
        pieces.append(pieces[left] + pieces[right])
    found = b"".join(pieces[token] for token in tokens.tolist())
    return found.decode(errors="replace")


# fmt: off
right.mistake("token_by_token",
    {'b"".join(pieces[token] for': '"".join(pieces[token].decode(errors="replace") for',
     'found.decode(errors="replace")': "found"},
    "You decode each token separately. A letter such as 日 has three bytes, which may be in "
    "several tokens. Join all bytes first, then decode once.")
right.mistake("character_of_each_byte",
    {'found.decode(errors="replace")': '"".join(map(chr, found))'},
    "You turn each byte into a character. Letters outside ASCII have several bytes in UTF-8, so "
    "decode the bytes together.")
right.mistake("hides_broken_bytes", {'errors="replace"': 'errors="ignore"'},
    "Invalid bytes are missing from your text. Show where they are: errors=\"replace\" writes the "
    "character U+FFFD there.")


@exercise.misconception(
    "You expand a token only once. The pair of a merge may itself contain merged tokens. Expand "
    "until only bytes are left."
)
def expanded_once(tokens, merges):
    parts: list[int] = []
    for token in tokens.tolist():
        parts += merges[token - 256] if token > 255 else [token]
    return bytes(part for part in parts if part < 256).decode(errors="replace")


right.mistake("right_before_left", {"pieces[left] + pieces[right]": "pieces[right] + pieces[left]"},
    "In your text the right token of a pair comes first. A merged token stands for the left one "
    "followed by the right one.")
right.mistake("merges_from_257", {"range(256)]": 'range(256)] + [b""]'},
    "Your merges are off by one. The token 256 stands for the first pair, which is at place 0.")
right.mistake("bytes_only",
    {'b"".join(pieces[token] for token in tokens.tolist())':
        "bytes(token for token in tokens.tolist() if token < 256)"},
    "Merged tokens are missing from your text. From 256 on, a token is a pair of earlier tokens.")
right.mistake("character_of_each_token",
    {'found.decode(errors="replace")': '"".join(map(chr, tokens.tolist()))'},
    "You turn each token into a character. A token from 0 to 255 is a byte, and one from 256 on "
    "is a pair of earlier tokens.")
right.mistake("spaces_between_tokens", {'b"".join': 'b" ".join'},
    "You put a space between tokens. A space is a byte like any other and is already in the "
    "tokens.")
right.mistake("stripped", {'errors="replace")': 'errors="replace").strip()'},
    "Spaces or line breaks at the ends are missing from your text. Every byte belongs to it.")
right.mistake("one_space_for_all",
    {'found.decode(errors="replace")': '" ".join(found.decode(errors="replace").split())'},
    "Several spaces or line breaks in a row became one space in your text. Every byte belongs to "
    "it.")
right.mistake("without_the_first_token", {"tokens.tolist()": "tokens[1:].tolist()"},
    "You leave out the first token. These tokens have no start token before them.")
right.mistake("printed_bytes", {'found.decode(errors="replace")': "str(found)"},
    "Your text shows how Python prints bytes. `str(b)` does that; `b.decode()` reads them as "
    "UTF-8.")
right.mistake("one_merge_too_early", {"pieces[token]": "pieces[token - (token > 256)]"},
    "Each merged token is expanded as the merge before it. The token 256 is the first pair, at "
    "place 0.")
right.mistake("without_zeros", {"tokens.tolist()": "tokens[tokens != 0].tolist()"},
    "The bytes 0 are missing from your text. These tokens have no start token: 0 is a byte like "
    "any other.")
right.mistake("stops_at_zero", {'errors="replace")': 'errors="replace").split("\\0")[0]'},
    "Your text stops at the first 0. It is a byte like any other, and the rest belongs to the "
    "text.")
right.mistake("one_mark_for_each_byte",
    {'found.decode(errors="replace")':
        're.sub("[\\udc80-\\udcff]", "\\ufffd", found.decode(errors="surrogateescape"))'},
    "You write a U+FFFD for every invalid byte. The first bytes of an incomplete letter are "
    "replaced together, as with errors=\"replace\".")
right.mistake("shows_broken_bytes", {'errors="replace"': 'errors="backslashreplace"'},
    "You write invalid bytes as a backslash and digits. Replace them by U+FFFD, as "
    "errors=\"replace\" does.")
right.mistake("letters_of_ascii", {'errors="replace"': '"ascii", errors="replace"'},
    "All letters outside ASCII became U+FFFD. Read the bytes as UTF-8, where a letter may have "
    "several.")
right.mistake("decodes_each_merge",
    {"pieces[left] + pieces[right]":
        '(pieces[left] + pieces[right]).decode(errors="replace").encode()'},
    "You decode each merge and join the texts. A merge may end in the middle of a letter. Join "
    "bytes, and decode once at the end.")
right.mistake("without_a_byte_order_mark", {'errors="replace"': '"utf-8-sig", errors="replace"'},
    "A byte order mark at the beginning is missing from your text, as with `utf-8-sig`. It is a "
    "character like any other.")
right.mistake("joins_letters_and_accents",
    {'errors="replace")': 'errors="replace").replace("e\\u0301", "\\u00e9")'},
    "You rewrite letters, for example by joining a letter and an accent into one character. The "
    "text then has other bytes than the tokens.")
right.mistake("other_ends_of_lines",
    {'errors="replace")': 'errors="replace").replace("\\r\\n", "\\n").replace("\\r", "\\n")'},
    "You change the line endings of the text: `\\r\\n` and `\\n` are different bytes. Leave them "
    "as they are.")
right.mistake("question_marks", {'errors="replace")': 'errors="replace").replace("\\ufffd", "?")'},
    "Invalid bytes became question marks, which the text may contain as well. When decoding, "
    "errors=\"replace\" writes the character U+FFFD.")
right.mistake("one_mark_for_a_run",
    {'found.decode(errors="replace")':
        're.sub("\\ufffd+", "\\ufffd", found.decode(errors="replace"))'},
    "Several U+FFFD in a row became one. Leave nothing out: write as many as errors=\"replace\" "
    "does.")
