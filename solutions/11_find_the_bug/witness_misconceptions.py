"""Known mistakes of `witness`."""

import torch

from .witness import exercise


@exercise.base
def right(model, length, symbols):
    texts = torch.randint(symbols, (150, length))
    for n in range(2, length + 1):
        longer, shorter = (model(x).clamp(min=-1e6) for x in (texts[:, :n], texts[:, : n - 1]))
        shows = (longer[:, :-1] - shorter).abs().amax((1, 2)) > 1e-3
        if shows.any():
            return texts[shows][:1, :n]
    return None


# fmt: off
right.mistake("returns_the_whole_text",
    {"range(2, length + 1)": "range(1, length)",
     "(texts[:, :n], texts[:, : n - 1])": "(texts, texts[:, :n])",
     "longer[:, :-1]": "longer[:, :n]",
     "[:1, :n]": "[:1]"},
    "Your text continues after the token that shows the defect. That token has to be the last "
    "one, so cut off the rest.")
right.mistake("leaves_out_the_last_token", {"[:1, :n]": "[:1, : n - 1]"},
    "Your text is one token too short: you return the prefix, without the token that shows the "
    "defect.")
right.mistake("never_returns_none", {"return None": "return texts[-1:]"},
    "You return a text for right models, too. Where none of many texts shows a defect, return "
    "None.")


@exercise.misconception(
    "Your text is always the same. A text that shows the defect of one model does not show that "
    "of another. Try texts on the model that you are given."
)
def knows_a_text_by_heart(model, length, symbols):
    return torch.arange(length)[None] % symbols


@exercise.misconception(
    "Your texts often show nothing. If you draw a text without trying it, note that a random one "
    "shows only some defects. Draw many, and look for one that shows a defect."
)
def draws_and_does_not_try(model, length, symbols):
    return torch.randint(symbols, (1, length))


right.mistake("changes_the_last_token",
    {"longer, shorter =":
        "other = texts[:, :n].clone()\n"
        "        other[:, -1] = (other[:, -1] + 1) % symbols\n"
        "        longer, shorter =",
     "(texts[:, :n], texts[:, : n - 1])": "(texts[:, :n], other)",
     "- shorter": "- shorter[:, :-1]"},
    "You miss models for which the length itself matters. If you change the last token instead of "
    "removing it, what happens to positions that are counted from the end?")
right.mistake("cuts_the_end_of_long_texts", {"2, length": "length, length"},
    "You miss defects that only shorter texts show. If you only remove the last token of texts of "
    "`length` tokens, try every length from 2 on instead.")
right.mistake("tries_short_texts_only",
    {"torch.randint(symbols, (150, length))": "torch.cartesian_prod(*[torch.arange(symbols)] * 3)",
     "length + 1": "4"},
    "You miss defects that only longer texts show. If you try all short texts, note that there "
    "are `symbols ** length` long ones; a few hundred of them, drawn at random, are enough.")
right.mistake("tries_one_text", {"150": "1"},
    "You miss defects that few texts show. If you try one or two, you need luck. Give the model "
    "some hundreds of them in one batch.")
right.mistake("tries_repeated_tokens",
    {"torch.randint(symbols, (150, length))": "torch.arange(symbols)[:, None].expand(-1, length)"},
    "You miss defects that only different tokens show. If your texts repeat one token, the last "
    "token adds nothing new. Draw tokens at random.")
right.mistake("compares_one_position",
    {"(longer[:, :-1] - shorter)": "(longer[:, -2:-1] - shorter[:, -1:])"},
    "You miss changes further back. If you compare only the position before the last one, note "
    "that all earlier ones have logits, too.")
right.mistake("calls_a_lot_nothing", {"1e-3": "0.4"},
    "You miss small differences. Check your bound: the text says how small rounding is and how "
    "large a mistake is. Put your bound between the two.")
right.mistake("takes_rounding_for_a_defect", {"1e-3": "4e-6"},
    "You return a text for a right model that rounds. The text says by how much logits may differ "
    "because of rounding. If you compare bits, allow for that.")
right.mistake("subtracts_infinities",
    {".clamp(min=-1e6)": "",
     "shows = (longer[:, :-1] - shorter).abs().amax((1, 2)) > 1e-3":
        "shows = ~((longer[:, :-1] - shorter).abs().amax((1, 2)) < 1e-3)"},
    "You return a text for a right model in which one symbol is never predicted. Minus infinity "
    "minus minus infinity is NaN, and no comparison with NaN is True.")
right.mistake("returns_every_text_found", {"[:1, :n]": "[:, :n]"},
    "You return all texts that show the defect. The exercise asks for one, as a batch of one row.")
right.mistake("drops_the_batch_axis", {"[:1, :n]": "[0, :n]"},
    "Your text has no batch axis. A model takes a batch of texts, even if there is only one: the "
    "shape is (1, n).")
right.mistake("says_whether_there_is_one",
    {"texts[shows][:1, :n]": "True", "return None": "return False"},
    "You return whether there is such a text. That was another exercise. Here, return one.")
right.mistake("returns_the_logits", {"texts[shows][:1, :n]": "model(texts[shows][:1, :n])"},
    "You return numbers that are not integers, such as the model's logits for the text. The "
    "exercise asks for the tokens, int64.")
right.mistake("stops_before_the_longest", {"length + 1": "length"},
    "You miss defects that few of the longest texts show. If you try `range(2, length)`, note "
    "that it ends before them. If you try few texts, try some hundreds.")
right.mistake("lost_in_nan", {".clamp(min=-1e6)": ""},
    "You miss texts where a logit is minus infinity. If it is so in both calls, the difference is "
    "NaN, and so is the largest difference, which exceeds no bound. Compare before you subtract.")
right.mistake("compares_probabilities", {".clamp(min=-1e6)": ".softmax(-1)"},
    "You miss a number that is added to all logits. If you compare probabilities, the softmax "
    "removes it. Compare the logits.")
right.mistake("begins_with_three_tokens", {"range(2": "range(3"},
    "You never try two tokens. The shortest text whose last token can change anything has two.")
right.mistake("compares_what_is_finite",
    {".clamp(min=-1e6)": "",
     "(longer[:, :-1] - shorter)": "(longer[:, :-1] - shorter).nan_to_num(0, 0, 0)"},
    "You leave out a logit that is minus infinity in one call only. Leave out only logits that "
    "are infinite in both.")
right.mistake("finds_nothing", {"texts[shows][:1, :n]": "None"},
    "You return None for a model that has such a text. Give it some hundreds of random texts, of "
    "every length, and compare all logits. Which of these do you leave out?")
