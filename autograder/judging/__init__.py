"""From observations to verdicts. Together with the rooms before it, all that decides a mark."""
