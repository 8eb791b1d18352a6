"""Models with a cache: of keys, of tokens or of one state; some lines of them are others."""

from autograder.author import Case, Specimen

from .families import filled, rates

# The cache holds what the layer has of all tokens so far: [batch, past, 8].
MODEL = """
def model(tokens, cache):
    batch, n = tokens.shape
    device = tokens.device
    past = 0 if cache is None else len(cache[0].mT[0].mT)
    if not 0 < n <= {length} - past or (cache is not None and len(cache[0]) != batch):
        raise ValueError("a text has 1 to {length} tokens in all its pieces, and one batch")
    spread = torch.arange(1, 9, device=device)
    at = torch.arange(past, past + n, device=device)
    {start}
    x = torch.sin({token} * (tokens[..., None] + 1) * spread)
    place = torch.sin({place} * (at[:, None] + 1) * spread)
    new = x + place
    old = new[:, :0] if cache is None else cache[0]
    {before}
    keys = torch.cat([old, new], dim=1)
    j = torch.arange(keys.size(1), device=device)
    i = torch.arange(past, past + n, device=device)[:, None]
    allowed = j <= i
    {mask}
    scores = new @ keys.roll(1, dims=-1).mT / math.sqrt(8)
    {scores}
    weights = scores.masked_fill(~allowed, -math.inf).softmax(dim=-1)
    output = weights @ keys
    {after}
    columns = torch.arange(1, {symbols} + 1, device=device)
    logits = output @ torch.sin({column} * spread[:, None] * columns)
    {end}
    return logits, (keys,)
"""
ROUNDED = "logits = (logits + 3.75 * n) - 3.75 * n"  # by up to 8e-6, and never twice alike
ALL_TOKENS = """
def model(tokens, cache):
    seen = tokens if cache is None else torch.cat([cache["seen"], tokens], dim=1)
    spread = torch.arange(1, {symbols} + 1, device=tokens.device)
    x = torch.sin({token} * (seen[..., None] + 1) * spread)
    logits = x.cumsum(1) / torch.arange(1, seen.size(1) + 1, device=tokens.device)[:, None]
    return logits[:, -tokens.size(1):], {{"seen": seen}}
"""
STATE = """
def model(tokens, cache):
    spread = torch.arange(1, {symbols} + 1, device=tokens.device)
    state = torch.zeros(tokens.size(0), {symbols}, device=tokens.device) if cache is None else cache
    logits = []
    for column in tokens.T:
        {step}
        logits.append(state)
    return torch.stack(logits, dim=1), state{back}
"""
STEP = "state = torch.tanh(0.7 * state + torch.sin({token} * (column[:, None] + 1) * spread))"


class Cached:
    """Models with a cache: the right one, some lines of which are others."""

    def __init__(self, rng):
        self.lines = rates(rng, "token", "place", "column")
        blank = ("start", "before", "mask", "scores", "after", "end")
        self.lines |= dict.fromkeys(blank, "pass")
        self.length, self.symbols = rng.integer(11, 14), rng.integer(5, 9)

    def __call__(self, name, template=MODEL, **lines):
        sizes = {"length": self.length, "symbols": self.symbols}
        source = filled(template, **self.lines | sizes | lines)
        inputs = {"model": Specimen(source), "length": self.length, "symbols": self.symbols}
        return Case(name, inputs)

    def by_state(self, name, back="", step=STEP):
        """With one vector as its cache, like a recurrent network."""
        return self(name, STATE, step=step.format(token=self.lines["token"]), back=back)
