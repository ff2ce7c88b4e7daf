"""A rater does every preset over HTTP, blind, from the link to its code; then the report.

A second one begins through the actions and has the rest stored at once, so that reports have two
raters to compare; where the practice is a gate, the second one does it over HTTP, too.
"""

import io
import re

import pytest
from django.core.management import call_command

from rankme.actions.runs import analysis_runs
from rankme.exporting.bundle import members
from rankme.models import Campaign
from rankme.protocols.files import preset, preset_names
from rankme.simulation.raters import Cohort, run_raters
from tests.experiments.cohorts import Person, report_of, sit, truth_of
from tests.live import LiveSite

RATERS = 2


@pytest.mark.slow
def test_every_preset_of_the_demonstration_is_rated_and_reported(live_site: LiveSite):
    printed = io.StringIO()
    call_command("demo", "--all", stdout=printed)
    links = re.findall(r"Raters: +\S+(/r/\S+/)", printed.getvalue())
    assert len(links) == 2 + len(preset_names()) == Campaign.objects.count()
    titles = {f"Preset: {preset(name).title}": name for name in preset_names()}
    for number, link in enumerate(links[2:]):
        campaign = Campaign.objects.get(code=link.split("/")[2])
        raters = min(RATERS, campaign.slots.count())
        come = raters if preset(titles[campaign.title]).practice_gate else 1
        outcome = run_raters(Cohort(live_site.url + link, raters=come, concurrency=come, seed=9))
        assert (outcome.problems, outcome.endings) == ([], {"completed": come}), campaign.title
        if come < raters:
            second = Person(seed=number, number=1, truth=truth_of(campaign))
            assert sit(campaign, second, at_once=True), campaign.title
    drawn = []
    for campaign in Campaign.objects.filter(title__startswith="Preset: "):
        name = titles[campaign.title]
        assert analysis_runs.has_judgements(campaign) == (name != "e2e-elicitation")
        if name != "e2e-elicitation":
            # A PDF takes as long again, and has the same picture.
            run = report_of(campaign, pictures=("svg",))
            drawn += [file for file in members(run) if file.endswith(".svg")]
            report = run.result["report"]
            assert report["data"]["raters"] == min(RATERS, campaign.slots.count()), name
    assert len(drawn) > len(titles)
