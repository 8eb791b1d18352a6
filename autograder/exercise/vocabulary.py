"""The words in which a course speaks of what the engine recognises in general terms."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Word:
    """A course's name for a general pattern, and the hint that it gives."""

    name: str
    hint: str


@dataclass(frozen=True)
class Vocabulary:
    """A course's words, from its file `solutions/vocabulary.py`; a course without one has none.

    words: the course's words for a general pattern, by the name of the pattern in the engine.
    selecting: a word in the names of those boolean inputs that say which entries count. Other
        boolean inputs are not looked at then; without such a word all of them are.
    confused: names that are easily confused in code, each with the one that is written in its
        place. A mutation test exchanges them.
    """

    words: Mapping[str, Word] = field(default_factory=dict)
    selecting: str = ""
    confused: Mapping[str, str] = field(default_factory=dict)


NO_WORDS = Vocabulary()
