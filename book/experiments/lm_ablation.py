"""Claims 72 and 73: what each chapter's part buys, in bits a byte of held-out text.

One model of two layers, and the same with one thing taken away or exchanged; all get the same
batches of the same text, the same number of steps and the same rate.
"""

from dataclasses import replace

import torch
from lm_model import LENGTH, Kind, Transformer
from lm_training import BATCH, bits_per_byte, to_train, train
from measurements import Numbers, Series, claim, number, run_and_save

SEEDS = range(3)
STEPS = 300
WORST = 20.0  # bits a byte: what did not train
FULL = Kind()
KINDS = {
    "full": FULL,
    "no_attention": replace(FULL, attention="none"),
    "mean": replace(FULL, attention="mean"),
    "no_root": replace(FULL, root=False),
    "one_head": replace(FULL, heads=1, kv_heads=1),
    "no_residual": replace(FULL, residual=False),
    "no_norm": replace(FULL, norm=False),
    "no_mlp": replace(FULL, mlp=False),
    "no_positions": replace(FULL, positions="none"),
    "learned": replace(FULL, positions="learned"),
    "window": replace(FULL, window=8),
    "one_kv": replace(FULL, kv_heads=1),
    "no_mask": replace(FULL, causal=False),
}
CLAIMS = [
    claim(
        72,
        "A causal language model needs no positions: it learns them from the mask.",
        "Without positions {no_positions} a byte, with learned ones {learned}, with RoPE {full}.",
        "holds if",
        "learned positions are what it is compared with; rotations bought more here",
        stands=lambda n: n.no_positions < n.learned + 0.05 and n.full < n.no_positions - 0.03,
    ),
    claim(
        73,
        "Without the causal mask a language model trains to a low loss and predicts nothing.",
        "Trained without the mask, it reports {no_mask_cheat} a byte on test text that it sees "
        "whole, and needs {no_mask} when it sees only what came before; with the mask {full}.",
        "holds",
        stands=lambda n: n.no_mask_cheat < n.full - 0.5 and n.no_mask > n.full + 0.5,
    ),
]


def blindfolded(model: Transformer) -> float:
    """Bits a byte when a model that was trained without a mask gets one."""
    for block in model.blocks:
        for part in block.parts:  # type: ignore[union-attr]
            if hasattr(part, "kind"):
                part.kind = FULL
    return bits_per_byte(model)


def measure() -> tuple[Numbers, Series]:
    numbers: Numbers = {
        "steps": number(STEPS, "d"),
        "batch": number(BATCH, "d"),
        "length": number(LENGTH, "d"),
        "window": number(FULL.window or 8, "d"),
    }
    found: dict[str, list[float]] = {}
    for name, kind in KINDS.items():
        results, cheats = [], []
        for seed in SEEDS:
            torch.manual_seed(seed)
            model = Transformer(kind)
            train(model, to_train(), STEPS, seed)
            bits = bits_per_byte(model)
            if not kind.causal:
                cheats.append(round(bits, 4))
                bits = blindfolded(model)
            results.append(round(min(bits, WORST), 4))
        found[name] = results
        print(name, results, cheats, flush=True)
        key = "keys_8" if name == "window" else name
        numbers[key] = number(results, ".2f", "bits")
        if cheats:
            numbers["no_mask_cheat"] = number(cheats, ".2f", "bits")
        if name != "full":
            bought = [one - full for one, full in zip(results, found["full"], strict=True)]
            numbers[f"bought_{key}"] = number(bought, ".3f", "bits")
    return numbers, {"bits": found}


if __name__ == "__main__":
    run_and_save(__file__, measure, CLAIMS, SEEDS)
