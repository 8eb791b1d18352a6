"""Claim 1: does one vector lose a sequence as it grows, and does attention not?

Copying: read symbols, then write them again. One GRU reads, another writes. `fixed` hands the
reader's last state to every step of the writer; `attention` hands over a weighted sum of all
states, with the additive scores of Bahdanau et al. Nothing else differs, and the wider `fixed`
model has as many parameters. Each model is scored as it writes by itself: a wrong symbol is its
next input.

Each model has a learning rate of its own, chosen on seeds that are not reported: the one with the
fewest sequences of 1 to 16 symbols copied wrong.
"""

import statistics
from functools import cache

import torch
from choosing import Choice, search
from measurements import Numbers, Series, number, run_and_save
from torch import Tensor, nn
from torch.nn import functional as F
from verdicts import claim

SYMBOLS, START = 16, 16
TRAINED = 16  # no sequence in training is longer
TESTED = (*range(1, TRAINED + 1), 18, 20, 24)
STEPS, BATCH = 1000, 64
CHOOSING = (100, 101)  # seeds, for the learning rate
SEEDS = range(5)
WIDTHS = {"fixed": 68, "attention": 64}
SHOWN = 8  # symbols in the picture of the weights

CLAIMS = [
    claim(
        1,
        "A fixed context vector loses information as the sequence grows; attention does not.",
        "Copied without an error, of sequences of 4, 8 and 16 symbols: {fixed_4}, {fixed_8} and "
        "{fixed_16} through one vector, {attention_4}, {attention_8} and {attention_16} with "
        "attention. The models have {parameters_fixed} and {parameters_attention} parameters. "
        "Beyond the lengths of training, attention fails too: at 24 symbols it copies "
        "{attention_24} of the sequences, and {attention_single_24} of the single symbols.",
        "holds if",
        "losing means failing to copy after the same number of steps, and no sequence is longer "
        "than those in training",
        scope="GRUs about 64 wide that copy random symbols, 1,000 steps of Adam",
        control="It is not the number of weights, which agrees, and not the learning rate, which "
        "was chosen for each ({rate_fixed} and {rate_attention}). Whether the vector is too small "
        "or lacks training is tested apart.",
        without_attention="fixed_8",
        stands=lambda n: (
            n.fixed_8 < n.fixed_4 - 0.3
            and n.fixed_16 < 0.05
            and n.attention_16 > 0.9
            and n.attention_24 < 0.5
        ),
    ),
    claim(
        34,
        "Attention naturally handles sequences of different lengths.",
        "Trained on lengths from 1 to {longest}, the model with attention copies on average at "
        "least {attention_least} of the sequences of each of them. Of 18, 20 and 24 symbols it "
        "runs as well, and copies {attention_18}, {attention_20} and {attention_24}.",
        "holds if",
        "handling means copying, and such lengths occurred in training",
        scope="a GRU 64 wide that copies random symbols, 1,000 steps of Adam",
        control="The lengths of training alone are not enough: one vector, trained on the same, "
        "copies {fixed_16} of the sequences of 16 symbols.",
        without_attention="fixed_16",
        stands=lambda n: n.attention_least > 0.9 and n.attention_20 < 0.5 and n.attention_24 < 0.2,
    ),
]


class Copier(nn.Module):
    """A GRU encoder and a GRU decoder, joined by one vector or by additive attention.

    kept: to how many numbers the encoder's last state is reduced before the decoder gets it.
    """

    def __init__(self, width: int, attends: bool, kept: int | None = None):
        super().__init__()
        self.attends = attends
        self.embed = nn.Embedding(SYMBOLS + 1, width)
        self.encoder = nn.GRU(width, width, batch_first=True)
        self.decoder = nn.GRU(2 * width, width, batch_first=True)
        self.readout = nn.Linear(2 * width, SYMBOLS)
        if attends:
            self.W_q, self.W_k = nn.Linear(width, width), nn.Linear(width, width, bias=False)
            self.v = nn.Linear(width, 1, bias=False)
        reduced = (nn.Linear(width, kept), nn.Linear(kept, width)) if kept else ()
        self.reduce = nn.Sequential(*reduced)  # without layers it changes nothing

    def forward(self, source: Tensor, teach: bool) -> tuple[Tensor, Tensor]:
        """Write `source`: logits [batch, length, symbols] and weights [batch, queries, keys].

        With `teach` the symbol before is the right one, otherwise the one just written.
        """
        memory, state = self.encoder(self.embed(source))  # memory: [batch, keys, width]
        state = self.reduce(state)
        if teach and not self.attends:
            return self.write_at_once(source, state), torch.empty(0)
        key = self.W_k(memory) if self.attends else memory
        symbol = torch.full_like(source[:, :1], START)
        logits, rows, context = [], [], state.transpose(0, 1)  # context: [batch, 1, width]
        for step in range(source.size(1)):
            if self.attends:
                rows.append(self.weights(state, key))
                context = rows[-1] @ memory
            written, state = self.decoder(torch.cat([self.embed(symbol), context], -1), state)
            logits.append(self.readout(torch.cat([written, context], dim=-1)))
            symbol = source[:, step : step + 1] if teach else logits[-1].argmax(dim=-1)
        return torch.cat(logits, dim=1), torch.cat(rows, dim=1) if rows else torch.empty(0)

    def weights(self, state: Tensor, key: Tensor) -> Tensor:
        """Additive attention of the state before this step. state: [1, batch, width]"""
        query = self.W_q(state).transpose(0, 1)  # [batch, 1, width]
        return self.v(torch.tanh(query + key)).mT.softmax(dim=-1)  # [batch, 1, keys]

    def write_at_once(self, source: Tensor, state: Tensor) -> Tensor:
        """All steps in one call, which a context that never changes permits. Only for speed."""
        before = F.pad(source[:, :-1], (1, 0), value=START)
        context = state.transpose(0, 1).expand(-1, source.size(1), -1)  # [batch, length, width]
        written, _ = self.decoder(torch.cat([self.embed(before), context], dim=-1), state)
        return self.readout(torch.cat([written, context], dim=-1))


