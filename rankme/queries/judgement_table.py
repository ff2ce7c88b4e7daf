"""Turn a campaign's judgements into the table that is analysed: the one bridge to arrays."""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import repeat
from types import MappingProxyType
from typing import Any

import numpy as np
from django.db import connection, transaction
from django.db.models import Manager

from analysis.robustness.assistance import ASSISTED, HELD_OUT, SCREEN_MS, SHOWN
from analysis.scales.codes import renumber
from analysis.spans.judged import MARKS
from analysis.table import ORDER, OWN_COLUMNS, POSITION, Column, JudgementTable, column_of
from rankme.models import Campaign
from rankme.protocols.files import stored_definition

from .counting import ANALYSED, COUNTED, NEWEST
from .sql import rows_of

NOTHING_SWAPPED: Mapping[int, int] = MappingProxyType({})

# A question about the item counts for its output where the trial shows only one.
JUDGEMENTS = """
    SELECT s.assignment_id, s.trial_id, s.screen, s.revision, a.participant_id, j.criterion_id,
        o.item_id, o.system_id, s.version, j.value, j.time_ms, s.late::int,
        (e.id IS NOT NULL)::int, ({counted})::int, COALESCE(j.position, 0) + 1{more}
    FROM rankme_submission s
    JOIN rankme_assignment a ON a.id = s.assignment_id
    JOIN rankme_judgement j ON j.submission_id = s.id
    JOIN rankme_output o ON o.id = COALESCE(j.output_id, (
        SELECT min(p.output_id) FROM rankme_trialoutput p
        WHERE p.trial_id = s.trial_id HAVING count(*) = 1))
    LEFT JOIN rankme_raterexclusion e
        ON e.participant_id = a.participant_id AND e.withdrawn_at IS NULL
    WHERE a.campaign_id = {campaign} AND j.value IS NOT NULL AND ({condition})"""
# The same sitting by sitting, in the order of the table, so that the first rows need not wait for
# the last ones: a sitting is read and sorted when its turn comes.
IN_ORDER = """
    SELECT found.* FROM (
        SELECT * FROM rankme_assignment WHERE campaign_id = {campaign} ORDER BY id OFFSET 0
    ) sitting CROSS JOIN LATERAL ({judgements}
        AND s.assignment_id = sitting.id
        ORDER BY s.trial_id, s.screen, s.revision, j.criterion_id, o.system_id
    ) found"""
# The marks of which a judgement is the sum, without the log of how they were made.
MARKS_OF = """, CASE WHEN j.criterion_id = ANY('{{{criteria}}}')
        THEN (j.text::jsonb - 'events')::text END"""
# The names of shuffled choices in the order in which the rater saw them, as JSON.
ORDER_OF = """, CASE WHEN j.criterion_id = ANY('{{{criteria}}}') THEN (
        SELECT answer ->> 'order' FROM jsonb_array_elements(s.payload -> 'answers') answer
        WHERE answer ->> 'criterion' = (
            SELECT name FROM rankme_criterion WHERE id = j.criterion_id)
        AND (answer ->> 'place')::int IS NOT DISTINCT FROM j.position) END"""
# Whether the suggestions that an output has were shown; empty where it has none.
ASSISTED_OF = f""", CASE WHEN COALESCE(o.marks, 'null') IN ('null', '[]') THEN ''
        WHEN a.held_out @> to_jsonb(s.trial_id) THEN '{HELD_OUT}' ELSE '{SHOWN}' END"""
TIME_OF = """, CASE WHEN jsonb_typeof(s.payload #> '{{times,spent_ms}}') = 'number'
        THEN round((s.payload #>> '{{times,spent_ms}}')::numeric)::text ELSE '' END"""
WITHOUT_NUMBER = f"""
    SELECT c.name, count(*)
    FROM rankme_submission s
    JOIN rankme_assignment a ON a.id = s.assignment_id
    JOIN rankme_judgement j ON j.submission_id = s.id
    JOIN rankme_criterion c ON c.id = j.criterion_id
    WHERE a.campaign_id = %s AND c.name = ANY(%s) AND j.value IS NULL AND ({ANALYSED})
    GROUP BY c.name"""
