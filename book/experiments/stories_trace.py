"""The transformer that the page "From text to token" runs: seed 0, in a byte for each weight.

Only the rows of its table that stories use are kept: the words, the line break and the start. The
whole network and the small one read the same test stories. The record holds the bytes, which the
page reads, and what the small one does with its stream read early, and without one of its parts.
"""

from dataclasses import replace
from typing import Any

import torch
from lm_model import Attention, Block, Transformer
from lm_text import IGNORED, START
from measurements import Numbers, Series, number, run_and_save
from packed import pack, size, unpack
from stories import CITIES, NAMES
from stories_heads import CITY, NAME, averages, looks, weights, without
from stories_models import TESTED
from stories_trained import Run, trained
from stories_training import KIND, USUAL, VOCABULARY, Stories, predicted, stories, tested
from torch import Tensor, nn
from torch.nn import functional as F

SEED, SEEDS = 0, range(5)
UNUSED = "positions.weight"  # positions are rotations here
BEGINNING = "Ben is in Oslo\nCleo is in Cairo\n"
EXAMPLES = {
    "Ben moves": f"{BEGINNING}Ben goes to Delhi\nCleo stays in Cairo\nBen stays in",
    "Cleo moves": f"{BEGINNING}Cleo goes to Delhi\nCleo stays in Delhi\nBen stays in",
}
WRONG = "a wrong answer of the test"


def vocabulary(given: Stories) -> list[int]:
    """The tokens that stories consist of, the start first and then the line break."""
    return sorted({*given.tokens[given.tokens != IGNORED].tolist()})


def of_words(given: Stories, known: list[int]) -> Stories:
    """The same stories, in places of `known`."""
    places = torch.full((VOCABULARY,), IGNORED)
    places[known] = torch.arange(len(known))
    found = places[given.tokens.clamp(min=0)].masked_fill(given.tokens == IGNORED, IGNORED)
    return replace(given, tokens=found)


def small_state(model: nn.Module, known: list[int]) -> dict[str, Tensor]:
    state = {name: part for name, part in model.state_dict().items() if name != UNUSED}
    return state | {"embed.weight": state["embed.weight"][known]}


def unpacked(network: dict[str, Any]) -> Transformer:
    """The network that the bytes describe."""
    state = unpack(network)
    model = Transformer(replace(KIND, vocabulary=len(state["embed.weight"])))
    model.load_state_dict(model.state_dict() | state)
    return model


def encode(network: dict[str, Any], text: str) -> Tensor:
    """The tokens of a reader's text, after the start."""
    words = text.replace("\n", " \n ").split(" ")
    return torch.tensor([START, *(network["words"].index(word) for word in words if word)])


@torch.no_grad()
def streams(model: Transformer, tokens: Tensor) -> list[Tensor]:
    """Of each token: its vector, then what each part adds and the sum. [batch, tokens, d_model]

    In order: vector; attention, MLP and sum of block 1; of block 2; of block 3.
    """
    found = [model.embed(tokens)]
    for block in model.blocks:
        assert isinstance(block, Block)
        (attend, mlp), (before, between), x = block.parts, block.norms, found[-1]
        attention = attend(before(x))
        added = mlp(between(x + attention))
        found += [attention, added, x + attention + added]
    return found


def read(model: Transformer, stream: Tensor) -> Tensor:
    """Probabilities of the next word, as if the stream were that of the last block."""
    return F.linear(model.norm(stream), model.embed.weight).softmax(dim=-1)


def early(model: Transformer, given: Stories) -> Numbers:
    """How many answers are right, and what the right word gets, after each block; 0 for none."""
    asked, numbers = given.steps[:, 1:] > 0, Numbers()
    right = given.tokens[:, 1:][asked]
    for block, stream in enumerate(streams(model, given.tokens[:, :-1].clamp(min=0))[::3]):
        found = read(model, stream[asked])
        hits = (found.argmax(dim=-1) == right).double().mean().item()
        numbers[f"right_after_{block}"] = number(100 * hits, ".0f", "%")
        share = found.gather(1, right[:, None]).mean().item()
        numbers[f"share_after_{block}"] = number(share, ".2f")
    return numbers


