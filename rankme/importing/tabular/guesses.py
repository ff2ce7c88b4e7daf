"""Proposals: the probable meaning of each column of an unknown table, by names and first rows."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from rankme.importing.characters import SENTENCE_MARK

from .columns import (
    INPUT_ALT,
    INPUT_FILE,
    LEFT_OUT,
    NAMES_OF_A_JUDGEMENT,
    OUTPUT_ALT,
    OUTPUT_FILE,
    SUBJECTS,
    VALUE,
    About,
    Columns,
    arranged,
    column_name,
    is_same,
)
from .headings import (
    AFFIXES,
    IS_ANSWER,
    InvalidColumns,
    grid_of,
    likely_pattern,
    system_names,
)
from .names import KNOWN_NAMES, NAMES, plain_name
from .samples import INDEX, Sample, turns_of

ALT = re.compile(r"(^|_)alt(_?text)?($|_)")
LONGEST_SYSTEM = 60
LONG_INPUT = 40  # a shorter text that is equal within an item is rather a factor
ENOUGH_ROWS = 6  # to tell columns by their content alone
ENOUGH_PAIRS = 0.5  # of systems and items


@dataclass(frozen=True)
class Proposal:
    """The probable columns; where they are incomplete, `missing` says why.

    `roles` are all that was found, by the columns' names.
    """

    columns: Columns | None
    roles: Mapping[str, str] = field(default_factory=dict)
    missing: str = ""

    def role_of(self, name: str) -> str:
        if self.columns:
            return self.columns.role_of(name)
        found = [role for role, column in self.roles.items() if is_same(column, name)]
        return "+".join(found) or LEFT_OUT


class Guess(Protocol):
    """Finds roles, which it keeps even if they are too few."""

    roles: dict[str, str]

    def columns(self) -> Columns: ...


def propose(sample: Sample, about: About = "outputs") -> Proposal:
    """The probable meaning of the columns of a table."""
    guess = GUESSES[about](sample)
    try:
        return Proposal(guess.columns(), guess.roles)
    except InvalidColumns as refused:
        return Proposal(None, guess.roles, str(refused))


class _OutputGuess:
    def __init__(self, sample: Sample) -> None:
        self.sample = sample
        self.free = [name for name in sample.header if not sample.is_index(name)]
        self.roles: dict[str, str] = {}
        self.files = [name for name in self.free if sample.is_files(name)]
        self.alts = [name for name in self.free if ALT.search(plain_name(name))]
        self.free = [name for name in self.free if name not in (*self.files, *self.alts)]

    def columns(self) -> Columns:
        """Names that say what a column is count first; then the values; then what is left over."""
        self._take("system", self.sample.is_short)
        self._take_document()
        wide = [] if "system" in self.roles else self._with_output_affix()
        if not wide:
            self._take("output", self.sample.is_text, or_empty=True)
            self._take_dialogue()
        for role in ("reference", "input", "context", "highlight"):
            self._take(role, lambda name: not self.sample.is_number(name))
        if not wide:
            self._take_by_content()
        if "input" not in self.roles and self._is_plain_context():
            self.roles["input"] = self.roles.pop("context")
        self._take_item()
        self._take_long_input()
        self._take_files()
        if not {"output", OUTPUT_FILE} & set(self.roles):
            wide = wide or self._texts_left()
        self.free = [name for name in self.free if name not in wide]
        if wide and "system" not in self.roles:
            headings = {name: {"system": said} for name, said in system_names(wide).items()}
            return Columns("outputs", self._ordered(), headings, self._factors())
        if {"output", OUTPUT_FILE} & set(self.roles):
            return Columns("outputs", self._ordered(), factors=self._factors())
        if "system" in self.roles:
            raise InvalidColumns("No column has the outputs of these systems.")
        free = [name for name in self.free if not self.sample.is_constant(name)]
        return Columns("outputs", self._ordered(), factors=tuple(free))

    def _ordered(self) -> dict[str, str]:
        order = (
            "system", "item", "input", INPUT_FILE, INPUT_ALT,
            "output", OUTPUT_FILE, OUTPUT_ALT, "reference", "context", "highlight",
            "document", "segment",
        )  # fmt: skip
        return {role: self.roles[role] for role in order if role in self.roles}

    # --- roles by name ---

    def _take(self, role: str, test: Callable[[str], bool], *, or_empty: bool = False) -> None:
        """Give the role to the free column with the likeliest name that passes the test."""
        named = {plain_name(name): name for name in reversed(self.free)}
        for candidate in NAMES[role]:
            name = named.get(candidate)
            if name is None:
                continue
            if test(name) or (or_empty and not any(self.sample.of_column(name))):
                self.roles[role] = name
                self.free.remove(name)
                return

    def _take_item(self) -> None:
        """The item's column: by its name, or else the input names the item."""
        if "item" not in self.roles:
            self._take("item", self._can_be_item)
        if "document" in self.roles:
            return
        if "item" not in self.roles and "input" in self.roles:
            self.roles["item"] = self.roles["input"]

    def _take_document(self) -> None:
        """Documents with numbered segments: two columns that only together name a row."""
        free = [*self.free]
        self._take("document", self.sample.is_short)
        if "document" in self.roles:
            self._take("segment", self._numbers_segments)
        if "segment" not in self.roles:
            self.roles.pop("document", None)
            self.free = free

    def _numbers_segments(self, name: str) -> bool:
        """Mostly whole numbers, in documents that have several rows: reading finds the rest."""
        cells = self.sample.of_column(name)
        whole = sum(cell.strip().isdecimal() for cell in cells)
        return 2 * whole > len(cells) and self.sample.is_repeated(self.roles["document"])

    def _names_segments(self, name: str) -> bool:
        """Tell whether each item is one segment of one document."""
        cells = self.sample.of_column(name)
        places = [self.sample.of_column(self.roles[role]) for role in ("document", "segment")]
        pairs = set(zip(*places, strict=True))
        return len(set(cells)) == len(pairs) == len(set(zip(cells, *places, strict=True)))

    def _take_files(self) -> None:
        """Columns of files: of the input where all rows of an item have the same, or of outputs."""
        for name in self.files:
            role = INPUT_FILE if self._is_of_input(name) else OUTPUT_FILE
            self.roles.setdefault(role, name)
        for name in self.alts if self.files else ():
            is_output = plain_name(name).startswith("output") or INPUT_FILE not in self.roles
            self.roles.setdefault(OUTPUT_ALT if is_output else INPUT_ALT, name)
        if "item" not in self.roles and INPUT_FILE in self.roles:
            self.roles["item"] = self.roles[INPUT_FILE]

    def _is_of_input(self, name: str) -> bool:
        named = plain_name(name)
        if named.startswith(("input", "source", "prompt")):
            return True
        if named.startswith("output"):
            return False
        if "system" not in self.roles:
            return "output" not in self.roles or "item" not in self.roles
        items = self.sample.of_column(self.roles["item"]) if "item" in self.roles else []
        return "output" in self.roles and (not items or self.sample.agrees(name, items))

    def _can_be_item(self, name: str) -> bool:
        """With several systems, each item is in more than one row; no system has an item twice."""
        if "document" in self.roles:
            return self._names_segments(name)
        if "output" not in self.roles:
            return not self.sample.is_repeated(name)
        cells = self.sample.of_column(name)
        if "system" not in self.roles:
            return len(set(cells)) == len(cells)
        systems = self.sample.of_column(self.roles["system"])
        pairs = set(zip(systems, cells, strict=True))
        if len(pairs) < len(cells):
            return False
        return len(set(systems)) < 2 or len(set(cells)) < len(cells) or "input" not in self.roles

    # --- the others ---

    def _with_output_affix(self) -> list[str]:
        """Columns such as `output_gpt` and `output_llama`, or `gpt_response`."""
        for word in AFFIXES:
            pattern = re.compile(rf"^{word}[_\-. :/].|.[_\-. :/]{word}$")
            found = [name for name in self.free if pattern.search(column_name(name))]
            found = [name for name in found if plain_name(name) not in KNOWN_NAMES]
            if len(found) > 1 and all(map(self.sample.is_text, found)):
                return found
        return []

    def _texts_left(self) -> list[str]:
        """Two or more columns of texts that have no other role: a column for each system."""
        texts = [name for name in self.free if self.sample.is_text(name)]
        texts = [name for name in texts if not self._is_of_few_values(name)]
        return texts if len(texts) > 1 else []

    def _is_of_few_values(self, name: str) -> bool:
        cells = self.sample.of_column(name)
        return self.sample.is_names(name) or (len(cells) > 2 and len(set(cells)) == 1)

    def _factors(self) -> tuple[str, ...]:
        """Columns of few values that never differ within an item."""
        items = self.sample.of_column(self.roles["item"]) if "item" in self.roles else []
        return tuple(
            name
            for name in self.free
            if self.sample.is_names(name) and self.sample.agrees(name, items)
        )

    # --- roles by content, for headings in any language ---

    def _take_dialogue(self) -> None:
        """A list of turns that a system ended is an output, as data sets for training have it."""
        for name in self.free if "output" not in self.roles else ():
            if self.sample.is_dialogues(name):
                last = (turns_of(cell)[-1] for cell in self.sample.filled(name)[:1])
                if all(turn.get("role") == "assistant" for turn in last):
                    self.roles["output"] = name
                    self.free.remove(name)
                    return

    def _take_by_content(self) -> None:
        """Systems are few names, each with every item; the longest text that varies is the output.

        Only roles that no name has given are taken.
        """
        is_named = {"system", "output"} <= set(self.roles)
        if is_named:
            self._take("item", self._can_be_item)
        has_items = bool({"item", "input", "context"} & set(self.roles))
        if (is_named and has_items) or "document" in self.roles or self.files:
            return
        system, item = self._systems_and_items()
        items = self.sample.of_column(item)
        texts = [name for name in self.free if name not in (system, item)]
        texts = [name for name in texts if self.sample.is_text(name)]
        varying = [name for name in texts if not self.sample.agrees(name, items)]
        if not system or not (varying or "output" in self.roles):
            return
        self.roles.setdefault("system", system)
        if "output" not in self.roles:
            self.roles["output"] = max(varying, key=self.sample.length)
        is_input = self.sample.length(item) >= LONG_INPUT and self.sample.is_text(item)
        if not has_items:
            self.roles["input" if is_input else "item"] = item
        self.free = [name for name in self.free if name not in self.roles.values()]

    def _systems_and_items(self) -> tuple[str, str]:
        """The two columns of which most combinations are there, each once; "" where there are none.

        A text names the items only where nothing shorter does.
        """
        n_rows = len(self.sample.of_column(self.sample.header[0])) if self.sample.header else 0
        given = self.roles.get("system")
        names = [name for name in self.free if self._could_be_system(name)]
        inputs = [self.roles[role] for role in ("input", "context") if role in self.roles]
        best, found = ENOUGH_PAIRS, ("", "")
        for system in [given] if given else names if n_rows >= ENOUGH_ROWS else []:
            systems = self.sample.of_column(system)
            for item in sorted({*self.free, *inputs} - {system}, key=self.sample.length):
                items = self.sample.of_column(item)
                n_items = len(set(items))
                if not 1 < n_items < n_rows or len(set(zip(systems, items, strict=True))) < n_rows:
                    continue
                share = n_rows / (len(set(systems)) * n_items)
                if share > best:
                    best, found = share, (system, item)
        return found

    def _could_be_system(self, name: str) -> bool:
        is_name = self.sample.length(name) <= LONGEST_SYSTEM and not self.sample.is_number(name)
        return is_name and self.sample.is_names(name)

    def _is_plain_context(self) -> bool:
        """Tell whether the context marks no sentence."""
        context = self.roles.get("context", "")
        cells = self.sample.of_column(context)
        return (
            bool(context) and "highlight" not in self.roles and SENTENCE_MARK not in "".join(cells)
        )

    def _take_long_input(self) -> None:
        """A long text that all rows of an item share is its input."""
        item = self.roles.get("item")
        if item is None or "input" in self.roles or not self.sample.is_repeated(item):
            return
        items = self.sample.of_column(item)
        texts = [name for name in self.free if self.sample.length(name) >= LONG_INPUT]
        shared = [name for name in texts if self.sample.agrees(name, items)]
        if shared:
            self.roles["input"] = max(shared, key=self.sample.length)
            self.free.remove(self.roles["input"])


