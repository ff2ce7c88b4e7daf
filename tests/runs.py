"""A small campaign that was rated, and analyses of it."""

import numpy as np
import pytest

from analysis.report import rendered
from rankme.actions.runs import analysis_runs
from rankme.actions.sitting import assignments
from rankme.models import AnalysisRun
from tests.campaigns import make_campaign, make_owner, make_rater, rankme_definition
from tests.sittings import answer, finish, outputs_in_order


def rated_campaign(definition=None, *, raters: int = 4, items: int = 8, systems: int = 5):
    """A small campaign that raters with opinions have gone through."""
    campaign = make_campaign(
        definition or rankme_definition(raters_per_trial=2), items=items, systems=systems
    )
    return rate(campaign, raters=raters)


def rate(campaign, *, raters: int):
    """Let raters with opinions go through the campaign."""
    names = list(campaign.criteria.values_list("name", flat=True))
    dice = np.random.default_rng(3)
    for number in range(raters):
        rater = make_rater(campaign, f"w{number}")
        held = assignments.claim_batch(rater)
        shown = outputs_in_order(held.presentation)
        for trial, (number, places) in enumerate(held.presentation):
            outputs = shown[number]
            answers = [
                {
                    "criterion": name,
                    "place": place,
                    "value": float(np.clip(output * 10 % 70 + dice.normal(15, 5), 0, 100)),
                    "time_ms": 900.0,
                }
                for place, output in zip(range(len(places)), outputs, strict=True)
                for name in names
            ]
            answer(held, trial, answers=answers)
        finish(held)
    return campaign


def asked(campaign, **options) -> AnalysisRun:
    options = {"runs": 40, "agreement_resamples": 20} | options
    return analysis_runs.request_run(campaign, options, by=make_owner())


def executed(run: AnalysisRun, *, pictures: tuple[str, ...] = rendered.PLOT_FORMATS) -> AnalysisRun:
    """The run when it is done.

    `pictures` are the formats in which they are drawn. They take half of the time, so that tests
    leave them out that look at numbers alone.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rendered, "PLOT_FORMATS", pictures)
        assert analysis_runs.execute(run.pk, "tester")
    run.refresh_from_db()
    assert run.state == "done", run.error
    return run
