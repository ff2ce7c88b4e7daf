"""Rules decide as answers come: once for each rater, and never on what is not known."""

import pytest
import yaml
from django.db.models import Avg

from analysis.reliability.rater_profiles import rater_profiles
from rankme.actions.campaign import campaigns
from rankme.actions.campaign.campaigns import create_campaign
from rankme.actions.runs import analysis_runs
from rankme.actions.sitting import exclusions
from rankme.actions.sitting.assignments import expire_overdue
from rankme.actions.sitting.participation import complete_participation
from rankme.exporting.bundle import members, read_member
from rankme.models import (
    AnalysisRun,
    Assignment,
    CheckTrial,
    Judgement,
    RaterExclusion,
    RuleDecision,
    Submission,
)
from rankme.protocols.checks import CheckSpec
from rankme.protocols.files import preset
from rankme.queries.check_answers import answers_of, measures_by_rater, raters_at_work
from rankme.queries.judgement_table import judgement_table
from rankme.queries.rater_measures import agreements
from tests import runs
from tests.campaigns import (
    make_campaign,
    make_owner,
    make_rater,
    rankme_definition,
    slider_definition,
)
from tests.checks.raters import CHECKS, RULE, work
from tests.invariants import check_record
from tests.marking import add_demonstration
from tests.sittings import answer, claim, finish, payload_for, run_out, store

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


def campaign_with(**rules: str):
    definition = slider_definition(checks=CHECKS, rules=rules)
    return make_campaign(definition, items=16, systems=2)


def test_a_careful_rater_is_caught_by_nothing():
    campaign = campaign_with(exclude_if=RULE, flag_if="time.failed_share > .5")
    rater = make_rater(campaign)
    receipts = work(claim(rater), careful=True)
    assert not any(receipt.ends_the_work for receipt in receipts)
    assert not RuleDecision.objects.exists() and not RaterExclusion.objects.exists()
    measures = measures_by_rater(campaign, [rater.pk])[rater.pk]
    assert measures["instructed.failed"] == 0 and measures["look.answered"] == 3
    assert measures["corruption.paired_p"] == pytest.approx(1 / 32)
    assert measures["again.icc"] > 0.9
    assert measures["again.mean_difference"] == pytest.approx(1)
    assert measures["time.failed"] == 3
    assert (measures["median_seconds"], measures["median_active_seconds"]) == (9, 8)


def test_two_failed_instructions_end_the_work_and_free_the_slot():
    campaign = campaign_with(exclude_if=RULE)
    rater = make_rater(campaign)
    assignment = claim(rater)
    receipts = []
    for place in range(len(assignment.presentation)):
        receipts.append(answer(assignment, place, value=60 + place % 2))
        if receipts[-1].ends_the_work:
            break
    instructed = set(
        CheckTrial.objects.filter(kind="instructed").values_list("trial_id", flat=True)
    )
    met = [trial in instructed for trial, _ in assignment.presentation[: len(receipts)]]
    assert sum(met) == 2 and met[-1]
    rater.refresh_from_db()
    assert (rater.state, rater.outcome) == ("screened_out", "failed_checks")
    exclusion = RaterExclusion.objects.get()
    assert (exclusion.decided_by, exclusion.rule) == (None, "instructed.failed >= 2")
    assert campaign.slots.free().count() == campaign.slots.count()
    [decision] = RuleDecision.objects.all()
    assert decision.measures["instructed.failed"] == 2
    check_record()


@pytest.mark.parametrize("late", [False, True])
def test_an_excluded_rater_gets_no_completed_code_for_later_pages(late):
    """The reply asks the browser to stop. A client that goes on is stopped by the server."""
    codes = {"completed": "C0DE", "failed_checks": "FAILED"}
    definition = slider_definition(
        checks=CHECKS,
        rules={"exclude_if": "look.failed >= 1"},
        crowd={"completion_codes": codes},
    )
    campaign = make_campaign(definition, items=16, systems=2)
    rater = make_rater(campaign)
    assignment = claim(rater)
    if late:
        run_out(assignment)
        expire_overdue(campaign)
    receipts = []
    for place in range(len(assignment.presentation)):
        rater.refresh_from_db()
        receipts.append(store(rater, payload_for(assignment, place, value=60)))
    ended = [receipt.ends_the_work for receipt in receipts]
    assert ended == sorted(ended) and ended[-1], "every later reply asks to stop again"
    rater = complete_participation(rater)
    assert (rater.outcome, rater.completion_code) == ("failed_checks", "FAILED")
    assert Submission.objects.filter(assignment=assignment).count() == len(receipts)
    assert campaign.slots.free().count() == campaign.slots.count()
    check_record()


