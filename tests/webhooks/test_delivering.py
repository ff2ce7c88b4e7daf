"""What happened is told once, tried again with growing pauses, and given up in the end."""

import json
import re
from datetime import timedelta

import pytest
from django.db.models import F

from rankme.actions.audit import DAMAGED, note
from rankme.actions.campaign.campaigns import close_campaign, launch_campaign
from rankme.actions.webhooks import delivering, hooks
from rankme.actions.webhooks.events import record_all, record_events
from rankme.errors import RefusedAction
from rankme.models import Campaign, PanelPayment, Webhook, WebhookDelivery
from rankme.webhook_calls.sending import Outcome
from tests.campaigns import make_campaign, make_rater, slider_definition
from tests.pages.world import panel_submission
from tests.runs import asked, executed
from tests.sittings import sit

pytestmark = pytest.mark.django_db
URL = "https://hooks.example.org/"


class Receivers:
    """Takes the place of the network; answers with these statuses, then with 204."""

    def __init__(self, *statuses: int) -> None:
        self.statuses, self.told = list(statuses), []

    def __call__(self, url, secret, body, headers) -> Outcome:
        self.told.append((url, secret, json.loads(body), dict(headers)))
        status = self.statuses.pop(0) if self.statuses else 204
        return Outcome(status, "" if status == 204 else f"{status}")

    @property
    def kinds(self) -> list[str]:
        return [message["kind"] for _url, _secret, message, _headers in self.told]


@pytest.fixture
def campaign() -> Campaign:
    """A campaign for two raters."""
    return make_campaign(slider_definition(raters_per_trial=2), items=2, systems=1)


@pytest.fixture
def hook(campaign: Campaign) -> Webhook:
    return hooks.add_webhook(campaign, URL, by=campaign.owner).webhook


def tell(receivers: Receivers) -> list[str]:
    """What is told now."""
    before = len(receivers.told)
    record_all()
    delivering.deliver_due(receivers)
    return receivers.kinds[before:]


def wait(hours: int) -> None:
    """Let time pass for all messages."""
    WebhookDelivery.objects.update(due_at=F("due_at") - timedelta(hours=hours))


def test_a_campaign_tells_each_event_of_its_life_once():
    draft = make_campaign(slider_definition(raters_per_trial=2), items=4, launch=False, systems=2)
    secret = hooks.add_webhook(draft, URL, by=draft.owner).secret
    receivers = Receivers()
    assert tell(receivers) == []
    campaign = launch_campaign(draft, by=draft.owner)
    assert tell(receivers) == ["launched"]
    for number in range(4):  # two batches, each for two raters
        sit(make_rater(campaign, f"w{number}"))
        assert tell(receivers) == [[], ["half_done"], [], ["done"]][number]
    executed(asked(campaign), pictures=())
    assert tell(receivers) == ["report_ready"]
    assert tell(receivers) == []
    url, key, message, headers = receivers.told[0]
    assert (url, key) == (URL, secret)
    assert message["campaign"]["code"] == campaign.code
    assert message["id"] == headers["RankME-Event"]
    assert len({told["id"] for _url, _key, told, _headers in receivers.told}) == 4


@pytest.mark.usefixtures("hook")
def test_trouble_with_money_or_the_record_is_told(campaign):
    receivers = Receivers()
    person = panel_submission(campaign)
    PanelPayment.objects.create(
        study=person.study, submission=person, kind="approval", amount=1, cost=1,
        currency="GBP", state="lost",
    )  # fmt: skip
    assert tell(receivers) == ["money_trouble"]
    note(campaign, None, DAMAGED, fault="a row is missing")
    assert tell(receivers) == ["record_trouble"]
    told = json.dumps([message for _url, _key, message, _headers in receivers.told])
    for name in (person.person, person.external_id):
        assert not re.search(rf"\b{name}\b", told)  # codes are random, and may have it inside
    assert tell(receivers) == []


@pytest.mark.usefixtures("hook")
def test_a_campaign_that_was_closed_long_ago_is_not_looked_at(campaign):
    close_campaign(campaign, by=campaign.owner)
    rows = Campaign.objects.filter(pk=campaign.pk)
    rows.update(closed_at=F("closed_at") - timedelta(days=31))
    note(campaign, None, DAMAGED, fault="a row is missing")
    receivers = Receivers()
    assert tell(receivers) == []
    rows.update(closed_at=F("closed_at") + timedelta(days=2))
    assert tell(receivers) == ["record_trouble"]


@pytest.mark.usefixtures("hook")
def test_what_happened_before_is_not_told(campaign):
    assert tell(Receivers()) == []
    assert campaign.webhook_events.get().kind == "launched"


def test_only_the_chosen_events_are_told(campaign):
    hooks.add_webhook(campaign, URL, ["done"], by=campaign.owner)
    receivers = Receivers()
    for name in ("w1", "w2"):
        sit(make_rater(campaign, name))
    assert tell(receivers) == ["done"]
    with pytest.raises(RefusedAction, match="no event “dance”"):
        hooks.add_webhook(campaign, URL, ["dance"], by=campaign.owner)


@pytest.mark.usefixtures("hook")
def test_a_message_is_tried_again_with_growing_pauses_and_then_given_up(campaign):
    sit(make_rater(campaign, "w1"))
    receivers = Receivers(*[500] * 20)
    assert tell(receivers) == ["half_done"]
    assert tell(receivers) == []  # not due
    delivery = WebhookDelivery.objects.get()
    assert (delivery.attempts, delivery.state, delivery.problem) == (1, "waiting", "500")
    assert list(delivering.PAUSES) == sorted(delivering.PAUSES)
    for _ in range(20):
        wait(hours=100)
        tell(receivers)
    delivery.refresh_from_db()
    assert (delivery.attempts, delivery.state) == (delivering.MOST_TRIES, "failed")
    assert len(receivers.told) == delivering.MOST_TRIES
    assert len({message["id"] for _url, _key, message, _headers in receivers.told}) == 1
    hooks.send_again(delivery, by=campaign.owner)
    receivers.statuses = []
    assert tell(receivers) == ["half_done"]
    delivery.refresh_from_db()
    assert (delivery.state, delivery.status) == ("sent", 204)


@pytest.mark.usefixtures("hook")
def test_a_message_that_another_worker_is_sending_is_left_to_it(campaign):
    sit(make_rater(campaign, "w1"))
    record_events(campaign)
    within = []

    def slow(_url, _secret, _body, _headers) -> Outcome:
        within.append(delivering.deliver_due(Receivers()))
        return Outcome(204)

    assert delivering.deliver_due(slow) == 1
    assert within == [0]


def test_a_webhook_that_is_off_is_not_told(campaign, hook):
    told = {"url": URL, "kinds": hook.kinds, "by": campaign.owner}
    hooks.change_webhook(hook, **told, is_active=False)
    sit(make_rater(campaign, "w1"))
    receivers = Receivers()
    assert tell(receivers) == []
    hooks.change_webhook(hook, **told, is_active=True)
    assert tell(receivers) == ["half_done"]


def test_a_campaign_has_few_webhooks(campaign):
    for _ in range(hooks.MOST_WEBHOOKS):
        hooks.add_webhook(campaign, URL, by=campaign.owner)
    with pytest.raises(RefusedAction, match="at most 10"):
        hooks.add_webhook(campaign, URL, by=campaign.owner)
