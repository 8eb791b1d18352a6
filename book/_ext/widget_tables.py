"""What a page shows where no script runs: each widget's numbers at a few of its settings."""

import numpy as np
import widget_data
from measured_numbers import measurements

Rows = list[tuple[str, ...]]  # the first is the heading
Table = tuple[str, Rows]  # with its caption
SHOWN = 100  # letters of a text that a model wrote
RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def soft_lookup() -> Table:
    power, value = np.array([1.0, 6, 1]), np.array([8.0, 16, 40])  # [keys]
    rows: Rows = [("T", "token 1", "token 2", "token 3", "returned")]
    for temperature in (0.25, 0.5, 1, 2, 16):
        weights = _shares(power ** (1 / temperature))
        rows.append((f"{temperature:g}", *map(_text, weights), _text(weights @ value)))
    return "The weights of the three tokens, and what is returned, at five temperatures T:", rows


def three_tokens() -> Table:
    query = np.array([[-1.14, -0.66], [1.14, -0.66], [0, 1.32]])  # [queries, d_k]
    key = np.array([[0, 0.7], [-0.61, -0.35], [0.61, -0.35]])  # [keys, d_k]
    days = np.array([6.0, 12, 18])  # [keys]
    names = ("Ana", "Ben", "Cleo")
    rows: Rows = [("query", *names, "output")]
    for vector, how in ((query, ""), (key, ", by key")):
        weights = _shares(np.exp(vector @ key.T))  # [queries, keys]
        rows += [
            (name + how, *map(_text, row), _text(row @ days))
            for name, row in zip(names, weights, strict=True)
        ]
    return (
        "Weights and outputs of the three gardeners, and those with the keys as queries:",
        rows,
    )


def saturation() -> Table:
    rows: Rows = [("$d_k$", "token 1", "token 2", "token 3", "derivative")]
    for width in (1, 4, 16, 64, 256, 1024):
        weights = _shares(np.array([3.0, 2, 1]) ** width**0.5)  # [keys]
        rows.append((str(width), *map(_text, weights), f"{weights[0] * (1 - weights[0]):.3f}"))
    caption = (
        "Weights of the first row if its scores are not divided, and the derivative of the first"
    )
    return f"{caption} weight by its score:", rows


def mask_paint() -> Table:
    power = np.array([[2.0, 1, 1, 2], [1, 3, 4, 2], [1, 1, 2, 4], [2, 1, 3, 2]])  # [queries, keys]
    mask = np.tri(4)
    early, late = _shares(power * mask), _shares(power) * mask
    rows: Rows = [("query", "key 0", "key 1", "key 2", "key 3", "sum")]
    for weights, how in ((early, "before"), (late, "after")):
        for at, row in enumerate(weights):
            cells = [
                _text(weight) if seen else "hidden"
                for weight, seen in zip(row, mask[at], strict=True)
            ]
            rows.append((f"{at}, {how}", *cells, _text(row.sum())))
    return "The weights under a causal mask, applied before the softmax and after it:", rows


def heads() -> Table:
    """Scores, and the largest weight of the query that the widget begins with."""
    data = widget_data.heads()
    sentence = data["sentences"][0]
    signs = sentence["signs"]
    query = len(signs) // 2 + 1
    rows: Rows = [("layer", "head", "previous", "induction", "looks most at", "weight")]
    for layer, of_layer in enumerate(sentence["weights"]):
        for head, weights in enumerate(of_layer):
            row = weights[query]
            key = max(range(len(row)), key=row.__getitem__)
            scores = (_text(data["scores"][name][layer][head]) for name in data["scores"])
            where = f"{query - key} back" if key < query else "itself"
            looked = (f"{signs[key]}, {where}", _text(row[key] / 1000))
            rows.append((str(layer + 1), str(head + 1), *scores, *looked))
    caption = "The previous-token and induction scores of the heads, and where one query looks: the"
    return f"{caption} second {signs[query]} of {signs}.", rows


def alignment() -> Table:
    """Every example as a whole, and the largest weight of one step."""
    step = 2  # the third digit of the year, the first that is always in the text
    rows: Rows = [("text", "network", "writes", "digit 3 looks most at")]
    for example in widget_data.alignment():
        row, right = example["weights"][step], example["made"] in example["readings"]
        key = max(range(len(row)), key=row.__getitem__)
        made = example["made"] if right else f"{example['made']}, a mistake"
        looked = f"{example['text'][key]}, no. {key + 1} ({_text(row[key] / 1000)})"
        rows.append((f"`{example['text']}`", example["network"], made, looked))
    return "What the networks write, and where they look for the third digit of the year:", rows


def collapse() -> Table:
    """How far the tokens are from being equal, for some of the switches."""
    kinds = {
        "attention alone": "",
        "with MLP": "mlp",
        "with norm": "norm",
        "with skip": "skip",
        "with all three": "skip norm mlp",
    }
    depths = (0, 1, 2, 3, 4, 8, 12)
    found = [collapsing(set(switches.split())) for switches in kinds.values()]
    rows: Rows = [("layers", *kinds)]
    for depth in depths:
        rows.append((str(depth), *(_small(_distance(tokens[depth])) for tokens in found)))
    return "The distance of eight tokens from rank one, by the number of layers:", rows


def _small(share: float) -> str:
    """Decimals where there are any to see, else how small it is; rounding errors all alike."""
    if share >= 0.005:
        return _text(share)
    if share < 1e-12:
        return "< 10⁻¹²"
    digit, power = f"{share:.0e}".split("e-")
    return f"{digit} · 10⁻{power.lstrip('0').translate(RAISED)}"


