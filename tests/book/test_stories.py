"""The stories of chapter 12: their floor, what a model has to look up, and the notebook's copy."""

import math
import re
from pathlib import Path

import lm_notebook
import pytest
import stories
import stories_heads
import stories_models
import stories_training
import stories_writes

LINE = re.compile(r" (\w+) (is in|goes to|stays in) (\w+)")


def bits_of(text):
    """The bits of a story from its text alone: of each line, how likely it was."""
    at, bits = {}, math.log2(stories.MOST - stories.FEWEST + 1)
    for name, does, city in LINE.findall(text):
        if does == "is in":
            bits += math.log2(len(stories.NAMES) - len(at)) + math.log2(len(stories.CITIES))
        else:
            bits += math.log2(len(at))  # the name
            bits -= math.log2(stories.STAYS if does == "stays in" else 1 - stories.STAYS)
            bits += math.log2(len(stories.CITIES) - 1) if does == "goes to" else 0
        at[name] = city
    return bits


@pytest.mark.parametrize("name", ["one", "two", "three"])
def test_the_bits_of_a_story_follow_from_its_text_alone(name):
    story = stories.told(name)
    assert story.bits == pytest.approx(bits_of(story.text))


def test_the_story_that_the_page_counts_by_hand_has_these_bits_and_bytes():
    page = (Path(stories.__file__).parents[1] / "12_stories.md").read_text()
    text = re.search(r"```text\n(.*?)```", page, re.DOTALL).group(1)
    assert f"{bits_of(text):.2f} bits for {len(text)} bytes" in " ".join(page.split())


def test_an_answer_is_the_last_city_that_was_said_of_its_person():
    story, at = stories.told("an answer"), {}
    ends = iter(story.answers)
    for found in LINE.finditer(story.text):
        name, does, city = found.groups()
        if does == "stays in":
            assert (at[name], found.end()) == (city, next(ends))
        at[name] = city


def test_the_facts_of_an_answer_are_all_cities_said_of_its_person_since_it_came_there():
    given = stories_training.encoded(
        [stories.told(f"facts {at}") for at in range(5)], stories_training.USUAL.tokenizer()
    )
    facts = stories_heads.facts(given)
    lines = given.tokens[:, 1:].unflatten(1, (-1, stories_heads.LINE))
    for story, line in (facts.any(dim=-1)).nonzero().tolist():
        of_answer = lines[story, line]
        named = lines[story, facts[story, line]]
        assert (named[:, [0, 3]] == of_answer[[0, 3]]).all()
        came = facts[story, line].nonzero()[0].item()
        between = lines[story, came + 1 : line]
        again = between[between[:, 0] == of_answer[0]]
        assert len(again) == len(named) - 1
    assert (facts.any(dim=-1).sum(dim=1) == (given.steps > 0).sum(dim=1)).all()


def test_a_guess_names_the_city_of_the_line_before_or_one_where_most_people_are():
    text = " Ada is in Oslo\n Ben is in Cairo\n Ada stays in Oslo\n"
    text += " Ben visits Ada\n Ben stays in Oslo\n"
    told = stories.Story(text, steps=[1, 2])
    assert stories_models.guesses([told]) == [(1, False, 0.5), (2, True, 1.0)]


def test_a_written_line_is_judged_by_the_lines_before_it():
    text = " Ada is in Oslo\n Ada stays in Oslo\n Ada stays in Kyoto\n Ben goes to Oslo\n Ad\n Ad"
    found = ["possible", "true", "false", "impossible", "no sentence"]
    assert stories_writes.judged(text) == found


def test_the_notebook_tells_the_stories_of_the_book():
    names: dict[str, object] = {}
    for cell in lm_notebook.cells():
        if "import math" in cell or "class Story" in cell:
            exec(cell, names)
    for at in range(20):
        mine, theirs = stories.told(f"train 0 {at}"), names["Story"](f"train 0 {at}")
        assert (theirs.text, theirs.bits, theirs.answers) == (mine.text, mine.bits, mine.answers)
