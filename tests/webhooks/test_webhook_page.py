"""The owner adds a webhook, reads its secret once, sees its messages and sends one again."""

import re

import pytest

from rankme.actions.webhooks import delivering
from rankme.actions.webhooks.events import record_events
from rankme.models import Webhook
from rankme.panel_calls.sealed import unseal
from rankme.webhook_calls.sending import Outcome
from tests.campaigns import make_campaign, make_rater, slider_definition
from tests.sittings import sit

pytestmark = pytest.mark.django_db
KINDS = ["half_done", "done"]


def test_a_webhook_from_its_form_to_a_message_that_is_sent_again(olga):
    campaign = make_campaign(slider_definition(raters_per_trial=2), items=2, systems=1)
    page = f"/campaigns/{campaign.code}/webhooks/"
    refused = olga.post(page, {"url": "ftp://x/", "kinds": KINDS})
    assert (refused.status_code, Webhook.objects.count()) == (422, 0)
    made = olga.post(page, {"url": "https://hooks.example.org/", "kinds": KINDS})
    hook = Webhook.objects.get()
    shown = re.search(r'<code class="given" dir="ltr">([^<]+)</code>', made.content.decode())
    assert shown[1] == unseal(hook.sealed_secret)
    assert shown[1] not in olga.get(page).content.decode()
    sit(make_rater(campaign))
    record_events(campaign)
    delivering.deliver_due(lambda *_given: Outcome(410, "410 Gone"))
    assert "410 Gone" in olga.get(page).content.decode()
    delivery = hook.deliveries.get()
    again = olga.post(f"{page}{hook.pk}/deliveries/{delivery.pk}/again/", follow=True)
    assert "within seconds" in again.content.decode()
    delivering.deliver_due(lambda *_given: Outcome(204))
    delivery.refresh_from_db()
    assert delivery.state == "sent"


def test_a_webhook_is_changed_switched_off_and_removed(olga):
    campaign = make_campaign()
    page = f"/campaigns/{campaign.code}/webhooks/"
    olga.post(page, {"url": "https://a.example/", "kinds": KINDS})
    own = f"{page}{Webhook.objects.get().pk}/"
    assert "https://a.example/" in olga.get(own).content.decode()
    olga.post(own, {"do": "save", "url": "https://b.example/", "kinds": ["done"]})
    assert (Webhook.objects.get().url, Webhook.objects.get().kinds) == (
        "https://b.example/", ["done"],
    )  # fmt: skip
    olga.post(own, {"do": "switch"})
    assert not Webhook.objects.get().is_active
    assert olga.post(own, {"do": "save", "url": "b", "kinds": ["done"]}).status_code == 422
    olga.post(own, {"do": "remove"})
    assert not Webhook.objects.exists()
    verbs = list(campaign.audit_events.values_list("verb", flat=True)[:4])
    assert verbs == ["webhook removed", "webhook changed", "webhook changed", "webhook added"]