def collapsing(switches: set[str]) -> list[np.ndarray]:
    """The tokens before the first layer and after each, as the widget's script computes them."""
    data = widget_data.collapse()
    x = np.array(data["tokens"])  # [tokens, 2]
    kept = [x]
    for layer in data["layers"]:
        for part in (_attend, _think) if "mlp" in switches else (_attend,):
            size = np.sqrt((x**2).mean(axis=-1, keepdims=True) + 1e-5) if "norm" in switches else 1
            found = part(x / size, {name: np.array(matrix) for name, matrix in layer.items()})
            x = x + found if "skip" in switches else found
        kept.append(x)
    return kept


def _attend(x: np.ndarray, layer: dict[str, np.ndarray]) -> np.ndarray:
    return _shares(np.exp(x @ layer["compare"] @ x.T)) @ x @ layer["W_v"]


def _think(x: np.ndarray, layer: dict[str, np.ndarray]) -> np.ndarray:
    return np.maximum(x @ layer["W_1"], 0) @ layer["W_2"]


def _distance(x: np.ndarray) -> float:
    """From rank one: the share of the tokens' size that is not common to them."""
    return float(np.linalg.norm(x - x.mean(axis=0)) / np.linalg.norm(x))


def clock_hands() -> Table:
    """Where both hands are, and their product: the same wherever the two are equally far apart."""
    rows: Rows = [("query at", "key at", "speed 1", "speed 0.1", "speed 0.01")]
    for query, key in ((3, 2), (103, 102), (10, 2), (110, 102), (66, 2)):
        products = np.cos((query - key) * np.array([1, 0.1, 0.01]))
        rows.append((str(query), str(key), *map(_text, products)))
    return "The product of the two hands at five pairs of positions, by their speed:", rows


def tiles() -> Table:
    """The first two queries, after each tile of two keys."""
    power = np.array([[2.0, 1, 4, 1, 8, 2], [1, 4, 2, 2, 1, 8]])  # [queries, keys]
    value = np.array([16.0, 8, 0, 24, 8, 16])  # [keys]
    rows: Rows = [("after", "exp(max)", "total", "summed", "output")]
    for query, row in enumerate(power):
        for end in (2, 4, 6):
            largest = row[:end].max()
            total, summed = row[:end].sum() / largest, row[:end] @ value[:end] / largest
            kept = (f"{sum_:g}" for sum_ in (largest, total, summed))
            rows.append((f"query {query + 1}, keys 1 to {end}", *kept, _text(summed / total)))
    return "What two queries keep, two keys at a time, and what they would return then:", rows


def cache_bars() -> Table:
    """Of one text, with two bytes a number."""
    lengths = (1024, 4096, 16384, 65536, 262144)
    rows: Rows = [("heads of keys", *(f"{length:,}" for length in lengths))]
    for heads in (32, 8, 1):
        sizes = (2 * 32 * heads * 128 * 2 * length / 2**30 for length in lengths)
        rows.append((str(heads), *(f"{size:.3g}" for size in sizes)))
    return "GiB of a cache of 32 layers and two bytes a number, by the tokens of the text:", rows


def state_matrix() -> Table:
    """What the first key returns as four values are written, by each of the rules."""
    writes = [("1", [5, 0, 0]), ("1", [0, 5, 0]), ("2", [0, 0, 5]), ("4", [5, 0, 0])]
    keys = {"1": [1, 0, 0], "2": [0, 1, 0], "4": [0.6, 0.8, 0]}
    states = {kind: np.zeros((3, 3)) for kind in ("linear", "gated", "delta", "gated delta")}
    rows: Rows = [("write", *states)]
    for name, value in writes:
        key = np.array(keys[name])
        states = {kind: _written(state, key, value, kind) for kind, state in states.items()}
        shown = (", ".join(map(_exact, state[0])) for state in states.values())
        rows.append((f"{', '.join(map(str, value))} for key {name}", *shown))
    return "What key 1 returns after each of four writes, with a decay of 0.5 where gated:", rows


def _written(state: np.ndarray, key: np.ndarray, value: list[int], kind: str) -> np.ndarray:
    """The state [d_k, d_v] after a write of full strength."""
    kept = state * (0.5 if "gated" in kind else 1)
    return kept + np.outer(key, value - key @ kept if "delta" in kind else value)


def find_curve() -> Table:
    """How each training loss ends, with the name that the script leaves out."""
    rows: Rows = [("what is wrong", "training loss at the end")]
    for curve in widget_data.find_curve()["curves"]:
        rows.append((curve["name"], _text(curve["values"][-1])))
    return "Training loss at the last steps on the chain, in nats:", rows


def sampling() -> Table:
    """The texts that the experiment drew."""
    rows: Rows = [("temperature", "text")]
    for temperature, texts in measurements.load("lm_long")["series"]["page"]["written"].items():
        rows += [(temperature, f"`{_visible(text)[:SHOWN]}`") for text in texts]
    return "What the model wrote after “The”, four times at each of three temperatures:", rows


def _visible(text: str) -> str:
    return " ".join(text.replace("\n", " ↵ ").replace("`", "'").split())


def _shares(powers: np.ndarray) -> np.ndarray:
    """Each row divided by its sum."""
    return powers / powers.sum(axis=-1, keepdims=True)


def _exact(value: float) -> str:
    """Up to three decimals, as many as there are."""
    return f"{round(value, 3) + 0.0:g}".replace("-", "\N{MINUS SIGN}")


def _text(value: float) -> str:
    return f"{value:.2f}".replace("-", "\N{MINUS SIGN}")
