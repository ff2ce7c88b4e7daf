"""Checks are drawn into batches, look like all other pages, and never become judgements."""

import json
from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction
from pydantic import ValidationError

from rankme.actions.campaign import campaigns
from rankme.actions.campaign.extensions import extend_campaign
from rankme.errors import RefusedAction
from rankme.exporting.judgements import judgements_csv
from rankme.models import (
    Campaign,
    CheckTrial,
    Item,
    Judgement,
    Output,
    RuleDecision,
    Submission,
    Trial,
    TrialOutput,
)
from rankme.pages.rater.page_document import as_json, page_document
from rankme.pages.rater.shown_trials import trials_of
from rankme.protocols.checks import CheckSpec
from rankme.protocols.files import preset
from rankme.queries.judgement_table import judgement_table
from rankme.verification.record import verify_campaign
from tests.campaigns import (
    make_campaign,
    make_owner,
    make_rater,
    rankme_definition,
    slider_definition,
)
from tests.invariants import check_record
from tests.marking import add_demonstration
from tests.sittings import claim, sit

pytestmark = pytest.mark.django_db

INSTRUCTED = {
    "name": "look",
    "kind": "instructed",
    "options": {"text": "Move this to {value}.", "value": 20, "tolerance": 3},
}
KNOWN = {
    "name": "known",
    "kind": "known_answer",
    "options": {"outputs": ["Asdf qwer yxcv."], "at_most": 20},
}
TIME = {"kind": "time", "options": {"least_active_seconds": 5}}


def checks_on(criterion: str, *checks: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"criterion": criterion} | check for check in checks]


def one_output(**changes: Any):
    checks = checks_on(
        "fluency",
        INSTRUCTED | {"per_batch": 2},
        KNOWN,
        {"name": "corruption", "kind": "corruption", "per_batch": 3, "options": {"apart": 3}},
        {"name": "repeat", "kind": "repeat", "per_batch": 2, "options": {"apart": 6}},
    )
    return slider_definition(**({"checks": checks} | changes))


def many_outputs(**changes: Any):
    checks = checks_on(
        "quality",
        INSTRUCTED,
        KNOWN | {"options": {"outputs": ["Good.", "Bad."], "in_order": True}},
        # Other damage can make of one text of this material another one of it.
        {"name": "better_than", "kind": "better_than", "options": {"types": ["clause_doubled"]}},
        {"name": "repeat", "kind": "repeat", "options": {"apart": 3}},
    )
    return rankme_definition(**({"checks": checks} | changes))


@pytest.fixture(scope="module")
def launched_once(rows_of_the_module) -> dict[str, Campaign]:
    """Tests roll back what they do to them."""
    return {
        "campaign": make_campaign(one_output(), items=12, systems=3),
        "screens": make_campaign(many_outputs(), items=8, systems=3),
    }


@pytest.fixture
def campaign(launched_once) -> Campaign:
    return Campaign.objects.get(pk=launched_once["campaign"].pk)


@pytest.fixture
def screens(launched_once) -> Campaign:
    return Campaign.objects.get(pk=launched_once["screens"].pk)


def test_no_trial_of_the_plan_loses_its_place(campaign):
    without = make_campaign(one_output(checks=[]), items=12, systems=3)
    plans = []
    for found in (campaign, without):
        places = TrialOutput.objects.filter(trial__batch__campaign=found).order_by(
            "trial__batch__number", "trial__position"
        )
        plans.append(list(places.values_list("trial__batch__number", "output__text")))
    assert plans[0] == plans[1]
    for batch in campaign.batches.all():
        positions = list(batch.trials.order_by("position").values_list("position", flat=True))
        assert positions == list(range(12 + 8))


def test_every_batch_has_its_checks_among_the_trials(campaign):
    for batch in campaign.batches.all():
        names = CheckTrial.objects.filter(trial__batch=batch).values_list("name", flat=True)
        assert sorted(names) == sorted(
            ["look"] * 2 + ["known"] + ["corruption"] * 3 + ["repeat"] * 2
        )


def test_larger_batches_have_more_pages_of_a_check_that_has_a_frequency():
    frequent = checks_on(
        "fluency", INSTRUCTED | {"every": 5}, KNOWN | {"every": 100}, {"name": "t", **TIME}
    )
    campaign = make_campaign(one_output(checks=frequent), items=12, systems=3)
    for batch in campaign.batches.all():
        assert batch.trials.filter(as_check=None).count() == 12
        names = CheckTrial.objects.filter(trial__batch=batch).values_list("name", flat=True)
        assert sorted(names) == ["known", "look", "look"]


