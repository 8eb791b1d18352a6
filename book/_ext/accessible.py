"""What axe finds in the HTML of the theme and of docutils, and what stands there instead.

tests/book/test_pages.py runs axe on every page; a new version that mends one of these needs it no
more.
"""

MENDED = {
    # a name for assistive technology that is not the text that is seen
    r'<summary aria-label="Toggle hidden content">': "<summary>",
    r'(search-button-field[^>]*) aria-label="Search"': r"\1",
    r'(<i class="theme-switch [^>]*) title="[^"]*"': r'\1 aria-hidden="true"',
    # a title that only the theme's tooltips show, whose script is not loaded
    r"(theme-switch-button[^>]*) data-bs-title=": r"\1 title=",
    # text outside every landmark
    r'(<div id="pst-primary-sidebar")(?! role)': r'\1 role="complementary" aria-label="The book"',
    # a heading without a word, where a table has its empty corner
    r'<th class="head(?: stub)?">\s*(?:<p></p>)?\s*</th>': '<td class="head"></td>',
    # a deprecated role, which no list may hold
    r'role="doc-biblioentry"': 'role="listitem"',
}
