"""Submissions that are more alike than the exercises explain: `attn similar`."""

import random
import shutil
from itertools import combinations

import nbformat
import pytest
import standalone
from bs4 import BeautifulSoup

from autograder.chapters.solutions import chapter_names, load
from autograder.classes.fingerprints import GRAM, WINDOW, fingerprints, grams, tokens
from autograder.classes.similarity import Side, common_above, pairs, similarities
from autograder.classes.similarity_page import marked, similarity_page
from autograder.cli import main
from autograder.common.cell import grade_id
from autograder.common.files import REPOSITORY
from autograder.course.course import Course
from autograder.notebooks.chapter import reference

UNUSUAL = """def normalise(values):
    total = torch.zeros_like(values[..., :1])
    for column in range(values.shape[-1]):
        total = total + values[..., column : column + 1].abs().sqrt()
    mean = values.mean(dim=-1, keepdim=True)
    result = (values - mean).clamp(min=0.25) / total.square()
    return result.flip(-1)
"""
DISGUISED = '''def normalise(x):
    """Rows that sum to one."""
    # my own idea
    average = x.mean(dim = -1,
                     keepdim = True)
    acc = torch.zeros_like(x[..., :1])
    for j in range(x.shape[-1]):  # every column
        acc = acc + x[..., j:j+1].abs().sqrt()
    y = (x - average).clamp(min = 0.25) / acc.square()
    return y.flip(-1)
'''
DIFFERENT = """def normalise(values):
    rows = values.reshape(-1, values.shape[-1]).tolist()
    divided = [[entry / sum(row) for entry in row] for row in rows]
    return torch.tensor(divided, dtype=values.dtype).view(values.shape).contiguous()
"""
HOSTILE = "<script>alert(1)</script>"


@pytest.fixture
def course(toy_root, tmp_path):
    shutil.copytree(toy_root, tmp_path, dirs_exist_ok=True)
    return Course(tmp_path)


@pytest.fixture
def hand_in(course):
    """Write a student's notebook with these answers."""
    released = course.released("01_toy")

    def hand_in(student, **sources):
        notebook = nbformat.from_dict(released)
        for cell in notebook.cells:
            cell.source = sources.get(grade_id(cell), cell.source)
        folder = course.root / "submitted" / student / "01_toy"
        folder.mkdir(parents=True)
        nbformat.write(notebook, folder / "01_toy.ipynb")

    return hand_in


@pytest.fixture
def found(course):
    return lambda: [
        (pair.left, pair.right, [passage.exercise for passage in pair.passages])
        for pair in similarities(course, "01_toy").pairs
    ]


def test_a_copy_with_other_names_comments_and_order_of_lines_is_found(hand_in, found):
    hand_in("ada", normalise=UNUSUAL)
    hand_in("bob", normalise=DISGUISED)
    hand_in("cleo", normalise=DIFFERENT)
    assert found() == [("ada", "bob", ["normalise"])]


def test_the_order_of_names_on_the_roster_does_not_matter(hand_in, found):
    hand_in("zed", normalise=UNUSUAL)
    hand_in("bob", normalise=DIFFERENT)
    hand_in("cleo", normalise=DISGUISED)
    assert found() == [("cleo", "zed", ["normalise"])]


def test_what_the_author_of_the_exercises_wrote_down_is_obvious(toy, hand_in, found):
    for exercise in toy.exercises.values():
        for at, known in enumerate([*exercise.variants, *exercise.misconceptions]):
            for copy in ("one", "other"):
                hand_in(
                    f"{exercise.name}{at}{copy}", **{exercise.name: known.source_as(exercise.name)}
                )
    assert found() == []


def test_a_class_in_which_everyone_gives_the_reference_has_no_pairs(toy, hand_in, found):
    for student in range(2):  # so few that what they share is not common
        hand_in(f"student{student}", **reference(toy))
    assert found() == []


def test_what_more_than_a_quarter_of_the_class_share_is_common(hand_in, found):
    for student in range(8):
        hand_in(f"together{student}", normalise=UNUSUAL)
        hand_in(f"alone{student}")
    assert found() == []


def test_two_may_always_share_and_more_than_ten_never_make_pairs():
    assert [common_above(students) for students in (2, 4, 12, 40, 30_000)] == [2, 2, 3, 10, 10]


BY_LOOP = """def average(weights, values):
    total = weights.sum(dim=-1, keepdim=True).clamp(min=1e-9)
    rows = []
    for row, whole in zip(weights, total):
        rows.append(((row / whole)[:, None] * values).sum(dim=0))
    return torch.stack(rows)
"""
BY_EINSUM = """def average(weights, values):
    mixed = torch.einsum("qk,kd->qd", weights, values)
    below = weights.sum(dim=-1, keepdim=True).clamp(min=1e-9)
    return torch.einsum("qd,q->qd", mixed, below.squeeze(-1).reciprocal()).contiguous()
"""


def test_right_answers_that_share_an_idiom_only_are_not_reported(hand_in, found):
    one, other = (fingerprints(text, frozenset()).keys() for text in (BY_LOOP, BY_EINSUM))
    assert one & other
    hand_in("ada", average=BY_LOOP)
    hand_in("bob", average=BY_EINSUM)
    assert found() == []


def test_names_docstrings_comments_and_layout_do_not_count():
    plain = "def f(a):\n    b = a.sum(dim=-1)\n    return b"
    dressed = 'def f(first):\n    """Sum."""\n    # so\n    s=first.sum( dim = -1 )\n\n    return s'
    assert [t.text for t in tokens(plain)] == [t.text for t in tokens(dressed)]


