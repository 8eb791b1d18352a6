"""The colours of cells, between --weight-0, … and --signed-0, … of styles/colors.css.

matplotlib draws with those of the light theme; a page mixes its own, as widgets/widget.js does.
"""

import numpy as np
from matplotlib.colors import LinearSegmentedColormap, to_hex

LEVELS = 256


class Ramp:
    """The colours that `colors` has as `name`-0 to the last."""

    def __init__(self, name: str, colors: dict[str, str]) -> None:
        self.name = name
        stops = [color for key, color in colors.items() if key.startswith(f"{name}-")]
        self.steps = len(stops) - 1
        self.map = LinearSegmentedColormap.from_list(name, stops, LEVELS)

    def written(self, levels: int) -> dict[str, str]:
        """Of so many levels from 0 to 1: the colour, and how a page writes it."""
        shades = self.map.resampled(levels)(np.arange(levels))
        shares = np.linspace(0, 1, levels).tolist()
        return {to_hex(one): self.mixed(share) for one, share in zip(shades, shares, strict=True)}

    def mixed(self, share: float) -> str:
        low = min(int(share * self.steps), self.steps - 1)
        part, names = share * self.steps - low, [f"var(--{self.name}-{low + up})" for up in (0, 1)]
        return f"color-mix(in srgb,{names[1]} {100 * part:.0f}%,{names[0]})"
