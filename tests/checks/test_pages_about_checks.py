"""What organisers see of checks: before the launch, while raters work, and as a file."""

import csv
import io

import pytest

from analysis.checks.rater_models import Scale
from rankme.models import Assignment, CheckTrial, DamagedText
from rankme.pages.campaign.launch_checks import planned
from tests.campaigns import make_campaign, make_rater, slider_definition
from tests.checks.raters import CHECKS, RULE, work
from tests.pages.addresses import address
from tests.sittings import answer, claim, payload_for, store

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


def draft(**changes):
    definition = slider_definition(checks=CHECKS, rules={"exclude_if": RULE}, **changes)
    return make_campaign(definition, items=16, systems=2, launch=False)


def test_the_launch_page_says_what_the_rule_does(olga):
    found = olga.get(address("campaign-launch", draft(crowd={"pay_per_batch": 2})))
    page = found.content.decode()
    assert "Each batch has 12 extra pages" in page
    assert "<code>spoiled.paired_p &gt; .05</code>" in page
    careful, *others = found.context["fates"]
    assert careful["kind"] == "careful" and len(others) == 3
    estimate = found.context["estimate"]
    trials = found.context["balance"].trials_per_batch.mean
    share = found.context["check_pay"] / estimate.cost
    assert share == pytest.approx(12 / (12 + trials))
    assert "The pages of checks take" in page


def test_the_launch_page_says_what_the_gate_turns_away(olga):
    """Two tries at four choices: a careless rater passes at 7 of 16 visits, a careful one nearly
    always."""
    quiz = {"question": "What is rated?", "choices": ["a", "b", "c", "d"], "answer": "a"}
    checks = [{"name": "what", "kind": "quiz", "options": quiz}]
    campaign = make_campaign(
        slider_definition(checks=checks, rules={"gate_if": "quiz.failed >= 1"}), launch=False
    )
    found = olga.get(address("campaign-launch", campaign))
    away = {fate["kind"].split(":")[0]: fate["turned_away"] for fate in found.context["fates"]}
    assert 53 <= int(away["careless"].removesuffix(" %")) <= 60
    assert float(away["careful"].removesuffix(" %")) < 0.5
    assert "Turned away" in found.content.decode() and not found.context["loses_many"]


def test_failures_add_up_over_the_batches_of_the_campaign(olga):
    rules = {"exclude_if": "look.failed >= 1"}
    lost = []
    for batches in (1, 4):
        crowd = {"batches_per_rater": batches}
        design = {"kind": "random_blocks", "options": {"trials_per_batch": 4}}
        definition = slider_definition(checks=CHECKS, rules=rules, crowd=crowd, design=design)
        campaign = make_campaign(definition, items=16, systems=2, launch=False)
        found = olga.get(address("campaign-launch", campaign))
        assert found.context["forecast_batches"] == batches
        lost.append(found.context["share_lost"])
    once = 1 - (1 - 0.03 * 0.94) ** 3
    assert lost == pytest.approx([once, 1 - (1 - once) ** 4], abs=0.02)


def test_the_launch_page_warns_of_a_rule_that_cannot_work(olga):
    campaign = draft()
    campaign.definition["rules"] = {"exclude_if": "spoiled.paired_p > .01"}
    campaign.save(update_fields=["definition"])
    page = olga.get(address("campaign-launch", campaign)).content.decode()
    assert "With 5 pairs p is never below 0.031" in page


def test_a_rule_that_loses_many_careful_raters_asks_for_a_tick_of_its_own(olga):
    """Five pairs lose half of the careful raters, so two have to come for each who counts."""
    campaign = draft(crowd={"pay_per_batch": 2, "currency": "GBP"}, raters_per_trial=10)
    here = address("campaign-launch", campaign)
    page = olga.get(here)
    assert page.context["loses_many"] and page.context["lost"]["of"] == 20
    lost = page.context["lost"]
    share = page.context["share_lost"]
    assert lost["comers"] == round(20 / (1 - share)) and 0.4 < share < 0.65
    assert lost["comers"] - lost["excluded"] == pytest.approx(20, abs=1)
    assert lost["pay"] == pytest.approx(2 * lost["excluded"], abs=1.1)
    refused = olga.post(here, {"sure": "on"})
    campaign.refresh_from_db()
    assert (refused.status_code, campaign.is_draft) == (422, True)
    assert "Tick both boxes first." in refused.content.decode()
    olga.post(here, {"sure": "on", "losses": "on"})
    campaign.refresh_from_db()
    assert not campaign.is_draft


def test_a_rule_that_loses_few_careful_raters_needs_no_second_tick(olga):
    campaign = draft()
    campaign.definition["rules"] = {"exclude_if": "instructed.failed >= 2"}
    campaign.save(update_fields=["definition"])
    page = olga.get(address("campaign-launch", campaign))
    assert not page.context["loses_many"] and len(page.context["forecasts"]) == 1
    olga.post(address("campaign-launch", campaign), {"sure": "on"})
    campaign.refresh_from_db()
    assert not campaign.is_draft


@pytest.mark.parametrize(
    ("instrument", "options", "scale", "accepted"),
    [
        ("slider", {}, Scale(0, 100, None), 0.06),
        ("slider", {"minimum": 0, "maximum": 40}, Scale(0, 40, None), 0.15),
        ("likert", {"points": 5}, Scale(1, 5, 5), 0.2),
    ],
)
def test_the_forecast_knows_the_scale_of_the_criterion(instrument, options, scale, accepted):
    criterion = {"name": "fluency", "question": "?", "instrument": instrument, "options": options}
    look = {"text": "Give {value}.", "value": 3 if instrument == "likert" else 20}
    look["tolerance"] = 0 if instrument == "likert" else 3
    checks = [
        {"name": "look", "kind": "instructed", "criterion": "fluency", "options": look},
        {"name": "again", "kind": "repeat", "criterion": "fluency", "per_batch": 4},
    ]
    definition = slider_definition(criteria=[criterion], checks=checks)
    instructed, repeat = (planned(check, definition, 20, 3) for check in definition.checks)
    assert (instructed.scale, repeat.scale) == (scale, scale)
    assert instructed.accepted == pytest.approx(accepted, abs=0.01)
    assert repeat.answers == 12, "each of the three outputs is answered twice"


