"""Decompresses sixty thousand bytes into sixty megabytes, more than there is.

verdict: memory
"""

# %% normalise
import zlib

packer = zlib.compressobj()
packed = b"".join(packer.compress(bytes(2**18)) for _ in range(240)) + packer.flush()
content = zlib.decompress(packed)
