"""A course that has nothing to do with devices: right answers pass, from self-test to release."""

import pytest
from learners import notebook, save

from autograder.authoring.selftest import selftest
from autograder.chapters.solutions import load
from autograder.cli import main
from autograder.course.course import Course

TEXT = """---
kernelspec:
  display_name: Python 3
  language: python
  name: python3
---

# Samples

```{code-cell} ipython3
---
role: setup
---
import numpy as np
import torch

from autograder import check
```

+++ {"about": "covariance"}

## 1. Covariance

```{code-cell} ipython3
---
exercise: covariance
---
def covariance(x):
    ### BEGIN SOLUTION
    deviations = x - x.mean(dim=0)
    return deviations.mT @ deviations / (len(x) - 1)
    ### END SOLUTION
```

+++ {"about": "resampled"}

## 2. Resampling

```{code-cell} ipython3
---
exercise: resampled
---
def resampled(x, n, generator):
    ### BEGIN SOLUTION
    return x[torch.randint(len(x), (n,), generator=generator)]
    ### END SOLUTION
```
"""
LOOPS = """
def by_loops(x):
    k = x.size(1)
    result = torch.zeros(k, k, dtype=x.dtype)
    for i in range(k):
        for j in range(k):
            first, second = (x[:, at] - x[:, at].mean() for at in (i, j))
            result[i, j] = (first * second).sum() / (len(x) - 1)
    return result
"""
COVARIANCE = f"""
import numpy as np
import torch

from autograder.author import Case, Exercise

exercise = Exercise(
    "covariance", points=4, difficulty=1, minutes=5, returns=("the covariances",)
)


@exercise.cases
def cases(rng):
    yield Case("five columns", {{"x": rng.normal(9, 5)}})


@exercise.oracle
def by_numpy(x):
    return torch.from_numpy(np.cov(x.numpy(), rowvar=False))


@exercise.misconception("You divide by the number of rows. One is known from the mean.")
def of_all_rows(x):
    deviations = x - x.mean(dim=0)
    return deviations.mT @ deviations / len(x)


@exercise.variant
{LOOPS.strip()}


@exercise.variant
def of_numpy(x):
    return torch.from_numpy(np.cov(x.numpy(), rowvar=False)).to(x.dtype)
"""
RESAMPLED = """
import torch

from autograder.author import Drawn
from autograder.author import Case, Exercise
from autograder.author import Generator

exercise = Exercise(
    "resampled",
    points=2,
    difficulty=1,
    minutes=5,
    returns=("the sample", "the generator afterwards"),
    properties=(Drawn(0, "Each number should be drawn by itself, with the same chance."),),
)


@exercise.cases
def cases(rng):
    for name, x in (("three", [0.0, 1, 3]), ("five", [1.0, 2, 4, 8, 16])):
        inputs = {"x": torch.tensor(x), "n": 4000, "generator": Generator(rng.integer(1, 99))}
        yield Case(name, inputs)


@exercise.oracle
def by_weights(x, n, generator):
    return x[torch.multinomial(torch.ones(len(x)), n, True, generator=generator)]


@exercise.misconception("You never draw the last one. Where does randint end?")
def all_but_the_last(x, n, generator):
    return x[torch.randint(len(x) - 1, (n,), generator=generator)]


@exercise.misconception("You drew from numpy's generator. Which one were you given?")
def by_numpys_own(x, n, generator):
    import numpy as np

    torch.rand(1, generator=generator)
    return x[torch.from_numpy(np.random.default_rng().integers(len(x), size=n))]


@exercise.misconception("You seed the generator anew. It comes as it has to be.")
def seeded(x, n, generator):
    return x[torch.randint(len(x), (n,), generator=generator.manual_seed(0))]


@exercise.variant
def by_uniform_numbers(x, n, generator):
    return x[(torch.rand(n, generator=generator) * len(x)).long()]
"""
ANSWERS = {
    "covariance": LOOPS.replace("by_loops", "covariance"),
    "resampled": "def resampled(x, n, generator):\n"
    "    return x[torch.multinomial(torch.ones(len(x)), n, True, generator=generator)]",
}


@pytest.fixture
def statistics(tmp_path, monkeypatch):
    folder = tmp_path / "solutions" / "01_samples"
    folder.mkdir(parents=True)
    for name, text in (("01_samples.md", TEXT), ("covariance.py", COVARIANCE),
                       ("resampled.py", RESAMPLED)):  # fmt: skip
        (folder / name).write_text(text)
    monkeypatch.setenv("COLUMNS", "200")
    return tmp_path


def test_right_answers_pass_whatever_device_they_make_tensors_on(statistics, sandbox, nbgrader):
    for report in selftest(load(statistics, "01_samples"), sandbox):
        assert report.reference and report.accepted == report.variants
        assert report.named == report.rejected == report.misconceptions, report.faults
    assert main(["release", "01_samples", "--root", str(statistics)]) == 0
    released = Course(statistics).released("01_samples")
    place = Course(statistics).release("01_samples") / "01_samples.ipynb"
    save(notebook(released, ANSWERS), place)
    assert main(["check", str(place)]) == 0
