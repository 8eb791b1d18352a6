"""This room holds the commands of `attn`, and how they talk in a terminal."""
