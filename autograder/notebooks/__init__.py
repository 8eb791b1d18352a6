"""What was handed in, and the released notebook with its answers spliced in."""