# --- judgements ------------------------------------------------------------------------------

# The likelier name comes first. A column that only numbers the rows does not name the items.
NAMES_IN_JUDGEMENTS: dict[str, tuple[str, ...]] = {
    "rater": (
        "rater_id", "annotator", "annotator_id", "worker", "worker_id", "workerid", "participant",
        "participant_id", "evaluator", "evaluator_id", "judge", "judge_id", "judgeid", "user",
        "user_id", "x_worker_id", "assignment_worker_id", "username", "user_name", "subject",
        "subject_id", "completed_by",
    ),
    "item": (
        *(name for name in NAMES["item"][1:] if not INDEX.match(name)), "input_item", "stimulus",
        "stimulus_id", "task_id", *NAMES["document"],
    ),
    "system": (*NAMES["system"][1:], "input_system", "input_model", "condition"),
    "criterion": ("criteria", "metric", "dimension", "aspect", "quality_criterion", "question"),
    VALUE: ("score", "rating", "label", "judgement", "judgment"),
    "input": (
        "prompt", "input_text", "source_text", "source_sentence", "mr", "meaning_representation",
    ),
    "output": ("system_output", "model_output", "response", "output_text", "hypothesis"),
}  # fmt: skip
# How forms call those who answered.
RESPONDENTS = (
    "prolific_pid", "prolific_id", "email_address", "e_mail_address", "email", "e_mail", "username",
    "responseid", "response_id", "respondent_id", "respondent", "id", "name",
)  # fmt: skip
# Numbers about raters, items and sessions, which are not answers.
NOT_VALUES = {
    "age", "year", "seconds", "duration", "time", "timestamp", "minutes", "length", "tokens",
    "n_tokens", "words", "n_words", "order", "position", "trial", "batch", "session", "page",
    "group", "seed", "experience", "years", "progress", "finished",
    "x_unit_id", "unit_id",
    "last_page", "status", "locationlatitude", "locationlongitude", "location_latitude",
    "location_longitude", "id", "response_id", "total_points",
    "rt", "trial_index", "time_elapsed", "slider_start", "framerate",
    "lead_time", "worktimeinseconds", "hitid", "assignmentid",
}  # fmt: skip
NUMBER_OF_SOMETHING = re.compile(
    r"_(id|rt|ms|time|seconds|index|timestamp"
    r"|started|stopped|duration|ran|order|thisrepn|thistrialn|thisn|thisindex)$"  # of PsychoPy
    r"|^thisrow_t$"
)
LONGEST_FACTOR_NAME = 100


