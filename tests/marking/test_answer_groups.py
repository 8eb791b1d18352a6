"""Which answers are marked together, in which order, and by which of several graders."""

import pytest

from autograder.marking.answer_groups import Part, groups, levelled
from autograder.marking.gradebook_marks import Given
from autograder.marking.written_answers import Answer, Question

ASKED = Question("why", 2, "YOUR ANSWER HERE", "Why?")


def answer(student, source, **attachments):
    return Answer("why", student, source, attachments, "digest", Given(None, ""), True)


def grouped(*texts):
    answers = [answer(f"s{place}", text) for place, text in enumerate(texts)]
    return [[one.source for one in group.answers] for group in groups(ASKED, answers)]


@pytest.mark.parametrize(
    ("one", "other"),
    [("A  mean.\n", "a mean."), ("Zoe\u0308", "Zo\u00eb"), ("STRASSE", "stra\u00dfe")],
)
def test_white_space_capitals_and_unicode_make_no_other_answer(one, other):
    assert len(grouped(one, other)) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [("$d_k$ is", "$D_k$ is"), ("`Mean`", "`mean`"), ("n\u00b2", "n2"), ("a mean", "the mean")],
)
def test_formulas_code_and_other_words_do(one, other):
    assert len(grouped(one, other)) == 2


def test_a_picture_is_part_of_an_answer():
    picture = {"image/png": "AAAA"}
    found = groups(ASKED, [answer("a", "See"), answer("b", "See", **{"p.png": picture})])
    assert [len(group.answers) for group in found] == [1, 1]


def test_empty_answers_come_first_and_like_answers_stand_together():
    near, far = "the median does not move", "salaries are high"
    found = grouped(near, far, "", "the median does not move much", "YOUR ANSWER HERE", far, far)
    assert found[0] == ["", "YOUR ANSWER HERE"]
    assert found[1] == [far] * 3
    assert found[2:] == [[near], ["the median does not move much"]]


def test_each_section_and_grader_has_another_name_of_a_file():
    sections = ["A B", "A+B", "A_B", "A-B", "A", "Übung 1", ""]
    names = {Part(number, 2, section).suffix for section in sections for number in (1, 2)}
    assert len(names) == 14 and ".Übung_1.1-of-2" in names
    assert not any(set(name) & set("/\\:") for name in names)


def test_every_text_comes_to_one_grader_and_stays_there_when_students_are_added():
    texts = [f"answer number {number}" for number in range(40)]
    before = groups(ASKED, [answer(text, text) for text in texts])
    after = groups(ASKED, [answer(text, text.upper()) for text in [*texts, "another", texts[3]]])
    parts = [Part(number, 5) for number in range(1, 6)]

    def whose(found):
        return {levelled(one.text): [part for part in parts if part.has(one)] for one in found}

    assert {len(of) for of in whose(before).values()} == {1}
    assert whose(before).items() <= whose(after).items()
    assert {str(part) for (part,) in whose(before).values()} == {
        f"grader {n}/5" for n in range(1, 6)
    }
