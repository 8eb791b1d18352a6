"""List the sentences that claim much, page by page, for whoever reads the book critically.

    python book/words.py [PAGE…]

A sentence is listed that holds one of WORDS and neither a measured number nor a reference: it may
well be true, and nothing beside it says why.
"""

import re
import sys
from pathlib import Path

BOOK = Path(__file__).parent
WORDS = ("always", "never", "every", "all", "only", "cannot", "because", "so", "shows", "learns")
BOLD = re.compile(rf"\b({'|'.join(WORDS)})\b", re.IGNORECASE)
GROUNDS = re.compile(r"\{(measured|measured-spread|cite(:\w+)?|ref|numref|doc|eq)\}|\]\(|\[\[")
FENCED = re.compile(r"^(`{3,}).*?^\1\s*$", re.MULTILINE | re.DOTALL)  # code and directives
ENDS = re.compile(r"(?<=[.!?:])\s+(?=[A-Z*`{])|\n\s*\n|\n(?=[-*|:#]|\d+\. )")


def listed(text: str) -> list[str]:
    """The sentences of a page that claim much and give no ground."""
    sentences = [" ".join(one.split()) for one in ENDS.split(FENCED.sub("\n\n", text))]
    return [one for one in sentences if BOLD.search(one) and not GROUNDS.search(one)]


def main() -> int:
    names = sys.argv[1:] or sorted(path.stem for path in BOOK.glob("*.md"))
    if unknown := [name for name in names if not (BOOK / f"{name}.md").exists()]:
        print(f"There is no page book/{unknown[0]}.md.", file=sys.stderr)
        return 2
    found = {name: listed((BOOK / f"{name}.md").read_text(encoding="utf-8")) for name in names}
    for name, sentences in found.items():
        for sentence in sentences:
            print(f"{name}: {BOLD.sub(lambda word: word[0].upper(), sentence)}")
    counts = [f"{len(sentences)} in {name}" for name, sentences in found.items() if sentences]
    print(f"{sum(map(len, found.values()))} sentences: {', '.join(counts)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