@torch.no_grad()
def without_part(model: Transformer, part: nn.Module, given: Stories) -> float:
    """Percent of right answers if a part gives, at each place, its mean over the stories."""
    kept: list[Tensor] = []
    real = (given.tokens[:, :-1] != IGNORED)[..., None]
    hook = part.register_forward_hook(lambda _, __, found: kept.append(found))
    model(given.tokens[:, :-1].clamp(min=0))
    hook.remove()
    mean = (kept[0] * real).sum(dim=0) / real.sum(dim=0)
    hook = part.register_forward_hook(lambda _, __, found: mean[: found.size(1)].expand_as(found))
    right = tested(model, given).right
    hook.remove()
    return right


def parts(model: Transformer, given: Stories) -> Numbers:
    """What the network knows without each attention and each MLP."""
    numbers: Numbers = {}
    for at, block in enumerate(model.blocks, start=1):
        assert isinstance(block, Block)
        for part in block.parts:
            name = "attention" if isinstance(part, Attention) else "mlp"
            right = without_part(model, part, given)
            numbers[f"without_{name}_{at}"] = number(right, ".0f", "%")
    return numbers


def heads(model: Transformer, given: Stories) -> Numbers:
    """Of each head: its mean weight on the name and on the facts, and what is right without it."""
    scores, average, numbers = looks(model, given), averages(model, given), Numbers()
    for at in range(KIND.layers * KIND.heads):
        layer, head = divmod(at, KIND.heads)
        place = f"{layer + 1}_{head + 1}"
        numbers[f"name_{place}"] = number(scores["name"][layer, head].item(), ".2f")
        numbers[f"facts_{place}"] = number(scores["facts"][layer, head].item(), ".2f")
        numbers[f"without_{place}"] = number(without(model, at, given, average), ".0f", "%")
    return numbers


def about(given: Stories, token: int, others: bool = False) -> Stories:
    """The same stories, of which only the answers about one person are asked for, or the others."""
    asked = (given.tokens.roll(CITY - NAME, dims=1) == token) != others
    return replace(given, steps=given.steps * asked)


def on_names(model: nn.Module, given: Stories, tokens: list[int]) -> dict[int, Tensor]:
    """What each head gives to the name in its line, by this name's token. [layers * heads]"""
    return {token: looks(model, about(given, token))["name"].flatten() for token in tokens}


def of_odd(model: Transformer, given: Stories, words: list[str]) -> Numbers:
    """The person whose name the head for names looks at least, and which head looks at it instead.

    With all heads, and without either, what is right about this person and about the others.
    """
    found = on_names(model, given, [words.index(name) for name in NAMES])
    head = int(looks(model, given)["name"].argmax())
    odd = min(found, key=lambda token: found[token][head].item())
    instead, average = int(found[odd].argmax()), averages(model, given)
    numbers: Numbers = {"odd": number(words[odd])}
    for label, asked in (("odd", about(given, odd)), ("rest", about(given, odd, others=True))):
        numbers[f"{label}_whole"] = number(tested(model, asked).right, ".0f", "%")
        looked = looks(model, asked)["name"].flatten()
        for kind, at in (("first", head), ("instead", instead)):
            right = without(model, at, asked, average)
            numbers[f"{label}_{kind}"] = number(looked[at].item(), ".2f")
            numbers[f"{label}_without_{kind}"] = number(right, ".0f", "%")
    for kind, at in (("first", head), ("instead", instead)):
        layer, place = divmod(at, KIND.heads)
        numbers[f"head_{kind}"] = number(f"head {place + 1} of block {layer + 1}")
    return numbers


def of_seeds(given: Stories) -> Numbers:
    """Of each seed's head for names: the name that it looks at least, and how much."""
    numbers, pieces = Numbers(), USUAL.tokenizer().pieces
    tokens = [pieces.index(f" {name}".encode()) for name in NAMES]
    for seed in SEEDS:
        model = trained(Run("transformer", seed)).model
        head = int(looks(model, given)["name"].argmax())
        found = on_names(model, given, tokens)
        least = min(tokens, key=lambda token: found[token][head].item())
        numbers[f"least_name_{seed}"] = number(pieces[least].decode().strip())
        numbers[f"least_{seed}"] = number(found[least][head].item(), ".2f")
        most = max(each[head].item() for each in found.values())
        numbers[f"most_{seed}"] = number(most, ".2f")
    return numbers


