"""Every sentence of *Compared with the plan* agrees with the record that it is about.

Each sentence is read by a pattern, and what it says is counted again from the rows.
"""

import re
from collections import Counter

import pytest
from django.test import Client
from django.urls import reverse

from analysis.report.options import ReportOptions
from rankme.actions.campaign import changes
from rankme.actions.campaign.campaigns import close_campaign
from rankme.actions.runs.deviations import deviations_of
from rankme.actions.sitting.exclusions import exclude_rater
from rankme.exporting.bundle import run_table
from rankme.models import AnalysisRun, Judgement, TrialOutput
from rankme.models.campaigns import ANALYSED, SEEN
from rankme.protocols.files import stored_definition
from tests.campaigns import make_owner, rankme_definition
from tests.runs import asked, executed, rated_campaign

pytestmark = pytest.mark.django_db
RATERS = 2  # of each output


def counted(campaign):
    """Judgements of raters who are in, of the plan's outputs."""
    return Judgement.objects.filter(
        submission__assignment__campaign=campaign,
        submission__assignment__counts=True,
        submission__assignment__participant__exclusions=None,
    )


def raters(campaign):
    came = counted(campaign).values("submission__assignment__participant").distinct().count()
    return str(came), str(RATERS * campaign.batches.count()), None


def judgements(campaign):
    planned = TrialOutput.objects.filter(trial__batch__campaign=campaign, trial__as_check=None)
    return "quality", str(counted(campaign).count()), str(RATERS * planned.count())


def looks(campaign):
    events = campaign.audit_events.filter(verb__in=[SEEN, ANALYSED]).order_by("number")
    kinds = Counter(each.detail.get("what", "analysis") for each in events)
    people = len(set(events.values_list("actor", flat=True)))
    how_often = "once" if events.count() == 1 else f"{events.count()} times"
    named = "; ".join(f"{what} {number}" for what, number in kinds.most_common())
    return how_often, f"{people} {'person' if people == 1 else 'people'}", named


def excluded(campaign):
    out = campaign.participants.exclude(exclusions=None).order_by("exclusions__pk")
    return (", ".join(out.values_list("label", flat=True)),)


def versions(campaign):
    newest = campaign.versions.order_by("-number").first()
    return str(newest.number), newest.change.lower(), newest.reason


def nothing(campaign):
    return ()


SAID = {
    r"(\d+) raters are in this analysis, planned were (\d+)( to \d+)?\.": raters,
    r"(\w+): (\d+) judgements of (\d+) that were planned\.": judgements,
    r"The collection was not closed when this analysis read its judgements\.": nothing,
    r"Before the close, judgements were looked at (once|\d+ times) by (\d+ \w+) \((.*)\)\.": looks,
    r"Excluded by hand and not by the rule: (.*)\.": excluded,
    r"Version (\d+), after the launch \((\w+)\): (.*)": versions,
    r"The criterion quality was changed after the launch: question\.": nothing,
    **{
        rf"The option {name} is {re.escape(used)}, planned was {re.escape(str(planned))}\.": nothing
        for name, used, planned in (
            ("alpha", "0.1", ReportOptions().alpha),
            ("runs", "40", ReportOptions().runs),
            ("agreement_resamples", "20", ReportOptions().agreement_resamples),
        )
    },
}


def wrong(text: str, campaign) -> str:
    for pattern, meant in SAID.items():
        if match := re.fullmatch(pattern, text):
            said, right = match.groups(), meant(campaign)
            return "" if said == right else f"{said} should be {right}: {text}"
    return f"No pattern reads: {text}"


@pytest.fixture(scope="module")
def run_once(rows_of_the_module) -> AnalysisRun:
    """The analysis of a campaign in which everything went otherwise."""
    campaign = rated_campaign(rankme_definition(raters_per_trial=RATERS), raters=3)
    exclude_rater(
        campaign.participants.order_by("pk").first(), reason="I know her.", by=make_owner()
    )
    document = stored_definition(campaign.definition)
    question = document.criteria[0].model_copy(update={"question": "How bad is it?"})
    changed = document.model_copy(update={"criteria": [question]})
    given = {"reason": "A typing error.", "by": make_owner(), "base": campaign.version}
    changes.change_campaign(campaign, changed, **given)
    olga = Client()
    olga.force_login(make_owner())
    olga.get(reverse("rankme:campaign-items", args=[campaign.code]))
    campaign.refresh_from_db()
    return executed(asked(campaign, alpha=0.1), pictures=())


@pytest.fixture
def run(run_once) -> AnalysisRun:
    return AnalysisRun.objects.get(pk=run_once.pk)


def test_every_sentence_about_the_plan_says_what_the_record_says(olga, run):
    campaign, sentences = run.campaign, run.result["deviations"]
    assert [reason for each in sentences if (reason := wrong(each, campaign))] == []
    read = {pattern for pattern in SAID if any(re.fullmatch(pattern, each) for each in sentences)}
    assert read == SAID.keys()
    page = olga.get(reverse("rankme:analysis-run", args=[campaign.code, run.pk])).text
    assert "The option alpha is 0.1" in page


def test_a_number_that_were_another_would_be_found(run):
    missed = []
    for text in run.result["deviations"]:
        for match in re.finditer(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.])", text):
            other = f"{text[: match.start()]}{int(float(match[0])) + 1}{text[match.end() :]}"
            if not wrong(other, run.campaign):
                missed.append(other)
    assert missed == []


def test_what_is_closed_is_not_said_to_be_open(run):
    campaign, before = run.campaign, deviations_of(run, run_table(run))
    close_campaign(campaign, by=campaign.owner)
    assert deviations_of(run, run_table(run)) == before, "it is about an analysis that is done"
    again = executed(asked(campaign, criteria=["quality"]), pictures=()).result["deviations"]
    assert "Only these criteria are analysed: quality." in again
    assert not any("was not closed" in each for each in again)
    assert any(
        "closed before everything that was planned had been judged" in each for each in again
    )
