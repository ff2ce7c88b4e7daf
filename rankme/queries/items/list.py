"""Put a campaign's items in the order in which an organiser wants to read them."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from rankme.models import Campaign, Item, Output, Participant, System
from rankme.protocols.files import stored_definition
from rankme.queries.counting import ANALYSED
from rankme.queries.sql import rows_of

# Texts have no numbers, and careful raters differ in their times.
UNCOMPARED = ("text", "time")

# The values as they compare: places on a screen where only the order counts.
GIVEN = f"""
    SELECT t.item_id AS item, o.id AS output, o.system_id AS system, j.criterion_id AS criterion,
        a.participant_id AS rater,
        CASE WHEN j.criterion_id = ANY(%(relative)s)
            THEN percent_rank() OVER (PARTITION BY j.submission_id, j.criterion_id ORDER BY j.value)
            ELSE j.value END AS value
    FROM rankme_assignment a
    JOIN rankme_submission s ON s.assignment_id = a.id
    JOIN rankme_trial t ON t.id = s.trial_id
    JOIN rankme_judgement j ON j.submission_id = s.id
    LEFT JOIN rankme_output o ON o.id = COALESCE(j.output_id, (
        SELECT min(p.output_id) FROM rankme_trialoutput p
        WHERE p.trial_id = s.trial_id HAVING count(*) = 1))
    WHERE a.campaign_id = %(campaign)s AND j.criterion_id = ANY(%(criteria)s)
        AND j.value IS NOT NULL AND {ANALYSED}"""

# Krippendorff's disagreement, of each output's values with each other (`apart`, `values`) and of
# all values of the criterion (`expected`). Two values are apart by 1 if they differ (categories) or
# by half their squared difference.
APART = """CASE WHEN criterion = ANY(%(unordered)s)
        THEN sum(times) * sum(times) - sum(times * times)
        ELSE sum(times) * sum(times * value * value) - sum(times * value) * sum(times * value)
        END"""
DISAGREEMENT = f"""
    WITH counted AS (
        SELECT item, output, criterion, value, count(*)::float AS times
        FROM ({GIVEN}) AS given GROUP BY item, output, criterion, value
    ), shared AS (
        SELECT item, criterion, sum(times) AS n, {APART} / (sum(times) - 1) AS apart
        FROM counted GROUP BY item, output, criterion HAVING sum(times) > 1
    ), pooled AS (
        SELECT criterion, value, sum(times) AS times FROM counted GROUP BY criterion, value
    ), whole AS (
        SELECT criterion, {APART} / (sum(times) * (sum(times) - 1)) AS expected
        FROM pooled GROUP BY criterion HAVING sum(times) > 1
    )
    SELECT item, sum(apart) / sum(n) / expected FROM shared JOIN whole USING (criterion)
    WHERE expected > 0 GROUP BY item, criterion, expected"""
MEANS = f"""
    SELECT item, avg(value) FROM ({GIVEN}) AS given
    WHERE %(system)s::bigint IS NULL OR system = %(system)s GROUP BY item"""
DISTANCES = f"""
    WITH given AS ({GIVEN})
    SELECT item, avg(abs(own - others)) / spread FROM (
        SELECT item, output, criterion, avg(value) FILTER (WHERE rater = %(rater)s) AS own,
            avg(value) FILTER (WHERE rater <> %(rater)s) AS others
        FROM given GROUP BY item, output, criterion) AS compared
    JOIN (SELECT criterion, stddev_pop(value) AS spread FROM given GROUP BY criterion) AS whole
        USING (criterion)
    WHERE own IS NOT NULL AND others IS NOT NULL AND spread > 0 GROUP BY item, criterion, spread"""


@dataclass(frozen=True)
class Wish:
    """Which items an organiser wants to read, and which first."""

    search: str = ""
    order: str = "upload"
    criterion: int | None = None
    system: System | None = None
    rater: Participant | None = None


@dataclass(frozen=True)
class ItemOrder:
    """The ids of the items that fit a wish, and the numbers that they are ordered by, if any."""

    ids: list[int]
    numbers: Mapping[int, float]


@dataclass(frozen=True)
class ItemLine:
    """One item of the list; `number` is what the list is ordered by."""

    item: Item
    raters: int
    reports: int
    number: float | None

    @property
    def number_in_upload(self) -> int:
        """Its place in the upload, from 1, which its address contains."""
        return self.item.position + 1


def items_for(campaign: Campaign, wish: Wish) -> ItemOrder:
    """Find the items that fit a wish, in its order; those without a number come last."""
    ids = list(_fitting(campaign, wish).values_list("pk", flat=True))
    numbers = _numbers(campaign, wish)
    sign = 1 if wish.order == "lowest" else -1
    if numbers:
        ids.sort(key=lambda pk: (pk not in numbers, sign * numbers.get(pk, 0.0)))
    return ItemOrder(ids, numbers)


def item_lines(campaign: Campaign, ids: Sequence[int], order: ItemOrder) -> list[ItemLine]:
    """Describe these items, in the same order."""
    counting = Q(trials__batch__assignments__counts=True, trials__as_check=None)
    raters = Count("trials__batch__assignments__participant", filter=counting, distinct=True)
    found = campaign.items.annotate(raters=raters).in_bulk(ids)
    reports = _reports(campaign)
    return [
        ItemLine(found[pk], found[pk].raters, int(reports.get(pk, 0)), order.numbers.get(pk))
        for pk in ids
    ]


def disagreements(campaign: Campaign) -> dict[int, float]:
    """Compute by item how far its raters disagree: Krippendorff's ratio, 1 − α.

    It is 0 where all gave equal values to an output, and 1 where their values differ as much as
    any two of the campaign. The mean over criteria; items that one rater judged have none.
    """
    return _means_of_criteria(DISAGREEMENT, _compared(campaign))


def _numbers(campaign: Campaign, wish: Wish) -> dict[int, float]:
    if wish.order == "disagreement":
        return disagreements(campaign)
    if wish.order == "reports":
        return _reports(campaign)
    if wish.order == "apart" and wish.rater is not None:
        # Categories have no distance.
        asked = _compared(campaign)
        ordered = [pk for pk in asked["criteria"] if pk not in asked["unordered"]]
        values = {**asked, "criteria": ordered, "rater": wish.rater.pk}
        return _means_of_criteria(DISTANCES, values)
    if wish.order in ("lowest", "highest") and wish.criterion is not None:
        only = {"criteria": [wish.criterion], "relative": [], "campaign": campaign.pk}
        return _means_of_criteria(MEANS, only | {"system": wish.system and wish.system.pk})
    return {}


def _fitting(campaign: Campaign, wish: Wish) -> QuerySet[Item]:
    items = campaign.items.order_by("position")
    if wish.rater is not None:
        items = items.filter(pk__in=wish.rater.assignments.values("batch__trials__item"))
    if not wish.search:
        return items
    said = Output.objects.filter(item=OuterRef("pk"), text__icontains=wish.search)
    in_item = Q(key__icontains=wish.search) | Q(input__icontains=wish.search)
    return items.filter(in_item | Exists(said))


def _reports(campaign: Campaign) -> dict[int, float]:
    """Count the reports that nobody has dealt with, by item."""
    is_open = campaign.complaints.filter(dealt_with_at=None, trial__as_check=None)
    about = is_open.exclude(trial=None).order_by().values_list("trial__item")
    return dict(about.annotate(Count("pk")))


def _compared(campaign: Campaign) -> dict[str, Any]:
    """Sort the criteria by how their values compare."""
    kinds = stored_definition(campaign.definition).kinds
    by_kind: dict[str, list[int]] = defaultdict(list)
    for name, pk in campaign.criteria.values_list("name", "pk"):
        by_kind[kinds.get(name, "scale")].append(pk)
    return {
        "campaign": campaign.pk,
        "criteria": [pk for kind, pks in by_kind.items() if kind not in UNCOMPARED for pk in pks],
        "relative": by_kind["relative"],
        "unordered": by_kind["category"],
    }


def _means_of_criteria(statement: str, values: dict[str, Any]) -> dict[int, float]:
    numbers: dict[int, list[float]] = defaultdict(list)
    for item, number in rows_of(statement, values):
        numbers[item].append(number)
    return {item: math.fsum(found) / len(found) for item, found in numbers.items()}
