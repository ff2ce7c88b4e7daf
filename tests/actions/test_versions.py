"""Changes after the launch: what becomes a version, what may not change, and who sees which."""

import pytest
from django.db import DatabaseError

from rankme.actions.campaign import campaigns, changes
from rankme.actions.sitting import assignments, participation
from rankme.errors import ChangedMeanwhile, InvalidDefinition, RefusedAction
from rankme.models import CampaignVersion, Submission
from rankme.protocols.changes import FREE, REASONS, what_may_not_change
from rankme.protocols.definition import Definition
from rankme.queries.judgement_table import judgement_table
from rankme.queries.versions import version_lines
from rankme.verification import verify_campaign
from tests.campaigns import make_campaign, make_owner, make_rater, slider_definition
from tests.database.rules import change
from tests.sittings import answer, claim, sit

pytestmark = pytest.mark.django_db


def texts(instructions: str) -> dict[str, str]:
    return {"consent": "Do you agree?", "instructions": instructions}


def correct(campaign, *, reason="A typo.", **parts):
    """Make a new version of a small campaign."""
    campaign.refresh_from_db()
    return changes.change_campaign(
        campaign,
        slider_definition(**parts),
        reason=reason,
        by=make_owner(),
        base=campaign.version,
    )


@pytest.fixture
def campaign():
    return make_campaign()


def test_a_change_is_a_numbered_version_with_reason_time_and_name(campaign):
    correct(campaign, reason=" The instructions were wrong. ", texts=texts("Click the line."))
    campaign.refresh_from_db()
    first, second = campaign.versions.all()
    assert (first.number, first.change, first.reason) == (1, "launch", "")
    assert (second.number, second.change, second.author) == (2, "definition", make_owner())
    assert second.reason == "The instructions were wrong."
    assert second.definition == campaign.definition != first.definition
    assert campaign.audit_events.first().detail == {
        "version": 2,
        "reason": "The instructions were wrong.",
        "definition_sha256": second.definition_sha256,
    }


def test_a_change_needs_a_reason_and_a_difference(campaign):
    with pytest.raises(RefusedAction, match="Say why"):
        correct(campaign, reason=" ", title="New")
    with pytest.raises(RefusedAction, match="nothing would change"):
        correct(campaign)
    assert campaign.versions.count() == 1


def test_a_change_of_an_older_version_is_refused(campaign):
    correct(campaign, title="First")
    with pytest.raises(ChangedMeanwhile):
        changes.change_campaign(
            campaign, slider_definition(title="Late"), reason="x", by=make_owner(), base=1
        )
    campaign.refresh_from_db()
    assert campaign.title == "First"


def test_drafts_and_archives_have_no_versions():
    draft = make_campaign(launch=False)
    with pytest.raises(RefusedAction, match="draft"):
        changes.reopen_campaign(draft, reason="x", by=make_owner(), base=0)


# --- What may change --------------------------------------------------------------------------


def likert(**changed):
    options = {"points": 3, "labels": ["bad", "fair", "good"]}
    criterion = {"name": "fluency", "question": "How fluent?", "instrument": "likert"}
    return slider_definition(criteria=[criterion | {"options": options | changed}])


def choice(**choices):
    criterion = {"name": "fluency", "question": "Which?", "instrument": "choice"}
    return slider_definition(criteria=[criterion | {"options": {"choices": choices}}])


def changed(**parts):
    return slider_definition(), slider_definition(**parts)


