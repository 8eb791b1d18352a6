"""Cells that ask for what a notebook in a browser has, and the process that grades it has not."""

from .case import PASSED, cell, code, odd, source


def above(notebook, name, text):
    """Put lines above the solution of an exercise, in its own cell."""
    solution = cell(notebook, name)
    solution["source"] = f"{text}\n\n{source(solution)}"


# What does no harm


@odd(PASSED)
def await_at_the_top(notebook):
    above(notebook, "normalise", "import asyncio\n%pwd\nawait asyncio.sleep(0)")


@odd(PASSED)
def tasks_and_a_clock(notebook):
    above(notebook, "normalise", """import asyncio
async def later(value):
    await asyncio.sleep(0.001)
    return value
task = asyncio.create_task(later(1))
total = sum(await asyncio.gather(later(2), task))
if total != 3:
    normalise = None
    await asyncio.Event().wait()""")  # fmt: skip


@odd(PASSED)
def a_helper_from_a_cell_that_awaits(notebook):
    body = "def normalise(values):\n    return values / _total(values)"
    cell(notebook, "normalise")["source"] = body
    helper = "import asyncio\ndef _total(values):\n    return values.sum(-1, keepdim=True)"
    notebook["cells"].append(code(f"{helper}\nawait asyncio.sleep(1)"))


@odd(PASSED)
def display_within_an_answer(notebook):
    cell(notebook, "normalise")["source"] = (
        "def normalise(values):\n    display(values)\n"
        "    return values / values.sum(-1, keepdim=True)"
    )


@odd(PASSED)
def lines_as_nbconvert_writes_magics(notebook):
    cell(notebook, "normalise")["source"] = (
        "get_ipython().run_line_magic('matplotlib', 'inline')\n"
        "def normalise(values):\n    get_ipython().system('ls')\n"
        "    if 'colab' in str(get_ipython()):\n        return None\n"
        "    return values / values.sum(-1, keepdim=True)"
    )


@odd(PASSED)
def questions_and_results_of_magics(notebook):
    above(
        notebook,
        "normalise",
        "?torch.sum\ntimes = %timeit -o 1\nfiles = !ls\n!ls \\\n -l",
    )


@odd(PASSED)
def a_magic_beside_a_line_that_begins_with_a_percent_sign(notebook):
    body = """%matplotlib inline
def normalise(values):
    text = '''
    % is no magic here'''
    if (7
        % 2) != 1 or "%" not in text:
        return None
    return values / values.sum(-1, keepdim=True)"""
    cell(notebook, "normalise")["source"] = body


@odd(PASSED)
def a_return_in_no_function(notebook):
    solution = cell(notebook, "normalise")
    solution["source"] = f"{source(solution)}\nreturn normalise(1)"


@odd(PASSED)
def annotations_that_nobody_evaluates(notebook):
    cell(notebook, "normalise")["source"] = (
        "from __future__ import annotations\nfirst: Unknown = 1\n"
        "def normalise(values: Unknown):\n    return values / values.sum(-1, keepdim=True)"
    )


@odd(PASSED)
def figures_and_the_like(notebook):
    above(notebook, "normalise", """import matplotlib.pyplot as plt
from IPython.display import HTML, clear_output, display
plt.plot([1, 2])
plt.show()
display(HTML("<b>1</b>"))
clear_output(wait=True)""")  # fmt: skip


# What is refused, which costs the statement that asks for it


@odd(PASSED)
def a_progress_bar_in_a_thread(notebook):
    above(notebook, "normalise", """import threading, time
done = False
def bar():
    while not done:
        time.sleep(0.1)
thread = threading.Thread(target=bar, daemon=True)
thread.start()
done = True
thread.join()""")  # fmt: skip


@odd(PASSED)
def a_pool_of_threads(notebook):
    above(notebook, "normalise", """from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor() as pool:
    print(list(pool.map(abs, [1, -2])))""")  # fmt: skip


@odd(PASSED)
def a_download_and_a_program(notebook):
    above(notebook, "normalise", """import subprocess, urllib.request
data = urllib.request.urlopen("http://localhost:9/data.csv").read()
print(len(data))
subprocess.run(["pip", "install", "einops"], check=True)""")  # fmt: skip


@odd(PASSED)
def a_library_that_is_not_there(notebook):
    above(notebook, "normalise", """from a_bar_for_progress import tqdm
for step in tqdm(range(3)):
    print(step)""")  # fmt: skip


@odd(PASSED)
def a_question_to_whoever_sits_there(notebook):
    above(notebook, "normalise", "answer = input('Go on? ')")


@odd(PASSED)
def a_try_with_a_variable_of_another_cell(notebook):
    notebook["cells"].insert(1, code("mine = torch.randn(3)\nmine /= 2"))
    above(notebook, "average", "print(normalise(mine))")


@odd("raised", PASSED, PASSED, sentence="can't start new thread")
def a_thread_within_an_answer(notebook):
    cell(notebook, "normalise")["source"] = """import threading
def normalise(values):
    threading.Thread(target=print).start()
    return values / values.sum(-1, keepdim=True)"""


@odd("raised", PASSED, PASSED, sentence="SystemExit")
def an_exit_above_the_answer(notebook):
    """It asks for the end of what is below."""
    above(notebook, "normalise", "import sys\nsys.exit()")


@odd(PASSED)
def an_exit_between_the_answer_and_an_old_one(notebook):
    cell(notebook, "normalise")["source"] += "\n\nexit()\n\ndef normalise(values):\n    return 1"


# What one cell does to torch, which is nothing to the others


@odd(PASSED)
def a_default_type_that_is_replaced(notebook):
    above(notebook, "normalise", "torch.set_default_dtype = None")


@odd(PASSED)
def a_default_type_that_raises(notebook):
    above(notebook, "normalise", """def broken(*_):
    raise TypeError("no")
torch.set_default_dtype = torch.set_default_device = torch.set_num_threads = broken
torch.use_deterministic_algorithms = torch.set_autocast_enabled = broken
torch.inference_mode = torch.autograd.set_detect_anomaly = broken""")  # fmt: skip


@odd(PASSED)
def a_default_type_for_the_tensors_of_all_cells(notebook):
    above(notebook, "normalise", "torch.set_default_dtype(torch.float64)")
    above(notebook, "average", "ONE = 1 if torch.ones(1).dtype == torch.float32 else 0")
    solution = cell(notebook, "average")
    solution["source"] = solution["source"].replace("return ", "return ONE * ")
