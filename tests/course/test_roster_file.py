"""`attn roster FILE`: a class as spreadsheets and platforms write it, all of it or a sentence."""

import shutil

import pytest
from nbgrader.api import Gradebook

from autograder.cli import main
from autograder.common.files import REPOSITORY
from autograder.course.roster_file import read

pytestmark = pytest.mark.usefixtures("nbgrader")
PLAIN = """id,first_name,last_name,email,lms_user_id
ada,Ada,Lovelace,ada@example.org,1042
joerg,Jörg,Müller,joerg@example.org,1043
zoe,Zoë,"Brontë, de",zoe@example.org,1044
"""
CLASS = {"ada": ("Ada", "Lovelace", "ada@example.org", "1042"),
         "joerg": ("Jörg", "Müller", "joerg@example.org", "1043"),
         "zoe": ("Zoë", "Brontë, de", "zoe@example.org", "1044")}  # fmt: skip
SEMICOLONS = PLAIN.replace('"Brontë, de"', "Brontë& de").replace(",", ";").replace("&", ",")
CANVAS = """Student,ID,SIS User ID,SIS Login ID,Section,"04, masks (7)",Final Score
,,,,,Manual Posting,
    Points Possible,,,,,24,(read only)
"Lovelace, Ada",1042,S1,ada,A,20,
"Müller, Jörg",1043,S2,joerg,A,,
"Brontë, de, Zoë",1044,S3,zoe,A,,
"Student, Test",1099,,9f86d081,A,,
"""
MOODLE = """"First name","Last name","Email address",Groups
Ada,Lovelace,ada@example.org,
Jörg,Müller,joerg@example.org,"A, B"
"""
WRITTEN = {
    "plain": PLAIN.encode(),
    "Excel, UTF-8": PLAIN.replace("\n", "\r\n").encode("utf-8-sig"),
    "Excel, Europe": SEMICOLONS.encode("utf-8-sig"),
    "semicolons": SEMICOLONS.encode(),
    "a line for Excel": f"sep=;\r\n{SEMICOLONS}".encode(),
    "tabs": SEMICOLONS.replace(";", "\t").encode(),
    "Unicode text": SEMICOLONS.replace(";", "\t").encode("utf-16"),
    "UTF-16 without a mark": PLAIN.encode("utf-16-le"),
    "Windows": PLAIN.encode("cp1252"),
    "opened in the wrong encoding": PLAIN.encode().decode("cp1252").encode(),
    "capitals": PLAIN.replace("id,first_name,last_name", "ID,First Name,Last_Name").encode(),
    "blanks": PLAIN.replace(",", " , ").replace("Brontë ,  de", "Brontë, de").encode(),
    "numbers": PLAIN.replace("1042", "1042.0").replace("1043", '"=""1043"""').encode(),
    "empty rows and columns": (
        "\n,,,,,\n" + PLAIN.replace("\n", ",,\n").replace("joerg,J", ",,,,,,\n\njoerg,J")
    ).encode(),
    "a title above": ("Class list 2026;;;;\n\n" + SEMICOLONS).encode(),
    "one line thrice": PLAIN.replace(
        "joerg", "ada ,Ada,Lovelace,ada@example.org,1042.0\n" * 2 + "joerg", 1
    ).encode(),
    "tabs, and a line for Excel": ("sep=\t\n" + SEMICOLONS.replace(";", "\t")).encode(),
}  # fmt: skip


@pytest.fixture
def course(tmp_path):
    """Runs the command in an empty course; gives its exit code."""
    (tmp_path / "solutions").mkdir()

    def run(data, name="roster.csv"):
        (tmp_path / name).write_bytes(data)
        return main(["roster", str(tmp_path / name), "--root", str(tmp_path)])

    run.root = tmp_path
    return run


def students(course):
    if not (course.root / "gradebook.db").exists():
        return {}
    with Gradebook(f"sqlite:///{course.root / 'gradebook.db'}") as book:
        return {one.id: (one.first_name, one.last_name, one.email, one.lms_user_id)
                for one in book.students}  # fmt: skip


@pytest.mark.parametrize("kind", WRITTEN)
def test_a_roster_is_read_as_a_spreadsheet_writes_it(tmp_path, kind):
    path = tmp_path / "roster.csv"
    path.write_bytes(WRITTEN[kind])
    file = read(path)
    assert {line.id: tuple(line.values.values()) for line in file.students} == CLASS
    assert file.encoding == ("cp1252" if kind == "Windows" else "")


def test_where_the_encoding_was_guessed_names_are_shown(course, capsys):
    assert course(WRITTEN["Windows"]) == 0 and students(course) == CLASS
    out = capsys.readouterr().out
    assert out.startswith("roster.csv: 3 added, 0 changed, 0 as before.")
    assert "read as cp1252; check the names, such as Jörg Müller" in out


