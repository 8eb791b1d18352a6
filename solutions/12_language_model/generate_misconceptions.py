"""Known mistakes of `generate`."""

import torch

from .generate import exercise


@exercise.base
def right(model, prompt, count, longest, temperature, generator):
    was, tokens = model.training, prompt
    model.eval()
    with torch.no_grad():
        for _ in range(count):
            seen = tokens[:, -longest:]
            logits = model(seen)[:, -1] / temperature
            weights = logits.softmax(dim=-1)
            new = torch.multinomial(weights, 1, generator=generator)
            tokens = torch.cat([tokens, new], dim=1)
    model.train(was)
    return tokens[:, prompt.size(1) :]


def likeliest(logits, most):
    """The logits, of which so many at most are not minus infinity."""
    least = logits.topk(min(most, logits.size(-1)), dim=-1).values[:, -1:]
    return logits.masked_fill(logits < least, -torch.inf)


def drawn_of_the_likeliest(weights, together, generator):
    """Of the likeliest tokens only, as many as have this probability together."""
    weights, order = weights.sort(dim=-1, descending=True)
    weights = weights.masked_fill(weights.cumsum(dim=-1) - weights >= together, 0.0)
    return order.gather(1, torch.multinomial(weights, 1, generator=generator))


# fmt: off
right.mistake("only_the_likeliest", {"logits.softmax": "likeliest(logits, 5).softmax"},
    "You only ever draw the most likely tokens. No token should be left out: each comes with the "
    "probability that the model gives it.")
right.mistake("only_the_likeliest_ten", {"logits.softmax": "likeliest(logits, 10).softmax"},
    "You only ever draw about 10 tokens, the most likely, where there are more. No token should "
    "be left out: each comes with the probability that the model gives it.")
right.mistake("only_the_likeliest_twenty", {"logits.softmax": "likeliest(logits, 20).softmax"},
    "You only ever draw about 20 tokens, the most likely, where there are more. No token should "
    "be left out: each comes with the probability that the model gives it.")
right.mistake("only_the_likeliest_forty", {"logits.softmax": "likeliest(logits, 40).softmax"},
    "You only ever draw about 40 tokens, the most likely, where there are more. No token should "
    "be left out: each comes with the probability that the model gives it.")
right.mistake("only_the_likeliest_fifty", {"logits.softmax": "likeliest(logits, 50).softmax"},
    "You only ever draw about 50 tokens, the most likely, where there are more. No token should "
    "be left out: each comes with the probability that the model gives it.")
right.mistake("only_the_likeliest_hundred", {"logits.softmax": "likeliest(logits, 100).softmax"},
    "You only ever draw about 100 tokens, the most likely, where there are more. No token should "
    "be left out: each comes with the probability that the model gives it.")
right.mistake("nine_tenths_of_the_probability",
    {"torch.multinomial(weights, 1, generator=generator)":
        "drawn_of_the_likeliest(weights, 0.9, generator)"},
    "You only ever draw the most likely tokens, whose probabilities add up to about 0.9. No token "
    "should be left out: each comes with the probability that the model gives it.")
right.mistake("nineteen_twentieths_of_the_probability",
    {"torch.multinomial(weights, 1, generator=generator)":
        "drawn_of_the_likeliest(weights, 0.95, generator)"},
    "You only ever draw the most likely tokens, whose probabilities add up to about 0.95. No "
    "token should be left out: each comes with the probability that the model gives it.")
right.mistake("never_the_start",
    {"/ temperature": "/ temperature\n            logits[:, 0] = -1e9"},
    "You never draw the token 0. No token should be left out: each comes with the probability "
    "that the model gives it.")
right.mistake("bounds_the_temperature", {"/ temperature": "/ min(max(temperature, 0.5), 2.0)"},
    "Your function limits the temperature. It may be any number above 0.")
right.mistake("bounds_the_logits", {"[:, -1]": "[:, -1].clamp(-20, 20)"},
    "Your function limits the logits. They may be any numbers.")
