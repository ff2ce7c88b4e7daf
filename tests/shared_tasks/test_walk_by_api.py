"""A shared task of 21 teams from the call to the overview paper, by calls of the API alone.

The rules put four teams elsewhere: one withdraws after the launch, one uploads twice in the last
second, one has lost its captain, and one never chooses a primary upload.
"""

import io
import re
import zipfile
from datetime import timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from rest_framework.test import APIClient

from rankme.actions.imports.import_jobs import execute_import
from rankme.actions.shared_task import checks
from rankme.models import AnalysisRun, Campaign, SystemUpload, UploadCheck
from tests.api.conftest import client_of
from tests.experiments.cohorts import rate
from tests.latex import compiled
from tests.runs import executed
from tests.shared_tasks.challenge import CORRECTED, TEAMS, Entry, entries, sources

pytestmark = [pytest.mark.django_db, pytest.mark.slow]
API = "/api/v1/"
WITHDRAWS, LAST_SECOND, LOSES_CAPTAIN, NO_PRIMARY = 3, 7, 11, 15
QUICK = {"runs": 40, "agreement_resamples": 20}


def told(answer: Any, status: int = 200) -> Any:
    """The document of an answer that must have this status."""
    assert answer.status_code == status, answer.content
    return answer.json()


def bearer(link: str) -> APIClient:
    client = APIClient(raise_request_exception=False)
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {link}")
    return client


class Walk:
    """The hosts and their task; each step is what a script would send."""

    def __init__(self) -> None:
        self.host, self.second = client_of("olga"), client_of("bob")
        now = timezone.now()
        made = self.host.post(
            f"{API}tasks/",
            {
                "title": "E2E again",
                "call": "Describe places.",
                "terms": "Be fair.",
                "registration": "approve",
                "opens_at": now - timedelta(hours=1),
                "closes_at": now + timedelta(hours=1),
                "grace_seconds": 0,
                "teams_first_days": 7,
            },
        )
        self.task = f"{API}tasks/{told(made, 201)['code']}/"
        self.call = f"{API}calls/{made.json()['code']}/"
        told(self.host.post(f"{self.task}hosts/", {"username": "bob"}), 201)
        self.track = told(self.host.post(f"{self.task}tracks/", {"name": "en-en"}), 201)
        self.campaign = f"{API}campaigns/{self.track['campaign']}/"
        self.teams: dict[str, APIClient] = {}

    def define(self) -> None:
        """Upload the sources, and let each rater see each system on each item."""
        file = SimpleUploadedFile("items.csv", sources())
        made = self.host.post(f"{self.campaign}imports/", {"files": [file]}, format="multipart")
        number = told(made, 202)["id"]
        assert execute_import(number, "tester")
        told(self.host.post(f"{self.campaign}imports/{number}/take/"))
        assert execute_import(number, "tester")
        definition = told(self.host.get(self.campaign))["definition"]
        definition["design"]["options"] |= {"screens_per_item": 4, "trials_per_batch": 16}
        told(self.host.put(self.campaign, {"definition": definition}))

    def register(self, entry: Entry) -> APIClient:
        facts = {"name": entry.name, "publication_name": entry.name.title(), "captain": "Ada"}
        made = APIClient().post(self.call, facts | {"accepts_terms": True})
        client = bearer(told(made, 201)["link"])
        told(client.post(f"{API}team/systems/", {"name": entry.name}), 201)
        self.teams[entry.name] = client
        return client

    def upload(self, entry: Entry, status: int = 201, *, corrected: bool = False) -> Any:
        client = self.teams[entry.name]
        (system,) = told(client.get(f"{API}team/systems/"))
        address = f"{API}team/files/{self.track['id']}/{system['id']}/{entry.name}.txt"
        made = told(
            client.generic("PUT", address, entry.corrected if corrected else entry.file, ""), status
        )
        for row in UploadCheck.objects.filter(state="queued"):
            assert checks.execute(row.pk, "tester")
        return made

    def choose(self, entry: Entry, upload: Any) -> None:
        address = f"{API}team/uploads/{upload['id']}/role/"
        told(self.teams[entry.name].post(address, {"role": "primary"}))

    def team_id(self, entry: Entry) -> int:
        listed = told(self.host.get(f"{self.task}teams/"))["results"]
        return next(each["id"] for each in listed if each["name"] == entry.name)

    def judge(self) -> None:
        """Launch, rate and close; a worker's part is done here."""
        told(self.host.post(f"{self.campaign}launch/"))
        found = Campaign.objects.get(code=self.track["campaign"])
        assert rate(found, at_once=True)

    def analyse(self) -> None:
        told(self.host.post(f"{self.campaign}close/"))
        run = told(self.host.post(f"{self.campaign}analysis-runs/", {"options": QUICK}), 202)
        executed(AnalysisRun.objects.get(pk=run["id"]), pictures=())


