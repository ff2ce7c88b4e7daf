"""The notebooks are run from their first cell to their last, with simulated raters, and again."""

import os
import subprocess
import sys
import threading

import pytest

from evalsite.embedded import PROJECT
from rankme.actions.accounts.api_keys import obtain_key
from rankme.models import AnalysisRun, Campaign
from rankme.simulation.raters import Cohort, run_raters
from tests.accounts import PASSWORD, make_account
from tests.live import PATIENCE, LiveSite, wait_for

pytestmark = pytest.mark.slow
NOTEBOOKS = sorted((PROJECT / "client/notebooks").glob("*.py"))


def started(notebook, environment) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, str(notebook)], env=environment, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def test_there_is_a_notebook_for_each_kind_of_campaign():
    assert [each.stem for each in NOTEBOOKS] == ["arena", "magnitude", "rating", "spans"]


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_to_its_end(live_site: LiveSite, notebook):
    make_account("olga")
    key = obtain_key("olga", PASSWORD, address="127.0.0.1")
    live_site.start_worker()
    address = {"RANKME_URL": live_site.url, "RANKME_TOKEN": key}
    environment = os.environ | address | {"PYTHONPATH": str(PROJECT / "client")}
    cells = started(notebook, environment)
    running = Campaign.objects.filter(state="running")
    try:
        wait_for(lambda: running.exists() or cells.poll() is not None, "the launch")
        assert cells.poll() is None, cells.communicate()
        campaign = running.get()
        link = f"{live_site.url}/r/{campaign.code}/"
        raters = campaign.slots.count()  # one batch each is enough
        people = threading.Thread(target=run_raters, args=[Cohort(link, raters=raters)])
        people.start()
        printed, errors = cells.communicate(timeout=PATIENCE)
        people.join()
    finally:
        cells.kill()
    assert cells.returncode == 0, errors
    assert link in printed and "System" in printed
    assert AnalysisRun.objects.get().state == "done"
    again = started(notebook, environment)
    assert again.communicate(timeout=PATIENCE)[1] == "" or again.returncode == 0
    assert Campaign.objects.count() == 1
