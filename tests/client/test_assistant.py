"""The assistant's server, asked by the protocol's own client, over standard input and output."""

import json
import subprocess
from pathlib import Path

import pytest

from rankme.actions.accounts.api_keys import obtain_key
from rankme.models import Campaign, PanelStudy
from rankme.protocols.files import definition_to_yaml, preset
from tests.accounts import PASSWORD, make_account
from tests.client.environments import installed
from tests.live import PATIENCE, LiveSite

pytestmark = pytest.mark.slow

# Runs in the environment of the wheel, which has the protocol's client.
ASK = """
import asyncio, json, os, sys
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters

command = os.path.join(os.path.dirname(sys.executable), "rankme-assistant")
calls = json.loads(sys.stdin.read())

async def ask():
    server = StdioServerParameters(command=command, env=dict(os.environ))
    async with Client(server) as client:
        tools = await client.list_tools()
        print(json.dumps([[tool.name, tool.description] for tool in tools.tools]))
        for name, given in calls:
            answer = await client.call_tool(name, given)
            text = answer.content[0].text if answer.content else ""
            print(json.dumps([answer.is_error, text]))

asyncio.run(ask())
"""


@pytest.fixture(scope="module")
def environment_of_assistants(tmp_path_factory) -> Path:
    return installed(tmp_path_factory.mktemp("assistant"), "assistant")


def asked(python: Path, site: LiveSite, key: str, calls: list) -> tuple[dict, list]:
    """The tools with their descriptions, and the answers: [is an error, text]."""
    environment = {"RANKME_URL": site.url, "RANKME_TOKEN": key, "PATH": "/usr/bin:/bin"}
    done = subprocess.run(
        [str(python), "-c", ASK], input=json.dumps(calls), env=environment, text=True,
        capture_output=True, timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    tools, *answers = map(json.loads, done.stdout.splitlines())
    return dict(tools), answers


OUTPUTS = "system,item,output,input\n" + "".join(
    f"{system},{item},Text of {system} about {item}.,About {item}\n"
    for system in ("ours", "baseline")
    for item in range(6)
)


def test_an_assistant_reads_checks_previews_and_rehearses(
    live_site: LiveSite, environment_of_assistants: Path
):
    make_account("olga")
    key = obtain_key("olga", PASSWORD, address="127.0.0.1")
    live_site.start_worker()
    file = definition_to_yaml(preset("pairwise-preference"))
    tools, answers = asked(
        environment_of_assistants,
        live_site,
        key,
        [
            ["catalogue", {}],
            ["catalogue", {"preset": "pairwise-preference"}],
            ["schema", {}],
            ["schema", {"part": "CriterionSpec"}],
            ["schema", {"part": "Nothing"}],
            ["check", {"campaign_file": "title: 1\ncriteria: []"}],
            ["check", {"campaign_file": file}],
            ["preview", {"campaign_file": file}],
            ["rehearse", {"campaign_file": file, "outputs_csv": "nonsense"}],
            ["rehearse", {"campaign_file": file, "outputs_csv": OUTPUTS}],
        ],
    )
    assert set(tools) == {"catalogue", "schema", "check", "preview", "rehearse"}
    assert all(tools.values())
    errors = [is_error for is_error, _text in answers]
    assert errors == [False, False, False, False, True, False, False, False, True, False]
    texts = [text for _is_error, text in answers]
    assert "chat-arena" in texts[0] and json.loads(texts[1])["file"] == file
    assert "CriterionSpec" in json.loads(texts[2])["parts"]
    assert "instrument" in json.loads(texts[3])["properties"]
    assert "no part" in texts[4]
    assert not json.loads(texts[5])["valid"] and "line" in texts[5]
    assert json.loads(texts[6])["valid"]
    assert json.loads(texts[7])["screens"][0]["asks"][0]["question"] == "Which text is better?"
    rehearsed = json.loads(texts[9])
    assert rehearsed["plan"]["judgements"] > 0
    assert any(page.endswith("/try/pages/monitor/") for page in rehearsed["pages_for_an_hour"])
    assert set(Campaign.objects.values_list("state", flat=True)) == {"draft"}
    assert not PanelStudy.objects.exists()
