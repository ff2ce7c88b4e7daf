"""What is wrong with the names in a page's HTML."""

from collections import Counter
from collections.abc import Iterator
from html.parser import HTMLParser

REFERENCES = ("for", "aria-labelledby", "aria-controls", "popovertarget")


class Names(HTMLParser):
    """The ids of a page, and where they are referred to."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.ids: Counter[str] = Counter()
        self.references: list[tuple[str, str, str]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        for name, value in attributes:
            if name == "id":
                self.ids[value or ""] += 1
            elif name in REFERENCES:
                self.references += [(tag, name, each) for each in (value or "").split() or [""]]


def wrong_names(page: str) -> Iterator[str]:
    """Say which ids a page has twice, and which it refers to and has not.

    A label for nothing is read out with nothing, and a label for the second of two equal ids is
    taken for that of the first.
    """
    found = Names(page)
    for name, number in found.ids.items():
        if number > 1:
            yield f"{number} elements have the id {name!r}"
    for tag, attribute, name in found.references:
        if name not in found.ids:
            yield f"{attribute} of a {tag} names {name!r}, which is not there"
