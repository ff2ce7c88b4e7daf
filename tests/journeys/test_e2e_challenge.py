"""The main job on real input: 21 systems' outputs in, raters, and a ranking in clusters out."""

from collections import Counter

import numpy as np
import pytest
from django.db.models import Count
from scipy.stats import spearmanr

from analysis.scales import mixed_equations
from rankme.actions.campaign import campaigns
from rankme.actions.imports.judgement_imports import import_judgements
from rankme.actions.material import materials
from rankme.actions.runs import analysis_runs
from rankme.models import Campaign, Judgement, Output, Submission
from rankme.protocols.files import preset
from rankme.queries.judgement_table import judgement_table
from rankme.simulation.raters import Cohort, run_raters
from tests.analysis.published import oracle_data
from tests.campaigns import make_owner
from tests.experiments.cohorts import QUICK, rate, report_of
from tests.invariants import acknowledged, check_record
from tests.live import LiveSite, wait_for

OUTPUTS = "e2e-eval/system_outputs/primary"
RATINGS = "e2e-eval/human_ratings/quality.csv"

# Raters who work at the same time, each for 20 screens; the others' sittings are only stored.
OVER_HTTP = 6

pytestmark = pytest.mark.slow


def over(row) -> bool:
    row.refresh_from_db(fields=["state"])
    return row.is_over


def wait_for_end(row) -> None:
    wait_for(lambda: over(row), f"{row}")
    row.refresh_from_db()
    assert row.state == "done", (row.error, getattr(row, "problems", None))


def launched_campaign(owner) -> Campaign:
    campaign = campaigns.create_campaign(owner, preset("e2e-quality"))
    row = materials.start_import(campaign, sorted(oracle_data(OUTPUTS).iterdir()), by=owner)
    wait_for_end(row)
    assert (row.preview["format"], len(row.preview["systems"])) == ("e2e", 21)
    assert (row.preview["n_items"], row.preview["n_outputs"]) == (630, 630 * 21)
    materials.take_import(row, by=owner)
    wait_for_end(row)
    return campaigns.launch_campaign(campaign, by=owner)


def levels_of_systems(campaign: Campaign) -> dict[str, float]:
    """How good each system shall be, from worst to best in the order of the alphabet."""
    names = sorted(campaign.systems.values_list("name", flat=True))
    return dict(zip(names, np.linspace(-1.5, 1.5, len(names)).tolist(), strict=True))


def truth_of(campaign: Campaign, levels: dict[str, float]) -> dict[str, float]:
    outputs = Output.objects.filter(item__campaign=campaign)
    return {text: levels[name] for text, name in outputs.values_list("text", "system__name")}


def test_from_the_upload_of_21_systems_to_their_ranking(live_site: LiveSite):
    live_site.start_worker(app="tests.faults.plain_site")  # test_papers_tables.py draws it
    live_site.start_beat()
    owner = make_owner()
    campaign = launched_campaign(owner)
    slots = campaign.slots.count()
    assert (campaign.batches.count(), slots) == (32, 96)

    levels = levels_of_systems(campaign)
    link = f"{live_site.url}/r/{campaign.code}/"
    truth = truth_of(campaign, levels)
    outcome = run_raters(Cohort(link, raters=OVER_HTTP, concurrency=OVER_HTTP, truth=truth))
    assert outcome.problems == []
    assert outcome.endings == {"completed": OVER_HTTP}
    assert len(outcome.acknowledged) == Submission.objects.count() > 100
    assert rate(campaign, truth=truth, at_once=True) == slots - OVER_HTTP
    check_record(map(acknowledged, outcome.acknowledged))
    assert campaign.slots.filter(state="done").count() == slots

    judged = Judgement.objects.filter(criterion__name="quality")
    per_system = Counter(judged.values_list("output__system__name", flat=True))
    assert sorted(per_system.values())[0] == campaign.plan.balance["per_system"]["min"]
    assert sorted(per_system.values())[-1] == campaign.plan.balance["per_system"]["max"]
    assert sum(per_system.values()) == campaign.plan.balance["judgements"] == 630 * 5 * 3

    run = analysis_runs.request_run(campaign, QUICK | {"criteria": ["quality"]}, by=owner)
    wait_for_end(run)
    means = trueskill_means(run)
    assert len(means) == 21
    assert spearmanr([levels[name] for name in means], list(means.values())).statistic > 0.95


def trueskill_means(run) -> dict[str, float]:
    """System and mean of the paper's own ranking, in which judgements are resampled singly."""
    criteria = run.result["report"]["criteria"]
    quality = next(found for found in criteria if found["criterion"] == "quality")
    systems = quality["ranking"]["rankings"]["none"]["systems"]
    return {system["system"]: system["mean"] for system in systems}


def test_the_published_ratings_rank_as_in_the_rerun(db, monkeypatch):
    """Through the site's record: figures of the folder's README, which reran Bojar et al.'s
    procedure on this file, and not the printed ones, which come from another.

    The mixed model, which takes most of such a report's time, is that of the test above.
    """
    monkeypatch.setattr(mixed_equations, "MOST_SPARSE_WORK", 0)
    owner = make_owner()
    campaign = import_judgements(owner, oracle_data(RATINGS), title="E2E quality")
    check_record()
    assert Submission.objects.count() == 2_979
    assert campaign.assignments.aggregate(n=Count("submissions"))["n"] == 2_979
    assert campaign.systems.count() == 21
    table = judgement_table(campaign).for_criterion("quality")
    assert len(table) == 2_979 * 5
    per_screen = np.bincount(table.screen.codes)
    assert (per_screen * (per_screen - 1) // 2).sum() == 29_790
    options = {"criteria": ["quality"], "runs": 200, "method": "wmt"}
    run = report_of(campaign, pictures=(), **options)
    assert run.judgements == 2_979 * 5
    means = trueskill_means(run)
    assert len(means) == 21
    assert means["tuda"] == pytest.approx(0.307, abs=0.01)
    assert means["slug"] == pytest.approx(0.266, abs=0.01)
    assert means["forge3"] == pytest.approx(-0.109, abs=0.01)
