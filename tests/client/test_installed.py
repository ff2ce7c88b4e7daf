"""The client as its users have it: the wheel in an environment without the site's code."""

import json
import subprocess
import threading
from pathlib import Path

import pytest

from rankme.actions.accounts.api_keys import obtain_key
from rankme.models import Campaign
from rankme.simulation.raters import Cohort, run_raters
from tests.accounts import PASSWORD, make_account
from tests.live import PATIENCE, LiveSite, wait_for

pytestmark = pytest.mark.slow

TRUTH = {"Good": 2.0, "Bad": -2.0}
SCRIPT = """
import json
import pandas as pd
import rankme_client

outputs = pd.DataFrame({
    "item": ["a", "b", "c", "d"],
    "ours": ["Good a.", "Good b.", "Good c.", "Good d."],
    "baseline": ["Bad a.", "Bad b.", "Bad c.", "Bad d."],
})
handle = rankme_client.compare(outputs, systems=["ours", "baseline"], raters=3)
handle.wait(timeout=600, every=0.5)
answer = handle.analyse(runs=20, agreement_resamples=20).table()
again = rankme_client.compare(outputs, systems=["ours", "baseline"], raters=3)
print(json.dumps({
    "code": handle.code,
    "again": again.code,
    "systems": list(answer["System"]),
    "judgements": len(handle.judgements()),
    "from": rankme_client.__file__,
}))
"""


def test_the_wheel_compares_two_systems_on_the_running_site(
    live_site: LiveSite, empty_environment: Path, tmp_path: Path
):
    make_account("olga")
    key = obtain_key("olga", PASSWORD, address="127.0.0.1")
    live_site.start_worker(app="tests.faults.plain_site")  # the script reads no pictures
    environment = {"RANKME_URL": live_site.url, "RANKME_TOKEN": key, "PATH": "/usr/bin:/bin"}
    script = subprocess.Popen(
        [str(empty_environment), "-c", SCRIPT],
        cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip

    def is_launched() -> bool:
        return Campaign.objects.filter(state="running").exists() or script.poll() is not None

    try:
        wait_for(is_launched, "the launch")
        assert script.poll() is None, script.communicate()
        link = f"{live_site.url}/r/{Campaign.objects.get().code}/"
        truth = {f"Good {item}.": 2.0 for item in "abcd"} | {
            f"Bad {item}.": -2.0 for item in "abcd"
        }
        people = threading.Thread(target=run_raters, args=[Cohort(link, raters=3, truth=truth)])
        people.start()
        printed, errors = script.communicate(timeout=PATIENCE)
        people.join()
    finally:
        script.kill()
    assert script.returncode == 0, errors
    found = json.loads(printed)
    assert found["code"] == found["again"] == Campaign.objects.get().code
    assert found["systems"] == ["ours", "baseline"]
    assert found["judgements"] == 24
    assert "site-packages" in found["from"]


def test_the_environment_has_nothing_of_the_site(empty_environment: Path):
    there = (
        "import importlib.util as u; print([bool(u.find_spec(n)) for n in ('rankme', 'django')])"
    )
    found = subprocess.check_output([str(empty_environment), "-c", there], text=True, cwd="/")
    assert found.strip() == "[False, False]"
