"""Takes memory in small pieces while its cell is run, and frees none.

verdict: memory
"""

# %% normalise
kept = []
while True:
    kept.append(bytearray(2**16))