WHOLE_NUMBERS = (
    "assignment", "trial", "screen", "revision",
    "rater", "criterion", "item", "system", "version",
)  # fmt: skip
VERSION = "version"  # the factor that says which version of the campaign was shown
SHOWN_ORDER = "options_shown"
ROWS_AT_ONCE = 10_000  # of a table that is read in parts: some megabytes
BLOCK_BYTES = 2**22  # of the database's answer: more than the longest row, which one request brings
ALSO = (MARKS, SHOWN_ORDER, ASSISTED, SCREEN_MS)  # columns of texts that some campaigns have
TAKEN = {*OWN_COLUMNS, VERSION, "counted", "revision", *ALSO}
COLUMNS = (*WHOLE_NUMBERS, "value", "time_ms", "late", "excluded", "counted", POSITION)


def judgement_table(
    campaign: Campaign, *, stored: bool = False, swapped: Mapping[int, int] = NOTHING_SWAPPED
) -> JudgementTable:
    """The campaign's counted judgements; raters who are excluded are in it, and marked.

    The factor `version` is the version of the campaign that was shown, `position` the place of the
    output on its screen and `order` that of the page in its sitting; an archive has none of them.

    With `stored`, everything that was ever submitted, with two more columns: `counted` (1 or 0)
    and `revision`. Judgements without a number (free text) and about no single output are in the
    raw export alone, and so are raters who could not judge. Where raters mark errors, the column
    `marks` has them as JSON; where choices are shuffled, `options_shown` has the names of the
    choices in the order shown. Where a share of the pages has no suggestions, `assisted` says of
    each output that has some whether they were shown, and `screen_ms` is the time on the screen.

    `swapped` names sittings that count, each with the one that is to count in its place.
    """
    condition = "TRUE" if stored else COUNTED
    if swapped:
        condition = _instead_of(swapped)
    rows = _in_order(_read_rows(campaign, condition))
    return _table(campaign, rows, stored=stored)


def table_in_parts(
    campaign: Campaign, *, stored: bool = False, rows_at_once: int = ROWS_AT_ONCE
) -> Iterator[JudgementTable]:
    """The rows of `judgement_table` in tables that fit into memory; one empty table without any.

    All are of one moment, even while raters submit: one cursor reads them.
    """
    more = _more_columns(campaign)
    statement = statement_of(campaign, "TRUE" if stored else COUNTED, more)
    whole = IN_ORDER.format(campaign=int(campaign.pk), judgements=statement)
    names = _factor_names(campaign, statement)
    with transaction.atomic(), connection.chunked_cursor() as cursor:
        cursor.execute(whole)
        portion = cursor.fetchmany(rows_at_once)
        yield _table(campaign, _arrays(portion, more), names, stored=stored)
        while portion := cursor.fetchmany(rows_at_once):
            yield _table(campaign, _arrays(portion, more), names, stored=stored)


def _arrays(rows: Sequence[tuple[Any, ...]], more: Collection[str]) -> dict[str, np.ndarray]:
    columns: Iterable[Sequence[Any]] = zip(*rows, strict=True) if rows else repeat(())
    return {
        name: np.array(["" if each is None else each for each in column], dtype=object)
        if name in more
        else np.array(column, dtype=_type(name))
        for name, column in zip((*COLUMNS, *more), columns, strict=False)
    }


