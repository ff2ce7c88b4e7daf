"""The tables of pages: `{% table %}` with one `{% column %}` for each column.

    {% table batches as batch caption=_("Batches") %}
      {% column _("Batch") "head" %}{{ batch.number }}{% endcolumn %}
      {% column _("Screens") "number" when=has_screens %}{{ batch.screens }}{% endcolumn %}
      {% empty %}<p>{% translate "Launch the campaign first." %}</p>
    {% endtable %}

A table has a visible `caption`, or a `label` where a heading above already names it. The links to
the pages of a paginator come with it. The words after a column's title are CSS classes, except for
"head" (the cells name their rows) and "unnamed" (only screen readers get the title). `sort` turns
the title into a link; it starts with "-" if the largest values come first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.core.paginator import Page
from django.forms.utils import flatatt
from django.template import Context, Library, Node, NodeList, TemplateSyntaxError
from django.template.base import FilterExpression, Parser, TextNode, Token, token_kwargs

register = Library()

TABLE_OPTIONS = {"caption", "label", "class"}
COLUMN_OPTIONS = {"when", "sort"}


@dataclass(frozen=True)
class Column:
    """A column as one page shows it."""

    title: str
    kinds: frozenset[str]
    sort: str
    order: str
    cells: NodeList

    @property
    def is_head(self) -> bool:
        return "head" in self.kinds

    @property
    def is_unnamed(self) -> bool:
        return "unnamed" in self.kinds

    @property
    def attributes(self) -> str:
        """The attributes of the column's cells; narrow screens print the title from them."""
        return flatatt(
            {
                "class": self.classes or None,
                "dir": "auto" if "given" in self.kinds else None,
                "data-label": None if self.is_head or self.is_unnamed else self.title,
            }
        )

    @property
    def classes(self) -> str:
        return " ".join(sorted(self.kinds - {"head", "unnamed"}))

    @property
    def key(self) -> str:
        return self.sort.removeprefix("-")

    @property
    def direction(self) -> str:
        """The value of `aria-sort`; empty where the rows are in another column's order."""
        if not self.sort or self.key != self.order:
            return ""
        return "descending" if self.sort.startswith("-") else "ascending"


class ColumnNode(Node):
    def __init__(
        self, words: list[FilterExpression], options: dict[str, FilterExpression], cells: NodeList
    ) -> None:
        self.words, self.options, self.cells = words, options, cells

    def column(self, context: Context) -> Column | None:
        """The column, unless this page does without it."""
        options = {name: value.resolve(context) for name, value in self.options.items()}
        if not options.get("when", True):
            return None
        title, *kinds = (str(word.resolve(context)) for word in self.words)
        sort, order = str(options.get("sort", "")), str(context.get("order", ""))
        return Column(title, frozenset(" ".join(kinds).split()), sort, order, self.cells)


class TableNode(Node):
    def __init__(
        self,
        rows: FilterExpression,
        names: list[str],
        options: dict[str, FilterExpression],
        columns: list[ColumnNode],
        empty: NodeList | None,
    ) -> None:
        self.rows, self.names, self.options = rows, names, options
        self.columns, self.empty = columns, empty

    def render(self, context: Context) -> str:
        rows = self.rows.resolve(context) or ()
        columns = [column for node in self.columns if (column := node.column(context))]
        lines = [self.line(row, columns, context) for row in rows]
        if not lines and self.empty is not None:
            return self.empty.render(context)
        options = {name: value.resolve(context) for name, value in self.options.items()}
        shown: dict[str, Any] = {
            "name": options.get("caption") or options["label"],
            "has_caption": bool(options.get("caption")),
            "classes": options.get("class", ""),
            "columns": columns,
            "lines": lines,
            "page": rows if isinstance(rows, Page) else None,
        }
        assert context.template is not None
        template = context.template.engine.get_template("components/table.html")
        return template.render(context.new(shown))

    def line(self, row: Any, columns: list[Column], context: Context) -> list[tuple[Column, str]]:
        values = [row] if len(self.names) == 1 else row
        with context.push(**dict(zip(self.names, values, strict=True))):
            return [(column, column.cells.render(context)) for column in columns]


def options_of(parser: Parser, words: list[str], known: set[str]) -> dict[str, FilterExpression]:
    options = token_kwargs(words, parser)
    if words or not options.keys() <= known:
        raise TemplateSyntaxError(f"A table or a column knows only {', '.join(sorted(known))}.")
    return options


@register.tag
def table(parser: Parser, token: Token) -> TableNode:
    _, rows, *words = token.split_contents()
    if words[:1] != ["as"]:
        raise TemplateSyntaxError("Write {% table ROWS as ROW … %}.")
    del words[0]
    names = [words.pop(0)]
    while names[-1].endswith(","):
        names.append(words.pop(0))
    options = options_of(parser, words, TABLE_OPTIONS)
    if not options.keys() & {"caption", "label"}:
        raise TemplateSyntaxError("A table needs a caption or a label.")
    columns = [node for node in parser.parse(("empty", "endtable")) if isinstance(node, ColumnNode)]
    empty = None
    if parser.next_token().contents == "empty":
        empty = parser.parse(("endtable",))
        parser.delete_first_token()
    names = [name.rstrip(",") for name in names]
    return TableNode(parser.compile_filter(rows), names, options, columns, empty)


@register.tag
def column(parser: Parser, token: Token) -> ColumnNode:
    _, *words = token.split_contents()
    values = [word for word in words if word.split("=")[0] not in COLUMN_OPTIONS]
    if not 1 <= len(values) <= 2:
        raise TemplateSyntaxError("A column has a title, and after it the words that say its kind.")
    options = options_of(parser, words[len(values) :], COLUMN_OPTIONS)
    cells = parser.parse(("endcolumn",))
    parser.delete_first_token()
    # Somebody's text is shown with its line breaks, and an empty cell has no label.
    for end, trim in ((0, str.lstrip), (-1, str.rstrip)):
        if cells and isinstance(text := cells[end], TextNode):
            text.s = trim(text.s)
    return ColumnNode([parser.compile_filter(word) for word in values], options, cells)
