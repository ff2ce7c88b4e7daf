"""Markdown becomes a tree of harmless elements: it runs nothing, loads nothing, hides nothing."""

import json
import re
from functools import cache
from html import unescape

import pytest
from markdown_it.rules_block import StateBlock

from rankme.markdown import LONGEST, formatted
from rankme.markdown.cleaning import ATTRIBUTES, FORMULAS, TEXT, cleaned
from rankme.markdown.parsing import markdown_to_html
from rankme.markdown.tree import DEEPEST, MOST_NODES, tree_of
from tests.markdown.hostile import payloads
from tests.sources import PROJECT

HOSTILE = payloads()
ALLOWED = {"class", *(name for names in ATTRIBUTES.values() for name in names)}


def elements(nodes, depth=1):
    """Every element of a tree: its name, its attributes, its children, and its depth."""
    for node in nodes:
        if isinstance(node, list):
            name, *rest = node
            attributes = rest.pop(0) if rest and isinstance(rest[0], dict) else {}
            yield name, attributes, rest, depth
            yield from elements(rest, depth + 1)


def words(nodes):
    return "".join(
        node
        if isinstance(node, str)
        else words(part for part in node[1:] if part.__class__ is not dict)
        for node in nodes
    )


def names(text):
    return [name for name, *_ in elements(formatted(text))]


# What it shows ---------------------------------------------------------------------------------


def test_the_usual_forms_are_elements():
    text = "# A\n\n**b** *i* ~~s~~ `c`\n\n1. x\n   - y\n\n> q\n\n"
    text += "| a | b |\n|---|--:|\n| 1 | 2<br>3 |\n"
    assert names(text) == [
        *("h3", "p", "strong", "em", "s", "code", "ol", "li", "ul", "li", "blockquote", "p"),
        *("table", "thead", "tr", "th", "th", "tbody", "tr", "td", "td", "br"),
    ]


def test_headings_fit_into_the_outline_of_the_page():
    """Language models often begin with the third level, and leave some out."""
    tree = formatted("### A\n\n##### B\n\n## C\n\n### D\n\n###### E\n")
    headings = [(name, attributes["class"]) for name, attributes, *_ in elements(tree)]
    assert headings == [
        *[("h3", "md-h3"), ("h4", "md-h5"), ("h3", "md-h2")],
        *[("h4", "md-h3"), ("h5", "md-h6")],
    ]


@pytest.mark.parametrize(
    "formula", ["$x^2$", r"\(x^2\)", "$$x^2$$", r"\[x^2\]", "\\[\nx^2\n= y\n\\]"]
)
def test_a_formula_is_mathml(formula):
    assert {"math", "msup", "mi", "mn"} <= set(
        names(f"So {formula}" if "\n" not in formula else formula)
    )


def test_an_amount_of_money_is_not_read_as_a_formula():
    assert "math" not in names("It costs $5 today and $10 tomorrow, or $20.")


def test_a_formula_that_is_not_known_is_shown_as_it_was_written():
    assert formatted(r"$\nosuch{x}$") == [["p", ["code", {"class": "md-formula"}, r"\nosuch{x}"]]]


def test_code_has_the_colours_of_its_language():
    tree = formatted("```python\ndef f(): return 'a'\n```")
    classes = {attributes.get("class") for _, attributes, *_ in elements(tree)}
    assert {"hl-k", "hl-nf"} <= classes
    assert words(tree) == "def f(): return 'a'\n"


def test_a_link_says_where_it_leads_and_a_picture_what_it_shows():
    said = words(
        formatted("[a](https://b.example) <https://c.example> ![d](https://e.example/f.png)")
    )
    assert said == "a (https://b.example) https://c.example d"


def test_markup_in_the_text_is_text():
    text = "<think>No</think> a <b>c</b>"
    assert formatted(text) == [["p", text]]


# What bounds it --------------------------------------------------------------------------------


