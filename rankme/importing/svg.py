"""SVG pictures from outside, without what could run, load something or say where they are from.

Browsers run nothing in an `<img>`, and the site serves SVG with a policy that allows nothing. This
is the third fence: it also holds for a copy that leaves the site.
"""

from __future__ import annotations

import re
from xml.etree import ElementTree as Xml

NAMESPACE = "http://www.w3.org/2000/svg"
XLINK = "http://www.w3.org/1999/xlink"
ROOT = f"{{{NAMESPACE}}}svg"
ENTITY_DECLARATION = re.compile(r"<!ENTITY")
START = re.compile(rb"<(\w+:)?svg[\s>/]")
XML = "http://www.w3.org/XML/1998/namespace"
REMOVED = {
    *("script", "foreignobject", "metadata", "title", "desc", "handler", "listener"),
    *("iframe", "object", "embed", "audio", "video", "canvas", "link", "html", "body"),
    *("animate", "animatetransform", "animatemotion", "set", "discard"),
}
LINKS = {"href", "src"}
OWN_ADDRESS = re.compile(r"\s*(#|data:image/(png|jpeg|gif|webp)[;,])", re.IGNORECASE)
OUTSIDE = re.compile(r"url\(\s*['\"]?\s*(?!#|['\"]?\s*#)|@import|expression\(|\\", re.IGNORECASE)
MOST_ELEMENTS = 200_000


class InvalidSvg(ValueError):
    """This is not a picture; the message says why."""


def is_svg(head: bytes) -> bool:
    return bool(START.search(head)) and head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<")


def clean(content: bytes) -> bytes:
    """The picture with its shapes, and nothing else.

    Raises
    ------
    InvalidSvg : with the reason, for the organiser
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidSvg("This is not an SVG picture in UTF-8.") from error
    if ENTITY_DECLARATION.search(text):
        raise InvalidSvg("The SVG picture must not define entities.")
    try:
        root = Xml.fromstring(text)
    except (Xml.ParseError, ValueError, RecursionError) as error:
        raise InvalidSvg("This is not an SVG picture: its XML is damaged.") from error
    if root.tag != ROOT:
        raise InvalidSvg("This is not an SVG picture: it begins with another element.")
    _clean_element(root)
    Xml.register_namespace("", NAMESPACE)
    Xml.register_namespace("xlink", XLINK)
    written: bytes = Xml.tostring(root, encoding="utf-8")
    return written


def _clean_element(root: Xml.Element) -> None:
    """Without recursion: elements may be nested deeper than Python's stack."""
    waiting, seen = [root], 0
    while waiting:
        element = waiting.pop()
        seen += 1
        if seen > MOST_ELEMENTS:
            raise InvalidSvg(f"The SVG picture has more than {MOST_ELEMENTS:,} elements.")
        for name in list(element.attrib):
            if not _may_stay(name, element.attrib[name]):
                del element.attrib[name]
        if _local(element.tag) == "style" and OUTSIDE.search("".join(element.itertext())):
            element.clear()
        for child in list(element):
            if not _is_shape(child.tag):
                element.remove(child)
            else:
                waiting.append(child)


def _is_shape(tag: object) -> bool:
    """Comments have no name; what programs and HTML add is in other namespaces."""
    is_svg = isinstance(tag, str) and _namespace(tag) == NAMESPACE
    return is_svg and _local(str(tag)) not in REMOVED


def _may_stay(full_name: str, value: str) -> bool:
    name = _local(full_name)
    if name.startswith("on") or _namespace(full_name) not in ("", XLINK, XML):
        return False
    if name in LINKS:
        return bool(OWN_ADDRESS.match(value))
    return not OUTSIDE.search(value)


def _namespace(name: str) -> str:
    return name[1:].partition("}")[0] if name.startswith("{") else ""


def _local(name: str) -> str:
    return name.rpartition("}")[2].lower()
