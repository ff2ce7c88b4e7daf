"""What comes in from a panel over HTTP: signed webhooks, and raters with signed links."""

from datetime import timedelta

import httpx
import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from rankme.actions import jobs
from rankme.actions.panel import accounts, entry, sync
from rankme.models import Campaign, PanelAccount, PanelEvent, PanelKeys, Participant
from rankme.practice_panel.keys import entry_link
from rankme.practice_panel.panel import PracticePanel
from tests.campaigns import make_campaign
from tests.panels.loop import Loop
from tests.sittings import sit

pytestmark = pytest.mark.django_db


@pytest.fixture
def hooked(loop, settings) -> Loop:
    settings.SITE_URL = "http://127.0.0.1:8000"
    accounts.connect_webhooks(loop.account)
    loop.account.refresh_from_db()
    return loop


def post(delivery, **changes):
    headers = {**delivery.headers, **changes}
    headers.pop("Content-Type")
    path = httpx.URL(delivery.address).path
    return Client(enforce_csrf_checks=True).post(
        path, delivery.body, content_type="application/json", headers=headers
    )


def test_a_webhook_is_taken_once_and_then_looked_at(hooked):
    one = hooked.finish("a")
    deliveries = hooked.panel.hooks.take()
    assert len(deliveries) == 2, "the rater came, and finished"
    stored = PanelAccount.objects.get().hook_secret_sealed
    assert stored and hooked.panel.hooks.secret not in stored
    for delivery in [*deliveries[::-1], *deliveries]:
        assert post(delivery).status_code == 204
    assert PanelEvent.objects.count() == 2
    sync.look_at_events(hooked.account.pk)
    assert hooked.row(one).state == "AWAITING REVIEW"
    assert not PanelEvent.objects.filter(done_at=None).exists()


@pytest.mark.parametrize(
    "changes",
    [
        {"X-Prolific-Request-Signature": "AAAA"},
        {"X-Prolific-Request-Timestamp": "1"},
        {"X-Prolific-Request-Timestamp": ""},
    ],
)
def test_a_stranger_finds_nothing_at_the_webhooks_address(hooked, changes):
    hooked.arrive("a")
    (delivery,) = hooked.panel.hooks.take()
    assert post(delivery, **changes).status_code == 404
    assert not PanelEvent.objects.exists()


@pytest.mark.parametrize("body", [b"[]", b"{", b'{"event_type": 1, "resource_id": "x"}'])
def test_signed_nonsense_is_refused(hooked, body):
    address = hooked.panel.hooks.subscriptions[0].target_url
    headers = hooked.panel.hooks.signed(body)
    headers.pop("Content-Type")
    path = httpx.URL(address).path
    assert Client().post(path, body, "application/json", headers=headers).status_code == 400


@pytest.fixture
def secure(practice, paid_once, settings, db) -> Loop:
    """A published study with signed links, whose keys a worker has read."""
    settings.SITE_URL = "http://localhost:8000"
    campaign = Campaign.objects.get(pk=paid_once.pk)
    loop = Loop(practice, campaign=campaign, is_secure=True).publish()
    cache.clear()
    sync.visit_panels()
    return loop


def link_of(loop: Loop, name: str) -> httpx.URL:
    return httpx.URL(entry_link(loop.panel.books, loop.panel.keys, loop.arrive(name)))


def follow(link: httpx.URL, client: Client | None = None):
    return (client or Client()).get(link.raw_path.decode())


def agree(client: Client, page) -> None:
    arrival = page.context["arrival"]
    client.post(page.request["PATH_INFO"], {"arrival": arrival, "decision": "agree"})


def test_a_signed_link_lets_its_rater_in_on_any_device(secure):
    link = link_of(secure, "a")
    here = Client()
    page = follow(link, here)
    assert page.status_code == 200
    agree(here, page)
    rater = Participant.objects.get(external_id="a")
    assert rater.session_id == link.params["SESSION_ID"]
    follow(link, Client())
    rater.refresh_from_db()
    assert rater.second_browser_at is None


