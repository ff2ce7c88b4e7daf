"""Keys have a role, campaigns, an end and a throttle, and are made and revoked in the browser."""

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.db.models.functions import Now
from django.urls import reverse
from rest_framework.test import APIClient

from rankme.actions import rate_limits
from rankme.actions.accounts.api_keys import KeyPlan, make_key, revoke_key, stored_key
from rankme.actions.campaign import members
from rankme.errors import RefusedAction
from rankme.models import ApiKey, Role
from tests.api.conftest import script_with
from tests.campaigns import make_campaign, make_owner

pytestmark = pytest.mark.django_db

SECRET = re.compile(r'<code class="given" dir="ltr">([\w-]+)</code>')


@pytest.fixture
def olga():
    return make_owner("olga")


def script(user, **plan) -> APIClient:
    return with_secret(make_key(user, KeyPlan(**plan)).secret)


def with_secret(secret: str) -> APIClient:
    return script_with(f"Token {secret}")


def test_a_key_does_what_its_role_may(olga):
    campaign = make_campaign(owner=olga, launch=False)
    reads = script(olga, role=Role.AUDITOR)
    assert reads.get(f"/api/v1/campaigns/{campaign.code}/").status_code == 200
    assert reads.get(f"/api/v1/campaigns/{campaign.code}/history/").status_code == 200
    for address in ("/api/v1/campaigns/", f"/api/v1/campaigns/{campaign.code}/launch/"):
        refused = reads.post(address, {"preset": "e2e-quality"} if "launch" not in address else {})
        assert refused.status_code == 403
        assert "the role “Auditor”" in refused.json()["error"]["message"]


def test_a_key_never_does_more_than_its_maker(olga):
    campaign = make_campaign(owner=olga, launch=False)
    mona = make_owner("mona")
    members.add_member(campaign, mona, role=Role.MONITOR, by=olga)
    owner_of_all = script(mona, role=Role.OWNER)
    assert owner_of_all.get(f"/api/v1/campaigns/{campaign.code}/").status_code == 200
    assert owner_of_all.delete(f"/api/v1/campaigns/{campaign.code}/").status_code == 403
    with pytest.raises(RefusedAction, match="your role allows less"):
        make_key(mona, KeyPlan(role=Role.EDITOR, campaigns=[campaign]))
    with pytest.raises(RefusedAction, match="your role allows less"):
        make_key(make_owner("stan"), KeyPlan(role=Role.VIEWER, campaigns=[campaign]))
    campaign.memberships.get().delete()
    assert owner_of_all.get(f"/api/v1/campaigns/{campaign.code}/").status_code == 404


def test_a_key_for_some_campaigns_opens_no_other_and_makes_none(olga):
    mine, other = (make_campaign(owner=olga, launch=False) for _ in range(2))
    client = script(olga, campaigns=[mine])
    assert client.get(f"/api/v1/campaigns/{mine.code}/").status_code == 200
    assert client.get(f"/api/v1/campaigns/{other.code}/").status_code == 404
    listed = client.get("/api/v1/campaigns/").json()["results"]
    assert [each["code"] for each in listed] == [mine.code]
    for address in ("/api/v1/campaigns/", "/api/v1/panel-accounts/"):
        assert client.post(address, {"preset": "e2e-quality"}).status_code == 403
    assert client.delete(f"/api/v1/campaigns/{mine.code}/").status_code == 204
    assert client.get("/api/v1/campaigns/").json()["results"] == []


def test_a_key_that_ended_or_was_revoked_says_so(olga):
    made = make_key(olga, KeyPlan())
    client = with_secret(made.secret)
    assert client.get("/api/v1/campaigns/").status_code == 200
    ApiKey.objects.update(made_at=Now() - timedelta(days=2), ends_at=Now() - timedelta(days=1))
    ended = client.get("/api/v1/campaigns/")
    assert ended.status_code == 401
    assert "This key ended on" in ended.json()["error"]["message"]
    revoke_key(made.key)
    revoked = client.get("/api/v1/campaigns/")
    assert revoked.status_code == 401
    assert "was revoked" in revoked.json()["error"]["message"]
    unknown = with_secret("x" * 43).get("/api/v1/campaigns/")
    assert "There is no such key" in unknown.json()["error"]["message"]


def test_each_key_has_its_own_throttle(olga):
    slow, usual = script(olga, calls_per_minute=2), script(olga)
    codes = [slow.get("/api/v1/campaigns/").status_code for _ in range(3)]
    assert codes == [200, 200, 429]
    assert usual.get("/api/v1/campaigns/").status_code == 200
    refused = slow.get("/api/v1/campaigns/")
    assert 1 <= int(refused["Retry-After"]) <= 60
    assert rate_limits.CALLS.most > 2


def test_a_new_password_revokes_all_keys(olga):
    clients = [script(olga, name=name) for name in ("one", "two")]
    olga.set_password("another horse and battery")
    olga.save()
    assert {client.get("/api/v1/campaigns/").status_code for client in clients} == {401}
    assert not ApiKey.objects.filter(revoked_at=None).exists()


def test_keys_of_before_keep_what_they_could(olga):
    """The migration brings their hashes along; those for reading alone begin with a word."""
    for secret in ("old", "read-old"):
        ApiKey.objects.create(
            owner=olga,
            hash=stored_key(secret),
            role=Role.OWNER,
            ends_at=Now() + timedelta(days=1),
        )
    assert (
        with_secret("old").post("/api/v1/campaigns/", {"preset": "e2e-quality"}).status_code == 201
    )
    reads = with_secret("read-old")
    assert reads.get("/api/v1/campaigns/").status_code == 200
    assert reads.post("/api/v1/campaigns/", {"preset": "e2e-quality"}).status_code == 403


def test_the_database_refuses_a_role_that_there_is_not(olga):
    with pytest.raises(Exception, match="key_role_is_known"), connection.cursor():
        ApiKey.objects.create(owner=olga, hash="x", role="king", ends_at=Now() + timedelta(days=1))


def test_a_key_is_made_shown_once_and_revoked_in_the_browser(client, olga):
    campaign = make_campaign(owner=olga, launch=False)
    client.force_login(olga)
    page = reverse("rankme:keys")
    assert "You have no keys" in client.get(page).content.decode()
    form = {"name": "notebook", "role": "auditor", "days": "30", "calls_per_minute": "600"}
    made = client.post(page, form | {"campaigns": [campaign.pk]})
    (secret,) = SECRET.findall(made.content.decode())
    assert with_secret(secret).get(f"/api/v1/campaigns/{campaign.code}/").status_code == 200
    listed = client.get(page).content.decode()
    assert "notebook" in listed and secret not in listed
    key = ApiKey.objects.get()
    client.force_login(make_owner("stan"))
    revoke = reverse("rankme:key-revoke", args=[key.pk])
    assert client.post(revoke).status_code == 404
    client.force_login(olga)
    assert "no longer works" in client.post(revoke, follow=True).content.decode()
    assert with_secret(secret).get("/api/v1/campaigns/").status_code == 401


def test_the_form_refuses_what_cannot_be(client, olga):
    foreign = make_campaign(owner=make_owner("stan"), launch=False)
    make_campaign(owner=olga, launch=False)
    client.force_login(olga)
    form = {"name": "notebook", "role": "auditor", "days": "30", "calls_per_minute": "600"}
    for wrong in ({"campaigns": [foreign.pk]}, {"days": "0"}, {"role": "king"}, {"name": ""}):
        assert client.post(reverse("rankme:keys"), form | wrong).status_code == 422, wrong
    assert not ApiKey.objects.exists()
