"""A rater's own page: her data, and withdrawing, without a login."""

import json
import re
from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction
from django.db.models import F
from django.test import Client

from rankme.actions.accounts.invitations import invite_raters
from rankme.actions.campaign.campaigns import close_campaign
from rankme.actions.campaign.changes import change_campaign
from rankme.actions.panel.money import finished
from rankme.actions.runs import run_exclusions
from rankme.actions.sitting import exclusions
from rankme.actions.sitting.erasing import erase_campaign
from rankme.actions.sitting.exclusions import WITHDRAWN
from rankme.actions.sitting.participation import leave_comment
from rankme.errors import RefusedAction
from rankme.exporting.own_data import WITHOUT, own_data
from rankme.models import (
    AnalysisRun,
    Assignment,
    AuditEvent,
    Campaign,
    PanelSubmission,
    Participant,
    RaterExclusion,
)
from rankme.queries.judgement_table import judgement_table
from rankme.queries.quality import rule_counts
from tests.campaigns import make_campaign, slider_definition
from tests.pages.addresses import address
from tests.pages.rater.visits import arrive, begin, complete, payload_for, send
from tests.panels.loop import study_row
from tests.sittings import complaint_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("the_record_holds")]


@pytest.fixture(scope="module")
def made_once(rows_of_the_module: None) -> Campaign:
    """Tests roll back what they do to it."""
    return make_campaign(slider_definition(), items=2, systems=2)


@pytest.fixture
def campaign(made_once: Campaign) -> Campaign:
    return Campaign.objects.get(pk=made_once.pk)


def own_page(client: Client, campaign: Campaign) -> str:
    return client.get(address("my-data", campaign)).text


def withdraw(client: Client, campaign: Campaign, decision: str) -> Participant:
    client.post(address("my-data", campaign), {"decision": decision})
    return campaign.participants.get()


def done(client: Client, campaign: Campaign, **link: str) -> Participant:
    """A rater who has finished a batch."""
    complete(client, campaign, begin(client, campaign, **link))
    return campaign.participants.latest("pk")


def test_every_page_after_the_consent_leads_to_the_raters_data(client, campaign):
    where = address("my-data", campaign)
    assert where not in client.get(address("enter", campaign)).text
    document = begin(client, campaign)
    assert where in client.get(address("work", campaign)).text
    complete(client, campaign, document)
    assert where in client.get(address("done", campaign)).text


def test_a_stranger_is_asked_for_consent_and_sees_no_data(client, campaign):
    done(Client(), campaign)
    for name in ("my-data", "my-data-file"):
        answer = client.get(address(name, campaign))
        assert (answer.status_code, answer["Location"]) == (302, address("enter", campaign))


def test_the_file_has_what_the_rater_sent(client, campaign):
    document = begin(client, campaign, id="w-1", session="s-1")
    said = payload_for(campaign, document, comment="My cat is called Minka.")
    assert send(client, campaign, said).status_code == 201
    rater = campaign.participants.get()
    leave_comment(rater, "A nice study.")
    complaint_of(rater.assignments.get())
    campaign.participants.update(entry_answers={"age": "41"})
    answer = client.get(address("my-data-file", campaign))
    data = json.loads(answer.content)
    assert "attachment" in answer["Content-Disposition"]
    assert (data["you"]["external_id"], data["you"]["session_id"]) == ("w-1", "s-1")
    assert data["you"]["entry_answers"] == {"age": "41"}
    assert data["you"]["comment"] == "A nice study."
    assert data["batches"][0]["screens"][0]["payload"]["comment"] == "My cat is called Minka."
    assert data["reported_problems"][0]["text"] == "The text is cut off."
    assert data["consent"]["version"] == 1 and data["consent"]["text"]


def test_the_file_covers_every_column_and_table_about_a_rater(client, campaign):
    rater = done(client, campaign)
    data = own_data(rater)
    columns = {field.name for field in Participant._meta.concrete_fields}
    assert set(data["you"]) == columns - WITHOUT | {"name"}
    tables = {
        "assignments": "batches",
        "quarantined": "unreadable_answers",
        "quiz_attempts": "quiz",
        "complaints": "reported_problems",
        "rule_decisions": "decisions_of_rules",
        "exclusions": "exclusions",
        "panel_submissions": "panel",
        "panel_credit": "credit_at_the_panel",
    }
    related = {each.get_accessor_name() for each in Participant._meta.related_objects}
    assert related == set(tables)
    assert set(tables.values()) <= set(data)