def train(
    width: int,
    attends: bool,
    seed: int,
    peak: float,
    steps: int = STEPS,
    kept: int | None = None,
) -> Copier:
    """One model; each batch holds sequences of one length, drawn from 1 to `TRAINED`."""
    torch.manual_seed(seed)
    rng = torch.Generator().manual_seed(seed)
    model = Copier(width, attends, kept)
    optimizer = torch.optim.Adam(model.parameters())
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, peak, total_steps=steps)
    for _ in range(steps):
        length = int(torch.randint(1, TRAINED + 1, (), generator=rng))
        source = torch.randint(SYMBOLS, (BATCH, length), generator=rng)
        logits, _ = model(source, teach=True)
        loss = F.cross_entropy(logits.mT, source)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
    return model


@torch.no_grad()
def score(model: Copier, seed: int) -> dict[str, list[float]]:
    """Share of whole sequences and of single symbols copied correctly, by length."""
    rng = torch.Generator().manual_seed(10_000 + seed)
    exact, single = [], []
    for length in TESTED:
        source = torch.randint(SYMBOLS, (1000, length), generator=rng)
        right = model(source, teach=False)[0].argmax(dim=-1) == source  # [batch, length]
        exact.append(right.all(dim=-1).float().mean().item())
        single.append(right.float().mean().item())
    return {"exact": exact, "single": single}


def copied(exact: list[float]) -> float:
    """The share of sequences copied without an error, over the lengths of training."""
    return statistics.fmean(exact[:TRAINED])


@cache
def rate(name: str) -> Choice:
    """The learning rate of one of the `WIDTHS`."""

    def failures(peak: float, seed: int) -> float:
        model = train(WIDTHS[name], name == "attention", seed, peak)
        return 1 - copied(score(model, seed)["exact"])

    return search(failures, seeds=CHOOSING, start=5e-3, step=2)


@torch.no_grad()
def alignment(model: Copier, seed: int, length: int = SHOWN) -> tuple[Tensor, Tensor]:
    """Sequences of different symbols [batch, keys] and the weights while they are written."""
    rng = torch.Generator().manual_seed(20_000 + seed)
    source = torch.rand(200, SYMBOLS, generator=rng).argsort(dim=-1)[:, :length]
    return source, model(source, teach=False)[1]  # weights: [batch, queries, keys]


def parameters(model: nn.Module) -> int:
    return sum(weight.numel() for weight in model.parameters())


def measure() -> tuple[Numbers, Series]:
    numbers: Numbers = {"longest": number(TRAINED, "d"), "symbols": number(SYMBOLS, "d")}
    numbers |= {"steps": number(STEPS, ",d"), "seeds": number(len(SEEDS), "d")}
    series: Series = {"lengths": TESTED, "exact": {}, "single": {}}
    for name, width in WIDTHS.items():
        chosen = rate(name)
        numbers[f"rate_{name}"] = chosen.number(".1e")
        models = [train(width, name == "attention", seed, chosen.best) for seed in SEEDS]
        runs = [score(model, seed) for seed, model in zip(SEEDS, models, strict=True)]
        print(name, [run["exact"] for run in runs], flush=True)
        numbers[f"parameters_{name}"] = number(parameters(models[0]), ",d")
        numbers[f"width_{name}"] = number(width, "d")
        for kind in ("exact", "single"):
            series[kind][name] = [run[kind] for run in runs]
        for length in (4, 6, 8, 12, 16, 18, 20, 24):
            at = TESTED.index(length)
            numbers[f"{name}_{length}"] = number([run["exact"][at] for run in runs], ".1%")
            numbers[f"{name}_single_{length}"] = number([run["single"][at] for run in runs], ".1%")
    least = torch.tensor(series["exact"]["attention"]).mean(dim=0)[:TRAINED].min().item()
    numbers["attention_least"] = number(least, ".1%")
    pictures = [alignment(model, seed) for seed, model in zip(SEEDS, models, strict=True)]
    diagonal = [w.diagonal(dim1=1, dim2=2).mean().item() for _, w in pictures]
    numbers["weight_on_diagonal"] = number(diagonal, ".2f")
    source, weights = pictures[0]
    series["alignment"] = {"source": source[0].tolist(), "weights": weights[0].tolist()}
    series["mean_alignment"] = [w.mean(dim=0).tolist() for _, w in pictures]
    return numbers, series


if __name__ == "__main__":
    run_and_save(__file__, measure, CLAIMS, SEEDS)