def test_at_the_end_of_the_batch_every_part_of_the_rule_decides():
    campaign = campaign_with(exclude_if="spoiled.paired_p > .05 or median_seconds < 5")
    rater = make_rater(campaign)
    assignment = claim(rater)
    receipts = work(assignment, careful=False)
    assert not any(receipt.ends_the_work for receipt in receipts)
    assert RaterExclusion.objects.get().rule == "spoiled.paired_p > .05"
    slot = campaign.slots.get(pk=assignment.slot_id)
    assert slot.state == "free"
    assert answers_of(campaign, [rater.pk])
    # Nobody is excluded twice: an organiser who lets the rater count again has the last word.
    exclusions.readmit_rater(rater, by=campaign.owner)
    answer(assignment, 0, value=12, replaces=str(assignment.submissions.first().key))
    assert not RaterExclusion.objects.filter(withdrawn_at=None).exists()
    assert RuleDecision.objects.count() == 1


def test_impossible_times_are_a_measure_and_never_taken_back():
    campaign = campaign_with(exclude_if="impossible_times >= 3")
    rater = make_rater(campaign)
    assignment = claim(rater)
    receipts = [answer(assignment, place, times={"spent_ms": 90_000_000}) for place in range(3)]
    assert [receipt.ends_the_work for receipt in receipts] == [False, False, True]
    assert RaterExclusion.objects.get().rule == "impossible_times >= 3"


def test_agreement_and_repeating_one_answer_are_measures():
    rules = {"flag_if": "agreement < 0 or same_answer_share >= 1"}
    campaign = make_campaign(
        slider_definition(rules=rules, raters_per_trial=4), items=12, systems=1
    )
    raters = [make_rater(campaign, f"w{number}") for number in range(4)]
    ways = [lambda n: 10 + n, lambda n: 30 + 2 * n, lambda n: 90 - n, lambda n: 50]
    for rater, way in zip(raters, ways, strict=True):
        assignment = claim(rater)
        for place, (trial, _order) in enumerate(assignment.presentation):
            answer(assignment, place, value=float(way(trial % 12)))
    ids = [rater.pk for rater in raters]
    caught = {decision.participant_id: decision.parts for decision in RuleDecision.objects.all()}
    assert caught == {ids[2]: ["agreement < 0"], ids[3]: ["same_answer_share >= 1"]}
    table = judgement_table(campaign)
    of_label = {profile.rater: profile.agreement for profile in rater_profiles(table)}
    found = agreements(campaign, ids)
    assert {rater.label: found.get(rater.pk) for rater in raters} == {
        label: None if value is None else pytest.approx(value) for label, value in of_label.items()
    }


def test_a_rule_that_only_marks_excludes_nobody():
    campaign = campaign_with(flag_if="look.failed >= 1")
    rater = make_rater(campaign)
    receipts = work(claim(rater), careful=False)
    assert not any(receipt.ends_the_work for receipt in receipts)
    assert RuleDecision.objects.get().action == "flag"
    assert not RaterExclusion.objects.exists()


def test_the_same_submission_again_decides_nothing_twice():
    campaign = campaign_with(exclude_if="look.failed >= 1")
    rater = make_rater(campaign)
    assignment = claim(rater)
    look = set(CheckTrial.objects.filter(name="look").values_list("trial_id", flat=True))
    place = next(n for n, (trial, _) in enumerate(assignment.presentation) if trial in look)
    payload = payload_for(assignment, place, value=60)
    assert store(rater, payload).ends_the_work
    store(rater, payload)
    assert RuleDecision.objects.count() == RaterExclusion.objects.count() == 1


def test_where_an_organiser_excludes_a_rule_adds_no_second_exclusion():
    campaign = campaign_with(exclude_if="look.failed >= 1")
    rater = make_rater(campaign)
    assignment = claim(rater)
    exclusions.exclude_rater(rater, reason="A colleague.", by=campaign.owner)
    work(assignment, careful=False)
    exclusion = RaterExclusion.objects.get()
    assert (exclusion.reason, exclusion.rule) == ("A colleague.", "")


def test_a_page_with_several_outputs_is_judged_by_its_order():
    checks = [
        {"name": "better_than", "kind": "better_than", "criterion": "quality", "per_batch": 2},
        {
            "name": "known",
            "kind": "known_answer",
            "criterion": "quality",
            "options": {"outputs": ["Fine.", "Bad."], "in_order": True},
        },
    ]
    campaign = make_campaign(rankme_definition(checks=checks), items=8, systems=3)
    rater = make_rater(campaign)
    assignment = claim(rater)
    checks_by_trial = {check.trial_id: check for check in CheckTrial.objects.all()}
    for place, (trial, order) in enumerate(assignment.presentation):
        payload = payload_for(assignment, place)
        check = checks_by_trial.get(trial)
        if check is not None:
            best = check.expected["good"] if check.kind == "better_than" else 0
            for one in payload["answers"]:
                one["value"] = 90 if order[one["place"]] == best else 30
        store(rater, payload)
    measures = measures_by_rater(campaign, [rater.pk])[rater.pk]
    assert (measures["better_than.answered"], measures["better_than.failed"]) == (2, 0)
    assert measures["known.failed"] == 0


