"""What `attn` offers, and how it talks in a terminal."""