class _JudgementGuess:
    def __init__(self, sample: Sample) -> None:
        self.sample = sample
        names = roles_by_name(sample.header)
        self.roles = {
            role: name
            for role, name in names.items()
            if role not in ("input", "output") or column_name(name) == role or sample.is_text(name)
        }
        self._take_output_for_input()
        self._name_items_by_inputs()

    def _name_items_by_inputs(self) -> None:
        """Let the input name the item where the item's column names single outputs."""
        if not {"item", "input", "system"} <= set(self.roles):
            return
        items, inputs, systems = (
            self.sample.of_column(self.roles[role]) for role in ("item", "input", "system")
        )
        if _systems_of_each(items, systems) == 1 < _systems_of_each(inputs, systems):
            del self.roles["item"]

    def _take_output_for_input(self) -> None:
        """Take what differs within an item for the output, not for the input."""
        if {"item", "input"} <= set(self.roles):
            items = self.sample.of_column(self.roles["item"])
            if not self.sample.agrees(self.roles["input"], items):
                self.roles.setdefault("output", self.roles.pop("input"))

    def columns(self) -> Columns:
        """Our own names or common ones; columns of numbers are values; the others are factors."""
        roles = self.roles
        if set(NAMES_OF_A_JUDGEMENT) <= set(roles) and VALUE in roles:
            values = [roles[VALUE]]
        else:
            roles.pop(VALUE, None)
            values = self._columns_of_values()
            if pattern := self._pattern(values):
                return self._of_respondents(pattern)
        if not values:
            raise InvalidColumns("No column has the values: a column of numbers.")
        named = {role: name for role, name in roles.items() if role != VALUE}
        return arranged("judgements", named, values, self._factors({*roles.values(), *values}))

    def _factors(self, used: set[str]) -> tuple[str, ...]:
        free = [name for name in self.sample.header if name not in used]
        free = [name for name in free if not self.sample.is_index(name)]
        return tuple(
            name
            for name in free
            if len(name) <= LONGEST_FACTOR_NAME and not self.sample.is_constant(name)
        )

    def _columns_of_values(self) -> list[str]:
        """Those with numbers that have no other role; of a grid and others, the grid."""
        numbers = [
            name
            for name in self.sample.header
            if name not in self.roles.values()
            and not INDEX.match(column_name(name))
            and plain_name(name) not in NOT_VALUES
            and not NUMBER_OF_SOMETHING.search(plain_name(name))
            and self.sample.is_mostly_numbers(name)
        ]
        numbers = [name for name in numbers if IS_ANSWER.search(name)] or numbers
        is_unnamed = "system" not in self.roles and "criterion" not in self.roles
        if is_unnamed and (grid := grid_of(numbers)):
            return [name for name in numbers if name in grid]
        return numbers

    # --- a row per rater, as forms are exported ---

    def _pattern(self, values: Sequence[str]) -> str:
        """A pattern of headings that name the items, if no column of the table does."""
        if "input" in self.roles or len(values) < 2:
            return ""
        if "item" in self.roles and self.sample.is_repeated(self.roles["item"]):
            return ""
        return likely_pattern(values)

    def _of_respondents(self, pattern: str) -> Columns:
        """Each row is what one rater answered; the rest of a form is left out."""
        rater = self.roles.get("rater")
        if rater is None or not self._names_rows(rater):
            plain = {plain_name(name): name for name in reversed(self.sample.header)}
            found = [plain[name] for name in RESPONDENTS if name in plain]
            rater = next((name for name in found if self._names_rows(name)), None)
        self.roles.clear()
        if rater is not None:
            self.roles["rater"] = rater
        return Columns("judgements", self.roles, {}, (), pattern).fitted(self.sample.header)

    def _names_rows(self, name: str) -> bool:
        cells = self.sample.of_column(name)
        return all(cell.strip() for cell in cells) and len(set(cells)) == len(cells)


