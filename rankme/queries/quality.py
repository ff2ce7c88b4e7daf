"""The quality of raters as the organiser sees it: facts about each, and what rules decided."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from django.db.models import Q
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from analysis.checks.rules import alternatives, caught_by
from rankme.models import Assignment, Campaign, Participant, RaterExclusion, RuleDecision

from .cannot_judge import declined_by_rater
from .check_answers import Measured, measures_by_rater, raters_at_work
from .definitions import frozen_definition
from .rater_measures import FEWEST_PAGES, agreements, position_biases, untouched_suggestions
from .watching.alarms import ToldAlarm, alarms_by_rater

RATERS_AT_ONCE = 100
# Beyond these a sentence mentions it. They only choose words; nobody is excluded by them.
NOTABLE_BIAS, NOTABLE_AGREEMENT, NOTABLE_ICC = 0.3, 0.1, 0.3


@dataclass(frozen=True)
class CheckLine:
    """A rater's result on one check: failed of answered, or the check's own number."""

    name: str
    answered: int
    failed: int | None
    paired_p: float | None = None
    unpaired_p: float | None = None
    icc: float | None = None


@dataclass(frozen=True)
class RaterFacts:
    """Facts about a rater that need no check."""

    screens: int
    median_seconds: float | None
    median_active_seconds: float | None
    impossible_times: int
    same_answer_share: float | None
    position_bias: float | None
    agreement: float | None
    untouched: float | None = None  # the share of suggested marks


@dataclass(frozen=True)
class QualityLine:
    """One rater."""

    participant: Participant
    checks: tuple[CheckLine, ...]
    facts: RaterFacts
    declined: tuple[int, int]  # answers that could not be judged, of all
    decisions: tuple[RuleDecision, ...]
    exclusion: RaterExclusion | None
    alarms: tuple[ToldAlarm, ...]
    sentence: str

    @property
    def failed_share(self) -> float | None:
        answered = sum(check.answered for check in self.checks if check.failed is not None)
        return sum(check.failed or 0 for check in self.checks) / answered if answered else None


@dataclass(frozen=True)
class RuleCounts:
    """Counts of raters that each part of the rules caught; other exclusions are counted apart."""

    worked: int
    excluded_by_rule: int
    excluded_by_hand: int
    withdrawn: int
    by_part: tuple[tuple[str, str, int], ...] = field(default=())  # (action, part, raters)


def quality_of(campaign: Campaign, participants: Sequence[Participant]) -> list[QualityLine]:
    ids = [participant.pk for participant in participants]
    measures = measures_by_rater(campaign, ids)
    bias, agreement = position_biases(ids), agreements(campaign, ids)
    declined = declined_by_rater(ids)
    decisions: dict[int, list[RuleDecision]] = defaultdict(list)
    for decision in RuleDecision.objects.filter(participant__in=ids):
        decisions[decision.participant_id].append(decision)
    standing = RaterExclusion.objects.filter(participant__in=ids, withdrawn_at=None)
    excluded = {found.participant_id: found for found in standing.select_related("decided_by")}
    definition = frozen_definition(campaign).definition
    names = [(check.name, check.kind) for check in definition.checks]
    marking = [each.name for each in definition.criteria if each.tool.marks_outputs]
    untouched = untouched_suggestions(ids, marking)
    alarms = alarms_by_rater(campaign, ids)
    lines = []
    for participant in participants:
        own = measures[participant.pk]
        checks = tuple(_check_line(name, kind, own) for name, kind in names)
        facts = RaterFacts(
            int(own["screens"] or 0),
            own["median_seconds"],
            own["median_active_seconds"],
            int(own["impossible_times"] or 0),
            own["same_answer_share"],
            bias.get(participant.pk),
            agreement.get(participant.pk),
            untouched=untouched.get(participant.pk),
        )
        lines.append(
            QualityLine(
                participant,
                checks,
                facts,
                declined.get(participant.pk, (0, 0)),
                tuple(decisions[participant.pk]),
                excluded.get(participant.pk),
                alarms[participant.pk],
                sentence_about(checks, facts, alarms[participant.pk]),
            )
        )
    return lines


def _check_line(name: str, kind: str, measures: Measured) -> CheckLine:
    failed = measures.get(f"{name}.failed")
    return CheckLine(
        name,
        int(measures.get(f"{name}.answered") or 0),
        None if failed is None or kind == "repeat" else int(failed),
        measures.get(f"{name}.paired_p"),
        measures.get(f"{name}.unpaired_p"),
        measures.get(f"{name}.icc"),
    )


def sentence_about(
    checks: Sequence[CheckLine], facts: RaterFacts, alarms: Sequence[ToldAlarm]
) -> str:
    """Summarise a rater in one sentence. It decides nothing."""
    answered = sum(check.answered for check in checks if check.failed is not None)
    failed = sum(check.failed or 0 for check in checks)
    said = []
    if answered and failed:
        words = ngettext(
            "failed %(failed)s of %(answered)s check",
            "failed %(failed)s of %(answered)s checks",
            answered,
        )
        said.append(words % {"failed": failed, "answered": answered})
    elif answered:
        words = ngettext("passed the check", "passed all %(answered)s checks", answered)
        said.append(words % {"answered": answered})
    if any(check.icc is not None and check.icc < NOTABLE_ICC for check in checks):
        said.append(_("answered repeated pages differently"))
    said += [alarm.title for alarm in alarms]
    said += _habits(facts)
    if not said:
        return _("No warnings.") if facts.screens >= FEWEST_PAGES else _("Not enough data yet.")
    words = "; ".join(said)
    return f"{words[0].upper()}{words[1:]}."


def _habits(facts: RaterFacts) -> list[str]:
    said = []
    if facts.position_bias is not None and abs(facts.position_bias) > NOTABLE_BIAS:
        said.append(
            _("scores texts higher the further down they are")
            if facts.position_bias > 0
            else _("scores texts higher the further up they are")
        )
    if facts.untouched:
        words = _("left %(share)s %% of the suggested marks untouched")
        said.append(words % {"share": round(100 * facts.untouched)})
    if facts.agreement is not None and facts.agreement < NOTABLE_AGREEMENT:
        said.append(_("does not agree with the other raters"))
    return said


def rule_counts(campaign: Campaign) -> RuleCounts:
    """Count the decisions of rules and people about a campaign's raters."""
    parts: Counter[tuple[str, str]] = Counter()
    for decision in campaign.rule_decisions.all():
        action = decision.get_action_display()
        parts.update((action, part) for part in decision.parts)
    standing = campaign.rater_exclusions.filter(withdrawn_at=None)
    worked = campaign.participants.filter(assignments__isnull=False).distinct()
    return RuleCounts(
        worked=worked.count(),
        excluded_by_rule=standing.exclude(rule="").count(),
        excluded_by_hand=standing.filter(rule="", by_rater=False).count(),
        withdrawn=standing.filter(by_rater=True).count(),
        by_part=tuple((*part, raters) for part, raters in parts.most_common()),
    )