def test_what_a_library_calls_things_does_count():
    texts = [[t.text for t in tokens(f"a.{name}(b)")] for name in ("tril", "triu")]
    assert texts[0] != texts[1]


@pytest.mark.parametrize(
    "text",
    [
        "def f(:\n  '''",
        "(" * 9_999,
        "'\\" * 9_999,
        "\x00",
        "x = '\ud83d'",
        "!ls\n%time x",
        "\\",
        "",
    ],
)
def test_text_that_is_not_python_breaks_nothing(text):
    assert all(0 <= token.start <= token.end <= len(text) for token in tokens(text))
    assert fingerprints(text, frozenset()) is not None


def test_a_copy_of_an_answer_that_cannot_be_parsed_is_found(hand_in, found):
    hand_in("ada", normalise=UNUSUAL + "    return (")
    hand_in("bob", normalise=DISGUISED + "    return (")
    assert found() == [("ada", "bob", ["normalise"])]


def test_whatever_is_shared_by_as_many_tokens_as_promised_has_a_common_fingerprint():
    rng = random.Random(0)
    letters = [f"a.{letter}" for letter in "bcdefgh"]
    for _ in range(50):
        shared = rng.choices(letters, k=GRAM + WINDOW)
        one, other = (
            ";".join([*rng.choices(letters, k=rng.randrange(20)), *shared]) for _ in range(2)
        )
        assert fingerprints(one, frozenset()).keys() & fingerprints(other, frozenset()).keys()


def test_a_large_class_makes_no_more_pairs_than_rare_answers_allow():
    answers = {f"s{at}": UNUSUAL.replace("0.25", f"0.{at % 40}") for at in range(400)}
    assert pairs({"normalise": answers}, frozenset(), 400) == []


def test_the_shared_parts_and_nothing_else_are_marked():
    all_tokens = tokens("a + b * c")
    side = Side(frozenset(range(4)), frozenset({0, 1, 2}))
    assert len(all_tokens) == 5
    assert str(marked("a + b * c", side)) == (
        '<mark>a + b</mark><span class="quiet"> </span>*<span class="quiet"> c</span>'
    )


def test_the_page_shows_hostile_text_as_text_and_runs_nothing(course, hand_in):
    for student in (f"<b>{HOSTILE.replace('/', '')}", "bob"):
        hand_in(student, normalise=f"{UNUSUAL}    # {HOSTILE} \u202e\x1b[2J\n")
    page = similarity_page(similarities(course, "01_toy"))
    soup = BeautifulSoup(page, "html.parser")
    assert soup.find_all(["script", "b", "link", "img"]) == []
    assert HOSTILE in soup.get_text() and "\u202e" not in page and "\x1b" not in page
    assert len(soup.find_all("pre")) == 2 and soup.find("pre").find("mark")


def test_the_command_words_it_as_a_reason_to_look(course, hand_in, capsys):
    hand_in("ada", normalise=UNUSUAL)
    hand_in("bob", normalise=DISGUISED)
    (course.root / "submitted" / "cleo" / "01_toy").mkdir(parents=True)
    assert main(["similar", "01_toy", "--root", str(course.root)]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "2 submissions were compared; 1 more cannot be read. 1 pair shares more" in said
    assert "a reason to look, not a finding" in said
    page = (course.root / "reports" / "01_toy_similar.html").read_text()
    assert "reason to look" in page and "Left out as obvious" in page


def test_without_submissions_there_is_one_sentence_and_a_refusal(course, capsys):
    assert main(["similar", "01_toy", "--root", str(course.root)]) == 2
    error = " ".join(capsys.readouterr().err.split())
    assert "No submissions in" in error and "Traceback" not in error


@pytest.mark.parametrize(("scheme", "width"), [("light", 320), ("dark", 1280)])
def test_axe_finds_nothing_and_the_page_fits_its_screen(
    browser, course, hand_in, tmp_path, scheme, width
):
    hand_in("ada" * 40, normalise=UNUSUAL)
    hand_in("bob", normalise=f"{DISGUISED}\n# {'x' * 300}")
    path = tmp_path / "page.html"
    path.write_text(similarity_page(similarities(course, "01_toy")))
    assert standalone.faults(browser, path, scheme, width) == []


def right_answers():
    """Of every exercise of the course: its reference, and its variants, written to differ."""
    for name in chapter_names(REPOSITORY):
        chapter = load(REPOSITORY, name)
        given = reference(chapter)
        for exercise in chapter.exercises.values():
            yield given[exercise.name], [v.source_as(exercise.name) for v in exercise.variants]


def rearranged(source):
    """The first two neighbouring lines of equal indentation in its body, exchanged."""
    lines = source.split("\n")
    depth = [len(line) - len(line.lstrip()) if line.strip() else -1 for line in lines]
    for at in range(1, len(lines) - 1):
        if depth[at] == depth[at + 1] > 0:
            lines[at : at + 2] = lines[at + 1], lines[at]
            break
    return "\n".join(lines)


def listed(given, one, other):
    return bool(pairs({"exercise": {"a": one, "b": other}}, frozenset(grams(given)), 2))


@pytest.mark.whole_course
def test_the_rule_lists_no_answers_written_apart_and_most_copies_of_the_same():
    apart = [(given, *two) for given, texts in right_answers() for two in combinations(texts, 2)]
    copied = [(given, text, rearranged(text)) for given, texts in right_answers() for text in texts]
    assert len(apart) > 200 and not any(listed(*three) for three in apart)
    assert sum(listed(*three) for three in copied) > 0.9 * len(copied)
