"""Known mistakes of `bits_per_answer`."""

import math

import torch
import torch.nn.functional as F  # noqa: F401

from .bits_per_answer import exercise


@exercise.base
def right(model, tokens, answers):
    was = model.training
    model.eval()
    with torch.no_grad():
        logits = model(tokens)[:, :-1]
    model.train(was)
    targets, marks = tokens[:, 1:], answers[:, 1:]
    logs = logits.log_softmax(dim=-1).gather(-1, targets[..., None])[..., 0]  # [batch, length - 1]
    bits = -logs / math.log(2)
    return bits[marks].mean().item()


# fmt: off
right.mistake("reads_the_logits_at_the_answer",
    {"model(tokens)[:, :-1]": "model(tokens)[:, 1:]"},
    "You read the logits at the place of the answer. They predict the token after it. Which place "
    "has seen everything before the answer, and not the answer itself?")
right.mistake("reads_the_logits_two_places_before",
    {"model(tokens)[:, :-1]": "model(tokens)[:, :-1].roll(1, dims=1)"},
    "You read the logits two places before the answer. They have not seen the token just before "
    "it. Is something shifted twice?")
right.mistake("measures_the_token_after_the_answer",
    {"answers[:, 1:]": "answers[:, :-1]"},
    "You measure the token after each answer. The marks have to be shifted like the tokens.")
right.mistake("measures_the_token_before_the_answer",
    {"answers[:, 1:]": "answers.roll(-1, dims=1)[:, 1:]"},
    "You measure the token before each answer. Are the marks shifted once too often?")
right.mistake("measures_the_next_token_as_well",
    {"answers[:, 1:]": "answers[:, 1:] | answers[:, :-1]"},
    "The token after each answer counts as well. Only marked tokens count.")
right.mistake("compares_with_the_token_itself", {"targets, marks = tokens[:, 1:]":
    "targets, marks = tokens[:, :-1]"},
    "The logits are compared with the token that they follow, not with the next one.")
right.mistake("in_nats", {"-logs / math.log(2)": "-logs"},
    "Your result is in nats, since cross-entropy uses the natural logarithm. How many nats are one "
    "bit?")
right.mistake("multiplies_by_the_logarithm", {"-logs / math.log(2)": "-logs * math.log(2)"},
    "You multiply by ln 2 to get bits. A bit is ln 2 nats. Are there more bits or more nats?")
right.mistake("divides_by_the_logarithm_of_10", {"math.log(2)": "math.log(10)"},
    "You divide by the logarithm of 10. Bits use the logarithm to base 2.")
right.mistake("has_the_wrong_sign", {"-logs /": "logs /"},
    "Your number is negative. The logarithm of a probability is below 0, and a cost is above it.")
right.mistake("ignores_the_marks", {"bits[marks].mean()": "bits.mean()"},
    "Every token counts, padding included. Where does `answers` come in?")
right.mistake("counts_all_tokens_but_padding", {"bits[marks]": "bits[targets != 0]"},
    "Every token that is not padding counts. Where does `answers` come in?")
right.mistake("measures_what_is_not_marked", {"bits[marks]": "bits[~marks]"},
    "The tokens that are no answers count. What does True mean in `answers`?")
right.mistake("divides_by_all_tokens", {"bits[marks].mean()": "(bits * marks).mean()"},
    "The sum is that of the answers, but it is divided by the number of targets: a mean over "
    "zeros, too. How many answers are there?")
right.mistake("divides_by_the_size_of_tokens",
    {"bits[marks].mean().item()": "bits[marks].sum().item() / tokens.numel()"},
    "The sum is that of the answers, but it is divided by the number of all tokens. How many "
    "answers are there?")
right.mistake("divides_by_the_rows",
    {"bits[marks].mean().item()": "bits[marks].sum().item() / len(tokens)"},
    "You divide by the number of rows. A row may have several answers, or none.")
right.mistake("divides_by_the_rows_with_answers",
    {"bits[marks].mean().item()": "bits[marks].sum().item() / marks.any(dim=1).sum().item()"},
    "You divide by the number of rows that have an answer. A row may have several.")
right.mistake("averages_the_means_of_rows",
    {"bits[marks].mean().item()":
        "((bits * marks).sum(dim=1) / marks.sum(dim=1))[marks.any(dim=1)].mean().item()"},
    "You average over each row and then average the results. An answer of a row with many answers "
    "counts less then.")
right.mistake("averages_rows_with_zeros",
    {"bits[marks].mean().item()":
        "((bits * marks).sum(dim=1) / marks.sum(dim=1).clamp(min=1)).mean().item()"},
    "You average over each row, with 0 for a row without an answer, and then average the results. "
    "Average over all answers at once.")
right.mistake("adds_up", {"bits[marks].mean()": "bits[marks].sum()"},
    "You return the sum of all bits. The exercise asks for the mean.")
right.mistake("averages_the_probabilities",
    {"bits[marks].mean().item()": "-logs[marks].exp().mean().log2().item()"},
    "You average the probabilities and take the logarithm of the mean. Take the logarithm of each.")
right.mistake("returns_the_probability",
    {"bits[marks].mean().item()": "logs[marks].exp().mean().item()"},
    "You return the mean probability of the answers. What does a token of probability p cost in "
    "bits?")
right.mistake("returns_the_share_right",
    {"bits[marks].mean().item()":
        "(logits.argmax(dim=-1) == targets)[marks].float().mean().item()"},
    "You return the share of the answers that the model thinks most likely. The exercise asks for "
    "bits.")