def _factor_names(campaign: Campaign, statement: str) -> list[str]:
    """Name the factors of the items that were judged: a judgement is looked for with each name."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT DISTINCT jsonb_object_keys(factors) FROM rankme_item WHERE campaign_id = %s",
            [campaign.pk],
        )
        known = sorted(name for (name,) in cursor.fetchall())
        found = []
        for name in known:
            cursor.execute(
                f"""SELECT EXISTS ({statement.replace("%", "%%")} AND EXISTS (
                    SELECT FROM rankme_item item
                    WHERE item.id = o.item_id AND jsonb_exists(item.factors, %s)))""",
                [name],
            )
            if cursor.fetchone()[0]:
                found.append(name)
    return found


def _table(
    campaign: Campaign,
    rows: dict[str, np.ndarray],
    factors: Sequence[str] | None = None,
    *,
    stored: bool,
) -> JudgementTable:
    """Make a table of the rows, which are taken out of `rows` as soon as they are used."""
    take = rows.pop
    columns: dict[str, Any] = {
        "rater": _labelled(take("rater"), campaign.participants, "label"),
        "system": _labelled(take("system"), campaign.systems, "name"),
        "criterion": _labelled(take("criterion"), campaign.criteria, "name"),
        "value": take("value"),
        "time_ms": take("time_ms"),
        "excluded": take("excluded").astype(bool),
        "late": take("late").astype(bool),
        "item": _labelled(rows["item"], campaign.items, "key"),
    }
    columns |= _factors(campaign, take("item"), factors)
    columns["screen"] = _screens(rows)
    if not campaign.is_archive:
        columns[VERSION] = _numbered(rows[VERSION])
        columns |= _places(campaign, rows, columns)
    columns |= {name: column_of(rows[name]) for name in ALSO if name in rows}
    if stored:
        columns |= {name: _numbered(rows[name]) for name in ("counted", "revision")}
    rows.clear()
    return JudgementTable.from_columns(columns)


def _places(
    campaign: Campaign, rows: dict[str, np.ndarray], taken: Collection[str]
) -> dict[str, Column]:
    """Where each output was shown: on its screen, and in its rater's sitting, both from 1.

    A factor of the items that has such a name keeps it: older analyses may name it.
    """
    places = {POSITION: rows[POSITION], ORDER: _pages_of(campaign, rows)}
    return {name: _numbered(numbers) for name, numbers in places.items() if name not in taken}


def _pages_of(campaign: Campaign, rows: dict[str, np.ndarray]) -> np.ndarray:
    """The number of each row's page in its sitting, as drawn for its rater, shape (rows,)."""
    sittings, first, counts = np.unique(rows["assignment"], return_index=True, return_counts=True)
    part_of = {
        sitting: slice(begin, begin + count)
        for sitting, begin, count in zip(
            sittings.tolist(), first.tolist(), counts.tolist(), strict=True
        )
    }
    pages = np.zeros(len(rows["assignment"]), dtype=np.int64)
    drawn = campaign.assignments.filter(pk__in=sittings.tolist()).order_by()
    for sitting, presentation in drawn.values_list("id", "presentation").iterator():
        number_of = {trial: number for number, (trial, _places) in enumerate(presentation, 1)}
        mine = part_of[sitting]
        pages[mine] = [number_of[trial] for trial in rows["trial"][mine].tolist()]
    return pages


def _instead_of(swapped: Mapping[int, int]) -> str:
    substitutes, first = (",".join(map(str, found)) for found in (swapped, swapped.values()))
    stands = f"a.counts AND a.id <> ALL('{{{substitutes}}}') OR a.id = ANY('{{{first}}}')"
    return f"({stands}) AND {NEWEST}"


def without_number(campaign: Campaign, criteria: Collection[str]) -> dict[str, int]:
    """Count counted answers without a number, by criterion; the table leaves them out."""
    return dict(rows_of(WITHOUT_NUMBER, [campaign.pk, list(criteria)]))


def screen_name(assignment: int, trial: int, screen: int, revision: int) -> str:
    """Name a submission for the column `screen`."""
    return f"{assignment}.{trial}.{screen}.{revision}"


def _read_rows(campaign: Campaign, condition: str) -> dict[str, np.ndarray]:
    """Fetch by COPY, the only way in which a million rows take seconds."""
    import pyarrow as pa
    import pyarrow.csv as arrow_csv

    more = _more_columns(campaign)
    names = (*COLUMNS, *more)
    # One statement, so that the table is of one moment even while raters submit.
    statement = statement_of(campaign, condition, more)
    with tempfile.TemporaryFile() as answer:
        with transaction.atomic(), connection.cursor() as cursor:
            # A page's time limit is too short for a million judgements on a busy machine.
            cursor.execute("SET LOCAL statement_timeout = '5min'")
            cursor.cursor.copy_expert(f"COPY ({statement}) TO STDOUT (FORMAT csv)", answer)
            rows = cursor.rowcount
        columns = {
            name: np.empty(rows, dtype=object if name in more else _type(name)) for name in names
        }
        if not rows:
            return columns
        answer.seek(0)
        types = {
            name: pa.string() if name in more else pa.from_numpy_dtype(_type(name))
            for name in names
        }
        blocks = arrow_csv.open_csv(
            answer,
            read_options=arrow_csv.ReadOptions(column_names=list(names), block_size=BLOCK_BYTES),
            convert_options=arrow_csv.ConvertOptions(column_types=types, null_values=[""]),
        )
        first = 0
        for block in blocks:
            for name, cells in zip(names, block.columns, strict=True):
                columns[name][first : first + len(block)] = cells.to_numpy(zero_copy_only=False)
            first += len(block)
    return columns


