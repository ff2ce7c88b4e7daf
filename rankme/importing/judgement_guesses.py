"""Proposals: which column of a table of judgements is what, by its name and its first rows."""

from __future__ import annotations

from collections.abc import Sequence

from analysis.spans.judged import MARKS
from rankme.importing.column_guesses import INDEX, NAMES, Sample, plain_name
from rankme.importing.columns import InvalidColumns, column_name
from rankme.importing.judgement_columns import NAMES as OF_A_JUDGEMENT
from rankme.importing.judgement_columns import VALUE, JudgementColumns, arranged
from rankme.importing.judgement_headings import grid_of

# The likelier name comes first. A column that only numbers the rows does not name the items.
COMMON_NAMES: dict[str, tuple[str, ...]] = {
    "rater": (
        "rater_id", "annotator", "annotator_id", "worker", "worker_id", "workerid", "participant",
        "participant_id", "evaluator", "evaluator_id", "judge", "user", "user_id",
    ),
    "item": tuple(name for name in NAMES["item"][1:] if not INDEX.match(name)),
    "system": NAMES["system"][1:],
    "criterion": ("criteria", "metric", "dimension", "aspect", "quality_criterion", "question"),
    VALUE: ("score", "rating", "label", "judgement", "judgment"),
    "input": ("prompt", "input_text", "source_text", "source_sentence"),
    "output": ("system_output", "model_output", "response", "output_text", "hypothesis"),
}  # fmt: skip
TEXTS = ("input", "output")
OURS = ("screen", "time_ms", "late", "excluded", MARKS)  # names that our own exports have
# Numbers about raters, items and sessions, which are not answers.
NOT_VALUES = {
    "age", "year", "seconds", "duration", "time", "timestamp", "minutes", "length", "tokens",
    "n_tokens", "words", "n_words", "order", "position", "trial", "batch", "session", "page",
    "group", "seed", "experience", "years",
}  # fmt: skip


def propose_judgements(sample: Sample) -> JudgementColumns:
    """What the columns probably are.

    Raises
    ------
    InvalidColumns : they give no clue; says what is missing
    """
    named = roles_by_name(sample.header)
    roles = {
        role: name
        for role, name in named.items()
        if role not in TEXTS or column_name(name) == role or sample.is_text(name)
    }
    if set(OF_A_JUDGEMENT) <= set(roles) and VALUE in roles:
        values = [roles.pop(VALUE)]
    else:
        roles.pop(VALUE, None)
        values = _columns_of_values(sample, roles)
    used = {*roles.values(), *values}
    factors = [name for name in sample.header if name not in used and not _is_index(sample, name)]
    if not values:
        raise InvalidColumns("No column has the values: a column of numbers.")
    return arranged(roles, values, tuple(factors))


def roles_by_name(header: Sequence[str]) -> dict[str, str]:
    """The column of each role: our own name for it, or else the likeliest common one."""
    plain = {plain_name(name): name for name in reversed(header)}
    found: dict[str, str] = {}
    for role, names in COMMON_NAMES.items():
        column = next((plain[name] for name in (role, *names) if name in plain), None)
        if column is not None and column not in found.values():
            found[role] = column
    return found | {role: plain[role] for role in OURS if role in plain}


def _columns_of_values(sample: Sample, roles: dict[str, str]) -> list[str]:
    """Those with numbers that have no other role; of a grid and others, the grid."""
    numbers = [
        name
        for name in sample.header
        if name not in roles.values()
        and not INDEX.match(column_name(name))
        and plain_name(name) not in NOT_VALUES
        and sample.is_mostly_numbers(name)
    ]
    if "system" not in roles and "criterion" not in roles and (grid := grid_of(numbers)):
        return [name for name in numbers if name in grid]
    return numbers


def _is_index(sample: Sample, name: str) -> bool:
    """A column in which a data frame numbered its rows."""
    plain = column_name(name)
    return not plain or bool(INDEX.match(plain) and sample.is_counting(name))