CRITERION = slider_definition().criteria[0].model_dump(mode="json")
SCREEN = slider_definition().screens[0].model_dump(mode="json")
MAY_CHANGE = {
    "texts": changed(texts=texts("New.")),
    "question": changed(criteria=[CRITERION | {"question": "New?", "low": "a", "high": "b"}]),
    "screen title": changed(screens=[SCREEN | {"title": "New"}]),
    "crowd": changed(crowd={"lease_minutes": 20, "pay_per_batch": 3, "open_link": False}),
    "labels": (likert(), likert(labels=["awful", "fair", "good"])),
    "labels that were missing": (likert(labels=[]), likert()),
    "names of choices": (choice(a="A", b="B"), choice(a="Yes", b="No")),
}
MAY_NOT_CHANGE = {
    "criteria": changed(
        criteria=[CRITERION, CRITERION | {"name": "more"}],
        screens=[SCREEN | {"ask": ["fluency", "more"]}],
    ),
    "criteria[0].options.maximum": changed(criteria=[CRITERION | {"options": {"maximum": 10}}]),
    "criteria[0].required": changed(criteria=[CRITERION | {"required": False}]),
    "criteria[0].options.points": (likert(), likert(points=4, labels=[])),
    "criteria[0].options.choices": (choice(a="A", b="B"), choice(b="B", a="A")),
    "screens[0].show": changed(screens=[SCREEN | {"show": ["outputs"]}]),
    "design.kind": changed(design={"kind": "complete"}),
    "raters_per_trial": changed(raters_per_trial=2),
    "seed": changed(seed=12),
    "language": changed(language="de"),
    "generality": changed(generality="raters"),
    "primary": changed(primary="fluency"),
    "equivalence.fluency": changed(equivalence={"fluency": 5}),
}


@pytest.mark.parametrize("name", MAY_CHANGE)
def test_texts_and_terms_may_change(name):
    assert what_may_not_change(*MAY_CHANGE[name]) == []


@pytest.mark.parametrize("place", MAY_NOT_CHANGE)
def test_changes_of_meaning_are_refused_with_the_field(place):
    problems = what_may_not_change(*MAY_NOT_CHANGE[place])
    assert place in [problem.place for problem in problems], problems
    assert all(problem.message.endswith(".") for problem in problems)


def test_a_refused_change_stores_nothing(campaign):
    with pytest.raises(InvalidDefinition, match="raters_per_trial"):
        correct(campaign, raters_per_trial=5)
    assert campaign.versions.count() == 1


# --- Who sees which version -------------------------------------------------------------------


def test_a_sitting_keeps_its_version_and_new_ones_get_the_newest(campaign):
    held = claim(make_rater(campaign, "early"))
    answer(held)
    correct(campaign, crowd={"lease_minutes": 20})
    answer(held, trial=1)
    campaign.refresh_from_db()
    later = claim(make_rater(campaign, "late"))
    answer(later)
    assert (held.version, later.version) == (1, 2)
    assert list(Submission.objects.order_by("pk").values_list("version", flat=True)) == [1, 1, 2]
    assert [(line.raters, line.judgements) for line in version_lines(campaign)] == [(1, 2), (1, 1)]
    assert judgement_table(campaign).factors["version"].labels == ("1", "2")
    assert verify_campaign(campaign).fault == ""


def test_answers_are_checked_by_the_version_that_was_shown():
    campaign = make_campaign(choice(a="A", b="B"), items=2, systems=2)
    held = claim(make_rater(campaign))
    changes.change_campaign(
        campaign, choice(a="Yes", b="No"), reason="Words.", by=make_owner(), base=1
    )
    answer(held, answers=[{"criterion": "fluency", "place": 0, "value": "a"}])
    assert held.submissions.get().judgements.get().text in ("a", "A")


def test_changed_instructions_are_read_before_the_next_batch_but_not_in_one(campaign):
    rater = make_rater(campaign)
    participation.mark_instructed(rater)
    held = claim(rater)
    correct(campaign, texts=texts("Click the line."))

    def must_read():
        fresh = type(rater).objects.select_related("campaign").get(pk=rater.pk)
        return participation.must_read_again(fresh)

    assert not must_read()
    assignments.return_batch(held)
    assert must_read()
    rater.refresh_from_db()
    participation.mark_instructed(rater, version=2)
    assert not must_read()


def test_a_changed_lease_is_for_those_at_work_too(campaign):
    held = claim(make_rater(campaign))
    correct(campaign, crowd={"lease_minutes": 600})
    answer(held)
    before = held.leased_until
    held.refresh_from_db()
    assert (held.leased_until - before).total_seconds() > 400 * 60


