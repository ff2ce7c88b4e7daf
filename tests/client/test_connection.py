"""Requests of the client: repeated only where that is safe, and sent to nobody else."""

import httpx
import pytest
from rankme_client import ApiError, NoSite, Site, SiteAway
from rankme_client.connection import TRIES

ERROR = {"error": {"code": "refused", "message": "Not now.", "problems": []}}


class Answers(httpx.MockTransport):
    """Gives the answers one after the other, the last one again and again; keeps the requests."""

    def __init__(self, *answers: httpx.Response | Exception) -> None:
        self.answers, self.asked = list(answers), []
        super().__init__(self.answer)

    def answer(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(request)
        given = self.answers[min(len(self.asked), len(self.answers)) - 1]
        if isinstance(given, Exception):
            raise given
        return given


def site_with(transport: httpx.BaseTransport, waited: list | None = None) -> Site:
    waited = [] if waited is None else waited
    return Site("https://site.example", "key", transport=transport, sleep=waited.append)


def test_a_busy_site_is_asked_again_when_it_says():
    waited: list[float] = []
    busy = httpx.Response(429, headers={"Retry-After": "7"}, json=ERROR)
    transport = Answers(busy, httpx.Response(201, json={"code": "c"}))
    assert site_with(transport, waited).create(preset="arena").code == "c"
    assert waited == [7.0]


def test_the_tries_have_an_end():
    transport = Answers(httpx.Response(503, json=ERROR))
    with pytest.raises(ApiError):
        site_with(transport).get("campaigns/")
    assert len(transport.asked) == TRIES
    lost = Answers(httpx.ReadTimeout("silence"))
    with pytest.raises(SiteAway, match=r"site\.example cannot be reached: silence"):
        site_with(lost).get("campaigns/")
    assert len(lost.asked) == TRIES


@pytest.mark.parametrize("loss", [httpx.ReadTimeout(""), httpx.Response(503, json=ERROR)])
def test_a_change_whose_answer_is_lost_is_not_sent_again(loss):
    transport = Answers(loss, httpx.Response(200, json={}))
    with pytest.raises((SiteAway, ApiError)):
        site_with(transport).send("POST", "campaigns/x/launch/")
    assert len(transport.asked) == 1


def test_a_change_with_a_key_is_sent_again():
    transport = Answers(httpx.ReadTimeout(""), httpx.Response(201, json={"code": "c"}))
    assert site_with(transport).create(preset="arena", key="k").code == "c"
    assert [each.headers["Idempotency-Key"] for each in transport.asked] == ["k", "k"]


def test_a_request_that_never_left_is_sent_again():
    transport = Answers(httpx.ConnectError("no route"), httpx.Response(200, json={}))
    assert site_with(transport).send("POST", "campaigns/x/launch/") == {}


def test_the_next_page_is_asked_for_at_the_site_whatever_address_it_names():
    elsewhere = "https://evil.example/api/v1/campaigns/?after=3&limit=1000"
    transport = Answers(
        httpx.Response(200, json={"next": elsewhere, "results": [{"id": 3}]}),
        httpx.Response(200, json={"next": None, "results": [{"id": 2}]}),
    )
    assert [row["id"] for row in site_with(transport).pages("campaigns/")] == [3, 2]
    assert [each.url.host for each in transport.asked] == ["site.example"] * 2
    assert transport.asked[1].url.params["after"] == "3"


def test_an_error_has_all_problems_with_their_places():
    problems = [{"place": "title", "message": "Missing."}, {"place": "", "message": "Bad."}]
    answer = {"error": {"code": "invalid", "message": "Invalid.", "problems": problems}}
    with pytest.raises(ApiError) as refused:
        site_with(Answers(httpx.Response(400, json=answer))).create({})
    assert str(refused.value) == "Invalid.\n- title: Missing.\n- Bad."
    assert (refused.value.status, refused.value.code) == (400, "invalid")


def test_an_answer_of_something_else_than_a_site_is_an_error():
    proxy = Answers(httpx.Response(502, text="<h1>Bad gateway</h1>"))
    with pytest.raises(ApiError, match="answered 502 Bad Gateway"):
        site_with(proxy).get("campaigns/")


def test_a_key_is_not_sent_where_others_can_read_it(monkeypatch):
    monkeypatch.delenv("RANKME_URL", raising=False)
    monkeypatch.delenv("RANKME_TOKEN", raising=False)
    with pytest.raises(NoSite, match="unencrypted"):
        Site("http://site.example", "key")
    with pytest.raises(NoSite, match="not the address of a site"):
        Site("site.example", "key")
    with pytest.raises(NoSite, match="RANKME_TOKEN"):
        Site("https://site.example")
    assert "key" not in repr(Site("http://127.0.0.1:8000", "key"))
