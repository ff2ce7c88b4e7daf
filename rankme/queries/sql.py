"""Statements written by hand, for what Django's ORM cannot say or says at a multiple of the time.

Most contain the counting rule, which is one text of SQL (`counting`) for all of them. What raters'
requests ask is *kept*: PostgreSQL plans it once for each connection, and the columns are matched
with a model's fields once for each process. Planning took a third of the database's time, and
`Model.objects.raw` a quarter of the web server's.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from django.db import connection
from django.db.backends.utils import CursorWrapper
from django.db.models import Model
from django.db.models.sql.compiler import SQLCompiler

M = TypeVar("M", bound=Model)
PLACEHOLDER = re.compile(r"%\((\w+)\)s|%%")
TABLE = re.compile(r"rankme_\w+")
# By connection: the names of the statements that PostgreSQL keeps there.
KEPT: WeakKeyDictionary[Any, set[str]] = WeakKeyDictionary()


def rows_of(statement: str, values: Sequence[Any] | Mapping[str, Any]) -> list[tuple[Any, ...]]:
    """Run a statement and fetch all of its rows."""
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    return rows


def columns_of(model: type[Model], table: str = "", *, but: str = "") -> str:
    """Name a model's columns for a kept statement.

    Never "*": PostgreSQL refuses to go on with a plan whose columns have become more, as they do in
    a migration while sites are running.
    """
    names = [f.column for f in model._meta.concrete_fields if f.column not in but.split()]
    return ", ".join(f'{table}{"." if table else ""}"{name}"' for name in names)


@contextmanager
def kept(statement: str, values: Mapping[str, Any]) -> Iterator[CursorWrapper]:
    """Run a statement that PostgreSQL keeps the plan of; every value is named, and has a type where
    the statement does not decide it (`%(lasts)s::interval`).
    """
    name, text, call = prepared(statement)
    with connection.cursor() as cursor:
        names = KEPT.setdefault(connection.connection, set())
        if name not in names:
            with connection.wrap_database_errors:
                cursor.cursor.execute(f"PREPARE {name} AS {text}")
            names.add(name)
        cursor.execute(call, values)
        yield cursor


@lru_cache(maxsize=256)
def prepared(statement: str) -> tuple[str, str, str]:
    """The name of a statement, its text with numbers for values, and the call with its values."""
    names: list[str] = []

    def number(found: re.Match[str]) -> str:
        if found[1] is None:
            return "%"
        if found[1] not in names:
            names.append(found[1])
        return f"${names.index(found[1]) + 1}"

    text = PLACEHOLDER.sub(number, statement)
    table = TABLE.search(text)
    digest = hashlib.sha256(text.encode()).hexdigest()[:16]
    name = f"{table[0] if table else 'rankme'}_{digest}"
    given = ", ".join(f"%({each})s" for each in names)
    return name, text, f"EXECUTE {name} ({given})" if names else f"EXECUTE {name}"


def objects_of(model: type[M], statement: str, values: Mapping[str, Any]) -> list[M]:
    """Run a kept statement for objects of a model; further columns become their attributes."""
    with kept(statement, values) as cursor:
        reading = _reading(model, tuple(column.name for column in cursor.description))
        return [reading.object_of(row) for row in cursor.fetchall()]


@dataclass(frozen=True)
class Reading:
    """Where the fields of a model are in a row, how their values are read, and what else it has."""

    model: type[Any]
    fields: tuple[str, ...]
    places: tuple[int, ...]
    others: tuple[tuple[str, int], ...]
    converters: tuple[tuple[int, tuple[Callable[..., Any], ...], Any], ...]

    def object_of(self, row: Sequence[Any]) -> Any:
        values = [row[place] for place in self.places]
        for place, converters, expression in self.converters:
            for convert in converters:
                values[place] = convert(values[place], expression, connection)
        found = self.model.from_db(connection.alias, self.fields, values)
        for name, place in self.others:
            setattr(found, name, row[place])
        return found


@lru_cache(maxsize=256)
def _reading(model: type[Model], columns: tuple[str, ...]) -> Reading:
    fields = [field for field in model._meta.concrete_fields if field.column in columns]
    names = {field.column for field in fields}
    compiler = SQLCompiler(model._default_manager.all().query, connection, None)
    converters = compiler.get_converters([f.get_col(model._meta.db_table) for f in fields])
    return Reading(
        model,
        tuple(field.attname for field in fields),
        tuple(columns.index(field.column) for field in fields),
        tuple((name, place) for place, name in enumerate(columns) if name not in names),
        tuple((place, tuple(found), each) for place, (found, each) in converters.items()),
    )
