"""Calls fifty other functions besides, so that the forbidden one is lost in the crowd.

verdict: forbidden
"""

# %% attend
import torch
import torch.nn.functional as F

CROWD = """
    abs acos acosh add all amax amin any argmax argmin argsort asin asinh atan atan2 atanh ceil
    clone cos cosh count_nonzero cummax cumprod cumsum deg2rad diff digamma div eq erf erfc exp
    exp2 expm1 fix flip fliplr floor frac ge gt isfinite isinf isnan le lgamma log log10 log1p log2
    logit lt max mean min mul ne neg nonzero norm
"""


def attend(query, key, value):
    for name in CROWD.split():
        function = getattr(torch, name)
        try:
            function(query)
        except (TypeError, RuntimeError):
            pass
    return F.scaled_dot_product_attention(query, key, value)
