"""What a browser would send: the fields of a page's form as they are in its HTML."""

from dataclasses import dataclass, field
from html.parser import HTMLParser


@dataclass
class Form:
    """One form of a page: its address, its fields without buttons, and its fields for files."""

    marks: frozenset[str]
    action: str
    is_post: bool
    fields: dict[str, str] = field(default_factory=dict)
    files: list[str] = field(default_factory=list)
    # Other addresses to which one of its buttons sends it.
    other_actions: set[str] = field(default_factory=set)


def forms_of(page: str) -> list[Form]:
    """The forms that send something."""
    reader = _Forms()
    reader.feed(page)
    return [form for form in reader.forms if form.is_post]


def fields_of(page: str, marker: str = "data-definition-form") -> dict[str, str]:
    """The successful controls of the form that carries the marker."""
    found = [form for form in forms_of(page) if marker in form.marks]
    assert found, f"no form with {marker}"
    return found[0].fields


class _Forms(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.forms: list[Form] = []
        self.open: Form | None = None
        self.textarea: str | None = None
        self.select: str | None = None

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attributes}
        if tag == "form":
            is_post = values.get("method", "").lower() == "post"
            self.open = Form(frozenset(values), values.get("action", ""), is_post)
            self.forms.append(self.open)
        if self.open is None:
            return
        fields = self.open.fields
        if tag == "button" and (other := values.get("formaction", "").partition("#")[0]):
            self.open.other_actions.add(other)
        if tag == "input":
            self._input(self.open, values)
        elif tag == "textarea":
            self.textarea = values["name"]
            fields[self.textarea] = ""
        elif tag == "select":
            self.select = values["name"]
        elif tag == "option" and ("selected" in values or self.select not in fields):
            # A browser sends the first option unless another is selected.
            fields[str(self.select)] = values["value"]

    def _input(self, form: Form, values: dict[str, str]) -> None:
        kind = values.get("type")
        is_tick = kind in ("checkbox", "radio")
        if kind == "file":
            form.files.append(values["name"])
        elif not is_tick or "checked" in values:
            form.fields[values["name"]] = values.get("value", "on" if is_tick else "")

    def handle_data(self, text: str) -> None:
        if self.open is not None and self.textarea is not None:
            self.open.fields[self.textarea] += text

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self.open = None
        elif tag == "select":
            self.select = None
        elif tag == "textarea" and self.open is not None and self.textarea is not None:
            # A browser drops the first line break, and sends the others as carriage returns.
            text = self.open.fields[self.textarea].removeprefix("\n")
            self.open.fields[self.textarea] = text.replace("\n", "\r\n")
            self.textarea = None
