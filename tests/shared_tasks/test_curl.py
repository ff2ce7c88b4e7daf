"""The commands of docs/shared-tasks.md, run with curl against the running site."""

import json
import shutil
import zipfile
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from rankme.actions.accounts.api_keys import KeyPlan, make_key
from rankme.actions.campaign.campaigns import change_definition
from rankme.actions.imports.import_jobs import execute_import
from rankme.models import AnalysisRun, Campaign, MaterialImport, Role, SharedTask, SystemUpload
from tests.campaigns import make_owner, slider_definition
from tests.docs.curl import commands, run
from tests.live import LiveSite
from tests.runs import executed, rate
from tests.shared_tasks.challenge import sources
from tests.shared_tasks.tasks import close, make_task, make_team, secret_of, submit

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(shutil.which("curl") is None, reason="there is no curl here"),
]
PAGE = "shared-tasks.md"
LINES = "The first.\nA second one.\nSome third.\nThe last.\n"


def test_the_commands_of_the_docs_bring_a_team_from_its_link_to_a_receipt(
    live_site: LiveSite, tmp_path: Path
):
    live_site.start_web()
    team = make_team(make_task())
    team.systems.all().delete()
    (tmp_path / "outputs.txt").write_text(LINES)
    values = {"SITE": live_site.url, "LINK": f"{live_site.url}/team/enter/{secret_of(team)}/"}
    answers = {}
    for command in commands(PAGE, "Uploads by script"):
        said = run(command, tmp_path, values)
        answer = json.loads(said) if said else {}
        answers[command.rsplit(" ", 1)[-1]] = answer
        values |= learned(command, answer)
    assert SystemUpload.objects.count() == 4
    assert {each.size for each in SystemUpload.objects.all()} == {len(LINES)}
    assert {each.file_name for each in SystemUpload.objects.all()} == {"outputs.txt"}
    receipt = answers["$SITE/api/v1/team/uploads/$UPLOAD/receipt/"]
    assert receipt["counts_now"] == [{"number": 3, "role": "primary"}]
    assert (tmp_path / "sources.jsonl").read_text().count("\n") == 4
    assert SystemUpload.objects.get(number=4).ticket is not None


def learned(command: str, answer: dict) -> dict[str, str]:
    """What a reader copies from an answer into the next command."""
    if command.endswith("/team/"):
        return {"TRACK": str(answer["task"]["tracks"][0]["id"])}
    if command.endswith("/systems/"):
        return {"SYSTEM": str(answer["id"])}
    if command.endswith("/tickets/"):
        return {"TICKET": answer["ticket"]}
    return {"UPLOAD": str(answer["id"])} if "sha256" in answer and "id" in answer else {}


# What a reader copies from an answer into the next commands, by the end of the address.
FOUND: dict[str, Callable[[dict], dict[str, str]]] = {
    "/tasks/": lambda answer: {"TASK": answer["code"]},
    "/tracks/": lambda answer: {"TRACK": str(answer["id"]), "CAMPAIGN": answer["campaign"]},
    "/imports/": lambda answer: {"IMPORT": str(answer["id"])},
    "/calls/$TASK/": lambda answer: {"LINK": answer["link"]},
    "/teams/": lambda answer: {"TEAM": str(answer["results"][0]["id"])},
    "/disputes/": lambda answer: {"DISPUTE": str(answer.get("id") or answer["results"][0]["id"])},
}


def test_the_commands_of_the_docs_bring_a_task_from_its_call_to_the_paper(
    live_site: LiveSite, tmp_path: Path
):
    """Between them, teams upload by their commands, raters rate, and a worker's jobs are done."""
    (tmp_path / "items.csv").write_bytes(sources())
    (tmp_path / "task.json").write_text(json.dumps(task_document()))
    keys = {name: make_key(make_owner(name), KeyPlan(role=Role.OWNER)) for name in ("olga", "bob")}
    values = {"SITE": live_site.url, "KEY": keys["olga"].secret, "SECOND": keys["bob"].secret}
    said = ""
    for command in commands(PAGE, "A whole task"):
        said = run(command, tmp_path, values)
        for end, read in FOUND.items():
            if command.endswith(end):
                values |= read(json.loads(said))
        what_follows(command)
    assert [each["verb"] for each in json.loads(said)["results"]][:2] == [
        "dispute answered",
        "results disputed",
    ]
    with zipfile.ZipFile(tmp_path / "overview.zip") as archive:
        assert b"The Owls" in archive.read("overview.tex")
    assert b"The Owls" in (tmp_path / "results.csv").read_bytes()
    assert b"Owls" in (tmp_path / "judgements.csv").read_bytes()


def task_document() -> dict[str, Any]:
    now = timezone.now()
    times = {"opens_at": now - timedelta(hours=1), "closes_at": now + timedelta(hours=1)}
    facts = {"title": "E2E again", "teams_first_days": 7, "registration": "approve"}
    return facts | {name: time.isoformat() for name, time in times.items()}


def what_follows(command: str) -> None:
    """What workers, teams and raters do after a command."""
    if command.endswith(("/imports/", "/take/")):
        assert execute_import(MaterialImport.objects.get().pk, "tester")
    if command.endswith("/decision/"):
        task = SharedTask.objects.get()
        campaign = task.tracks.get().campaign
        change_definition(campaign, slider_definition(), by=task.owner)
        owls = task.teams.get()
        owls.systems.create(name="Owls")
        submit(owls)
        submit(make_team(task, "Bees"))
        close(task)
    if command.endswith("/links/"):
        rate(Campaign.objects.get(), raters=2)
    if command.endswith("/analysis-runs/"):
        executed(AnalysisRun.objects.get(), pictures=())


def test_a_large_file_comes_whole_and_so_does_a_pipe(live_site: LiveSite, tmp_path: Path):
    """curl asks before it sends a large file, and says no length of what comes from a pipe."""
    live_site.start_web()
    team = make_team(make_task())
    (tmp_path / "outputs.txt").write_text("x" * 3_000_000)
    track, system = team.task.tracks.get().pk, team.systems.get().pk
    values = {"SITE": live_site.url, "LINK": secret_of(team)}
    address = f"$SITE/api/v1/team/files/{track}/{system}/outputs.txt"
    header = '-H "Authorization: Bearer $LINK"'
    said = run(f"curl {header} -T outputs.txt {address}", tmp_path, values)
    assert json.loads(said)["size"] == 3_000_000
    piped = run(f"curl {header} -T - {address} < outputs.txt", tmp_path, values)
    assert json.loads(piped)["size"] == 3_000_000
