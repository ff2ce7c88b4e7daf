"""A campaign that raters do while something is taken away from them."""

import threading
from collections.abc import Callable

from rankme.models import Campaign, Submission
from rankme.simulation.raters import Cohort, Outcome, run_raters
from tests.campaigns import make_campaign, rankme_definition
from tests.invariants import acknowledged, check_record
from tests.live import LiveSite, wait_for

RATERS = 8
SCREENS = 12  # per rater
FEW = 6  # per rater, where nothing rests on how many they are


def campaign_for(raters: int = RATERS, screens: int = SCREENS) -> Campaign:
    """One batch of so many screens for each rater."""
    design = {
        "kind": "random_blocks",
        "options": {"outputs_per_screen": 3, "trials_per_batch": screens},
    }
    times = -(-raters // 1_000)  # a trial has at most a thousand raters
    definition = rankme_definition(design=design, raters_per_trial=-(-raters // times))
    return make_campaign(definition, items=screens * times, systems=4)


def rate(site_url: str, campaign: Campaign, **changes: object) -> Outcome:
    cohort = {"raters": RATERS, "concurrency": 8, "patience_seconds": 120.0} | changes
    return run_raters(Cohort(f"{site_url}/r/{campaign.code}/", **cohort))


def rate_while(
    site: LiveSite,
    campaign: Campaign,
    fault: Callable[[], None],
    every: float,
    most: int | None = None,
    **changes: object,
) -> Outcome:
    """Let raters work, and from the first answer on let the fault happen again and again.

    Where it takes processes away, `most` keeps a busy machine from starting them for ever.
    """
    outcomes: list[Outcome] = []
    work = threading.Thread(target=lambda: outcomes.append(rate(site.url, campaign, **changes)))
    work.start()
    wait_for(Submission.objects.exists, "the first answers")
    happened = 0
    while work.is_alive() and (most is None or happened < most):
        fault()
        happened += 1
        work.join(every)
    work.join()
    return outcomes[0]


def check_nothing_lost_nothing_doubled(outcome: Outcome, screens: int = SCREENS) -> None:
    """Every rater finished, and each of their screens is stored once."""
    assert outcome.problems == []
    assert outcome.endings == {"completed": RATERS}, outcome.endings
    assert Submission.objects.count() == RATERS * screens == len(outcome.acknowledged)
    check_record(map(acknowledged, outcome.acknowledged))