right.mistake("returns_the_perplexity",
    {"bits[marks].mean().item()": "2 ** bits[marks].mean().item()"},
    "You return 2 to the power of the bits, a perplexity. The exercise asks for the bits.")
right.mistake("takes_the_most_likely_token",
    {"gather(-1, targets[..., None])[..., 0]": "amax(dim=-1)"},
    "You measure the token that the model thinks most likely. Measure the one that is there.")
right.mistake("measures_the_entropy",
    {"gather(-1, targets[..., None])[..., 0]": "mul(logits.softmax(dim=-1)).sum(dim=-1)"},
    "You average over all tokens that may follow, as an entropy does. Only the cost of the token "
    "that is there counts.")
right.mistake("normalises_over_the_length", {"log_softmax(dim=-1)": "log_softmax(dim=1)"},
    "The softmax runs over the places of a row. Over which axis do probabilities sum to 1?")
right.mistake("takes_logits_for_logarithms", {"logits.log_softmax(dim=-1)": "logits"},
    "You use the logits as if they were logarithms of probabilities. What makes probabilities of "
    "logits?")
right.mistake("takes_the_softmax_twice", {"logits.log": "logits.softmax(dim=-1).log"},
    "The softmax is taken twice. `cross_entropy` and `log_softmax` expect logits.")
right.mistake("leaves_evaluation_mode", {"    model.train(was)\n": ""},
    "The model is in another mode after your measurement. Restore the mode in which you got it.")
right.mistake("leaves_training_mode", {"model.train(was)": "model.train()"},
    "The model is in training mode after your measurement, whatever it was in before. Restore the "
    "mode in which you got it.")
right.mistake("in_the_given_mode", {"    model.eval()\n": ""},
    "You do not set the mode of the model, so a model in training mode gives another number.")
right.mistake("in_training_mode", {"model.eval()": "model.train()"},
    "The model is in training mode while you measure. Measure in evaluation mode.")
right.mistake("hides_the_answers_from_the_model",
    {"model(tokens)": "model(tokens.masked_fill(answers, 0))"},
    "The model does not see the earlier answers of a row. Each answer is predicted after all "
    "tokens before it, answers included.")
right.mistake("reverses_each_row", {"model(tokens)": "model(tokens.flip(1)).flip(1)"},
    "The model sees what follows a token, not what comes before it. Do you flip the tokens?")


@exercise.misconception(
    "The model gets only the token just before each answer. It should see all tokens before it in "
    "its row."
)
def shows_only_the_token_before(model, tokens, answers):
    was = model.training
    model.eval()
    rows, places = answers.nonzero(as_tuple=True)
    with torch.no_grad():
        logs = model(tokens[rows, places - 1][:, None])[:, 0].log_softmax(dim=-1)
    model.train(was)
    return -logs.gather(-1, tokens[rows, places][:, None]).mean().item() / math.log(2)


@exercise.misconception(
    "The model gets only the marked tokens, one after the other. It should see all tokens before "
    "an answer in its row."
)
def shows_only_the_answers(model, tokens, answers):
    was = model.training
    model.eval()
    row = torch.cat([tokens[:1, 0], tokens[answers]])[None]
    with torch.no_grad():
        logs = model(row)[0, :-1].log_softmax(dim=-1)
    model.train(was)
    return -logs.gather(-1, row[0, 1:, None]).mean().item() / math.log(2)


@exercise.misconception(
    "All rows are put into one long row, so the model sees the rows above. A row is a text of its "
    "own."
)
def joins_the_rows(model, tokens, answers):
    was, row = model.training, tokens.flatten()
    model.eval()
    with torch.no_grad():
        logs = model(row[None])[0, :-1].log_softmax(dim=-1)
    model.train(was)
    logs = logs.gather(-1, row[1:, None])[:, 0]
    return -logs[answers.flatten()[1:]].mean().item() / math.log(2)


right.mistake("takes_the_first_answer_of_a_row",
    {"answers[:, 1:]": "(answers & (answers.cumsum(dim=1) == 1))[:, 1:]"},
    "Only the first answer of each row counts. A row may have several.")
right.mistake("takes_the_last_answer_of_a_row",
    {"answers[:, 1:]":
        "(answers & (answers.flip(1).cumsum(dim=1).flip(1) == 1))[:, 1:]"},
    "Only the last answer of each row counts. A row may have several.")
right.mistake("logarithm_of_the_softmax",
    {"logits.log_softmax(dim=-1)": "logits.softmax(dim=-1)",
     "[..., 0]": "[..., 0].log()"},
    "An unlikely answer costs infinitely many bits: its probability is rounded to 0, whose "
    "logarithm is infinite. `log_softmax` and `cross_entropy` never compute the probability.")
right.mistake("adds_a_small_number",
    {"logits.log_softmax(dim=-1)": "logits.softmax(dim=-1)",
     "[..., 0]": "[..., 0].add(1e-9).log()"},
    "You add a small number to each probability, so an unlikely answer costs too little. "
    "`log_softmax` needs no such number.")
right.mistake("returns_a_tensor", {".mean().item()": ".mean()"},
    "You return a tensor. Which method of it gives a Python number?")
right.mistake("rounds", {"bits[marks].mean().item()": "round(bits[marks].mean().item(), 2)"},
    "Your number is rounded. Return it as it is.")
right.mistake("takes_the_median", {"bits[marks].mean()": "bits[marks].median()"},
    "You take the median of the bits. The exercise asks for the mean.")