def test_the_number_of_pages_is_said_once():
    assert CheckSpec(**checks_on("fluency", INSTRUCTED)[0]).pages_in(30) == 1
    with pytest.raises(ValidationError, match="per_batch and every"):
        CheckSpec(**checks_on("fluency", INSTRUCTED | {"every": 5, "per_batch": 1})[0])


def test_the_same_campaign_draws_the_same_checks(campaign):
    again = make_campaign(one_output(), items=12, systems=3)
    # Damage depends on the ids of outputs; where the pages are and what they repeat does not.
    rows = [
        list(
            CheckTrial.objects.filter(campaign=found)
            .order_by("trial__batch__number", "trial__position")
            .values_list("name", "trial__batch__number", "trial__position", "source__position")
        )
        for found in (campaign, again)
    ]
    assert rows[0] == rows[1]


def test_pages_that_belong_together_are_apart_for_every_rater(campaign):
    for number in range(3):
        assignment = claim(make_rater(campaign, f"w{number}"))
        place = {trial: place for place, (trial, _) in enumerate(assignment.presentation)}
        checks = CheckTrial.objects.filter(trial__batch=assignment.batch_id)
        compared = checks.exclude(source=None)
        assert len(compared) == 5
        for check in compared:
            gap = place[check.trial_id] - place[check.source_id]
            assert gap >= 6 if check.kind == "repeat" else abs(gap) >= 3


def keys_of(value: Any) -> Any:
    """The shape of a document: names and types, without the texts."""
    if isinstance(value, dict):
        return {name: keys_of(part) for name, part in value.items()}
    if isinstance(value, list):
        return [keys_of(part) for part in value]
    return type(value).__name__


@pytest.mark.parametrize("made", ["campaign", "screens"])
def test_on_the_wire_a_check_is_like_any_other_trial(made, request):
    campaign = request.getfixturevalue(made)
    assignment = claim(make_rater(campaign))
    definition = campaigns.definition_of(campaign)
    document = as_json(page_document(definition, trials_of(assignment), seed=assignment.pk))
    checks = set(CheckTrial.objects.values_list("trial_id", flat=True))
    pages: dict[bool, list[Any]] = {True: [], False: []}
    for (trial, _), page in zip(assignment.presentation, document["trials"], strict=True):
        pages[trial in checks].append(page)
    assert pages[True] and pages[False]
    shapes = {json.dumps(keys_of(page)) for page in pages[True] + pages[False]}
    assert len(shapes) == 1
    sizes = {is_check: [len(json.dumps(page)) for page in pages[is_check]] for is_check in pages}
    assert max(sizes[True]) < 2 * max(sizes[False])
    assert min(sizes[True]) > min(sizes[False]) / 2
    sent = json.dumps(document)
    for word in ("look", "known", "corruption", "repeat", "better_than", "expected", "at_most"):
        assert f'"{word}"' not in sent


@pytest.mark.parametrize("made", ["campaign", "screens"])
def test_answers_to_checks_are_stored_and_never_count(made, request):
    campaign = request.getfixturevalue(made)
    while campaign.slots.free().exists():
        sit(make_rater(campaign, f"w{campaign.participants.count()}"))
    checks = CheckTrial.objects.filter(campaign=campaign)
    answered = Submission.objects.filter(trial__in=checks.values("trial"))
    assert len(answered) == len(checks)
    assert not Judgement.objects.filter(submission__in=answered).exists()
    planned = TrialOutput.objects.filter(trial__batch__campaign=campaign).count()
    assert len(judgement_table(campaign)) == len(judgement_table(campaign, stored=True)) == planned
    assert b"".join(judgements_csv(campaign)).count(b"\n") == planned + 1
    found = verify_campaign(campaign)
    assert (found.fault, found.submissions) == ("", Submission.objects.count())
    assert found.counted == planned
    assert not RuleDecision.objects.exists(), "there is no rule"
    check_record()


