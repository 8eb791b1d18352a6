"""From observations to verdicts. Together with the rooms before it, this decides a mark."""