def test_21_teams_go_from_the_call_to_the_overview_paper_by_the_api_alone(tmp_path):
    walk, submitted = Walk(), entries()
    walk.define()
    special = {
        place: submitted[place] for place in (WITHDRAWS, LAST_SECOND, LOSES_CAPTAIN, NO_PRIMARY)
    }
    for entry in submitted:
        walk.register(entry)
        decision = f"{walk.task}teams/{walk.team_id(entry)}/decision/"
        told(walk.host.post(decision, {"decision": "approve"}))
    for place, entry in enumerate(submitted):
        if place in (LAST_SECOND, LOSES_CAPTAIN):
            continue
        upload = walk.upload(entry)
        if place != NO_PRIMARY:
            walk.choose(entry, upload)
    replace_the_captain(walk, special[LOSES_CAPTAIN])
    upload_in_the_last_second(walk, special[LAST_SECOND])

    (field,) = told(walk.host.get(f"{walk.task}seal/"))["tracks"]
    assert len(field["judged"]) == TEAMS - 1
    told(walk.host.post(f"{walk.task}seal/", {}))
    walk.judge()
    told(walk.teams[special[WITHDRAWS].name].post(f"{API}team/withdrawal/"))
    walk.analyse()
    unseal_by_two(walk)
    read_the_results(walk, special)
    object_and_answer(walk, special[LAST_SECOND], submitted[0])
    compile_the_paper(walk, submitted, special, tmp_path)


def replace_the_captain(walk: Walk, entry: Entry) -> None:
    """The link that is lost ends, and the new one does all that it did."""
    lost = walk.teams[entry.name]
    made = walk.host.post(f"{walk.task}teams/{walk.team_id(entry)}/captain/")
    walk.teams[entry.name] = bearer(told(made, 201)["link"])
    told(lost.get(f"{API}team/"), 401)
    assert told(walk.teams[entry.name].get(f"{API}team/"))["is_captain"] is True
    walk.choose(entry, walk.upload(entry))


def upload_in_the_last_second(walk: Walk, entry: Entry) -> None:
    """Both uploads are in, a third is not, and the one that counts is the one that is chosen."""
    first, second = walk.upload(entry), walk.upload(entry, corrected=True)
    last = parse_datetime(second["received_at"])
    assert last is not None
    told(walk.host.put(walk.task, {"closes_at": last + timedelta(milliseconds=1)}))
    refused = walk.upload(entry, 409)
    assert "by the clock of the server" in refused["error"]["message"]
    assert (first["number"], second["number"], first["is_late"]) == (1, 2, False)
    walk.choose(entry, first)
    walk.choose(entry, second)
    receipt = told(walk.teams[entry.name].get(f"{API}team/uploads/{first['id']}/receipt/"))
    assert receipt["counts_now"] == [{"number": 2, "role": "primary"}]


