"""What is drawn comes from the generator that a call is given, and leaves it moved on."""

import pytest
import torch

from autograder.author import Case, Generator
from autograder.confined.observe import observe
from autograder.exercise.stateful import ASTRAY, REPEATED, SEEDED


def seen(target, traced=False, placed=False, **inputs):
    return observe(target, Case("c", inputs, traced=traced, placed=placed))


def draws(target, **how):
    return seen(target, x=torch.ones(3), generator=Generator(7, **how)).output[1]


def test_a_generator_tells_whether_it_was_drawn_from_and_whether_torchs_own_was():
    def found(elsewhere, here):
        return {"drawn elsewhere": elsewhere, "drawn from": here}

    assert draws(lambda x, generator: torch.rand(3, generator=generator)) == found(False, True)
    assert draws(lambda x, generator: torch.rand(3)) == found(True, False)
    assert draws(lambda x, generator: x) == found(False, False)
    assert draws(lambda x, generator: x, draws=False)["drawn from"] is True


WEIGHTS = torch.ones(4)
MANY = 1500


def own(weights, generator):
    return torch.multinomial(weights, MANY, True, generator=generator)


def of_its_own(weights, generator):
    torch.rand(1, generator=generator)
    return own(weights, torch.Generator().manual_seed(0))


def of_a_seed_nobody_knows(weights, generator):
    torch.rand(1, generator=generator)
    fresh = torch.Generator()
    fresh.seed()
    return own(weights, fresh)


def seeded_anew(weights, generator):
    return own(weights, generator.manual_seed(0))


def seeded_as_it_was(weights, generator):
    return own(weights, generator.manual_seed(generator.initial_seed()))


def copied(weights, generator):
    return own(weights, generator.clone_state())


def put_back(weights, generator):
    before = generator.get_state()
    drawn = own(weights, generator)
    generator.set_state(before)
    return drawn


def torchs_own(weights, generator):
    torch.rand(1, generator=generator)
    with torch.random.fork_rng(()):
        return own(weights, None)


def torchs_own_at_a_seed(weights, generator):
    torch.rand(1, generator=generator)
    torch.manual_seed(0)
    drawn = own(weights, None)
    torch.manual_seed(0)
    return drawn


def from_draws(weights, generator):
    seed = int(torch.randint(10**6, (), generator=generator))
    return own(weights, torch.Generator().manual_seed(seed))


@pytest.mark.parametrize(
    ("target", "elsewhere", "here"),
    [(own, False, True), (from_draws, False, True), (of_its_own, False, REPEATED),
     (of_a_seed_nobody_knows, False, ASTRAY), (seeded_anew, False, SEEDED),
     (seeded_as_it_was, False, REPEATED), (copied, False, False), (put_back, False, False),
     (torchs_own, False, REPEATED), (torchs_own_at_a_seed, True, REPEATED)],
)  # fmt: skip
def test_what_is_drawn_follows_from_the_generator_and_leaves_it_moved_on(target, elsewhere, here):
    found = seen(target, placed=True, weights=WEIGHTS, generator=Generator(7)).output[1]
    assert found == {"drawn elsewhere": elsewhere, "drawn from": here}


def test_few_draws_may_be_the_same_by_chance():
    def few(weights, generator):
        return own(weights, generator)[:3] * 0

    found = seen(few, placed=True, weights=WEIGHTS, generator=Generator(7)).output[1]
    assert found["drawn from"] is True


def test_the_same_generator_draws_the_same_in_every_call():
    def draw(generator):
        return torch.rand(5, generator=generator)

    one, two = (seen(draw, generator=Generator(3)).output[0] for _ in range(2))
    assert torch.equal(one, two) and not torch.equal(
        one, seen(draw, generator=Generator(4)).output[0]
    )


def test_to_look_at_a_generator_is_no_work_of_the_call():
    found = seen(lambda x, generator: torch.rand(4, generator=generator), traced=True,
                 x=torch.ones(3), generator=Generator(2))  # fmt: skip
    assert (found.cost.largest, found.output[1]["drawn from"]) == (4, True)