def test_each_damaged_text_can_be_changed_and_taken_back_before_the_launch(olga):
    campaign = draft()
    here = address("campaign-damaged", campaign)
    found = olga.get(here)
    [first, *_others] = found.context["texts"]
    damage = first["damage"]
    assert first["what"] and damage.text != damage.original
    sent = {"check": "spoiled", "output": damage.output, "text": "Quite another text."}
    assert olga.post(here, sent).status_code == 302
    assert "changed by you" in olga.get(here).content.decode()
    olga.post(here, sent | {"reset": "1"})
    assert olga.get(here).context["texts"][0]["damage"] == damage
    olga.post(here, sent)
    refused = olga.post(here, sent | {"text": damage.original}, follow=True).content.decode()
    assert "A damaged copy must differ" in refused
    olga.post(address("campaign-launch", campaign), {"sure": "on", "losses": "on"})
    shown = CheckTrial.objects.filter(campaign=campaign, name="spoiled")
    assert "Quite another text." in {check.shown["outputs"][0] for check in shown}
    olga.post(here, sent | {"text": "Too late."})
    assert DamagedText.objects.get().text == "Quite another text."


def test_the_page_on_quality_says_who_was_caught_by_what_and_puts_them_first(olga):
    campaign = make_campaign(
        slider_definition(checks=CHECKS, rules={"exclude_if": "spoiled.paired_p > .05"}),
        items=16,
        systems=3,
    )
    careful, careless = make_rater(campaign, "w1"), make_rater(campaign, "w2")
    work(claim(careful), careful=True)
    work(claim(careless), careful=False)
    found = olga.get(address("campaign-quality", campaign))
    lines = {line.participant.pk: line for line in found.context["lines"]}
    assert lines[careful.pk].exclusion is None
    assert lines[careless.pk].exclusion.rule == "spoiled.paired_p > .05"
    assert "failed" in lines[careless.pk].sentence.lower()
    counts = found.context["counts"]
    assert (counts.worked, counts.excluded_by_rule, counts.excluded_by_hand) == (2, 1, 0)
    assert counts.by_part == (("Excluded", "spoiled.paired_p > .05", 1),)
    rater = olga.get(address("campaign-rater", campaign, careless.label))
    assert "by a rule of the campaign" in rater.content.decode()
    assert list(quality_lines(olga, campaign, sort="failed")) == [careless.pk, careful.pk]
    assert list(quality_lines(olga, campaign, sort="same")) == [careless.pk, careful.pk]
    assert list(quality_lines(olga, campaign, show="excluded")) == [careless.pk]
    assert list(quality_lines(olga, campaign, show="marked")) == []


def test_answers_to_checks_are_a_file_of_their_own(olga):
    campaign = make_campaign(slider_definition(checks=CHECKS), items=16, systems=2)
    rater = make_rater(campaign)
    work(claim(rater), careful=True)
    export = address("export-judgements", campaign)
    assert "format=checks" in olga.get(export).content.decode()
    sent = b"".join(olga.get(f"{export}?format=checks").streaming_content).decode()
    rows = list(csv.DictReader(io.StringIO(sent)))
    pages = [row for row in rows if row["screen"]]
    assert len(pages) == 12 and {row["rater"] for row in rows} == {rater.label}
    assert {row["passed"] for row in rows if row["check"] == "look"} == {"1"}
    assert all(row["other"] == "5.0" for row in rows if row["check"] == "spoiled")
    assert len([row for row in rows if row["check"] == "time"]) == 28


def quality_lines(olga, campaign, **asked):
    found = olga.get(address("campaign-quality", campaign), asked)
    return {line.participant.pk: line for line in found.context["lines"]}


def test_quality_warns_of_the_commonest_frauds_without_any_setting(olga):
    """The same answer on every page, at 0.0 s, from a client whose answers claim seconds."""
    campaign = make_campaign(slider_definition(raters_per_trial=2), items=12, systems=1)
    fraud, honest = make_rater(campaign, "w1"), make_rater(campaign, "w2")
    for rater in (fraud, honest):
        assignment = claim(rater)
        Assignment.objects.filter(pk=assignment.pk).update(claimed_at="2026-01-01T00:00:00Z")
        for place in range(12):
            is_honest = rater == honest
            times = {"spent_ms": 30_000 if is_honest else 0.0}
            value = 10 + 7 * place if is_honest else 50
            payload = payload_for(assignment, place, value=value, times=times)
            payload["answers"][0]["time_ms"] = 6_400.0
            store(rater, payload)
    lines = quality_lines(olga, campaign)
    assert lines[honest.pk].sentence == "No warnings."
    assert lines[fraud.pk].sentence == "Same answer; too fast; not read; impossible times."


def test_quality_of_a_rater_who_has_just_begun_has_not_enough_data(olga):
    campaign = make_campaign(slider_definition(), items=12, systems=1)
    rater = make_rater(campaign)
    answer(claim(rater), times={"spent_ms": 2000})
    assert quality_lines(olga, campaign)[rater.pk].sentence == "Not enough data yet."
