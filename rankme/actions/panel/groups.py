"""Groups of people at a panel: raters of one campaign, kept out of another or let in alone."""

from __future__ import annotations

from django.db.models import Exists, OuterRef

from rankme.models import Assignment, PanelAccount, PanelStudy, PanelSubmission
from rankme.panel_calls.prolific import Prolific

from .accounts import panel_of

PEOPLE_PER_CALL = 200


def earlier_studies(account: PanelAccount) -> list[PanelStudy]:
    """The account's studies whose raters can be kept out or let in."""
    published = account.studies.exclude(state__in=["NEW", "UNPUBLISHED"])
    return list(published.select_related("campaign"))


def group_filter(filter_id: str, studies: list[PanelStudy]) -> list[dict[str, object]]:
    """The filter that keeps out, or lets in alone, the raters of these studies."""
    groups = [group_of(study) for study in studies]
    return [{"filter_id": filter_id, "selected_values": groups}] if groups else []


def group_of(study: PanelStudy) -> str:
    """The group of a study's raters, which is made when it is first needed and fed from then on."""
    panel = panel_of(study.account)
    name = f"rankme {study.key}"
    workspace = study.account.workspace
    group = study.group or panel.find_group(workspace, name)
    if not group:
        group = panel.create_group(workspace, name)
    PanelStudy.objects.filter(pk=study.pk).update(group=group)
    study.group = group
    _feed(panel, study)
    return group


def feed_group(study: PanelStudy) -> None:
    """Add those who have seen items since; people who are in a group already stay."""
    if study.group and not study.is_over:
        _feed(panel_of(study.account), study)


def _feed(panel: Prolific, study: PanelStudy) -> None:
    """People who had a batch have seen its items, whatever became of their place at the panel."""
    batches = Assignment.objects.filter(participant=OuterRef("participant"))
    saw_items = PanelSubmission.objects.filter(Exists(batches), study=study)
    people = list(saw_items.order_by("id").values_list("person", flat=True))
    for start in range(0, len(people), PEOPLE_PER_CALL):
        panel.add_to_group(study.group, people[start : start + PEOPLE_PER_CALL])
