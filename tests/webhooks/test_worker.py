"""A worker tells a program on this machine that a campaign was launched."""

import pytest
from celery import current_app
from rankme_client.webhooks import read_message

from rankme.actions.campaign.campaigns import launch_campaign
from rankme.actions.webhooks.hooks import add_webhook
from rankme.models import WebhookDelivery
from tests.campaigns import make_campaign
from tests.live import LiveSite, wait_for
from tests.webhooks.receiver import receiver

pytestmark = pytest.mark.slow


def test_a_worker_tells_of_a_launch(live_site: LiveSite, settings):
    settings.WEBHOOKS_TO_PRIVATE_ADDRESSES = True
    draft = make_campaign(launch=False)
    live_site.start_worker(WEBHOOKS_TO_PRIVATE_ADDRESSES="true")
    with receiver() as told:
        secret = add_webhook(draft, told.url, by=draft.owner).secret
        launch_campaign(draft, by=draft.owner)
        current_app.send_task("rankme.tasks.send_webhooks", retry=False)
        wait_for(lambda: told.received, "the message")
        [(headers, body)] = told.received
        message = read_message(body, headers["RankME-Signature"], secret)
        assert (message["kind"], message["campaign"]["code"]) == ("launched", draft.code)
        sent = WebhookDelivery.objects.filter(state="sent", status=204)
        wait_for(sent.exists, "the note of the delivery")
