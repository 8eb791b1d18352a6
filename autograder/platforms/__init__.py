"""Learning platforms: what is collected from them, and what is made for them."""
