"""Rules tried on what raters have answered so far, also at other bounds. Nothing follows."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count, Q

from analysis.checks.rules import (
    Rule,
    alternatives,
    caught_by,
    other_bounds,
    with_bound,
)
from rankme.models import Assignment, Campaign, Participant
from rankme.protocols.checks import Rules
from rankme.protocols.files import stored_definition
from rankme.queries.check_answers import measures_by_rater

# Reading the checks of more raters takes too long for a page: the latest ones are tried.
MOST_TRIED = 300


@dataclass(frozen=True)
class Tried:
    """A rater, how many batches they have finished, and the parts of the rule that catch them."""

    rater: Participant
    finished: int
    parts: tuple[str, ...]


@dataclass(frozen=True)
class Caught:
    """How many raters something catches, the batches they have finished, and the pay for these."""

    text: str
    raters: int
    batches: int
    pay: float
    is_tried: bool = False  # the rule as it was asked for, among others


@dataclass(frozen=True)
class RuleTrial:
    """A rule on the newest raters: as a whole, by part, and with each of its bounds moved."""

    tried: int
    whole: Caught
    by_part: tuple[Caught, ...]
    variations: tuple[tuple[Caught, ...], ...]
    caught: tuple[Tried, ...]


def try_rule(campaign: Campaign, rules: Rules) -> RuleTrial | None:
    """Decide the exclusion rule once, over all that each rater has done; None without a rule."""
    rule = rules.rule("exclude")
    if rule is None:
        return None
    finished = Count("assignments", filter=Q(assignments__state=Assignment.State.COMPLETED))
    newest = campaign.participants.filter(assignments__isnull=False).annotate(finished=finished)
    raters = {rater.pk: rater for rater in newest.order_by("-id")[:MOST_TRIED]}
    measures = measures_by_rater(campaign, list(raters), rules=rules)
    pay = stored_definition(campaign.definition).crowd.pay_per_batch
    work = {pk: rater.finished for pk, rater in raters.items()}

    def among(text: str, rule: Rule, *, is_tried: bool = False) -> Caught:
        found = [pk for pk in raters if rule.truth(measures[pk], is_final=work[pk] > 0)]
        batches = sum(work[pk] for pk in found)
        return Caught(text, len(found), batches, batches * pay, is_tried=is_tried)

    told = (
        Tried(rater, work[pk], caught_by(rule, measures[pk], is_final=work[pk] > 0))
        for pk, rater in raters.items()
    )
    return RuleTrial(
        tried=len(raters),
        whole=among(rule.text, rule),
        by_part=tuple(among(part.text, part) for part in alternatives(rule)),
        variations=tuple(
            tuple(
                among(
                    f"{each.measure} {each.sign} {bound:g}",
                    with_bound(rule, each, bound),
                    is_tried=bound == each.bound,
                )
                for bound in other_bounds(each)
            )
            for each in dict.fromkeys(rule.comparisons())
        ),
        caught=tuple(each for each in told if each.parts),
    )