def test_reopening_is_a_version_and_batches_are_handed_out_again(campaign):
    sit(make_rater(campaign))
    with pytest.raises(RefusedAction, match="Only a closed"):
        changes.reopen_campaign(campaign, reason="More.", by=make_owner(), base=1)
    campaigns.close_campaign(campaign, by=make_owner())
    changes.reopen_campaign(campaign, reason="Too few raters.", by=make_owner(), base=1)
    campaign.refresh_from_db()
    assert (campaign.state, campaign.closed_at, campaign.version) == ("running", None, 2)
    assert claim(make_rater(campaign, "w2")).version == 2


# --- What the database itself refuses ---------------------------------------------------------


SECOND = (
    "INSERT INTO rankme_campaignversion (campaign_id, number, change, definition,"
    " definition_sha256, items, systems, extension, reason)"
    " SELECT campaign_id, {number}, '{change}', definition, '', 0, 0, '{{}}', '{reason}'"
    " FROM rankme_campaignversion"
)
# The guard: how to take it away, and what it refuses.
GUARDS = {
    "campaignversion_is_insert_only": (
        "DROP TRIGGER campaignversion_is_insert_only ON rankme_campaignversion",
        "UPDATE rankme_campaignversion SET reason = 'x'",
    ),
    "versions_have_no_gap": (
        "DROP TRIGGER versions_have_no_gap ON rankme_campaignversion",
        SECOND.format(number=3, change="definition", reason="x"),
    ),
    "a_change_has_a_reason": (
        "ALTER TABLE rankme_campaignversion DROP CONSTRAINT a_change_has_a_reason",
        SECOND.format(number=2, change="definition", reason=""),
    ),
    "the_first_version_is_the_launch": (
        "ALTER TABLE rankme_campaignversion DROP CONSTRAINT the_first_version_is_the_launch",
        SECOND.format(number=2, change="launch", reason=""),
    ),
    "a_rater_saw_a_version": (
        "ALTER TABLE rankme_participant DROP CONSTRAINT a_rater_saw_a_version",
        "UPDATE rankme_participant SET version = 7",
    ),
    "a_sitting_is_of_a_version": (
        "ALTER TABLE rankme_assignment DROP CONSTRAINT a_sitting_is_of_a_version",
        "UPDATE rankme_assignment SET version = 7",
    ),
    "a_submission_is_of_its_sittings_version": (
        "ALTER TABLE rankme_submission DROP CONSTRAINT a_submission_is_of_its_sittings_version",
        "INSERT INTO rankme_submission (key, assignment_id, version, trial_id, screen, revision,"
        " late, surplus, payload, payload_sha256, chain_sha256, flags)"
        " SELECT gen_random_uuid(), id, 7, (presentation #>> '{0,0}')::bigint, 0, 9, false,"
        " false, '{}', '', '', '[]' FROM rankme_assignment",
    ),
}


@pytest.mark.parametrize("guard", GUARDS)
def test_the_database_keeps_versions_and_who_saw_them(campaign, guard):
    claim(make_rater(campaign))
    without, statement = GUARDS[guard]
    with pytest.raises(DatabaseError):
        change(statement)
    # The guard's own doing: without it the statement goes through.
    change(without)
    change(statement)


def test_a_campaign_is_not_launched_without_its_first_version():
    draft = make_campaign(launch=False)
    statement = (
        "UPDATE rankme_campaign SET state = 'running', launched_at = now(), version = 1"
        f" WHERE id = {draft.pk}"
    )
    with pytest.raises(DatabaseError, match="definition of its newest version"):
        change(statement)
    change("DROP TRIGGER launched_definition_is_frozen ON rankme_campaign")
    change(statement)


def test_verify_notices_a_version_that_was_rewritten(campaign):
    sit(make_rater(campaign))
    assert verify_campaign(campaign).fault == ""
    change("ALTER TABLE rankme_campaignversion DISABLE TRIGGER USER")
    change(
        "UPDATE rankme_campaignversion"
        " SET definition = jsonb_set(definition, '{texts,instructions}', '\"Other.\"')"
    )
    assert "version 1" in verify_campaign(campaign).fault
    assert CampaignVersion.objects.count() == 1


def test_every_part_of_a_campaign_file_may_change_or_says_why_not():
    kept = set(Definition.model_fields) - FREE - {"format"}
    assert kept == set(REASONS)
