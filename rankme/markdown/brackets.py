r"""Formulas between `\(` and `\)` or `\[` and `\]`, as most language models write them."""

from __future__ import annotations

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline

INLINE = {"\\(": ("\\)", "math_inline"), "\\[": ("\\]", "math_inline_double")}


def read_brackets(parser: MarkdownIt) -> None:
    """Give a parser the two rules; a backslash before a bracket is otherwise only an escape."""
    parser.inline.ruler.before("escape", "math_in_brackets", _inline)
    parser.block.ruler.before(
        "fence",
        "math_block_in_brackets",
        _block,
        {"alt": ["paragraph", "reference", "blockquote", "list"]},
    )


def _inline(state: StateInline, silent: bool) -> bool:
    found = INLINE.get(state.src[state.pos : state.pos + 2])
    if found is None:
        return False
    closing, name = found
    start = state.pos + 2
    # Once none follows, none does later: otherwise thousands of openings would each search the
    # rest.
    end = -1 if closing in state.env.get("absent", ()) else state.src.find(closing, start)
    if end < 0:
        state.env.setdefault("absent", set()).add(closing)
        return False
    if not state.src[start:end].strip():
        return False
    if not silent:
        state.push(name, "math", 0).content = state.src[start:end]
    state.pos = end + 2
    return True


def _block(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    r"""Lines from one that begins with `\[` to one that ends with `\]`, before an empty line."""
    first = state.src[state.bMarks[start] + state.tShift[start] : state.eMarks[start]]
    if state.is_code_block(start) or not first.startswith("\\["):
        return False
    last = _closing_line(state, start, end)
    if last is None:
        return False
    if not silent:
        content = state.getLines(start, last + 1, state.blkIndent, False).strip()
        state.push("math_block", "math", 0).content = content[2:-2]
        state.line = last + 1
    return True


def _closing_line(state: StateBlock, start: int, end: int) -> int | None:
    r"""The line that ends with `\]`; None where an empty line, or the end of the block, is first.

    The rule is asked about every line, often twice: a line within what an earlier opening searched
    in vain is not searched again.
    """
    unclosed = state.env.setdefault("unclosed", {})
    searched_from, searched_to = unclosed.get((state.blkIndent, end), (start, start))
    if searched_from <= start < searched_to:
        return None
    line = start
    while line < end:
        text = state.getLines(line, line + 1, state.blkIndent, False).strip()
        if not text or (line > start and state.sCount[line] < state.blkIndent):
            break
        if text.endswith("\\]") and (line > start or len(text) > 4):
            return line
        line += 1
    unclosed[state.blkIndent, end] = (start, line)
    return None
