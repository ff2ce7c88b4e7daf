"""Raters in the campaign file: breaks, panel, and codes, addresses and pay by outcome."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import (
    Field,
    SerializerFunctionWrapHandler,
    StringConstraints,
    field_validator,
    model_serializer,
    model_validator,
)

from analysis.translatable import gettext_noop as _
from rankme.panel_links import PANELS
from rankme.panel_links.base import NO_IDS, PLACEHOLDERS
from rankme.panel_links.outcomes import OUTCOME_TITLES, Outcome, with_settings_by_outcome

from .parts import CurrencyCode, Labels, ParameterName, Part, known_name
from .problem_words import Finding, JointProblems, Location

MOST_BATCHES = 1_000
LONGEST_CODE = 64
Text = Annotated[str, StringConstraints(strip_whitespace=True, max_length=2_000)]
Pay = Annotated[float, Field(ge=0)]
Devices = Annotated[
    Literal["any", "desktop"],
    Labels(any=_("Any"), desktop=_("Only with a mouse or a keyboard")),
]
TooFast = Annotated[
    Literal["flag", "end"],
    Labels(flag=_("Mark them"), end=_("End the rater's part, and give the batch to somebody else")),
]
Copying = Annotated[
    Literal["allowed", "inconvenient"],
    Labels(allowed=_("Allowed"), inconvenient=_("Not with the mouse or by touch")),
]
TextsAre = Annotated[
    Literal["result", "personal"],
    Labels(result=_("The result of the study"), personal=_("Personal")),
]

TITLES = {outcome.value: title for outcome, title in OUTCOME_TITLES.items()}


class Breaks(Part):
    """Breaks are suggested after a number of trials or minutes; `enforced` ones last `minutes`."""

    after_trials: int | None = Field(None, ge=1, title=_("Suggest a break after this many trials"))
    after_minutes: float | None = Field(
        None, gt=0, title=_("Suggest a break after this many minutes")
    )
    minutes: float = Field(1, gt=0, le=60, title=_("Length of an enforced break (minutes)"))
    enforced: bool = Field(False, title=_("Enforce breaks"))


class TextByOutcome(Part):
    """A text for each outcome; empty: the usual one, for `failed_quiz` that of `failed_checks`."""

    completed: Text = Field("", title=TITLES["completed"])
    late: Text = Field("", title=TITLES["late"])
    returned: Text = Field("", title=TITLES["returned"])
    no_consent: Text = Field("", title=TITLES["no_consent"])
    screened_out: Text = Field("", title=TITLES["screened_out"])
    failed_checks: Text = Field("", title=TITLES["failed_checks"])
    failed_quiz: Text = Field("", title=TITLES["failed_quiz"])
    quota_full: Text = Field("", title=TITLES["quota_full"])
    incompatible_device: Text = Field("", title=TITLES["incompatible_device"])
    timed_out: Text = Field("", title=TITLES["timed_out"])
    too_fast: Text = Field("", title=TITLES["too_fast"])

    def of(self, outcome: Outcome) -> str:
        text: str = getattr(self, outcome)
        return self.failed_checks if outcome == Outcome.FAILED_QUIZ and not text else text


class CompletionCodes(TextByOutcome):
    """The codes of the study at its panel. Empty: none, or one of the rater's own after work."""

    completed: Text = Field(
        "",
        title=TITLES["completed"],
        description=_(
            "For Prolific, the code of your study; a campaign for Prolific cannot be launched "
            "without it. Elsewhere, leave it empty to give every rater a code of their own."
        ),
    )
    late: Text = Field("", title=TITLES["late"], description=_("Empty: the usual code."))
    returned: Text = Field(
        "",
        title=TITLES["returned"],
        description=_(
            "For a batch given back after some screens. Empty: one per rater, or none where the "
            "panel needs a code of its own."
        ),
    )

    @field_validator("*")
    @classmethod
    def codes_are_short(cls, code: str) -> str:
        if len(code) > LONGEST_CODE:
            raise ValueError(f"a code has at most {LONGEST_CODE} characters")
        return code


class ReturnAddresses(TextByOutcome):
    """Addresses to which raters go after each outcome.

    Empty: after finished work `return_url` or the panel's own address, and after other outcomes the
    same address only if it contains `{code}`.
    """


