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
    "Only the likeliest tokens are ever drawn. Here none is left out: each comes with the "
    "probability that the model gives it.")
right.mistake("only_the_likeliest_ten", {"logits.softmax": "likeliest(logits, 10).softmax"},
    "Only about 10 tokens are ever drawn, the likeliest, where there are more. Here none is left "
    "out: each comes with the probability that the model gives it.")
right.mistake("only_the_likeliest_twenty", {"logits.softmax": "likeliest(logits, 20).softmax"},
    "Only about 20 tokens are ever drawn, the likeliest, where there are more. Here none is left "
    "out: each comes with the probability that the model gives it.")
right.mistake("only_the_likeliest_forty", {"logits.softmax": "likeliest(logits, 40).softmax"},
    "Only about 40 tokens are ever drawn, the likeliest, where there are more. Here none is left "
    "out: each comes with the probability that the model gives it.")
right.mistake("only_the_likeliest_fifty", {"logits.softmax": "likeliest(logits, 50).softmax"},
    "Only about 50 tokens are ever drawn, the likeliest, where there are more. Here none is left "
    "out: each comes with the probability that the model gives it.")
right.mistake("only_the_likeliest_hundred", {"logits.softmax": "likeliest(logits, 100).softmax"},
    "Only about 100 tokens are ever drawn, the likeliest, where there are more. Here none is left "
    "out: each comes with the probability that the model gives it.")
right.mistake("nine_tenths_of_the_probability",
    {"torch.multinomial(weights, 1, generator=generator)":
        "drawn_of_the_likeliest(weights, 0.9, generator)"},
    "Only the likeliest tokens are ever drawn, which have a probability of about 0.9 together. "
    "Here none is left out: each comes with the probability that the model gives it.")
right.mistake("nineteen_twentieths_of_the_probability",
    {"torch.multinomial(weights, 1, generator=generator)":
        "drawn_of_the_likeliest(weights, 0.95, generator)"},
    "Only the likeliest tokens are ever drawn, which have a probability of about 0.95 together. "
    "Here none is left out: each comes with the probability that the model gives it.")
right.mistake("never_the_start",
    {"/ temperature": "/ temperature\n            logits[:, 0] = -1e9"},
    "The token 0 is never drawn. Here no token is left out: each comes with the probability that "
    "the model gives it.")
right.mistake("bounds_the_temperature", {"/ temperature": "/ min(max(temperature, 0.5), 2.0)"},
    "The temperature has a bound in your function. It may be any number above 0.")
right.mistake("bounds_the_logits", {"[:, -1]": "[:, -1].clamp(-20, 20)"},
    "The logits have a bound in your function. They may be any numbers.")
right.mistake("most_likely",
    {"torch.multinomial(weights, 1, generator=generator)": "weights.argmax(dim=-1, keepdim=True)"},
    "You take the most likely token each time. Draw each token with the probability that the model "
    "gives it.")
right.mistake("multiplied", {"/ temperature": "* temperature"},
    "You multiply by the temperature. A high one should make the probabilities more alike.")
right.mistake("without_temperature", {" / temperature": ""},
    "The temperature changes nothing in your function. It divides the logits; chances that are "
    "divided by it have the same shares as before.")
right.mistake("without_a_limit", {"tokens[:, -longest:]": "tokens"},
    "The model was given more tokens than it has positions for. Give it the last `longest` of "
    "them.")
right.mistake("first_tokens_kept", {"-longest:": ":longest"},
    "You keep the first tokens where there are too many. The next token depends on the last ones.")
right.mistake("last_token_only", {"-longest:": "-1:"},
    "The model sees the last token only, so it forgets the rest. Give it all tokens for which it "
    "has positions.")
right.mistake("same_context", {"seen = tokens": "seen = prompt"},
    "Each token is drawn after the prompt alone. What was drawn belongs to the context of the next "
    "one.")
right.mistake("first_place", {"(seen)[:, -1]": "(seen)[:, 0]"},
    "You take the logits of the first place. Those about the next token stand at the last place.")
right.mistake("with_the_prompt", {"tokens[:, prompt.size(1) :]": "tokens"},
    "You return the prompt as well. Only the new tokens are asked for.")
right.mistake("in_training_mode", {"model.eval()": "model.train()"},
    "The model was in training mode while it wrote. Put it into evaluation mode first.")
right.mistake("in_the_given_mode", {"    model.eval()\n": ""},
    "You did not set the mode of the model. One that is given in training mode has to write in "
    "evaluation mode.")
right.mistake("leaves_evaluation_mode", {"    model.train(was)\n": ""},
    "The model is in another mode after your call. Put it back into the mode in which you got it.")
right.mistake("own_generator", {"generator=generator": "generator=None"},
    "You draw from torch's own generator. The one that is given makes a text repeatable: pass it "
    "on.")
right.mistake("one_draw_for_all",
    {"torch.multinomial(weights, 1, generator=generator)":
        "torch.multinomial(weights[:1], 1, generator=generator).expand(len(logits), 1)"},
    "All rows of the batch get the token that was drawn for the first. Draw one for each row.")
right.mistake("one_token_less", {"-longest:": "-max(longest - 1, 1) :"},
    "The model could be given one token more: it has `longest` positions, and no room is needed "
    "for the token that comes.")
right.mistake("begins_the_generator_anew",
    {"model.eval()": "state = generator.get_state()\n    model.eval()",
     "seen = tokens": "generator.set_state(state)\n            seen = tokens"},
    "The generator begins anew for each token, so all draws of a row are made with the same "
    "number. Draw on from where it is.")
right.mistake("writes_into_the_prompt",
    {"return tokens[:, prompt.size(1) :]":
        "new = tokens[:, prompt.size(1) :].clone()\n"
        "    prompt.copy_(tokens[:, -prompt.size(1) :])\n"
        "    return new"},
    "The prompt is changed. Join what is drawn to it in a new tensor.")
right.mistake("softmax_over_the_rows", {"softmax(dim=-1)": "softmax(dim=0)"},
    "The softmax is over the rows of the batch. Over which axis do the chances of one row sum to "
    "1?")
right.mistake("draws_from_a_copy",
    {"model.eval()":
        "generator = torch.Generator(generator.device).manual_seed(generator.initial_seed())\n"
        "    model.eval()"},
    "You draw from a generator that you made. It begins with the same numbers each time: draw from "
    "the one that is given, so that the next text is another.")
right.mistake("softmax_twice", {"softmax(dim=-1)": "softmax(dim=-1).softmax(dim=-1)"},
    "You take the softmax twice. Its result is probabilities already: draw with these.")