@dataclass(frozen=True)
class RuleFindings:
    """The exclusion rule, decided again from what is stored.

    `by_part` counts the raters whom each part catches; `excluded` are the labels of those who are
    excluded by it, `by_hand` of those whom people excluded. A rater whom an organiser readmitted
    is caught, but not excluded.
    """

    rule: str
    worked: int
    by_part: tuple[tuple[str, int], ...]
    excluded: tuple[str, ...]
    by_hand: tuple[str, ...]


def rule_findings(campaign: Campaign) -> RuleFindings | None:
    """None for a campaign without a rule that excludes raters."""
    rules = frozen_definition(campaign).definition.rules
    rule = rules.rule("exclude")
    if rule is None:
        return None
    caught: Counter[str] = Counter({part.text: 0 for part in alternatives(rule)})
    raters = raters_at_work(campaign)
    # A rater who was excluded at the last page of a batch need not have said that it is finished.
    completed = Q(assignments__state=Assignment.State.COMPLETED)
    excluded_at_the_end = Q(rule_decisions__action=RuleDecision.Action.EXCLUDE) & ~Q(
        state=Participant.State.SCREENED_OUT
    )
    finished = set(
        campaign.participants.filter(completed | excluded_at_the_end).values_list("id", flat=True)
    )
    for first in range(0, len(raters), RATERS_AT_ONCE):
        portion = raters[first : first + RATERS_AT_ONCE]
        for rater, measures in measures_by_rater(campaign, portion).items():
            caught.update(caught_by(rule, measures, is_final=rater in finished))
    standing = campaign.rater_exclusions.filter(withdrawn_at=None).order_by("participant__label")
    labels = standing.values_list("participant__label", flat=True)
    return RuleFindings(
        rules.exclude_if,
        len(raters),
        tuple(caught.items()),
        tuple(labels.exclude(rule="")),
        tuple(labels.filter(rule="", by_rater=False)),
    )


def displaced_by_rule(campaign: Campaign) -> dict[int, int]:
    """Sittings that count because a rule excluded the first rater: each with the first sitting.

    Raters who were stopped within a batch have no whole sitting that could count instead.
    """
    standing = campaign.rater_exclusions.filter(withdrawn_at=None).exclude(rule="")
    displaced = Assignment.objects.filter(
        campaign=campaign,
        counts=False,
        state=Assignment.State.COMPLETED,
        participant__in=standing.values("participant"),
    ).order_by("-id")
    first = {sitting.slot_id: sitting.pk for sitting in displaced}
    counting = Assignment.objects.filter(slot__in=first, counts=True)
    return {sitting.pk: first[sitting.slot_id] for sitting in counting}
