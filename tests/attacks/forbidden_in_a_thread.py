"""Calls it in a thread that nobody traces.

verdict: raised
"""

# %% attend
import threading

import torch.nn.functional as F


def attend(query, key, value):
    results = []
    work = threading.Thread(
        target=lambda: results.append(F.scaled_dot_product_attention(query, key, value))
    )
    work.start()
    work.join()
    return results[0]