def test_an_id_without_the_panels_signature_lets_nobody_in_and_is_counted(secure):
    link = link_of(secure, "a")
    for wrong in (
        link.copy_remove_param("prolific_token"),
        link.copy_set_param("PROLIFIC_PID", "b"),
        link.copy_set_param("STUDY_ID", "b" * 24),
    ):
        assert follow(wrong).status_code == 403
    assert not Participant.objects.exists()
    follow(link)
    assert secure.again().untrusted_entries == 2, "a made-up study is nobody's"


def test_no_page_calls_the_panel_for_its_keys(secure, monkeypatch):
    asked = []
    monkeypatch.setattr(jobs, "send", lambda messages: asked.extend(messages))
    link = link_of(secure, "a")
    stranger = PracticePanel().keys.sign({"sub": "x"})
    secure.panel.journal.clear()
    assert follow(link.copy_set_param("prolific_token", stranger)).status_code == 403
    assert asked == [], "keys that were read a moment ago are all that there are"
    PanelKeys.objects.update(fetched_at=timezone.now() - timedelta(hours=2))
    assert "arrival" in follow(link).context, "known keys are good for a day"
    for _ in range(3):
        page = follow(link.copy_set_param("prolific_token", stranger))
        assert (page.status_code, page.context["reason"]) == (200, "busy")
    assert asked == [("rankme.tasks.read_panel_keys", secure.study.pk)], "once a minute at most"
    PanelKeys.objects.update(fetched_at=timezone.now() - timedelta(days=2))
    assert follow(link).context["reason"] == "busy", "not with keys that may be withdrawn"
    assert secure.panel.journal == []
    entry.read_panel_keys()
    assert "arrival" in follow(link).context
    assert secure.again().untrusted_entries == 1


def test_a_worker_reads_the_keys_long_before_they_are_too_old(secure):
    secure.panel.journal.clear()
    sync.visit_panels()
    assert not any("jwks" in line.path for line in secure.panel.journal)
    PanelKeys.objects.update(fetched_at=timezone.now() - timedelta(hours=2))
    secure.fault("server_error", "jwks", times=9)
    sync.visit_panels()
    assert secure.again().synced_at, "the rest of the visit goes on"
    secure.panel.faults.ordered.clear()
    sync.visit_panels()
    assert PanelKeys.objects.get().fetched_at > timezone.now() - timedelta(minutes=1)


def test_studies_without_signed_links_are_as_trusted_as_before(practice, settings):
    loop = Loop(practice, is_secure=False).publish()
    link = link_of(loop, "a")
    assert "prolific_token" not in link.params
    assert follow(link).status_code == 200


def test_raters_of_a_platform_go_back_automatically_with_the_code_of_their_outcome(secure):
    link = link_of(secure, "a")
    here = Client()
    agree(here, follow(link, here))
    sit(Participant.objects.get(external_id="a"))
    finished = here.post(reverse("rankme:finish", args=[secure.campaign.code]))
    page = here.get(finished.json()["next"]).content.decode()
    assert "https://app.prolific.com/submissions/complete?cc=DONE" in page
    assert "js/participant/back.js" in page
    refuses = Client()
    arrival = follow(link_of(secure, "b"), refuses).context["arrival"]
    entry = reverse("rankme:enter", args=[secure.campaign.code])
    page = refuses.post(entry, {"arrival": arrival, "decision": "no"}).content.decode()
    assert "complete?cc=NOCONSENT" in page


def test_volunteers_stay_on_the_last_page(db):
    campaign = make_campaign()
    here = Client()
    agree(here, here.get(reverse("rankme:enter", args=[campaign.code])))
    sit(Participant.objects.get())
    finished = here.post(reverse("rankme:finish", args=[campaign.code]))
    assert "back.js" not in here.get(finished.json()["next"]).content.decode()