def compared(whole: nn.Module, small: nn.Module, given: tuple[Stories, Stories]) -> Numbers:
    """What both networks need for the test, and how far their weights are apart."""
    numbers: Numbers = {}
    for label, model, its in (("float", whole, given[0]), ("int8", small, given[1])):
        found = tested(model, its)
        numbers[f"{label}_right"] = number(found.right, ".1f", "%")
        numbers[f"{label}_answer"] = number(found.bits_per_answer, ".3f", "bits")
        numbers[f"{label}_bits"] = number(found.bits_per_byte, ".4f", "bits")
    asked = given[0].steps[:, 1:] > 0
    hits = [predicted(model, its.tokens)[1][asked]
            for model, its in zip((whole, small), given, strict=True)]  # fmt: skip
    numbers["same"] = number(100 * (hits[0] == hits[1]).double().mean().item(), ".1f", "%")
    apart = (weights(whole, given[0].tokens) - weights(small, given[1].tokens)).abs()
    of_answers = apart[:, :, :, :-1].permute(1, 3, 0, 2, 4)[asked]
    numbers["largest_difference"] = number(of_answers.max().item(), ".2f")
    return numbers


@torch.no_grad()
def elsewhere(whole: nn.Module, given: Stories, known: list[int]) -> Numbers:
    """What the tokens that no story uses get of the probability."""
    real = given.tokens[:, 1:] != IGNORED
    shares = whole(given.tokens[:, :-1].clamp(min=0)).softmax(dim=-1)[real]
    others = 1 - shares[:, known].sum(dim=-1)
    return {
        "words": number(len(known), "d"),
        "others": number(VOCABULARY - len(known), "d"),
        "others_most": number(others.max().item(), ".2f"),
    }


def mistaken(model: Transformer, its: Stories, words: list[str]) -> str:
    """The first test story that has a wrong answer, up to this answer."""
    wrong = (its.steps[:, 1:] > 0) & ~predicted(model, its.tokens)[1]
    story, at = wrong.nonzero()[0].tolist()
    text = " ".join(words[token] for token in its.tokens[story, 1 : at + 1].tolist())
    return text.replace(" \n ", "\n")


@torch.no_grad()
def traced(model: Transformer, network: dict[str, Any], text: str) -> dict[str, Any]:
    """What the page draws of a text before its scripts come: all of it is of the last token."""
    tokens = encode(network, text)[None]
    found = [stream[0, -1] for stream in streams(model, tokens)]
    last = weights(model, tokens)[:, 0, :, -1]  # [layers, heads, keys]
    return {
        "text": text,
        "tokens": tokens[0].tolist(),
        "streams": [[round(x, 3) for x in stream.tolist()] for stream in found],
        "weights": [[[round(w, 3) for w in row] for row in layer] for layer in last.tolist()],
        "read": [read(model, stream).tolist() for stream in found[::3]],
    }


def measure() -> tuple[Numbers, Series]:
    whole, given = trained(Run("transformer", SEED)).model, stories("test", TESTED)
    known = vocabulary(given)
    packed = pack(small_state(whole, known))
    small, its = unpacked(packed), of_words(given, known)
    pieces = USUAL.tokenizer().pieces
    told = {"words": ["start", "\n", *(pieces[token].decode().strip() for token in known[2:])],
            "names": NAMES, "cities": CITIES, "heads": KIND.heads, "layers": KIND.layers,
            "longest": KIND.longest}  # fmt: skip
    network = packed | told
    numbers: Numbers = {
        "seed": number(SEED, "d"),
        "parameters": number(sum(part.numel() for part in small_state(whole, known).values()),
                             ",d"),
        "size": number(size(packed) / 1000, ".0f", "kB"),
        "longest": number(KIND.longest, "d"),
        **elsewhere(whole, given, known),
        **compared(whole, small, (given, its)),
        **early(small, its),
        **parts(small, its),
        **heads(small, its),
        **of_odd(small, its, network["words"]),
        **of_seeds(given),
    }  # fmt: skip
    first = next(iter(EXAMPLES.values()))
    odd = numbers["odd"]["value"]
    swapped = {f"{odd} in place of Ben": first.replace("Ben", odd)}
    examples = EXAMPLES | swapped | {WRONG: mistaken(small, its, network["words"])}
    return numbers, {
        "network": network,
        "examples": [{"name": name, "text": text} for name, text in examples.items()],
        "first": traced(small, network, first),
    }


if __name__ == "__main__":
    run_and_save(__file__, measure, [], SEEDS)
