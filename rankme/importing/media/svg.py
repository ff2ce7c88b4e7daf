"""SVG pictures from outside, without what could run, load something or say where they are from.

Browsers run nothing in an `<img>`, and the site serves SVG with a policy that allows nothing. This
is the third fence: it also holds for a copy that leaves the site.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from xml.etree import ElementTree as Xml

NAMESPACE = "http://www.w3.org/2000/svg"
XLINK = "http://www.w3.org/1999/xlink"
ROOT = f"{{{NAMESPACE}}}svg"
ENTITY_DECLARATION = re.compile(r"<!ENTITY")
START = re.compile(rb"<(\w+:)?svg[\s>/]")
XML = "http://www.w3.org/XML/1998/namespace"
# The elements and attributes of SVG 1.1 and 2 that draw; nothing else stays.
DRAWN = """
    svg g defs symbol use switch a style path rect circle ellipse line polyline polygon image
    text tspan textpath tref lineargradient radialgradient stop pattern clippath mask marker
    filter feblend fecolormatrix fecomponenttransfer fecomposite feconvolvematrix
    fediffuselighting fedisplacementmap fedistantlight fedropshadow feflood fefunca fefuncb
    fefuncg fefuncr fegaussianblur feimage femerge femergenode femorphology feoffset
    fepointlight fespecularlighting fespotlight fetile feturbulence
"""
ATTRIBUTES = """
    id class style type media lang space version systemlanguage x y x1 x2 y1 y2 z dx dy cx cy r
    rx ry fx fy fr d points width height viewbox preserveaspectratio pathlength transform
    gradienttransform gradientunits spreadmethod offset patterntransform patternunits
    patterncontentunits clippathunits maskunits maskcontentunits filterunits primitiveunits
    markerunits markerwidth markerheight refx refy orient textlength lengthadjust startoffset
    method spacing side rotate in in2 result mode values k1 k2 k3 k4 operator order kernelmatrix
    divisor bias targetx targety edgemode kernelunitlength preservealpha surfacescale
    diffuseconstant specularconstant specularexponent limitingconeangle pointsatx pointsaty
    pointsatz azimuth elevation scale xchannelselector ychannelselector stddeviation radius
    basefrequency numoctaves seed stitchtiles tablevalues slope intercept amplitude exponent
    alignment-baseline baseline-shift clip clip-path clip-rule color color-interpolation
    color-interpolation-filters color-rendering direction display dominant-baseline
    enable-background fill fill-opacity fill-rule filter flood-color flood-opacity font
    font-family font-feature-settings font-kerning font-size font-size-adjust font-stretch
    font-style font-variant font-variant-ligatures font-weight glyph-orientation-horizontal
    glyph-orientation-vertical image-rendering inline-size isolation kerning letter-spacing
    lighting-color line-height marker marker-end marker-mid marker-start mask mask-type
    mix-blend-mode opacity overflow paint-order shape-rendering stop-color stop-opacity stroke
    stroke-dasharray stroke-dashoffset stroke-linecap stroke-linejoin stroke-miterlimit
    stroke-opacity stroke-width text-align text-anchor text-decoration text-orientation
    text-rendering text-transform transform-box transform-origin unicode-bidi vector-effect
    visibility white-space word-spacing writing-mode
"""
DRAWN_NAMES, ATTRIBUTE_NAMES = frozenset(DRAWN.split()), frozenset(ATTRIBUTES.split())
LINKS = {"href"}
OWN_ADDRESS = re.compile(r"\s*(#|data:image/(png|jpeg|gif|webp)[;,])", re.IGNORECASE)
OUTSIDE = re.compile(r"url\(\s*['\"]?\s*(?!#|['\"]?\s*#)|@import|expression\(|\\", re.IGNORECASE)
# Also of what is drawn where `<use>` and patterns repeat other elements.
MOST_ELEMENTS = 200_000
DEEPEST = 500
REFERENCE = re.compile(r"url\(\s*['\"]?\s*#([^'\")\s]+)")
RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
APPLIED_ONCE = re.compile(r"clip-path\s*:|mask\s*:|filter\s*:")
SELECTED = re.compile(r"[.#]?[\w-]+|\*")
NUMBER = re.compile(r"\d+(?:\.\d+)?(?:e[+-]?\d+)?")
# One of these costs as much as many shapes: it computes every point of what it is about.
FILTER_WEIGHT = 200
MOST_OF_FILTERS = {"numoctaves": 8, "order": 9, "radius": 50, "stddeviation": 200}


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
    _refuse_multiplied(root)
    Xml.register_namespace("", NAMESPACE)
    Xml.register_namespace("xlink", XLINK)
    written: bytes = Xml.tostring(root, encoding="utf-8")
    return written


def _clean_element(root: Xml.Element) -> None:
    """Without recursion: elements may be nested deeper than Python's stack."""
    waiting, seen = [(root, 1)], 0
    while waiting:
        element, depth = waiting.pop()
        seen += 1
        if seen > MOST_ELEMENTS:
            raise InvalidSvg(f"The SVG picture has more than {MOST_ELEMENTS:,} elements.")
        if depth > DEEPEST:
            raise InvalidSvg(f"The SVG picture's elements are nested deeper than {DEEPEST} levels.")
        for name in list(element.attrib):
            if not _may_stay(name, element.attrib[name]):
                del element.attrib[name]
        if _local(element.tag) == "style" and OUTSIDE.search("".join(element.itertext())):
            element.clear()
        for child in list(element):
            if not _is_shape(child.tag):
                element.remove(child)
            else:
                waiting.append((child, depth + 1))


