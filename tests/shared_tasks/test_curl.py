"""The commands of docs/shared-tasks.md, run with curl against the running site."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from evalsite.embedded import PROJECT
from rankme.actions.shared_task.teams import add_member
from rankme.models import SystemUpload
from tests.live import PATIENCE, LiveSite
from tests.shared_tasks.tasks import make_task, make_team

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(shutil.which("curl") is None, reason="there is no curl here"),
]
LINES = "The first.\nA second one.\nSome third.\nThe last.\n"


def commands() -> list[str]:
    page = (PROJECT / "docs/shared-tasks.md").read_text()
    return re.findall(r"^curl .+$", page, re.M)


def run(command: str, folder: Path, values: dict[str, str]) -> str:
    """Run it as somebody would who copies it, but let an error of HTTP fail."""
    ended = subprocess.run(
        ["bash", "-c", command.replace("curl ", "curl -sS --fail-with-body ", 1)],
        cwd=folder,
        env={"PATH": "/usr/bin:/bin", **values},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert ended.returncode == 0, (command, ended.stdout, ended.stderr)
    return ended.stdout


def test_the_commands_of_the_docs_bring_a_team_from_its_link_to_a_receipt(
    live_site: LiveSite, tmp_path: Path
):
    live_site.start_web()
    team = make_team(make_task())
    team.systems.all().delete()
    _made, secret = add_member(team, name="Script", by=team.members.get())
    (tmp_path / "outputs.txt").write_text(LINES)
    values = {"SITE": live_site.url, "LINK": f"{live_site.url}/team/enter/{secret}/"}
    answers = {}
    for command in commands():
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


def test_a_large_file_comes_whole_and_so_does_a_pipe(live_site: LiveSite, tmp_path: Path):
    """curl asks before it sends a large file, and says no length of what comes from a pipe."""
    live_site.start_web()
    team = make_team(make_task())
    _made, secret = add_member(team, name="Script", by=team.members.get())
    (tmp_path / "outputs.txt").write_text("x" * 3_000_000)
    track, system = team.task.tracks.get().pk, team.systems.get().pk
    values = {"SITE": live_site.url, "LINK": secret}
    address = f"$SITE/api/v1/team/files/{track}/{system}/outputs.txt"
    header = '-H "Authorization: Bearer $LINK"'
    said = run(f"curl {header} -T outputs.txt {address}", tmp_path, values)
    assert json.loads(said)["size"] == 3_000_000
    piped = run(f"curl {header} -T - {address} < outputs.txt", tmp_path, values)
    assert json.loads(piped)["size"] == 3_000_000