def _systems_of_each(names: Sequence[str], systems: Sequence[str]) -> int:
    """How many systems the name with most of them has."""
    return max(
        Counter(name for name, _ in set(zip(names, systems, strict=True))).values(), default=0
    )


def roles_by_name(header: Sequence[str]) -> dict[str, str]:
    """The column of each role of a judgement: our own name for it, or the likeliest common one."""
    found = _by_names(header, NAMES_IN_JUDGEMENTS)
    plain = {plain_name(name): name for name in reversed(header)}
    others = set(SUBJECTS["judgements"].roles) - set(NAMES_IN_JUDGEMENTS)
    return found | {role: plain[role] for role in sorted(others) if role in plain}


def _by_names(header: Sequence[str], names: Mapping[str, Sequence[str]]) -> dict[str, str]:
    plain = {plain_name(name): name for name in reversed(header)}
    found: dict[str, str] = {}
    for role, known in names.items():
        column = next((plain[name] for name in (role, *known) if name in plain), None)
        if column is not None and column not in found.values():
            found[role] = column
    return found


# --- scores and verdicts ---------------------------------------------------------------------

NAMES_IN_SCORES: dict[str, tuple[str, ...]] = {
    "first": ("model_a", "system_a", "output_a", "model_1", "system_1", "a", "model1", "system1"),
    "second": ("model_b", "system_b", "output_b", "model_2", "system_2", "b", "model2", "system2"),
    "winner": ("verdict", "preference", "preferred", "better", "choice", "vote", "outcome"),
    "judge": ("judge_model", "judge_name", "annotator", "evaluator", "rater"),
    "item": NAMES["item"][1:],
    "system": NAMES["system"][1:],
    "metric": ("metric_name", "measure", "criterion", "name"),
    "score": ("value", "rating", "scores"),
}
OF_VERDICTS = ("judge", "item", "first", "second", "winner")


