"""Simulated raters before the real site: they see what people see, and finish what they begin."""

from django.core.management import call_command

from rankme.actions.campaign import campaigns
from rankme.models import Judgement, Participant, Submission
from rankme.protocols.files import definition_from_document, definition_to_document, preset
from rankme.simulation.raters import Cohort, run_raters
from tests.campaigns import add_material, make_campaign, make_owner, slider_definition
from tests.invariants import acknowledged, check_record
from tests.live import LiveSite


def e2e_campaign(items: int = 8):
    document = definition_to_document(preset("e2e-quality"))
    document["design"]["options"] = {"outputs_per_screen": 5, "trials_per_batch": 4}
    owner = make_owner()
    campaign = campaigns.create_campaign(owner, definition_from_document(document))
    add_material(campaign, items=items, systems=6)
    return campaigns.launch_campaign(campaign, by=owner)


def link(site: LiveSite, campaign) -> str:
    return f"{site.url}/r/{campaign.code}/"


def test_raters_do_a_whole_campaign_and_read_their_codes(live_site: LiveSite):
    campaign = e2e_campaign()
    outcome = run_raters(Cohort(link(live_site, campaign), raters=7, concurrency=4))
    assert outcome.problems == []
    assert outcome.endings == {"completed": 6, "stopped": 1}
    assert sorted(outcome.codes) == sorted(
        Participant.objects.filter(state="completed").values_list("completion_code", flat=True)
    )
    assert campaign.slots.filter(state="done").count() == campaign.slots.count() == 6
    assert Submission.objects.count() == 24
    assert Judgement.objects.filter(criterion__name="quality").count() == 120
    check_record(map(acknowledged, outcome.acknowledged))


def test_raters_who_leave_half_way_leave_what_they_sent(live_site: LiveSite):
    campaign = e2e_campaign()
    outcome = run_raters(Cohort(link(live_site, campaign), raters=5, abandon=1.0, seed=3))
    assert outcome.endings == {"left": 5}
    assert Submission.objects.count() == len(outcome.acknowledged) < 20
    check_record(map(acknowledged, outcome.acknowledged))


def test_the_same_seed_answers_the_same(live_site: LiveSite):
    def answered(seed: int) -> list:
        campaign = make_campaign(slider_definition(), items=2, systems=2)
        cohort = Cohort(link(live_site, campaign), raters=1, concurrency=1, seed=seed)
        return [
            [answer["value"] for answer in payload["answers"]]
            for payload in run_raters(cohort).acknowledged
        ]

    assert answered(1) != answered(2)


def test_a_panels_link_names_the_raters(live_site: LiveSite):
    crowd = {"panel": "prolific", "completion_code": "C0DE"}
    campaign = make_campaign(slider_definition(crowd=crowd))
    named = link(live_site, campaign) + "?PROLIFIC_PID=worker{n}&SESSION_ID=s{n}"
    run_raters(Cohort(named, raters=2))
    names = Participant.objects.values_list("panel", "external_id")
    assert set(names) == {("prolific", "worker0"), ("prolific", "worker1")}


def test_the_command_reports_what_it_took(live_site: LiveSite, tmp_path, capsys):
    campaign = make_campaign(slider_definition())
    history = tmp_path / "history.jsonl"
    call_command("simulate_raters", link(live_site, campaign), "--raters=4", f"--history={history}")
    printed = capsys.readouterr().out
    assert "4 completed" in printed and "POST submit" in printed
    assert len(history.read_text().splitlines()) == Submission.objects.count() == 16