def test_the_file_names_no_system_and_no_expected_answer(client, campaign):
    done(client, campaign)
    text = client.get(address("my-data-file", campaign)).text
    names = list(campaign.systems.values_list("name", flat=True))
    assert names and not any(f'"{name}"' in text for name in names)


def test_a_named_link_shows_the_name_that_was_stored(client, campaign):
    (link,) = invite_raters(campaign, ["Anna Albrecht"], by=campaign.owner)
    arrive(client, campaign, invitation=link.token)
    assert "Anna Albrecht" in own_page(client, campaign)
    assert own_data(campaign.participants.get())["you"]["name"] == "Anna Albrecht"


def test_withdrawing_from_now_on_frees_the_batch_and_keeps_the_answers(client, campaign):
    document = begin(client, campaign)
    send(client, campaign, payload_for(campaign, document))
    rater = withdraw(client, campaign, "from-now")
    assert (rater.state, rater.withdrawn_at is not None) == ("returned", True)
    assert rater.assignments.get().state == Assignment.State.RETURNED
    assert not rater.exclusions.exists()
    assert "You withdrew on" in own_page(client, campaign)
    assert AuditEvent.objects.filter(campaign=campaign, verb="rater withdrew").count() == 1


def test_who_has_withdrawn_cannot_go_on_after_all(client, campaign):
    begin(client, campaign)
    withdraw(client, campaign, "from-now")
    page = client.get(address("give-back", campaign)).text
    assert "You have withdrawn" in page and "go-on" not in page
    client.post(address("give-back", campaign), {"decision": "go-on"})
    assert campaign.participants.get().state == "returned"


def test_withdrawn_answers_are_in_no_later_analysis(client, campaign):
    done(client, campaign)
    before = judgement_table(campaign)
    assert before.value.size and not (before.excluded is not None and before.excluded.any())
    rater = withdraw(client, campaign, "answers")
    table = judgement_table(campaign)
    assert table.excluded is not None and table.excluded.all()
    published = run_exclusions.without_withdrawn(campaign, table)
    assert not len(published) and rater.label not in published.rater.labels
    run = AnalysisRun(campaign=campaign, options={"exclude_raters": []})
    for each in (table, published):
        said = run_exclusions.exclusions(run, each)
        assert said == [{"rater": rater.label, "reason": WITHDRAWN}]
    assert (rater.state, rater.outcome) == ("completed", "completed")
    assert rule_counts(campaign).withdrawn == 1


def test_withdrawing_twice_is_noted_once(client, campaign):
    done(client, campaign)
    for decision in ("from-now", "answers", "answers", "from-now", "nonsense"):
        withdraw(client, campaign, decision)
    verbs = AuditEvent.objects.filter(campaign=campaign, verb__startswith="rater withdrew")
    assert sorted(verbs.values_list("verb", flat=True)) == [
        "rater withdrew",
        "rater withdrew answers",
    ]
    assert RaterExclusion.objects.filter(campaign=campaign).count() == 1


def test_nobody_includes_withdrawn_answers_again(client, campaign):
    rater = done(client, campaign)
    exclusions.exclude_rater(rater, reason="Too fast.", by=campaign.owner)
    withdraw(client, campaign, "answers")
    with pytest.raises(RefusedAction, match="withdrew"):
        exclusions.readmit_rater(rater, by=campaign.owner)
    standing = rater.exclusions.get(withdrawn_at=None)
    assert (standing.by_rater, standing.reason) == (True, WITHDRAWN)


def test_an_exclusion_is_by_a_person_a_rule_or_the_rater(campaign):
    rater = arrive(Client(), campaign)
    for facts in ({}, {"by_rater": True, "rule": "x"}, {"by_rater": True, "decided_by": "owner"}):
        if facts.get("decided_by"):
            facts = facts | {"decided_by": campaign.owner}
        with pytest.raises(IntegrityError, match="a_person_a_rule"), transaction.atomic():
            RaterExclusion.objects.create(campaign=campaign, participant=rater, reason="?", **facts)


def test_a_second_browser_neither_reads_nor_withdraws(client, campaign):
    rater = done(client, campaign, id="w-1")
    other = Client()
    other.get(address("enter", campaign), {"id": "w-1"}, follow=True)
    page = own_page(other, campaign)
    assert "only for the person" in page and rater.label not in page
    assert other.get(address("my-data-file", campaign)).status_code == 302
    other.post(address("my-data", campaign), {"decision": "answers"})
    rater.refresh_from_db()
    assert rater.withdrawn_at is None and not rater.exclusions.exists()


