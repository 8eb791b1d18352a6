"""Known mistakes of `generate`."""

import torch

from .generate import exercise
from .generate_cuts import generated


@exercise.misconception(
    "The temperature has a bound in your function. It may be any number above 0."
)
def bounds_the_temperature(model, prompt, count, longest, temperature, generator):
    bounded = min(max(temperature, 0.5), 2.0)
    return generated(model, prompt, count, longest, bounded, generator)


@exercise.misconception("The logits have a bound in your function. They may be any numbers.")
def bounds_the_logits(model, prompt, count, longest, temperature, generator):
    def chosen(logits):
        weights = (logits.clamp(-20, 20) / temperature).softmax(dim=-1)
        return torch.multinomial(weights, 1, generator=generator)

    return generated(model, prompt, count, longest, temperature, generator, chosen=chosen)


@exercise.misconception(
    "You take the most likely token each time. Draw each token with the probability that the "
    "model gives it."
)
def most_likely(model, prompt, count, longest, temperature, generator):
    def chosen(logits):
        return logits.argmax(dim=-1, keepdim=True)

    return generated(model, prompt, count, longest, temperature, generator, chosen=chosen)


@exercise.misconception(
    "You multiply by the temperature. A high one should make the probabilities more alike."
)
def multiplied(model, prompt, count, longest, temperature, generator):
    return generated(model, prompt, count, longest, 1 / temperature, generator)


@exercise.misconception(
    "The temperature changes nothing in your function. It divides the logits; chances that are "
    "divided by it have the same shares as before."
)
def without_temperature(model, prompt, count, longest, temperature, generator):
    return generated(model, prompt, count, longest, 1.0, generator)


@exercise.misconception(
    "The model was given more tokens than it has positions for. Give it the last `longest` of them."
)
def without_a_limit(model, prompt, count, longest, temperature, generator):
    return generated(
        model, prompt, count, longest, temperature, generator, seen=lambda tokens: tokens
    )


@exercise.misconception(
    "You keep the first tokens where there are too many. The next token depends on the last ones."
)
def first_tokens_kept(model, prompt, count, longest, temperature, generator):
    return generated(
        model,
        prompt,
        count,
        longest,
        temperature,
        generator,
        seen=lambda tokens: tokens[:, :longest],
    )


@exercise.misconception(
    "The model sees the last token only, so it forgets the rest. Give it all tokens for which "
    "it has positions."
)
def last_token_only(model, prompt, count, longest, temperature, generator):
    return generated(
        model, prompt, count, longest, temperature, generator, seen=lambda tokens: tokens[:, -1:]
    )


@exercise.misconception(
    "Each token is drawn after the prompt alone. What was drawn belongs to the context of the "
    "next one."
)
def same_context(model, prompt, count, longest, temperature, generator):
    return generated(model, prompt, count, longest, temperature, generator, grow=False)


@exercise.misconception(
    "You take the logits of the first place. Those about the next token stand at the last place."
)
def first_place(model, prompt, count, longest, temperature, generator):
    return generated(model, prompt, count, longest, temperature, generator, place=0)


@exercise.misconception("You return the prompt as well. Only the new tokens are asked for.")
def with_the_prompt(model, prompt, count, longest, temperature, generator):
    new = generated(model, prompt, count, longest, temperature, generator)
    return torch.cat([prompt, new], dim=1)


@exercise.misconception(
    "The model was in training mode while it wrote. Put it into evaluation mode first."
)
def in_training_mode(model, prompt, count, longest, temperature, generator):
    return generated(model, prompt, count, longest, temperature, generator, mode=True)


@exercise.misconception(
    "You did not set the mode of the model. One that is given in training mode has to write in "
    "evaluation mode."
)
def in_the_given_mode(model, prompt, count, longest, temperature, generator):
    return generated(model, prompt, count, longest, temperature, generator, mode=None)


@exercise.misconception(
    "The model is in another mode after your call. Put it back into the mode in which you got it."
)
def leaves_evaluation_mode(model, prompt, count, longest, temperature, generator):
    return generated(model, prompt, count, longest, temperature, generator, back=False)


@exercise.misconception(
    "You draw from torch's own generator. The one that is given makes a text repeatable: pass "
    "it on."
)
def own_generator(model, prompt, count, longest, temperature, generator):
    return generated(model, prompt, count, longest, temperature, None)


@exercise.misconception(
    "All rows of the batch get the token that was drawn for the first. Draw one for each row."
)
def one_draw_for_all(model, prompt, count, longest, temperature, generator):
    def chosen(logits):
        weights = (logits[:1] / temperature).softmax(dim=-1)
        return torch.multinomial(weights, 1, generator=generator).expand(len(logits), 1)

    return generated(model, prompt, count, longest, temperature, generator, chosen=chosen)


@exercise.misconception(
    "The model could be given one token more: it has `longest` positions, and no room is needed "
    "for the token that comes."
)
def one_token_less(model, prompt, count, longest, temperature, generator):
    def seen(tokens):
        return tokens[:, -max(longest - 1, 1) :]

    return generated(model, prompt, count, longest, temperature, generator, seen=seen)


@exercise.misconception(
    "The generator begins anew for each token, so all draws of a row are made with the same "
    "number. Draw on from where it is."
)
def begins_the_generator_anew(model, prompt, count, longest, temperature, generator):
    state = generator.get_state()

    def seen(tokens):
        generator.set_state(state)
        return tokens[:, -longest:]

    return generated(model, prompt, count, longest, temperature, generator, seen=seen)


@exercise.misconception("The prompt is changed. Join what is drawn to it in a new tensor.")
def writes_into_the_prompt(model, prompt, count, longest, temperature, generator):
    new = generated(model, prompt, count, longest, temperature, generator)
    kept = torch.cat([prompt, new], dim=1)[:, -prompt.size(1) :]
    prompt.copy_(kept)
    return new


@exercise.misconception(
    "The softmax is over the rows of the batch. Over which axis do the chances of one row sum to 1?"
)
def softmax_over_the_rows(model, prompt, count, longest, temperature, generator):
    def chosen(logits):
        weights = (logits / temperature).softmax(dim=0)
        return torch.multinomial(weights, 1, generator=generator)

    return generated(model, prompt, count, longest, temperature, generator, chosen=chosen)


@exercise.misconception(
    "You draw from a generator that you made. It begins with the same numbers each time: draw from "
    "the one that is given, so that the next text is another."
)
def draws_from_a_copy(model, prompt, count, longest, temperature, generator):
    own = torch.Generator(generator.device).manual_seed(generator.initial_seed())
    return generated(model, prompt, count, longest, temperature, own)


@exercise.misconception(
    "You take the softmax twice. Its result is probabilities already: draw with these."
)
def softmax_twice(model, prompt, count, longest, temperature, generator):
    def chosen(logits):
        weights = (logits / temperature).softmax(dim=-1).softmax(dim=-1)
        return torch.multinomial(weights, 1, generator=generator)

    return generated(model, prompt, count, longest, temperature, generator, chosen=chosen)
