"""Claim 30, images: attention over patches beside a CNN and an MLP of as many parameters.

Digits drawn in the fonts that come with matplotlib, turned, scaled, shifted and made noisy; the
fonts of the test are not those of the training. Each model is also trained on the same images with
their patches in another order, the same for all images: what does it know of neighbourhood?
"""

from functools import lru_cache
from pathlib import Path

import matplotlib
import numpy as np
import torch
from cross_fit import best_of, parameters
from cross_model import EncoderLayer
from measurements import Numbers, Series, claim, number, run_and_save
from PIL import Image, ImageDraw, ImageFont
from torch import Tensor, nn
from torch.nn import functional as F

SIDE, PATCH, DIGITS = 16, 4, 10
PATCHES = (SIDE // PATCH) ** 2
D_MODEL, HEADS = 32, 4
TRAIN, CHECK, TEST = 4000, 500, 1000
STEPS, EARLY = 1200, 300
RATES = (3e-3, 1e-2)
SEEDS = range(5)
HELD_OUT = ("STIXGeneral", "cmtt10", "DejaVuSerif-BoldItalic", "DejaVuSans")
TRAINED = ("DejaVuSans-Bold", "DejaVuSans-Oblique", "DejaVuSansMono", "DejaVuSansMono-Bold",
           "DejaVuSerif", "DejaVuSerif-Bold", "STIXGeneralBol", "STIXGeneralItalic",
           "STIXGeneralBolIta", "cmr10", "cmss10", "cmb10")  # fmt: skip


def font(name: str) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(Path(matplotlib.get_data_path()) / "fonts/ttf" / f"{name}.ttf", 32)


def draw(digit: int, face: ImageFont.FreeTypeFont, rng: np.random.Generator) -> np.ndarray:
    """One digit, drawn large and made small: turned by up to 20 degrees, scaled, shifted."""
    large = Image.new("L", (48, 48))
    ImageDraw.Draw(large).text((24, 24), str(digit), fill=255, font=face, anchor="mm")
    turned = large.rotate(rng.uniform(-20, 20), Image.Resampling.BILINEAR)
    room = rng.uniform(15, 22)  # half of the side that is cut out
    x, y = rng.uniform(-5, 5, size=2) + 24
    box = _inside(x - room, y - room, x + room, y + room)
    small = turned.resize((SIDE, SIDE), Image.Resampling.BILINEAR, box=box)
    return np.asarray(small, dtype=np.float32) / 255


def _inside(*box: float) -> tuple[float, float, float, float]:
    left, top, right, bottom = (float(np.clip(edge, 0, 48)) for edge in box)
    return left, top, right, bottom


@lru_cache
def images(count: int, fonts: tuple[str, ...], seed: int) -> tuple[Tensor, Tensor]:
    """Noisy pictures [count, SIDE, SIDE] and digits [count]."""
    rng, faces = np.random.default_rng(seed), [font(name) for name in fonts]
    digits = rng.integers(DIGITS, size=count)
    drawn = np.stack([draw(digit, faces[rng.integers(len(faces))], rng) for digit in digits])
    noisy = drawn + 0.3 * rng.standard_normal(drawn.shape, dtype=np.float32)
    return torch.from_numpy(noisy), torch.from_numpy(digits)


def patches(pictures: Tensor) -> Tensor:
    """[batch, SIDE, SIDE] -> [batch, PATCHES, PATCH * PATCH]"""
    cut = pictures.unfold(1, PATCH, PATCH).unfold(2, PATCH, PATCH)
    return cut.reshape(len(pictures), PATCHES, PATCH * PATCH)


def shuffled(pictures: Tensor) -> Tensor:
    """The patches in another order, the same for every picture."""
    order = torch.from_numpy(np.random.default_rng(0).permutation(PATCHES))
    rows = SIDE // PATCH
    cut = patches(pictures)[:, order].view(-1, rows, rows, PATCH, PATCH)
    return cut.transpose(2, 3).reshape(pictures.shape)


class OverPatches(nn.Module):
    """One layer of self-attention over patches with learned positions, then their mean."""

    def __init__(self, placed: bool = True):
        super().__init__()
        self.embed = nn.Linear(PATCH * PATCH, D_MODEL)
        self.position = nn.Parameter(0.1 * torch.randn(PATCHES, D_MODEL), requires_grad=placed)
        self.placed = float(placed)
        self.layer = EncoderLayer(D_MODEL, HEADS)
        self.readout = nn.Sequential(nn.LayerNorm(D_MODEL), nn.Linear(D_MODEL, DIGITS))

    def forward(self, pictures: Tensor) -> Tensor:
        x = self.embed(patches(pictures)) + self.placed * self.position
        return self.readout(self.layer(x).mean(dim=1))  # [batch, digits]


def convolutional() -> nn.Module:
    return nn.Sequential(
        nn.Unflatten(1, (1, SIDE)),
        nn.Conv2d(1, 16, 3, padding=1), nn.GELU(),
        nn.Conv2d(16, 32, 3, stride=2, padding=1), nn.GELU(),
        nn.Conv2d(32, 32, 3, stride=2, padding=1), nn.GELU(),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(32, DIGITS),
    )  # fmt: skip


def multilayer() -> nn.Module:
    return nn.Sequential(nn.Flatten(), nn.Linear(SIDE * SIDE, 53), nn.GELU(), nn.Linear(53, DIGITS))


MODELS = {
    "attention": OverPatches,
    "unplaced": lambda: OverPatches(placed=False),
    "cnn": convolutional,
    "mlp": multilayer,
}
CLAIMS = [
    claim(
        30,
        "Attention serves vision as well (image patches).",
        "Digits in unseen fonts, right: attention over patches {attention_right}, a CNN of as many "
        "parameters {cnn_right}, an MLP {mlp_right}. With the patches of all images in another "
        "order: attention {attention_shuffled}, the CNN {cnn_shuffled}. Attention without "
        "positions: {unplaced_right}.",
        "holds if",
        "positions are added; at this size a CNN, which need not learn neighbourhood, is the "
        "comparison to beat",
        stands=lambda n: (
            n.cnn_right > n.attention_right > n.mlp_right
            and n.attention_right > n.unplaced_right + 0.1
        ),
    )
]


def score(name: str, seed: int, order: bool = False, steps: int = STEPS) -> float:
    """Share of the test that a trained model gets right; `order`: with shuffled patches."""
    change = shuffled if order else (lambda pictures: pictures)
    pictures, digits = images(TRAIN + CHECK, TRAINED, seed)
    unseen, true = images(TEST, HELD_OUT, 10_000 + seed)
    seen = change(pictures)
    train, check = (seen[:TRAIN], digits[:TRAIN]), (seen[TRAIN:], digits[TRAIN:])
    model = best_of(MODELS[name], train, check, F.cross_entropy, RATES, steps, seed)
    with torch.no_grad():
        return (model(change(unseen)).argmax(dim=-1) == true).float().mean().item()


def measure() -> tuple[Numbers, Series]:
    numbers = {}
    for name, make in MODELS.items():
        numbers[f"{name}_parameters"] = number(parameters(make()), ",.0f")
        early = [score(name, seed, steps=EARLY) for seed in SEEDS]
        numbers[f"{name}_early"] = number(early, ".1%")
        for key, order in (("right", False), ("shuffled", True)):
            if order and name in ("unplaced", "mlp"):
                continue  # neither can tell one order from another
            shares = [score(name, seed, order) for seed in SEEDS]
            print(name, key, shares, flush=True)
            numbers[f"{name}_{key}"] = number(shares, ".1%")
    pictures, digits = images(12, HELD_OUT, 7)
    return numbers, {"pictures": pictures.round(decimals=2).tolist(), "digits": digits.tolist()}


if __name__ == "__main__":
    run_and_save(__file__, measure, CLAIMS, SEEDS)