def refused(statement: str, *values: Any) -> None:
    said = r"is refused|cannot become"
    with (
        pytest.raises(DatabaseError, match=said),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(statement, values)


def test_the_database_refuses_judgements_on_checks_and_changes_of_checks(campaign):
    sit(make_rater(campaign))
    check = CheckTrial.objects.filter(campaign=campaign).first()
    submission = Submission.objects.get(trial=check.trial)
    criterion = campaign.criteria.get()
    judgement = "INSERT INTO rankme_judgement (submission_id, criterion_id, value, text)"
    refused(f"{judgement} VALUES (%s, %s, 1, '')", submission.pk, criterion.pk)
    output = TrialOutput.objects.first().output_id
    place = "INSERT INTO rankme_trialoutput (trial_id, position, output_id) VALUES (%s, 0, %s)"
    refused(place, check.trial_id, output)
    refused("UPDATE rankme_checktrial SET expected = '{}'")
    refused("DELETE FROM rankme_checktrial")
    real = Trial.objects.filter(as_check=None).first()
    refused(
        "INSERT INTO rankme_checktrial (campaign_id, trial_id, name, kind, criterion, shown,"
        " expected) VALUES (%s, %s, 'x', 'repeat', '', '{}', '{}')",
        campaign.pk,
        real.pk,
    )


def test_a_damaged_copy_replaces_another_output_on_the_page_of_the_intact_one(screens):
    checks = CheckTrial.objects.filter(campaign=screens, kind="better_than")
    assert checks
    for check in checks:
        texts, expected = check.shown["outputs"], check.expected
        assert len(texts) == 3 and check.source is None
        assert texts[expected["good"]] != texts[expected["bad"]]
        assert screens.items.filter(outputs__text=texts[expected["good"]]).exists()
        assert not screens.items.filter(outputs__text=texts[expected["bad"]]).exists()


def test_a_batch_that_is_too_small_for_the_distance_refuses_the_launch():
    far = checks_on("fluency", {"name": "repeat", "kind": "repeat", "options": {"apart": 40}})
    campaign = make_campaign(one_output(checks=far), items=12, systems=3, launch=False)
    with pytest.raises(RefusedAction, match="cannot be 40 pages apart"):
        campaigns.launch_campaign(campaign, by=campaign.owner)
    campaign.refresh_from_db()
    assert campaign.is_draft and not campaign.batches.exists()


def test_where_the_plan_sets_the_order_a_repetition_still_comes_later():
    campaign = make_campaign(
        one_output(
            design={"kind": "latin_square", "shuffle_trials": False},
            checks=checks_on(
                "fluency",
                {"name": "repeat", "kind": "repeat", "per_batch": 2, "options": {"apart": 5}},
            ),
        ),
        items=12,
        systems=3,
    )
    for check in CheckTrial.objects.filter(campaign=campaign):
        assert check.trial.position - check.source.position >= 5


def test_batches_that_an_extension_adds_have_checks_too(campaign):
    before = set(CheckTrial.objects.values_list("id", flat=True))
    batches = campaign.batches.count()
    for number in range(12, 24):
        item = Item.objects.create(campaign=campaign, key=f"item-{number}", position=number)
        for system in campaign.systems.all():
            text = f"Text {system.position} of the new place {number}."
            Output.objects.create(item=item, system=system, text=text)
    extend_campaign(
        campaign, raters_per_trial=1, reason="More.", by=campaign.owner, base=campaign.version
    )
    new = campaign.batches.filter(number__gte=batches)
    added = CheckTrial.objects.exclude(id__in=before)
    assert new and {check.trial.batch for check in added} == set(new)
    assert added.count() == 8 * new.count()
    assert all(check.trial.batch.trials.count() == 12 + 8 for check in added)


def test_where_outputs_come_with_suggested_marks_so_do_checks():
    """A page without suggestions would be known for a check."""
    definition = preset("esa").model_copy(
        update={
            "checks": [
                CheckSpec(**one)
                for one in checks_on(
                    "errors",
                    INSTRUCTED | {"per_batch": 2},
                    KNOWN | {"options": {"outputs": ["Any other text of mine."], "at_most": 20}},
                    {"name": "corruption", "kind": "corruption", "per_batch": 2},
                    {"name": "repeat", "kind": "repeat", "options": {"apart": 2}},
                )
            ]
        }
    )
    campaign = campaigns.create_campaign(make_owner(), definition)
    add_demonstration(campaign, "esa")
    for output in Output.objects.filter(item__campaign=campaign):
        first = output.text.split()[0]
        mark = {"id": 1, "side": "output", "start": 0, "end": len(first), "text": first}
        mark |= {"severity": "minor", "category": "", "note": "", "missing": False}
        output.marks = [mark | {"prefilled": "model", "confirmed": False}]
        output.save(update_fields=["marks"])
    campaign = campaigns.launch_campaign(campaign, by=campaign.owner)
    assignment = claim(make_rater(campaign))
    pages = page_document(campaigns.definition_of(campaign), trials_of(assignment))["trials"]
    checks = set(CheckTrial.objects.values_list("trial_id", flat=True))
    assert checks & {trial for trial, _ in assignment.presentation}
    assert len({json.dumps(keys_of(page)) for page in pages}) == 1
    for page in pages:
        for text, marks in zip(page["outputs"], page["marks"], strict=True):
            assert [text[mark["start"] : mark["end"]] for mark in marks] == [
                mark["text"] for mark in marks
            ]
            assert marks
