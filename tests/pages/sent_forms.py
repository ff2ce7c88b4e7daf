"""What a browser would send: the fields of a page's form as they stand in its HTML."""

from __future__ import annotations

from html.parser import HTMLParser


def fields_of(page: str, marker: str = "data-definition-form") -> dict[str, str]:
    """The successful controls of the form that carries the marker, without its buttons."""
    reader = _Form(marker)
    reader.feed(page)
    assert reader.found, f"no form with {marker}"
    return reader.fields


class _Form(HTMLParser):
    def __init__(self, marker: str) -> None:
        super().__init__(convert_charrefs=True)
        self.marker = marker
        self.found = self.inside = False
        self.fields: dict[str, str] = {}
        self.textarea: str | None = None
        self.select: str | None = None

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attributes}
        if tag == "form":
            self.inside = self.marker in values
            self.found |= self.inside
        if not self.inside:
            return
        if tag == "input" and values.get("type") != "file":
            self._input(values)
        elif tag == "textarea":
            self.textarea = values["name"]
            self.fields[self.textarea] = ""
        elif tag == "select":
            self.select = values["name"]
        elif tag == "option" and ("selected" in values or self.select not in self.fields):
            # The first choice stands unless another is marked.
            self.fields[str(self.select)] = values["value"]

    def _input(self, values: dict[str, str]) -> None:
        is_tick = values.get("type") == "checkbox"
        if not is_tick or "checked" in values:
            self.fields[values["name"]] = values.get("value", "on" if is_tick else "")

    def handle_data(self, text: str) -> None:
        if self.inside and self.textarea is not None:
            self.fields[self.textarea] += text

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self.inside = False
        elif tag == "select":
            self.select = None
        elif tag == "textarea" and self.textarea is not None:
            # A browser drops the first line break, and sends the others as carriage returns.
            text = self.fields[self.textarea].removeprefix("\n")
            self.fields[self.textarea] = text.replace("\n", "\r\n")
            self.textarea = None
