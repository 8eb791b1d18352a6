"""Decompresses a hundred thousand bytes into a hundred megabytes.

verdict: memory
"""

# %% normalise
import gzip

content = gzip.decompress(gzip.compress(bytes(2**18)) * 400)
