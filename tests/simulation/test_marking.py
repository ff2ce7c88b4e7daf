"""Simulated raters mark errors on the real site, and the record is as it should be."""

from django.core.management import call_command

from rankme.actions.campaign import campaigns
from rankme.models import Judgement
from rankme.protocols.files import preset
from rankme.simulation.raters import Cohort, run_raters
from tests.campaigns import make_owner
from tests.invariants import acknowledged, check_record
from tests.live import LiveSite
from tests.marking import add_demonstration


def test_a_cohort_marks_the_translations_of_several_systems(live_site: LiveSite):
    owner = make_owner()
    campaign = campaigns.create_campaign(owner, preset("contrastive-esa"))
    add_demonstration(campaign, "contrastive-esa")
    campaign = campaigns.launch_campaign(campaign, by=owner)
    slots = campaign.slots.count()
    outcome = run_raters(Cohort(f"{live_site.url}/r/{campaign.code}/", raters=slots))
    assert outcome.problems == []
    assert outcome.endings == {"completed": slots}
    assert Judgement.objects.filter(criterion__name="errors", value__gt=0).exists()
    check_record(map(acknowledged, outcome.acknowledged))
    call_command("verify", verbosity=0)