def unseal_by_two(walk: Walk) -> None:
    assert told(walk.host.get(f"{walk.task}unseal/"))["missing"] == []
    told(walk.host.post(f"{walk.task}unseal/", {"act": "ask"}))
    told(walk.host.post(f"{walk.task}unseal/", {"act": "agree"}), 409)
    assert told(walk.host.get(f"{walk.task}results/"), 409)
    assert told(walk.second.post(f"{walk.task}unseal/", {"act": "agree"}))["unsealed_at"]


def read_the_results(walk: Walk, special: dict[int, Entry]) -> None:
    """Each special team is where the rules put it."""
    tables = told(walk.host.get(f"{walk.task}results/"))["tables"]
    quality = next(each for each in tables if each["criterion"] == "quality")
    rows = {each["system"]: each for each in quality["systems"]}
    order = list(rows)
    assert len(rows) == TEAMS
    ranked = [name for name, row in rows.items() if row["rank_low"] is not None]
    assert len(ranked) == TEAMS - 2 and order[: TEAMS - 2] == ranked
    gone, silent = special[WITHDRAWS].name, special[NO_PRIMARY].name
    assert order[-2:] == [gone, silent]
    assert re.fullmatch(r"withdrawn by the team on .+: judged, not ranked", rows[gone]["remarks"])
    assert rows[gone]["judgements"] == rows[ranked[0]]["judgements"] == 12
    assert rows[silent]["remarks"] == "not judged: the team chose no primary upload"
    assert (rows[silent]["value"], rows[silent]["judgements"]) == (None, None)
    entry = special[LAST_SECOND]
    upload = SystemUpload.objects.get(code__isnull=False, team__name=entry.name)
    assert upload.number == 2
    own = told(walk.teams[entry.name].get(f"{API}team/results/"))["places"]
    place = next(each for each in own if each["criterion"] == "quality")
    assert (place["rank_low"], place["value"]) == (
        rows[entry.name]["rank_low"],
        rows[entry.name]["value"],
    )
    captain = walk.teams[special[LOSES_CAPTAIN].name]
    assert len(told(captain.get(f"{API}team/results/"))["places"]) == len(tables)
    assert told(walk.teams[silent].get(f"{API}team/results/"))["places"] == []
    address = f"{API}team/results/{walk.track['id']}/judgements.csv"
    judged = b"".join(walk.teams[entry.name].get(address)).decode()
    assert CORRECTED in judged


def object_and_answer(walk: Walk, entry: Entry, other: Entry) -> None:
    dispute = {"track": walk.track["id"], "text": "Item 3 is cut."}
    made = told(walk.teams[entry.name].post(f"{API}team/disputes/", dispute), 201)
    address = f"{walk.task}disputes/{made['id']}/answer/"
    told(walk.second.post(address, {"text": "It was so in your file."}))
    (read,) = told(walk.teams[entry.name].get(f"{API}team/disputes/"))["results"]
    assert read["answer"] == "It was so in your file."
    assert told(walk.teams[other.name].get(f"{API}team/disputes/"))["results"] == []


def compile_the_paper(walk: Walk, submitted, special, folder) -> None:
    """The paper has the numbers of the record; where there is a TeX, it is compiled to PDF."""
    paper = walk.host.get(f"{walk.task}results/overview.zip")
    with zipfile.ZipFile(io.BytesIO(b"".join(paper))) as archive:
        archive.extractall(folder)
    text = (folder / "overview.tex").read_text()
    assert f"{TEAMS} teams took part, and people judged {TEAMS - 1} systems in 1 track." in text
    assert f"{TEAMS} teams sent {TEAMS + 1} uploads." in text
    assert "1 withdrew later and got no rank" in text
    assert not re.search(r"\bS\d\d\b", text)
    bibliography = (folder / "teams.bib").read_text()
    assert bibliography.count("\n@") + bibliography.startswith("@") == TEAMS - 2
    compiled("pdflatex", text, folder)
