"""Doubles a string until there is no memory left.

verdict: memory
"""

# %% normalise
text = "x"
while True:
    text += text
