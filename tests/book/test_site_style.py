"""One style sheet for all pages: they look as with all that it is made of."""

import base64
import functools
import io
import re

import axe
import formulas
import named_words
import pytest
import site_style
from book_site import at_rest
from small_fonts import characters, subset
from sphinx.errors import ExtensionError

FONTS = "_static/katex/fonts"
# Of one element of each kind in each kind of place, all that a style sheet may say, as one text: it
# takes longer to send many than to find them.
LOOK = """() => {
  const names = [...getComputedStyle(document.body)].filter(name => !name.startsWith('--'));
  const kind = one => one ? `${one.localName}.${one.getAttribute('class') ?? ''}` : '';
  const found = {};
  for (const one of document.querySelectorAll('html, body, body *')) {
    const place = `${kind(one.parentElement)} > ${kind(one)}`;
    if (place in found) continue;
    found[place] = [];
    for (const part of [null, '::before', '::after']) {
      const style = getComputedStyle(one, part);
      if (part && style.content === 'none') continue;
      const said = names.map(name => `${name}: ${style.getPropertyValue(name)}`);
      found[place].push(said.join('\\n'));
    }
  }
  return found;
}"""
# What is laid out only now asks for its fonts, and has other sizes until they are there.
FONTS_COME = "document.body.getBoundingClientRect(), document.fonts.ready.then(() => true)"
ICONS = """() => [...document.querySelectorAll('*')].flatMap(one => ['::before', '::after'].map(
  part => getComputedStyle(one, part).content.replaceAll('"', '')))
  .filter(sign => sign.length === 1 && sign >= '\ue000' && sign <= '\uf8ff')"""
SET = """() => {
  const found = {};
  for (const one of document.querySelectorAll('.katex-html *')) {
    const text = [...one.childNodes].filter(part => part.nodeType === 3).map(part => part.data);
    const { fontFamily, fontWeight, fontStyle } = getComputedStyle(one);
    const face = [fontFamily.split(',')[0], fontWeight, fontStyle].join(' ');
    found[face] = (found[face] ?? '') + text.join('');
  }
  return found;
}"""
FACES = {"400 normal": "Regular", "700 normal": "Bold", "400 italic": "Italic"}


def with_all(page, book):
    """The page with what its sheet is made of in its place."""
    links = "".join(f'<link rel="stylesheet" href="{one}">' for one in site_style.made_of(book))
    page, found = re.subn(rf'<link rel="stylesheet" href="{site_style.SHEET}[^>]*>', links, page)
    assert found == 1
    return page


def opened(window, url, width, changed=None):
    page = window.new_page()
    page.set_viewport_size({"width": width, "height": 800})
    page.emulate_media(reduced_motion="reduce")  # what moves is caught at another moment each time
    if changed:

        def answer(route):
            response = route.fetch()
            route.fulfill(response=response, body=changed(response.text()))

        page.route(re.compile(r"\.html"), answer)
    at_rest(page, url)
    page.evaluate(FONTS_COME)
    return page


def looks(window, url, width, changed=None):
    """Of all elements: as the page opens, in the dark, and with the menu or the search open."""
    page = opened(window, url, width, changed)
    found = [page.evaluate(LOOK)]
    axe.show(page, "dark")
    if width < 992:
        page.locator(".primary-toggle").click()
    else:
        page.keyboard.press("Control+k")
    page.wait_for_timeout(500)  # the menu slides in
    found.append(page.evaluate(LOOK))
    page.close()
    return found


def told(parts):
    """Each property with its value, of an element and what stands before and after it."""
    return {line for part in parts for line in part.splitlines()}


@pytest.mark.parametrize(
    ("name", "width"), [("glossary", 1280), ("04_masks", 390), ("cards", 1280), ("search", 390)]
)
def test_a_page_looks_as_with_all_that_its_style_sheet_is_made_of(
    window, address, book, name, width
):
    url = f"{address}{name}.html?q=softmax"
    mine = looks(window, url, width)
    whole = looks(window, url, width, functools.partial(with_all, book=book))
    for one, other in zip(mine, whole, strict=True):
        assert one.keys() == other.keys()
        differ = {place for place in one if one[place] != other[place]}
        assert {place: told(one[place]) - told(other[place]) for place in differ} == {}


def test_every_icon_of_a_page_is_in_the_font_that_stands_in_the_sheet(window, address, book):
    css = (book / site_style.SHEET).read_text()
    (font,) = re.findall(r"url\(data:font/woff2;base64,([^)]+)\)", css)
    page = opened(window, f"{address}04_masks.html", 1280)
    signs = set(page.evaluate(ICONS))
    page.close()
    assert len(signs) > 8
    assert signs <= characters(io.BytesIO(base64.b64decode(font)))
    assert "vendor/fontawesome" not in css


@pytest.mark.parametrize("name", ["02_qkv", "05_multi_head", "notation"])
def test_every_character_of_a_formula_is_in_the_font_that_it_is_set_in(window, address, book, name):
    page = opened(window, f"{address}{name}.html", 1280)
    for face, text in page.evaluate(SET).items():
        family, style = face.split(" ", 1)
        if text and family.startswith("KaTeX"):
            file = f"{family}-{FACES[style]}.woff2"
            whole = characters(formulas.KATEX / "fonts" / file)
            assert set(text) & whole <= characters(book / FONTS / file), face
    page.close()


def test_a_font_without_what_is_not_set_in_it_has_the_same_bytes_each_time():
    font = formulas.KATEX / "fonts" / "KaTeX_Main-Regular.woff2"
    assert subset(font, set("softmax")) == subset(font, set("xamtfos"))
    assert len(subset(font, set("softmax"))) < font.stat().st_size / 4
    assert subset(font, {"\U0001f600"}) == b""


def test_a_rule_stays_where_a_page_or_a_script_names_what_it_is_for():
    names = named_words.words(['<p class="one" title="prose">prose</p>'], ['add("two")'])
    assert {"p", "class", "one", "two"} <= set(names) and "prose" not in names


def linking(folder, sheets):
    """Two pages of a paragraph, each of which links its sheets."""
    for name in {name for linked in sheets for name in linked}:
        (folder / f"{name}.css").write_text(f"p {{ content: '{name}' }}")
    return {
        folder / str(at): "<p></p>" + "".join(f'<link href="{name}.css"/>\n' for name in linked)
        for at, linked in enumerate(sheets)
    }


def test_a_sheet_has_the_last_word_over_those_that_it_had_it_over(tmp_path):
    (tmp_path / "_static").mkdir()
    pages = site_style.join(tmp_path, linking(tmp_path, ["ba", "ba"]))
    assert [site_style.LINK.findall(page) for page in pages.values()] == [[site_style.SHEET]] * 2
    css = (tmp_path / site_style.SHEET).read_text()
    assert css.index("'b'") < css.index("'a'")
    assert site_style.made_of(tmp_path) == ["b.css", "a.css"]


def test_every_rule_of_ours_is_in_it(book):
    """A script may put the name of a class together, where nobody finds it."""
    ours = site_style.compact((book / site_style.OURS).read_text()).splitlines()
    whole = (book / site_style.SHEET).read_text().splitlines()
    assert len(ours) > 300
    assert [line for line in ours if line not in whole and "url(" not in line] == []


@pytest.mark.parametrize("sheets", [["a", "ab"], ["ab", "ba"]])
def test_pages_that_link_different_sheets_are_not_joined(tmp_path, sheets):
    with pytest.raises(ExtensionError, match="1 and 0 link different style sheets"):
        site_style.join(tmp_path, linking(tmp_path, sheets))
