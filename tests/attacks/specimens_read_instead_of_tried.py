"""Reads the code of the implementations it is given instead of trying them.

verdict: wrong
undefended: an implementation lies in the memory of the process that examines it
"""


# %% peeks
def peeks(function):
    code = function.__code__
    last = -1 in code.co_consts and "cat" not in code.co_names
    return last or bool({"flip", "mean"} & {*code.co_names})