def test_what_canvas_exports_is_a_roster(course, capsys):
    assert course(CANVAS.encode("utf-8-sig")) == 0
    assert {id_: values[3] for id_, values in students(course).items()} == {
        "ada": "1042", "joerg": "1043", "zoe": "1044"
    }  # fmt: skip
    assert students(course)["joerg"] == ("Jörg", "Müller", None, "1043")
    assert "from the column 'SIS Login ID'" in capsys.readouterr().out


def test_what_moodle_exports_is_a_roster_by_the_best_column_that_everybody_has(course, capsys):
    assert course(MOODLE.encode()) == 0
    assert students(course)["joerg@example.org"] == ("Jörg", "Müller", "joerg@example.org", None)
    assert "from the column 'Email address'" in capsys.readouterr().out


def test_an_import_says_what_it_did_and_leaves_who_is_not_in_the_file(course, capsys):
    course(PLAIN.encode())
    capsys.readouterr()
    later = PLAIN.replace("Lovelace", "Byron").replace("zoe,Zoë", "emmy,Emmy").replace("zoe@", "e@")
    assert course(later.encode()) == 0
    assert capsys.readouterr().out.splitlines() == [
        "roster.csv: 1 added, 1 changed, 1 as before.",
        "Changed: Ada Byron (ada), last_name.",
        "In the gradebook but not in the file, left as they are: Zoë Brontë, de (zoe).",
    ]
    assert students(course)["zoe"] == CLASS["zoe"]


@pytest.mark.parametrize(("data", "why"), [
    (PLAIN + "ada,Adam,Smith,,\n", "lines 2 and 5 have one id, 'ada' and 'ada', and are not the"),
    (PLAIN + "Ada,Adam,Smith,,\n", "lines 2 and 5 have one id, 'ada' and 'Ada'"),
    ("id,email\n1042,a@b.c\n1042.0,d@e.f\n", "lines 2 and 3 have one id, '1042' and '1042'"),
    (PLAIN + "eve,Eve,Smith,,1042\n", "lines 2 and 5 have one lms_user_id, 1042"),
    (PLAIN + ",Eve,Smith,,\n", "line 5 has no id"),
    (PLAIN + "eve,Eve,Smith, Jr.,,1045\n", "line 5 has 6 values for 5 columns (what has a comma"),
    (PLAIN + 'eve,"Eve,Smith,,\n', "line 5: the quotes do not match"),
    (PLAIN + "1.23457E+11,Eve,Smith,,\n", "line 5 has 1.23457E+11, a number that Excel has short"),
    (PLAIN + "a/b,Eve,Smith,,\n", "the id 'a/b', which no folder can be called"),
    ("name,mark\nAda,1\n", "has no column for the students' ids; its first line has: name, mark."),
    ("", "has no column for the students' ids; its first line has: nothing."),
    ("id,first_name\n", "has headings, and no students"),
    ("PK\x03\x04", "is a workbook. In the spreadsheet, save it as CSV UTF-8"),
    ("id\n\0\1\2\3\n", "is no text"),
])  # fmt: skip
def test_what_is_not_clear_is_named_with_its_line_and_nothing_is_imported(
    course, data, why, capsys
):
    assert course(data.encode()) == 2
    assert why in " ".join(capsys.readouterr().err.split())
    assert not (course.root / "gradebook.db").exists()


@pytest.mark.parametrize(("id_", "why"), [
    ("42", "line 2 has 42, and submitted/ has 0042: Excel has left out zeros"),
    ("ADA", "line 2 has the id 'ADA' for somebody whom the gradebook has as 'ada'"),
    ("new", "line 2 has the id 'new' for somebody whom the gradebook has as 'ada'"),
])  # fmt: skip
def test_an_id_that_somebody_has_otherwise_is_named(course, id_, why, capsys):
    course(PLAIN.encode())
    (course.root / "submitted" / "0042").mkdir(parents=True)
    email = "Ada@example.org" if id_ == "new" else ""
    assert course(f"id,email\n{id_},{email}\nemmy,e@example.org\n".encode()) == 2
    assert why in " ".join(capsys.readouterr().err.split())
    assert students(course) == CLASS


def test_nbgraders_own_import_reads_the_same_files_and_says_what_is_wrong(course, nbgrader):
    shutil.copy(REPOSITORY / "nbgrader_config.py", course.root)
    file = course.root / "roster.csv"
    for data, status in ((PLAIN + "Ada,Adam,,,\n", 1), (SEMICOLONS, 0)):
        file.write_text(data, "utf-8-sig")
        done = nbgrader(course.root, "db", "student", "import", file.name, check=False)
        assert done.returncode == status
        assert ("lines 2 and 5 have one id" in done.stderr) == (status == 1)
        assert students(course) == ({} if status else CLASS)