right.mistake("most_likely",
    {"torch.multinomial(weights, 1, generator=generator)": "weights.argmax(dim=-1, keepdim=True)"},
    "You take the most likely token each time. Draw each token with the probability that the model "
    "gives it.")
right.mistake("multiplied", {"/ temperature": "* temperature"},
    "You multiply by the temperature. A high temperature should make the probabilities more alike.")
right.mistake("without_temperature", {" / temperature": ""},
    "The temperature changes nothing in your function. It should divide the logits; dividing "
    "probabilities keeps their proportions.")
right.mistake("without_a_limit", {"tokens[:, -longest:]": "tokens"},
    "You give the model more tokens than it has positions for. Give it the last `longest` of them.")
right.mistake("first_tokens_kept", {"-longest:": ":longest"},
    "You keep the first tokens where there are too many. The next token depends on the last ones.")
right.mistake("last_token_only", {"-longest:": "-1:"},
    "The model gets only the last token, so it has no other context. Give it all tokens for which "
    "it has positions.")
right.mistake("same_context", {"seen = tokens": "seen = prompt"},
    "You draw each token after the prompt alone. Tokens already drawn belong to the context of "
    "the next one.")
right.mistake("first_place", {"(seen)[:, -1]": "(seen)[:, 0]"},
    "You take the logits of the first place. Those for the next token are at the last place.")
right.mistake("with_the_prompt", {"tokens[:, prompt.size(1) :]": "tokens"},
    "You return the prompt as well. The exercise asks only for the new tokens.")
right.mistake("in_training_mode", {"model.eval()": "model.train()"},
    "The model is in training mode while it writes. Put it into evaluation mode first.")
right.mistake("in_the_given_mode", {"    model.eval()\n": ""},
    "You do not set the mode of the model. A model that you get in training mode has to write in "
    "evaluation mode.")
right.mistake("leaves_evaluation_mode", {"    model.train(was)\n": ""},
    "The model is in another mode after your call. Restore the mode in which you got it.")
right.mistake("own_generator", {"generator=generator": "generator=None"},
    "You draw from torch's own generator. The given one makes a text repeatable, so pass it on.")
right.mistake("one_draw_for_all",
    {"torch.multinomial(weights, 1, generator=generator)":
        "torch.multinomial(weights[:1], 1, generator=generator).expand(len(logits), 1)"},
    "All rows of the batch get the token drawn for the first row. Draw one for each row.")
right.mistake("one_token_less", {"-longest:": "-max(longest - 1, 1) :"},
    "You could give the model one token more: it has `longest` positions, and the next token "
    "needs none.")
right.mistake("begins_the_generator_anew",
    {"model.eval()": "state = generator.get_state()\n    model.eval()",
     "seen = tokens": "generator.set_state(state)\n            seen = tokens"},
    "You restart the generator for each token, so all draws of a row use the same random number. "
    "Continue from its current state.")
right.mistake("writes_into_the_prompt",
    {"return tokens[:, prompt.size(1) :]":
        "new = tokens[:, prompt.size(1) :].clone()\n"
        "    prompt.copy_(tokens[:, -prompt.size(1) :])\n"
        "    return new"},
    "You change the prompt. Put the drawn tokens after it in a new tensor.")
right.mistake("softmax_over_the_rows", {"softmax(dim=-1)": "softmax(dim=0)"},
    "Your softmax runs over the rows of the batch. Over which axis should the probabilities of "
    "one row sum to 1?")
right.mistake("draws_from_a_copy",
    {"model.eval()":
        "generator = torch.Generator(generator.device).manual_seed(generator.initial_seed())\n"
        "    model.eval()"},
    "You draw from a generator that you created, which begins with the same numbers each time. "
    "Draw from the one that is given, so that the next text is different.")
right.mistake("softmax_twice", {"softmax(dim=-1)": "softmax(dim=-1).softmax(dim=-1)"},
    "You take the softmax twice. Its result is probabilities already, so draw with these.")
