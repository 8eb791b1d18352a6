"""Code that shares a process with a submission. What it sends is believed in nothing."""
