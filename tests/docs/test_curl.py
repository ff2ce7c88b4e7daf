"""The commands of docs/scripts.md, run with curl against the running site and a mail server."""

import json
import shutil
from pathlib import Path

import pytest

from rankme.actions.accounts.api_keys import KeyPlan, make_key
from rankme.actions.accounts.link_mails import send_reminders
from rankme.models import Invitation, Role
from tests.campaigns import make_campaign, make_owner
from tests.docs.curl import commands, run
from tests.docs.mail_server import mail_server
from tests.live import LiveSite

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(shutil.which("curl") is None, reason="there is no curl here"),
]


def test_the_commands_of_the_docs_send_a_link_remind_and_forget(
    site_without_web: LiveSite, tmp_path: Path, settings, mailoutbox
):
    """Between them a worker sends the reminder."""
    campaign = make_campaign(owner=make_owner("olga"))
    key = make_key(campaign.owner, KeyPlan(role=Role.EDITOR)).secret
    said = {}
    with mail_server() as server:
        site_without_web.start_web(**server.settings)
        settings.EMAIL_HOST = "mail.example.org"
        values = {"SITE": site_without_web.url, "KEY": key, "CAMPAIGN": campaign.code}
        for command in commands("scripts.md", "Personal links by script"):
            said[command.split("$CAMPAIGN/")[1]] = run(command, tmp_path, values)
            if command.endswith("/personal/"):
                (made,) = json.loads(said["links/personal/"])
                values["LINK"] = str(made["id"])
            if "-X POST" in command and command.endswith("/reminders/"):
                assert json.loads(said["links/reminders/"]) == {"number": 1}
                assert send_reminders() == 1
    (mail,) = server.received
    assert mail["To"] == "nora@example.org"
    # The link is whole, however the mail breaks its lines.
    assert made["link"] in mail.get_content()
    assert [each.to for each in mailoutbox] == [["nora@example.org"]]
    link = Invitation.objects.get()
    assert link.mail == "" and link.reminded_at is not None
    page = json.loads(said["links/personal/$LINK/work-page/"])["link"]
    assert run(f"curl {page}", tmp_path, {}).count("/r/") == 1
