"""Where a submission runs: the warm worker, its confined children, and the trusted side of both."""
