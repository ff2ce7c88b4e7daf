"""What comes in from a panel over HTTP: signed webhooks, and raters with signed links."""

import httpx
import pytest
from django.test import Client
from django.urls import reverse

from rankme.actions.panel import accounts, sync
from rankme.models import PanelAccount, PanelEvent, Participant
from rankme.panels.entry_tokens import KEYS
from rankme.rehearsal.keys import entry_link
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
    for delivery in [*deliveries[::-1], *deliveries]:
        assert post(delivery).status_code == 204
    assert PanelEvent.objects.count() == 2
    sync.look_at_events(hooked.account.pk)
    assert hooked.row(one).state == "AWAITING REVIEW"
    assert not PanelEvent.objects.filter(done_at=None).exists()


def test_the_panels_secret_is_stored_encrypted(hooked):
    stored = PanelAccount.objects.get().hook_secret_sealed
    assert stored
    assert hooked.panel.hooks.secret not in stored


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
def secure(loop, settings) -> Loop:
    settings.SITE_URL = "http://localhost:8000"
    loop.there.document["external_study_url"] = loop.there.document["external_study_url"].replace(
        "http://127.0.0.1:8000", settings.SITE_URL
    )
    KEYS.forget()
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


def test_an_id_without_the_panels_signature_lets_nobody_in(secure):
    link = link_of(secure, "a")
    for wrong in (
        link.copy_remove_param("prolific_token"),
        link.copy_set_param("PROLIFIC_PID", "b"),
        link.copy_set_param("STUDY_ID", "b" * 24),
    ):
        assert follow(wrong).status_code == 403
    assert not Participant.objects.exists()


def test_while_the_panels_keys_cannot_be_read_raters_are_asked_to_wait(secure):
    link = link_of(secure, "a")
    secure.fault("server_error", "jwks", times=9)
    page = follow(link)
    assert (page.status_code, page.context["reason"]) == (200, "busy")
    secure.panel.faults.ordered.clear()
    assert "arrival" in follow(link).context


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