def _refuse_multiplied(root: Xml.Element) -> None:
    """Refuse a picture in which references repeat elements too often, or for ever."""
    named: dict[str, Xml.Element] = {}
    for element in root.iter():
        _refuse_large_filter(element)
        named.setdefault(element.get("id", ""), element)
    rules, extents = _rules(root), _extents(root)
    sizes: dict[Xml.Element, int] = {}
    # Each element twice: before the parts that it contains or refers to, and after them.
    waiting: list[tuple[Xml.Element, bool]] = [(root, False)]
    begun: set[Xml.Element] = set()
    while waiting:
        element, is_done = waiting.pop()
        if element in sizes:
            continue
        parts = [(child, 1) for child in element]
        for name, times in _references(element, rules, extents[element]):
            if name in named:
                is_gradient = _local(named[name].tag).endswith("gradient")
                parts.append((named[name], 1 if is_gradient else times))
        if is_done:
            weight = FILTER_WEIGHT if _is_filter(element) else 1
            sizes[element] = weight + sum(times * sizes[part] for part, times in parts)
            if sizes[element] > MOST_ELEMENTS:
                raise InvalidSvg(
                    f"The SVG picture repeats its parts to more than {MOST_ELEMENTS:,} elements, "
                    "or has too many filters."
                )
        elif element in begun:
            raise InvalidSvg("A part of the SVG picture contains itself.")
        else:
            begun.add(element)
            waiting.append((element, True))
            waiting += [(part, False) for part, _times in parts if part not in sizes]


def _rules(root: Xml.Element) -> dict[str, list[str]]:
    """By what rules of style sheets are about (tags, classes, ids): properties that refer."""
    rules: dict[str, list[str]] = defaultdict(list)
    for sheet in root.iter(f"{{{NAMESPACE}}}style"):
        for selectors, properties in RULE.findall("".join(sheet.itertext())):
            if referring := [each for each in properties.split(";") if REFERENCE.search(each)]:
                lasts = [each.split()[-1] for each in selectors.split(",") if each.split()]
                for name in {name.lower() for last in lasts for name in SELECTED.findall(last)}:
                    rules[name] += referring
    return rules


def _extents(root: Xml.Element) -> dict[Xml.Element, tuple[int, int]]:
    """Count the elements in each, itself included, and the corners that can have markers."""
    extents: dict[Xml.Element, tuple[int, int]] = {}
    for element in reversed(list(root.iter())):
        corners = len(NUMBER.findall(element.get("d", "") + element.get("points", "")))
        inner = [extents[child] for child in element]
        extents[element] = 1 + sum(n for n, _ in inner), 1 + corners + sum(n for _, n in inner)
    return extents


def _references(
    element: Xml.Element, rules: Mapping[str, list[str]], extent: tuple[int, int]
) -> Iterator[tuple[str, int]]:
    """The names of other elements that this one draws, and how often."""
    tag = _local(element.tag)
    classes = element.get("class", "").lower().split()
    about = ["*", tag, f"#{element.get('id', '').lower()}", *(f".{name}" for name in classes)]
    properties = [each for name in about for each in rules.get(name, ())]
    for name, value in element.attrib.items():
        if _local(name) not in LINKS:
            properties += [f"{name}:{each}" for each in value.split(";") if "url(" in each]
        elif value.strip().startswith("#") and tag != "a":
            yield value.strip()[1:], 1
    for each in properties:
        # What an element contains inherits its paint and its markers.
        elements, corners = extent
        times = 1 if APPLIED_ONCE.search(each) else corners if "marker" in each else elements
        for name in REFERENCE.findall(each):
            yield name, times


def _is_filter(element: Xml.Element) -> bool:
    return _local(element.tag).startswith("fe")


def _refuse_large_filter(element: Xml.Element) -> None:
    for name, value in element.attrib.items() if _is_filter(element) else ():
        most = MOST_OF_FILTERS.get(_local(name))
        if most and any(float(number) > most for number in NUMBER.findall(value.lower())):
            raise InvalidSvg(
                f"A filter of the SVG picture has a {_local(name)} of more than {most}."
            )


def _is_shape(tag: object) -> bool:
    """Comments have no name; what programs and HTML add is in other namespaces."""
    is_svg = isinstance(tag, str) and _namespace(tag) == NAMESPACE
    return is_svg and _local(str(tag)) in DRAWN_NAMES


def _may_stay(full_name: str, value: str) -> bool:
    name = _local(full_name)
    if _namespace(full_name) not in ("", XLINK, XML):
        return False
    if name in LINKS:
        return bool(OWN_ADDRESS.match(value))
    return name in ATTRIBUTE_NAMES and not OUTSIDE.search(value)


def _namespace(name: str) -> str:
    return name[1:].partition("}")[0] if name.startswith("{") else ""


def _local(name: str) -> str:
    return name.rpartition("}")[2].lower()