def test_the_personal_link_opens_the_data_long_after_the_work(client, campaign):
    rater = done(client, campaign)
    link = re.search(r"my-data/resume/[^\s<\"]+", own_page(client, campaign))[0]
    close_campaign(campaign, by=campaign.owner)
    past = F("arrived_at") - timedelta(days=80)
    Participant.objects.filter(pk=rater.pk).update(
        arrived_at=past, completed_at=F("completed_at") - timedelta(days=80)
    )
    Assignment.objects.filter(participant=rater).update(ended_at=F("ended_at") - timedelta(days=80))
    late = Client()
    page = late.get(address("enter", campaign) + link, follow=True).text
    assert rater.label in page
    assert late.get(address("done", campaign)).status_code == 302  # the work is closed to her
    assert withdraw(late, campaign, "answers").withdrawn_at is not None


def test_ending_the_access_of_a_rater_ends_the_link_to_the_data(client, campaign):
    rater = done(client, campaign)
    link = re.search(r"my-data/resume/[^\s<\"]+", own_page(client, campaign))[0]
    Participant.objects.filter(pk=rater.pk).update(generation=F("generation") + 1)
    answer = Client().get(address("enter", campaign) + link, follow=True)
    assert answer.redirect_chain[-1][0] == address("enter", campaign)


def test_who_withdraws_finished_work_is_still_paid(client, campaign):
    rater = done(client, campaign)
    submission = PanelSubmission.objects.create(
        study=study_row(campaign),
        external_id="there",
        person="w-1",
        participant=rater,
        state="AWAITING REVIEW",
        entered_code=rater.completion_code,
    )
    withdraw(client, campaign, "answers")
    assert list(finished(PanelSubmission.objects.all())) == [submission]
    RaterExclusion.objects.filter(participant=rater).update(withdrawn_at="2026-01-01T00:00:00Z")
    exclusions.exclude_rater(rater, reason="Too fast.", by=campaign.owner)
    assert not finished(PanelSubmission.objects.all()).exists()


def test_a_rater_erases_who_she_is_after_the_work(client, campaign):
    document = begin(client, campaign, id="w-1")
    page = client.post(address("my-data", campaign), {"decision": "erase"})
    assert page.status_code == 422 and "during the work" in page.text
    complete(client, campaign, document)
    rater = campaign.participants.get()
    page = client.post(address("my-data", campaign), {"decision": "erase"})
    assert "Your links no longer work" in page.text
    rater.refresh_from_db()
    assert rater.erased_at is not None and rater.external_id != "w-1"
    answer = client.get(address("my-data", campaign))
    assert answer["Location"] == address("enter", campaign)


def test_where_identities_are_erased_the_page_says_why_nothing_can_be_withdrawn(client, campaign):
    rater = done(client, campaign)
    link = re.search(r"my-data/resume/[^\s<\"]+", own_page(client, campaign))[0]
    erase_campaign(close_campaign(campaign, by=campaign.owner), by=campaign.owner)
    for visitor in (client, Client()):
        page = visitor.get(address("enter", campaign) + link, follow=True).text
        assert "be withdrawn: nobody can tell whose" in page and rater.label not in page
        visitor.post(address("my-data", campaign), {"decision": "answers"})
    assert not rater.exclusions.exists()


def test_people_read_before_they_agree_how_long_what_is_kept(client, campaign):
    page = client.get(address("enter", campaign)).text
    assert "90 days after" in page and "10 years" in page
    assert "My data" in page and "left out of all later analyses" in page
    begin(client, campaign)
    assert "90 days after" in own_page(client, campaign)
    closed = close_campaign(campaign, by=campaign.owner)
    assert f"{closed.identities_until:%Y-%m-%d}" in own_page(client, campaign)


def test_the_version_of_the_consent_stays_what_was_agreed_to(client, campaign):
    rater = arrive(client, campaign)
    assert rater.consent_version == campaign.version == 1
    changed = slider_definition(texts={"consent": "Agreed anew.", "instructions": "Read twice."})
    change_campaign(campaign, changed, reason="New texts.", by=campaign.owner, base=1)
    client.post(address("instructions", campaign))
    rater.refresh_from_db()
    assert (rater.version, rater.consent_version) == (2, 1)
    assert own_data(rater)["consent"]["text"] != "Agreed anew."