def test_a_text_that_is_too_long_or_too_deep_is_left_as_it_is():
    assert formatted("a" * (LONGEST + 1)) is None
    assert formatted("> " * 10_000 + "deep") is None
    assert formatted("|a|\n|-|\n" + "|x|\n" * (LONGEST // 4 - 10)) is None


@pytest.mark.parametrize("depth", [1, 20, 38, 39, 40, 60])
def test_nothing_that_is_nested_is_left_out(depth):
    tree = formatted("> " * depth + "deep")
    assert tree is None or words(tree) == "deep"


# What it cannot do -----------------------------------------------------------------------------


def test_the_payloads_are_many_and_different():
    assert len(HOSTILE) >= 800


@cache
def hostile_trees():
    return {text: tree for text in HOSTILE if (tree := formatted(text)) is not None}


def test_no_payload_becomes_more_than_harmless_elements():
    for text, tree in hostile_trees().items():
        json.dumps(tree)
        found = list(elements(tree))
        assert len(found) <= MOST_NODES
        for name, attributes, _children, depth in found:
            assert name in TEXT | FORMULAS, text
            assert set(attributes) <= ALLOWED, text
            assert depth <= DEEPEST
            for value in attributes.values():
                assert re.fullmatch(r"[\w.+% -]*", value), (text, value)
            for each in attributes.get("class", "").split():
                assert each.startswith(("md-", "hl-")), text
    assert len(hostile_trees()) > 750


@pytest.mark.parametrize("part", ["pwned()", "elsewhere"])
def test_what_a_payload_says_is_still_to_be_read(part):
    """Nothing is taken out silently, except by Markdown's own rules."""
    unseen = [
        text
        for text, tree in hostile_trees().items()
        if part in text and part not in re.sub(r"\s", "", words(tree))
    ]
    # A title, an image's address, a definition and the language of a fence are never shown.
    assert all(re.search(r'y "|^\[.*\]: |^!?\[|^```\S|^\$|\\\(', text) for text in unseen), unseen[
        :3
    ]


def test_cleaning_alone_stops_what_a_faulty_renderer_would_let_through():
    for text in HOSTILE:
        if len(text) > 2_000:
            continue
        for raw in (text, unescape(text)):
            for name, attributes, *_ in elements(tree_of(cleaned(raw))):
                assert name in TEXT | FORMULAS
                assert set(attributes) <= ALLOWED


def test_the_page_builds_what_the_server_sends_and_nothing_else():
    script = (PROJECT / "static/js/blocks/formatted.js").read_text()

    def listed(name):
        body = re.search(rf"const {name} = new Set\((.*?)\);", script, re.DOTALL)[1]
        return {word for part in re.findall(r'"([^"]+)"', body) for word in part.split()}

    assert listed("TEXT") == TEXT
    assert listed("FORMULAS") == FORMULAS
    assert listed("ATTRIBUTES") == ALLOWED


@pytest.mark.parametrize("line", ["\\[\na\n", "> \\[\n", "\\[ a\n", "- \\[\n", "> \\[\n- \\[\n"])
def test_formulas_that_are_never_closed_are_searched_once(line: str, monkeypatch):
    """A model that repeats itself wrote such a text; each opening searched the whole rest."""
    lines_read = 0
    read = StateBlock.getLines

    def counted(self, begin, end, indent, keep_last):
        nonlocal lines_read
        lines_read += end - begin
        return read(self, begin, end, indent, keep_last)

    monkeypatch.setattr(StateBlock, "getLines", counted)
    text = line * 2_000
    markdown_to_html(text)
    assert lines_read < 20 * text.count("\n")


def test_an_opening_after_an_unclosed_one_is_read_where_it_closes():
    html = markdown_to_html("\\[ a\n\n\\[ b\n\\]\n\n> \\[ c\n\n> \\[ d\n> \\]\n")
    assert html.count('class="md-block"') == 2


@pytest.mark.parametrize("length", ["99999999em", "-5000px", "900ex", "10in", "1e9em"])
def test_a_formula_has_a_limited_width(length: str):
    tree = json.dumps(formatted(f"$a\\hspace{{{length}}}b$"))
    assert not re.search(r'"width": "-?\d{3}', tree), tree
    assert "width" in json.dumps(formatted("$a\\hspace{2em}b$"))