def statement_of(campaign: Campaign, condition: str, more: Mapping[str, str]) -> str:
    """Fill in `JUDGEMENTS`.

    Whether a row counts is asked only where rows may not: it took a sixth of the time.
    """
    return JUDGEMENTS.format(
        counted=COUNTED if condition == "TRUE" else "TRUE",
        campaign=int(campaign.pk),
        condition=condition,
        more="".join(more.values()),
    )


def _more_columns(campaign: Campaign) -> dict[str, str]:
    """The columns of texts that only some campaigns have, as SQL."""
    definition = stored_definition(campaign.definition)
    criteria = definition.criteria
    found = {
        MARKS: (MARKS_OF, [each.name for each in criteria if each.tool.marks_outputs]),
        SHOWN_ORDER: (
            ORDER_OF,
            [each.name for each in criteria if each.tool.choices_to_shuffle(each.settings)],
        ),
    }
    columns = {}
    for name, (statement, names) in found.items():
        ids = campaign.criteria.filter(name__in=names).values_list("id", flat=True)
        if names and ids:
            columns[name] = statement.format(criteria=",".join(map(str, ids)))
    if definition.design.unassisted_share:
        columns |= {ASSISTED: ASSISTED_OF, SCREEN_MS: TIME_OF.format()}
    return columns


def _type(name: str) -> np.dtype[Any]:
    if name in ("value", "time_ms"):
        return np.dtype(np.float64)
    return np.dtype(np.int64 if name in (*WHOLE_NUMBERS, POSITION) else np.int8)


def _in_order(rows: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Sort by sitting, screen and question: the database gives rows in any order.

    Takes the columns out of `rows` one by one: twice all of them would be gigabytes.
    """
    keys = ("assignment", "trial", "screen", "revision", "criterion", "system")
    order = np.lexsort([rows[name] for name in reversed(keys)])
    return {name: rows.pop(name)[order] for name in list(rows)}


def _labelled(ids: np.ndarray, rows: Manager[Any], column: str) -> Column:
    """A label for each id: a column of the campaign's rows."""
    found, codes = renumber(ids)
    # In no order, which the default would cost.
    labels = dict(rows.filter(pk__in=found.tolist()).order_by().values_list("id", column))
    return Column(codes.astype(np.int32), tuple(labels[number] for number in found.tolist()))


def _numbered(numbers: np.ndarray) -> Column:
    found, codes = renumber(numbers)
    return Column(codes.astype(np.int32), tuple(str(number) for number in found.tolist()))


def _screens(rows: dict[str, np.ndarray]) -> Column:
    """Rows are in order, so a screen begins where one of the four numbers changes."""
    keys = [rows[name] for name in ("assignment", "trial", "screen", "revision")]
    begins = np.ones(len(keys[0]), dtype=bool)
    begins[1:] = False
    for numbers in keys:
        begins[1:] |= numbers[1:] != numbers[:-1]
    screens = zip(*(numbers[begins].tolist() for numbers in keys), strict=True)
    names = tuple(screen_name(*numbers) for numbers in screens)
    return Column((np.cumsum(begins) - 1).astype(np.int32), names)


def factor_column(name: str) -> str:
    """Name the column of a factor: its name, unless the table has that column itself."""
    bare = name
    while bare.startswith("item_"):
        bare = bare.removeprefix("item_")
    return f"item_{name}" if bare in TAKEN else name


def _factors(
    campaign: Campaign, items: np.ndarray, names: Sequence[str] | None
) -> dict[str, Column]:
    """A column for each of these factors, or for each that some item has; a name that the table
    needs gets a prefix.
    """
    found, codes = renumber(items)
    judged = campaign.items.filter(pk__in=found.tolist()).exclude(factors={})
    factors = dict(judged.order_by().values_list("id", "factors")) if names != [] else {}
    if names is None:
        names = sorted({name for each in factors.values() for name in each})
    return {
        factor_column(name): Column(
            codes.astype(np.int32),
            tuple(str(factors.get(item, {}).get(name, "")) for item in found.tolist()),
        )
        for name in names
    }
