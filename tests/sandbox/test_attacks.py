"""The red-team corpus: every attack gets its verdict and harms nothing. See red_team.py."""

import pytest
from red_team import Attack, Range, attacks, outside, quick

from autograder.judging.verdict import Kind, Verdict
from autograder.sandbox.sandbox import Sandbox


@pytest.fixture(scope="module")
def ground(sandbox: Sandbox) -> Range:
    ground = Range(sandbox)
    assert ground.honest() == {Kind.PASSED}
    return ground


@pytest.fixture(scope="module")
def before(ground: Range) -> dict[str, str]:
    """What was outside the sandbox before the first attack."""
    return outside()


@pytest.mark.parametrize("attack", attacks(), ids=lambda attack: attack.name)
def test_an_attack_gets_its_verdict(ground: Range, before: object, attack: Attack) -> None:
    with quick():
        verdicts = ground.grade(attack)
    if kinds(verdicts) != ground.wanted(attack):
        verdicts = ground.grade(attack)  # in earnest: a slow machine needs more than a second
    found = kinds(verdicts)
    if attack.undefended:
        assert found != ground.wanted(attack), "defended now: remove the line `undefended:`"
        pytest.xfail(attack.undefended)
    assert found == ground.wanted(attack)
    assert ground.feedback_fits(attack, verdicts)


def kinds(verdicts: dict[str, Verdict]) -> dict[str, str]:
    return {name: verdict.kind for name, verdict in verdicts.items()}


def test_after_all_attacks_an_honest_submission_passes(ground: Range) -> None:
    assert ground.honest() == {Kind.PASSED}


def test_after_all_attacks_no_process_is_left(ground: Range) -> None:
    assert ground.processes_left() == 0


def test_after_all_attacks_no_file_outside_the_sandbox_has_changed(before: dict[str, str]) -> None:
    after = outside()
    changed = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
    assert changed == set()