class PayByOutcome(Part):
    """Pay for visits that do not end as planned; empty: not stated."""

    late: Pay | None = Field(None, title=TITLES["late"], description=_("Empty: the usual pay."))
    returned: Pay | None = Field(None, title=TITLES["returned"])
    screened_out: Pay | None = Field(None, title=TITLES["screened_out"])
    failed_checks: Pay | None = Field(None, title=TITLES["failed_checks"])
    failed_quiz: Pay | None = Field(None, title=TITLES["failed_quiz"])
    quota_full: Pay | None = Field(None, title=TITLES["quota_full"])
    timed_out: Pay | None = Field(None, title=TITLES["timed_out"])
    too_fast: Pay | None = Field(None, title=TITLES["too_fast"])

    def of(self, outcome: Outcome) -> float | None:
        pay: float | None = getattr(self, outcome, None)
        return pay


class Crowd(Part):
    """Who takes part, on what terms, and where they go afterwards."""

    panel: Annotated[str, known_name("panel", PANELS)] = Field("generic", title=_("Panel"))
    id_parameter: ParameterName = Field("", title=_("Name of the panel's ID parameter"))
    session_parameter: ParameterName = Field("", title=_("Name of the panel's session parameter"))
    open_link: bool = Field(
        True,  # off by default with a panel such as Prolific
        title=_("Anyone with the open link can take part"),
        description=_(
            "For colleagues and volunteers. If you recruit through a panel, leave this off, so "
            "that only the panel's raters can take part."
        ),
    )
    return_url: str = Field(
        "",  # {id}, {session} and {study} are filled in, too
        title=_("Return address"),
        description=_(
            "An https address where raters go when they finish. "
            "{code} is replaced with the completion code."
        ),
    )
    return_urls: ReturnAddresses = Field(ReturnAddresses(), title=_("Return addresses by outcome"))
    completion_codes: CompletionCodes = Field(CompletionCodes(), title=_("Completion codes"))
    devices: Devices = Field(
        "any",
        title=_("Devices"),
        description=_("A mouse or a keyboard is needed where times are measured"),
    )
    lease_minutes: int = Field(
        90, ge=5, le=20_160, title=_("Minutes until an idle batch goes to another rater")
    )
    batches_per_rater: int = Field(1, ge=1, le=MOST_BATCHES, title=_("Batches per rater"))
    least_seconds_per_screen: float = Field(
        0,
        ge=0,
        le=600,
        title=_("Minimum seconds per screen"),
        description=_("Faster screens are marked"),
    )
    wait_least_seconds: bool = Field(
        False,
        title=_("Make raters wait for the minimum time"),
        description=_("Raters can continue only after the minimum time"),
    )
    too_fast: TooFast = Field(
        "flag",
        title=_("Screens below the minimum time"),
        description=_("What happens when a screen takes less than the minimum time"),
    )
    expected_seconds_per_screen: float = Field(40, gt=0, title=_("Expected seconds per screen"))
    pay_per_batch: float = Field(
        0,
        ge=0,
        title=_("Pay per batch"),
        description=_(
            "Raters read it before they agree. The launch page estimates the cost from it."
        ),
    )
    pay_by_outcome: PayByOutcome = Field(
        PayByOutcome(), title=_("Pay when a visit does not end as planned")
    )
    currency: CurrencyCode = Field("GBP", title=_("Currency"))
    keep_identities_days: int = Field(
        90,
        ge=1,
        le=3_650,
        title=_("Days after the close until raters' identities are erased"),
        description=_(
            "Names of links, IDs at panels, answers about themselves and comments. Raters read it "
            "before they agree; afterwards you can only shorten it."
        ),
    )
    keep_judgements_years: int = Field(
        10,
        ge=1,
        le=100,
        title=_("Years for which the judgements are kept"),
        description=_(
            "Raters read it before they agree. Nothing is deleted automatically at the end."
        ),
    )

    traces: bool = Field(
        False,
        title=_("Keep traces of how raters work"),
        description=_(
            "Sums for each screen: what was pasted, copied or inserted without keys (lengths "
            "only), time away from the page, and how pointer and keys moved. They are evidence "
            "for your eyes, never a verdict. Raters read about it before they agree; it is erased "
            "with their identities."
        ),
    )

    hidden_text: bool = Field(
        False,
        title=_("Hide a text that only readers of the page's source find"),
        description=_(
            "It asks for a word in a field that no person can see or reach, with a screen reader "
            "or a keyboard either. A browser that fills it in is run by a program that reads the "
            "source. It is kept with the traces, and only shown to you."
        ),
    )

    no_ai: bool = Field(
        False,
        title=_("Ask raters not to use AI tools"),
        description=_(
            "One sentence asks it: before raters agree, in the instructions, and above each field "
            "for a text of their own. It is a request: nothing is measured."
        ),
    )

    copying: Copying = Field(
        "allowed",
        title=_("Copying the compared texts"),
        description=_(
            "You can make it inconvenient with the mouse and by touch; nobody can prevent it. "
            "Keyboards, screen readers, the search of the browser and zoom work as ever. It "
            "hinders raters who select texts with the mouse to have them read aloud."
        ),
    )

    texts_are: TextsAre = Field(
        "result",
        title=_("Texts that raters write as answers"),
        description=_(
            "Personal texts are erased with the raters' identities, as comments always are; the "
            "result of the study is kept and can be published. Raters read it before they agree; "
            "afterwards you cannot change it."
        ),
    )

    pause_after_raters: int | None = Field(
        None,
        ge=1,
        le=100_000,
        title=_("Pilot: pause after this many raters"),
        description=_(
            "Once that many raters have a batch, the campaign pauses, within a minute. They "
            "finish; you try the rules at other bounds on their answers, and resume."
        ),
    )
    flagged_share: float | None = Field(
        None,
        gt=0,
        lt=1,
        title=_("Limit on flagged raters (share)"),
        description=_(
            "Such as 0.2. Above this share of raters with alarms, marks or an exclusion by a rule, "
            "of the newest 50 who have finished a batch (five or more), the monitor proposes a "
            "pause."
        ),
    )
    pauses_itself: bool = Field(
        False,
        title=_("Pause at this limit without asking"),
        description=_("Once, within a minute. Off: the monitor only proposes it."),
    )

    @model_validator(mode="before")
    @classmethod
    def settings_of_earlier_files_are_read(cls, crowd: Any) -> Any:
        return with_settings_by_outcome(crowd) if isinstance(crowd, dict) else crowd

    @model_validator(mode="before")
    @classmethod
    def a_panel_closes_the_open_link(cls, crowd: Any) -> Any:
        if not isinstance(crowd, dict) or "open_link" in crowd:
            return crowd
        panel = crowd.get("panel")
        is_platform = isinstance(panel, str) and panel in PANELS and PANELS[panel].is_platform
        return crowd | {"open_link": False} if is_platform else crowd

    @model_serializer(mode="wrap")
    def state_an_open_link_beside_a_panel(
        self, serialize: SerializerFunctionWrapHandler
    ) -> dict[str, Any]:
        """Without its defaults the document would otherwise be read back with a closed link."""
        document: dict[str, Any] = serialize(self)
        if PANELS[self.panel].is_platform:
            document["open_link"] = self.open_link
        return document

    @model_validator(mode="after")
    def a_hidden_text_leaves_traces(self) -> Crowd:
        if self.hidden_text and not self.traces:
            raise ValueError("hidden_text is kept with traces: set traces to true, too")
        return self

    @model_validator(mode="after")
    def return_urls_are_safe(self) -> Crowd:
        addresses: dict[Location, str] = {("return_url",): self.return_url}
        for outcome, address in self.return_urls.model_dump().items():
            addresses["return_urls", outcome] = address
        problems: list[Finding] = []
        for place, address in addresses.items():
            try:
                if address:
                    PANELS[self.panel].check_return_url(address)
            except ValueError as error:
                problems.append((place, str(error)))
        if problems:
            raise JointProblems(problems)
        return self

    @property
    def enforces_a_least_time(self) -> bool:
        is_enforced = self.wait_least_seconds or self.too_fast == "end"
        return is_enforced and self.least_seconds_per_screen > 0

    def code_for(self, outcome: Outcome, *, arrived_by: str) -> str:
        """The organiser's code for an outcome. A platform's codes are only for the people whom it
        sent. Raters who finish late have earned the usual code, unless there is one for being
        late.
        """
        if PANELS[self.panel].is_platform and arrived_by != self.panel:
            return ""
        code = self.completion_codes.of(outcome)
        is_late = outcome == Outcome.LATE
        return code or (self.completion_codes.completed if is_late else "")

    def return_address(self, outcome: Outcome, code: str, ids: Mapping[str, str] = NO_IDS) -> str:
        """Where a rater goes after this outcome; empty: nowhere, or only with a code or an id that
        this rater does not have.
        """
        panel = PANELS[self.panel]
        own = self.return_urls.of(outcome)
        if outcome == Outcome.LATE:
            own = own or self.return_urls.completed
        template = own or self.return_url or panel.return_url
        if not panel.may_follow(outcome, template, is_general=not own):
            return ""
        given = {**ids, "code": code}
        if any(f"{{{name}}}" in template and not given.get(name) for name in PLACEHOLDERS):
            return ""
        return panel.completion_url(template, code, ids)

    @property
    def takes_panel_ids(self) -> bool:
        """Whether an id in the link lets somebody in.

        Anybody can invent one. With the open link switched off it is trusted only where the
        organiser named a platform, or the parameter under which a panel sends its ids.
        """
        return self.open_link or PANELS[self.panel].is_platform or bool(self.id_parameter)
