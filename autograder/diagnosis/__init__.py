"""What a wrong answer is called, and what to look at. Nothing in this room decides a mark."""
