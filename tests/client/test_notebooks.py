"""The client as its users have it: the notebooks, run with the wheel and nothing of the site."""

import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from evalsite.embedded import PROJECT
from rankme.actions.accounts.api_keys import obtain_key
from rankme.models import AnalysisRun, Campaign
from rankme.simulation.raters import Cohort, run_raters
from tests.accounts import PASSWORD, make_account
from tests.live import PATIENCE, LiveSite, wait_for

pytestmark = pytest.mark.slow
NOTEBOOKS = sorted((PROJECT / "client/notebooks").glob("*.py"))
Cells = list[subprocess.Popen[str]]


@contextmanager
def started(python: Path, environment: Mapping[str, str]) -> Iterator[Cells]:
    cells = [
        subprocess.Popen(
            [str(python), "-u", str(notebook)], env=environment, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )
        for notebook in NOTEBOOKS
    ]  # fmt: skip
    try:
        yield cells
    finally:
        for each in cells:
            with each:  # closes its pipes and waits for its end
                each.kill()


def printed_by(cells: Cells) -> list[str]:
    """What each of them has printed when it comes to its end."""
    said = [each.communicate(timeout=PATIENCE) for each in cells]
    assert [each.returncode for each in cells] == [0] * len(NOTEBOOKS), said
    return [printed for printed, _errors in said]


def test_there_is_a_notebook_for_each_kind_of_campaign():
    assert [each.stem for each in NOTEBOOKS] == ["arena", "magnitude", "rating", "spans"]


def test_all_notebooks_run_to_their_end_at_the_same_time(
    live_site: LiveSite, empty_environment: Path
):
    """With simulated raters; a second run finds the campaigns of the first."""
    make_account("olga")
    key = obtain_key("olga", PASSWORD, address="127.0.0.1")
    live_site.start_worker(app="tests.faults.plain_site")  # they read tables, not pictures
    environment = {"RANKME_URL": live_site.url, "RANKME_TOKEN": key, "PATH": "/usr/bin:/bin"}
    running = Campaign.objects.filter(state="running")
    with started(empty_environment, environment) as cells:

        def all_are_launched() -> bool:
            return running.count() == len(cells) or any(each.poll() is not None for each in cells)

        wait_for(all_are_launched, "the launches")
        assert running.count() == len(cells), printed_by(cells)
        links = {f"{live_site.url}/r/{each.code}/": each for each in running}
        for link, campaign in links.items():
            run_raters(Cohort(link, raters=campaign.slots.count()))  # one batch each is enough
        printed = printed_by(cells)
    assert all("System" in each for each in printed)
    assert all(sum(link in each for each in printed) == 1 for link in links)
    assert {(each.campaign_id, each.state) for each in AnalysisRun.objects.all()} == {
        (campaign.pk, "done") for campaign in links.values()
    }
    with started(empty_environment, environment) as again:
        said = [next((line for line in each.stdout if "Send this" in line), "-") for each in again]
    assert {line.split()[-1] for line in said} == set(links)
    assert Campaign.objects.count() == len(NOTEBOOKS)


def test_the_environment_has_nothing_of_the_site(empty_environment: Path):
    there = (
        "import importlib.util as u; print([bool(u.find_spec(n)) for n in ('rankme', 'django')])"
    )
    found = subprocess.check_output([str(empty_environment), "-c", there], text=True, cwd="/")
    assert found.strip() == "[False, False]"