def executed(campaign) -> AnalysisRun:
    few = {"runs": 20, "agreement_resamples": 2}
    run = analysis_runs.request_run(campaign, few, by=campaign.owner)
    return runs.executed(run, pictures=())


def test_where_others_have_judged_again_the_ranks_without_the_rule_are_of_the_first():
    rules = {"exclude_if": "spoiled.paired_p > .05 or look.failed >= 99"}
    campaign = make_campaign(slider_definition(checks=CHECKS, rules=rules), items=16, systems=2)
    while campaign.slots.free().exists():
        number = campaign.participants.count()
        assignment = claim(make_rater(campaign, f"w{number}"))
        work(assignment, careful=number > 0)
        finish(assignment)
    first = Assignment.objects.order_by("id").first()
    substitute = Assignment.objects.get(slot=first.slot, counts=True)
    assert RaterExclusion.objects.get().participant == first.participant
    counting = set(Assignment.objects.filter(counts=True).values_list("id", flat=True))

    def means(sittings) -> dict[str, float]:
        rows = Judgement.objects.filter(submission__assignment__in=sittings)
        return dict(rows.values_list("output__system__name").annotate(Avg("value")))

    told = executed(campaign).finished_result["rule"]
    assert dict(told["by_part"]) == {"spoiled.paired_p > .05": 1, "look.failed >= 99": 0}
    assert (told["excluded"], told["by_hand"]) == ([first.participant.label], [])
    [rows] = told["ranks"].values()
    assert any(row["mean_before"] != row["mean_after"] for row in rows)
    found = {row["system"]: (row["mean_before"], row["mean_after"]) for row in rows}
    before, after = means(counting - {substitute.pk} | {first.pk}), means(counting)
    assert found == {
        name: (pytest.approx(before[name]), pytest.approx(after[name])) for name in after
    }


def test_the_bundle_has_the_checks_once_the_campaign_is_over():
    rules = {"exclude_if": "look.failed >= 99"}
    campaign = make_campaign(slider_definition(checks=CHECKS, rules=rules), items=16, systems=2)
    work(claim(make_rater(campaign)), careful=True)
    run = executed(campaign)
    definition = yaml.safe_load(read_member(run, "campaign.yaml"))
    assert "checks.csv" not in members(run)
    assert "checks" not in definition and "rules" not in definition, "raters could learn of them"
    campaigns.close_campaign(campaign, by=campaign.owner)
    campaign.refresh_from_db()
    run = executed(campaign)
    answers = read_member(run, "checks.csv").decode().splitlines()
    assert len(answers) == 1 + len(answers_of(campaign, raters_at_work(campaign)))
    assert {"look", "spoiled", "again", "time"} == {line.split(",")[1] for line in answers[1:]}
    assert yaml.safe_load(read_member(run, "campaign.yaml"))["checks"]
    table = read_member(run, "judgements.csv").decode()
    assert len(table.splitlines()) == 1 + 16, "answers to checks are not judgements"


def test_passages_that_have_to_be_marked():
    text = "The soup is made of stones and costs nine pounds."
    known = {
        "name": "known",
        "kind": "known_answer",
        "criterion": "errors",
        "options": {"outputs": [text], "marks": ["made of stones | major", "nine pounds"]},
    }
    definition = preset("esa").model_copy(
        update={
            "checks": [CheckSpec(**known)],
            "raters_per_trial": 3,
            "practice": [],
            "practice_gate": False,
        }
    )
    campaign = create_campaign(make_owner(), definition)
    add_demonstration(campaign, "esa")
    campaign = campaigns.launch_campaign(campaign, by=campaign.owner)
    failed = []
    made = [(20, 26, "major"), (38, 42, "minor")]
    for number, marks in enumerate((made, made[:1], [(20, 26, "minor"), made[1]])):
        rater = make_rater(campaign, f"w{number}")
        assignment = claim(rater)
        checks = set(CheckTrial.objects.values_list("trial_id", flat=True))
        place = next(n for n, (trial, _) in enumerate(assignment.presentation) if trial in checks)
        payload = payload_for(assignment, place)
        payload["answers"] = [
            {
                "criterion": "errors",
                "place": 0,
                "time_ms": 900.0,
                "value": {
                    "marks": [
                        {"id": n, "start": one, "end": two, "text": text[one:two], "severity": how}
                        for n, (one, two, how) in enumerate(marks, start=1)
                    ],
                    "score": 50,
                    "events": [],
                },
            }
        ]
        store(rater, payload)
        failed.append(measures_by_rater(campaign, [rater.pk])[rater.pk]["known.failed"])
    assert failed == [0, 1, 1]
