"""Reading YAML from strangers: bounded in size, depth and number of values, one meaning each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NoReturn

import yaml

from rankme.errors import InvalidDefinition, Problem

# The longest campaign file that comes with the site has 5,000 characters. A practice trial can
# hold a document or a picture, so we allow much more; reading this much takes a few milliseconds.
LARGEST_FILE = 1_000_000
DEEPEST = 32
# The parser's work grows with its events: a key, a value, the start or the end of a collection.
MOST_EVENTS = 20_000
# libyaml compares every %TAG line with all those before it. No campaign file needs one.
DIRECTIVE = re.compile("(?:\\A\ufeff?|[\n\r\x85\u2028\u2029])%")

TEXT = "tag:yaml.org,2002:str"
LONGEST_NUMBER = 100

Location = tuple[str | int, ...]
# The loader in C is about twenty times as fast; not every platform has it.
Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

UNSTORABLE_CHARACTER = "The file contains a control character or half of a surrogate pair."
NOT_YAML = "This is not valid YAML: {problem}."
ADVICE = {
    "mapping values are not allowed": "Put a text that contains “: ” in quotation marks.",
    "tab character": "Indent with spaces, not tabs.",
    "cannot start any token": "Indent with spaces, not tabs, and put texts that begin with a "
    "special character in quotation marks.",
    "could not find expected ':'": "A setting is written as name: value.",
    "unexpected end of stream": "A quotation mark is opened and never closed.",
    "determine a constructor": "Write values without tags such as !!name.",
}
OTHER_ADVICE = "Check the indentation, brackets and quotation marks here and above."


@dataclass(frozen=True)
class YamlDocument:
    """Plain data, and the line of each part."""

    data: Any
    lines: dict[Location, int]


def parse(text: str) -> YamlDocument:
    """Read one document.

    Raises
    ------
    InvalidDefinition : this is not YAML, is too large, or uses aliases or the same key twice
    """
    if len(text) > LARGEST_FILE:
        _refuse(f"The file is longer than {LARGEST_FILE:,} characters.")
    if found := DIRECTIVE.search(text):
        line = text.count("\n", 0, found.end() - 1) + 1
        _refuse("No line may begin with %: indent it or remove it.", place=f"line {line}")
    try:
        _check_events(text)
        tree = _tree(text)
        lines: dict[Location, int] = {}
        problems: list[Problem] = []
        if tree is not None:
            _index(tree, (), lines, problems)
        if problems:
            raise InvalidDefinition(problems)
        # A safe loader, in C where there is one.
        return YamlDocument(yaml.load(text, Loader=Loader), lines)
    except (yaml.reader.ReaderError, UnicodeEncodeError):
        _refuse(UNSTORABLE_CHARACTER)
    except yaml.YAMLError as error:
        raise InvalidDefinition([_explained(error)]) from error
    except ValueError as error:  # such as a date in month 13, or a number of 5,000 digits
        _refuse(f"A value cannot be read: {error}.")


def _refuse(message: str, *, place: str = "") -> NoReturn:
    raise InvalidDefinition([Problem(place, message)])


def _check_events(text: str) -> None:
    """Stop at the first event beyond the limit: the rest is never read."""
    depth = 0
    for number, event in enumerate(yaml.parse(text, Loader=Loader)):
        if number > MOST_EVENTS:
            _refuse(f"The file has more than {MOST_EVENTS:,} values.", place=_line(event))
        if isinstance(event, yaml.AliasEvent):
            # A few lines of aliases of aliases can stand for more than any memory holds.
            _refuse("Aliases (*name) are not allowed: write the value out.", place=_line(event))
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > DEEPEST:
            _refuse(f"Values are nested more than {DEEPEST} deep.", place=_line(event))


def _tree(text: str) -> yaml.Node | None:
    loader = Loader(text)
    try:
        tree: yaml.Node | None = loader.get_single_node()
        return tree
    finally:
        loader.dispose()


def _index(
    node: yaml.Node, location: Location, lines: dict[Location, int], problems: list[Problem]
) -> None:
    """Note the line of every value, and every key that appears twice."""
    lines[location] = node.start_mark.line + 1
    if node.tag != TEXT and isinstance(node, yaml.ScalarNode) and len(node.value) > LONGEST_NUMBER:
        # YAML reads 1:59:59 as a number to the base of 60, which takes longer with every part.
        problems.append(Problem(_line(node), "This value is too long: quote it if it is text."))
    for name, key, value in _parts(node):
        inner = (*location, name)
        if inner in lines and key is not None:
            first = lines[inner]
            message = f"The key “{name}” appears twice: it is already on line {first}."
            problems.append(Problem(_line(key), message))
            continue
        _index(value, inner, lines, problems)


def _parts(node: yaml.Node) -> Iterator[tuple[str | int, yaml.Node | None, yaml.Node]]:
    """The parts of a collection: their name or number, the key where there is one, the value."""
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            yield str(key.value) if isinstance(key, yaml.ScalarNode) else "?", key, value
    elif isinstance(node, yaml.SequenceNode):
        yield from ((number, None, value) for number, value in enumerate(node.value))


def _line(found: yaml.Event | yaml.Node) -> str:
    mark = found.start_mark
    return f"line {mark.line + 1}" if mark is not None else ""


def _explained(error: yaml.YAMLError) -> Problem:
    """The parser's complaint with its place, and advice on the usual causes."""
    if not isinstance(error, yaml.MarkedYAMLError):
        return Problem("", NOT_YAML.format(problem=str(error).partition("\n")[0].rstrip(".")))
    mark = error.problem_mark or error.context_mark
    place = f"line {mark.line + 1}, column {mark.column + 1}" if mark else ""
    problem = error.problem or error.context or ""
    advice = [words for part, words in ADVICE.items() if part in problem]
    return Problem(place, f"{NOT_YAML.format(problem=problem)} {[*advice, OTHER_ADVICE][0]}")
