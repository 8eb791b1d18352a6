"""Sixty made-up answers to one question, with what a grader decides about each.

Used by grading_marks.py. An answer has three parts; each part is right, half right, wrong or not
there. Some students copy one another, with other capitals and spaces; some write nothing.
"""

import random
from dataclasses import dataclass

QUESTION = "explain_mask_order"  # of chapter 4, whose rubric has four items
STUDENTS, COPIES, EMPTY = 60, 21, 5
HALF = -0.5


@dataclass(frozen=True)
class Part:
    """One way to write a part of the answer. items: the rubric's, from 0. comment: "" for none."""

    text: str
    items: tuple[int, ...] = ()
    comment: str = ""
    points: float = 0.0  # of the comment, which is an item too


@dataclass(frozen=True)
class Written:
    """An answer, and the decision: which items of the rubric, and which comments with points."""

    text: str
    items: tuple[int, ...]
    comments: tuple[tuple[str, float], ...]


NO_REASON = "True, but why does the denominator not matter?"
ONLY_NAMED = "What comes out in this case? Compute it for one row."
NOT_THE_FUTURE = "Which row sees which other row here? Say whose scores these are."
PARTS: tuple[tuple[Part, ...], ...] = (
    (
        Part("(a) The denominator still has the masked scores in it, and these belong to later "
             "keys, so a row knows something about the future.", (0, 1)),
        Part("(a) The weights do not sum to 1, since $\\sum_j \\exp(s_j)$ runs over all keys, also "
             "over later ones. So the output depends on the future.", (0, 1)),
        Part("(a) The denominator is too large because the masked scores are still in it.", (0,),
             NOT_THE_FUTURE),
        Part("(a) The rows do not sum to one any more."),
        Part(""),
    ),
    (
        Part("(b) He is right, the common denominator cancels when you divide by the sum.", (2,)),
        Part("(b) Yes: $\\frac{e^{s_i}/Z}{\\sum e^{s_j}/Z} = \\frac{e^{s_i}}{\\sum e^{s_j}}$, "
             "so it is the same.", (2,)),
        Part("(b) The result is the same.", (2,), NO_REASON, HALF),
        Part("(b) No, it is something else because the softmax is not linear."),
        Part(""),
    ),
    (
        Part("(c) A row in which everything is masked gives 0 / 0, which is nan.", (3,)),
        Part("(c) If a masked score is very large, the others underflow to 0, so you get nan.",
             (3,)),
        Part("(c) With a row that is fully masked.", (3,), ONLY_NAMED, HALF),
        Part("(c) When the sequence is long."),
        Part(""),
    ),
)  # fmt: skip


def answers(seed: int = 0) -> list[Written]:
    """The answers of the class, in the order of the students."""
    draw = random.Random(seed)
    own = [_written([draw.choice(ways) for ways in PARTS])
           for _ in range(STUDENTS - COPIES - EMPTY)]  # fmt: skip
    copied = [_rewritten(draw.choice(own[:8]), draw) for _ in range(COPIES)]
    every = own + copied + [Written("", (), ())] * EMPTY
    draw.shuffle(every)
    return every


def _written(parts: list[Part]) -> Written:
    return Written(
        "\n\n".join(part.text for part in parts if part.text),
        tuple(item for part in parts for item in part.items),
        tuple((part.comment, part.points) for part in parts if part.comment),
    )


def _rewritten(one: Written, draw: random.Random) -> Written:
    """The same text, as it may look after it went through a chat."""
    text = draw.choice((one.text, one.text.lower() if "$" not in one.text else one.text,
                        one.text.replace("\n\n", "\n\n\n"), f"{one.text} \n"))  # fmt: skip
    return Written(text, one.items, one.comments)
