"""Databases of earlier versions become those of today by one `manage.py migrate`."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from evalsite.embedded import OWNER_ROLE, SITE_ROLE, Servers
from evalsite.management import older_tables
from tests.evalsite.databases import DUMPS, connected, manage, restore, schema
from tests.evalsite.machines.releases import put_release_before
from tests.live import run_python

VERSIONS = sorted(path.name.removesuffix(".sql.gz") for path in DUMPS.glob("*.sql.gz"))
COUNTS = """
    SELECT (SELECT count(*) FROM rankme_judgement), (SELECT sum(value) FROM rankme_judgement),
        (SELECT count(*) FROM rankme_submission),
        (SELECT count(*) FROM rankme_assignment WHERE counts)
"""
# Then the record holds; and the organiser's pages of each campaign and of the report, and the first
# page of a rater, are there.
UPGRADE_AND_VISIT = """
import io
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from analysis.report import rendered
from rankme.actions.runs import report_files
from rankme.models import AnalysisRun, Campaign
call_command("migrate", verbosity=0)
call_command("verify", stdout=io.StringIO())
rater, client = Client(HTTP_HOST="localhost"), Client(HTTP_HOST="localhost")
client.force_login(get_user_model().objects.order_by("pk")[0])
pages = ["campaign", "campaign-material", "campaign-monitor", "campaign-raters", "campaign-history"]
for campaign in Campaign.objects.all():
    for name in [*pages, "campaign-links", "campaign-change", "analysis-runs"]:
        print(client.get(reverse(f"rankme:{name}", args=[campaign.code])).status_code)
    print(rater.get(f"/r/{campaign.code}/", follow=True).status_code)
run = AnalysisRun.objects.get()
report = reverse("rankme:analysis-run", args=[run.campaign.code, run.pk])
assert client.get(report).status_code == 503, "the report's files are not in the dump"
rendered.PLOT_FORMATS = ("svg",)  # those that the page shows
assert report_files.execute(run.files.pk, "worker")
print(client.get(report).status_code)
"""


@pytest.fixture(scope="module", params=VERSIONS)
def older(servers: Servers, request) -> Iterator[dict[str, str]]:
    """The addresses of a database that an earlier version has left."""
    server, name = servers.postgresql, f"of_{request.param.replace('.', '_')}"
    with connected(server.owner_url) as cursor:
        cursor.execute(f"CREATE DATABASE {name} TEMPLATE template0")
    owner = server.url_of(OWNER_ROLE, name)
    restore(request.param, owner)
    yield {"DATABASE_OWNER_URL": owner, "DATABASE_URL": server.url_of(SITE_ROLE, name)}
    with connected(server.owner_url) as cursor:
        cursor.execute(f"DROP DATABASE {name} WITH (FORCE)")


def test_a_site_of_an_earlier_version_is_upgraded_in_one_step(servers: Servers, older):
    with connected(older["DATABASE_OWNER_URL"]) as cursor:
        cursor.execute(COUNTS)
        before = cursor.fetchone()
    command = ("shell", "--verbosity", "0", "--command", UPGRADE_AND_VISIT)
    visited = manage(servers, *command, DEBUG="true", **older)
    assert visited.returncode == 0, visited.stderr
    assert set(visited.stdout.split()) == {"200"}, visited.stdout
    with connected(older["DATABASE_OWNER_URL"]) as cursor:
        cursor.execute(COUNTS)
        assert cursor.fetchone() == before
        upgraded = schema(cursor)
    with connected(servers.postgresql.owner_url) as cursor:
        assert upgraded ^ schema(cursor) == set(), "tables that today's migrations create"


def test_the_steps_are_those_that_were_once_migrations():
    numbers = [int(name[:4]) for name, _ in older_tables.steps()]
    assert numbers == list(range(5, 40))


# A rater of the release before, from the link to the first stored screen, on today's tables.
BEFORE = """
import os, sys
sys.path.insert(0, os.environ["RELEASE"])
os.chdir(os.environ["RELEASE"])
import django
django.setup()
import rankme
assert rankme.__file__.startswith(os.environ["RELEASE"])
from django.db import transaction
from django.test import Client
from rankme.models import Submission
from tests.campaigns import make_campaign
from tests.pages.rater.visits import begin, payload_for, send
with transaction.atomic():
    campaign, rater = make_campaign(), Client(HTTP_HOST="localhost")
    sent = send(rater, campaign, payload_for(campaign, begin(rater, campaign, id="w1")))
    organiser = Client(HTTP_HOST="localhost")
    organiser.force_login(campaign.owner)
    page = organiser.get(f"/campaigns/{campaign.code}/monitor/")
    print(sent.status_code, page.status_code, Submission.objects.count())
    transaction.set_rollback(True)
"""


def test_the_release_before_works_on_the_tables_of_today(servers: Servers, tmp_path: Path):
    if not put_release_before(tmp_path):
        pytest.skip("The history with the release before is not here.")
    environment = {
        "RELEASE": str(tmp_path), "DATA_FOLDER": str(servers.folder), "ENVIRONMENT": "local",
        "DEBUG": "true", "DJANGO_SETTINGS_MODULE": "evalsite.settings",
    }  # fmt: skip
    visited = run_python(["-c", BEFORE], environment)
    assert visited.returncode == 0, visited.stderr
    assert visited.stdout.split()[-3:] == ["201", "200", "1"]
    # A column that the release before does not fill: the visit would notice.
    with connected(servers.postgresql.owner_url) as cursor:
        cursor.execute("ALTER TABLE rankme_submission ADD must_be_given integer NOT NULL")
        try:
            refused = run_python(["-c", BEFORE], environment)
        finally:
            cursor.execute("ALTER TABLE rankme_submission DROP must_be_given")
    assert "must_be_given" in refused.stderr
