"""A course's own words: a file beside its chapters, which it may do without."""

import pytest

from autograder.authoring.mutants import mutants
from autograder.chapters.solutions import VOCABULARY, load
from autograder.common.errors import CourseError
from autograder.exercise.spec import NO_WORDS, Vocabulary, Word
from autograder.judging import checks, checks_file

WORDS = """from autograder.author import Vocabulary, Word

vocabulary = Vocabulary(
    {"is_zero": Word("returns_no_average", "Nothing was added up.")},
    selecting="present",
    confused={"rows": "columns"},
)
"""


def exercises(root):
    return load(root, "01_toy").exercises.values()


def test_every_exercise_of_a_course_has_its_words(root):
    assert all(one.vocabulary == NO_WORDS for one in exercises(root))
    (root / "solutions" / VOCABULARY).write_text(WORDS)
    words = {"is_zero": Word("returns_no_average", "Nothing was added up.")}
    told = Vocabulary(words, "present", {"rows": "columns"})
    assert all(one.vocabulary == told for one in exercises(root))


def test_a_learners_file_holds_what_the_check_says_and_no_names_of_code(root, tmp_path):
    (root / "solutions" / VOCABULARY).write_text(WORDS)
    built = [checks.build(one) for one in exercises(root)]
    path = tmp_path / "checks.safetensors"
    path.write_bytes(checks_file.packed(built))
    read = checks_file.load(path)[built[0].exercise].vocabulary
    assert read == Vocabulary(built[0].vocabulary.words, "present")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("vocabulary = ", "words = ", "must define `vocabulary = Vocabulary(…)`."),
        ("is_zero", "is_naught", "has words for is_naught, which is no pattern."),
        ('"is_zero": ', '"is_zero" ', "vocabulary.py, line 4: SyntaxError"),
    ],
)
def test_a_slip_in_the_file_is_told_with_its_place(root, old, new, said):
    (root / "solutions" / VOCABULARY).write_text(WORDS.replace(old, new))
    with pytest.raises(CourseError) as error:
        load(root, "01_toy")
    assert VOCABULARY in str(error.value) and said in str(error.value)


def test_names_that_the_course_confuses_are_exchanged_in_mutants():
    source = "def total(rows, columns):\n    return rows.total + 1"
    made = {mutant.source for mutant in mutants("total", source, confused={"rows": "columns"})}
    plain = {mutant.source for mutant in mutants("total", source)}
    assert {text.partition("return ")[2] for text in made - plain} == {"columns.total + 1"}