class _ScoreGuess:
    def __init__(self, sample: Sample) -> None:
        self.sample = sample
        self.roles = _by_names(sample.header, NAMES_IN_SCORES)

    def columns(self) -> Columns:
        """Verdicts, facts, or scores: a row per score, or a column per metric."""
        roles = self.roles
        plain = {plain_name(name): name for name in self.sample.header}
        if {"first", "second"} <= set(roles):
            self.roles = {role: roles[role] for role in OF_VERDICTS if role in roles}
            return Columns("scores", self.roles)
        if {"entity", "value", "type"} <= set(plain):
            named = {role: roles[role] for role in ("system", "item") if role in roles}
            self.roles = named | {role: plain[role] for role in NAMES_OF_FACTS if role in plain}
            return Columns("scores", self.roles)
        self.roles = {role: roles[role] for role in ("system", "item", "metric") if role in roles}
        if "metric" in roles and "score" in roles:
            self.roles["score"] = roles["score"]
            return Columns("scores", self.roles)
        self.roles.pop("metric", None)
        return arranged("scores", self.roles, self._columns_of_scores())

    def _columns_of_scores(self) -> list[str]:
        """Columns of numbers; without any, those that are left, whose cells are then problems."""
        free = [name for name in self.sample.header if name not in self.roles.values()]
        free = [name for name in free if not self.sample.is_index(name)]
        return [name for name in free if self.sample.is_mostly_numbers(name)] or free


NAMES_OF_FACTS = ("entity", "value", "type", "supported")
GUESSES: dict[About, Callable[[Sample], Guess]] = {
    "outputs": _OutputGuess,
    "judgements": _JudgementGuess,
    "scores": _ScoreGuess,
}
