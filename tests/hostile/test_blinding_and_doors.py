"""Raters learn of no system, their pages open to nobody else, and every answer is strict."""

import re
from itertools import product
from urllib.parse import urljoin

import pytest
from django.contrib.auth import get_user_model
from django.db import connection
from django.test import Client
from django.urls import reverse

from rankme.api.urls import urlpatterns as api_urls
from rankme.models import Submission
from rankme.pages.rater import page_document as page_documents
from rankme.pages.urls import participant_urls
from rankme.panel_links import PANELS
from tests.campaigns import make_campaign, rankme_definition
from tests.evalsite.requests.headers import assert_strict
from tests.pages.rater.visits import begin, complete, document_of, payload_for, send
from tests.pages.world import POLICY, World, pattern_named

pytestmark = pytest.mark.django_db

# Blinding -------------------------------------------------------------------------------------

FIRST_NUMBERS = {
    "rankme_system": 310_000_001,
    "rankme_output": 320_000_001,
    "rankme_item": 330_000_001,
    "rankme_trial": 340_000_001,
    "rankme_trialoutput": 350_000_001,
    "rankme_criterion": 360_000_001,
    "rankme_batch": 370_000_001,
    "rankme_slot": 380_000_001,
    "rankme_participant": 390_000_001,
}
NUMBER_OF_A_ROW = re.compile(r"3[1-9]0000\d\d\d")


@pytest.fixture
def numbered():
    """Rows with numbers that nothing else has, so that one of them anywhere would be seen."""
    with connection.cursor() as cursor:
        for table, first in FIRST_NUMBERS.items():
            cursor.execute(f"ALTER TABLE {table} ALTER COLUMN id RESTART WITH {first}")


def test_no_answer_to_a_rater_holds_a_system_or_the_number_of_a_row(client, numbered):
    campaign = make_campaign(rankme_definition(), systems=5)
    assert campaign.systems.first().pk >= 310_000_001
    document = begin(client, campaign, id="w1")
    answers = [client.get(reverse("rankme:enter", args=[campaign.code]), {"id": "w2"})]
    answers += [send(client, campaign, payload_for(campaign, document, 0)) for _ in range(2)]
    answers.append(send(client, campaign, {"version": 1}))
    answers.append(send(client, campaign, payload_for(campaign, document) | {"trial": 99}))
    answers.append(complete(client, campaign, document))
    answers += rater_answers(client, campaign)
    assert {200, 201, 422} <= {answer.status_code for answer in answers}
    words = {system.name.casefold() for system in campaign.systems.all()}
    words |= {item.key.casefold() for item in campaign.items.all()}
    for answer in answers:
        whole = f"{answer.text} {answer.headers} {answer.cookies}"
        # The cookie holds the rater's own number, signed; it is theirs.
        found = set(NUMBER_OF_A_ROW.findall(whole)) - {str(campaign.participants.get().pk)}
        assert not found
        assert not [word for word in words if word in whole.casefold()]


def rater_answers(client, campaign):
    """What a rater gets at each of their addresses, with any method."""
    for pattern in participant_urls:
        if pattern.name == "preview":
            continue
        token = {"token": "x"}
        others = {"resume": token, "my-data-resume": token, "media": {"name": "x"}}
        parts = {"code": campaign.code} | others.get(pattern.name, {})
        for method in ("GET", "POST", "PUT", "DELETE"):
            yield client.generic(method, reverse(f"rankme:{pattern.name}", kwargs=parts))


def test_the_watch_over_numbers_would_see_one(client, numbered, monkeypatch):
    campaign = make_campaign(rankme_definition(), systems=5)
    telling = page_documents.trial_document
    monkeypatch.setattr(
        page_documents,
        "trial_document",
        lambda *given, **named: telling(*given, **named) | {"places": campaign.items.first().pk},
    )
    begin(client, campaign, id="w1")
    page = client.get(reverse("rankme:work", args=[campaign.code]))
    assert NUMBER_OF_A_ROW.search(page.text)


def test_the_place_on_the_screen_says_nothing_about_the_system():
    """χ² over 30 raters: each of five systems is in each of three positions equally often."""
    campaign = make_campaign(rankme_definition(raters_per_trial=10), items=12, systems=5)
    counts: dict[tuple[str, int], int] = {}
    for number in range(30):
        document = begin(Client(REMOTE_ADDR=f"192.0.2.{number}"), campaign, id=f"w{number}")
        for trial in document["trials"]:
            for place, text in enumerate(trial["outputs"]):
                system = text.split()[1]
                counts[system, place] = counts.get((system, place), 0) + 1
    total = sum(counts.values())
    systems, places = {system for system, _ in counts}, {place for _, place in counts}
    by_system = {one: sum(counts.get((one, p), 0) for p in places) for one in systems}
    by_place = {one: sum(counts.get((s, one), 0) for s in systems) for one in places}
    chi2 = sum(
        (counts.get((s, p), 0) - by_system[s] * by_place[p] / total) ** 2
        / (by_system[s] * by_place[p] / total)
        for s, p in product(systems, places)
    )
    # 8 degrees of freedom: beyond 30 is one in five thousand; the seeds are fixed.
    assert (len(systems), len(places)) == (5, 3)
    assert chi2 < 30


# Permissions ----------------------------------------------------------------------------------


def test_another_raters_doors_stay_shut(client):
    """Every address of a rater, requested by another rater: one's own work, never the other's."""
    campaign = make_campaign(rankme_definition(), items=8)
    mine = begin(client, campaign, id="w1")
    other = Client()
    theirs = begin(other, campaign, id="w2")
    assert mine["assignment"] != theirs["assignment"]
    answer = send(other, campaign, payload_for(campaign, mine))
    assert (answer.status_code, answer.json()["problems"][0]["place"]) == (422, "assignment")
    complete(client, campaign, mine)
    code = campaign.participants.get(external_id="w1").completion_code
    for answer in rater_answers(other, campaign):
        assert code not in answer.text
    assert document_of(other.get(reverse("rankme:work", args=[campaign.code]))) is not None
    assert not Submission.objects.filter(assignment_id=theirs["assignment"]).exists()


def test_codes_are_long_different_and_of_no_name():
    campaign = make_campaign(items=12)
    for number in range(3):
        client = Client()
        complete(client, campaign, begin(client, campaign, id=f"w{number}"))
    codes = set(campaign.participants.values_list("completion_code", flat=True)) - {""}
    assert codes and all(re.fullmatch(r"[A-Za-z0-9]{22}", code) for code in codes)
    assert len(codes) == campaign.participants.filter(state="completed").count()


def test_an_administrator_is_not_a_member_of_every_campaign(client):
    """Superusers see rows in the admin; the campaign's pages are for its members only."""
    world = World(make_campaign(items=2, systems=2))
    boss = get_user_model().objects.create_superuser("boss", password="x")
    client.force_login(boss)
    for name in ("campaign", "campaign-edit", "campaign-monitor", "export-judgements"):
        address = reverse(f"rankme:{name}", args=[world.campaign.code])
        assert client.get(address).status_code == 404, name
    assert client.get(f"/api/v1/campaigns/{world.campaign.code}/").status_code == 404


# Headers --------------------------------------------------------------------------------------


def test_every_answer_of_every_address_is_strict(client):
    campaign = make_campaign(items=2, systems=2)
    begin(client, campaign, id="w1")
    client.force_login(campaign.owner)
    answers = list(rater_answers(client, campaign))
    for name, methods in POLICY.items():
        needed = [part for part in ("code",) if part in pattern_parts(name)]
        if set(pattern_parts(name)) == set(needed):
            address = reverse(f"rankme:{name}", args=[campaign.code] if needed else [])
            answers += [client.generic(method, address) for method in methods]
    for pattern in api_urls:
        route = getattr(pattern.pattern, "_route", "nothing/").replace("<slug:code>", campaign.code)
        if "<" not in route:
            answers.append(client.get(f"/api/v1/{route}"))
    assert len(answers) > 60
    for answer in answers:
        request = answer.request
        is_framed = request["REQUEST_METHOD"] == "POST" and "/preview/" in request["PATH_INFO"]
        if is_framed and answer.status_code != 302:  # the preview of a draft, next to its form
            assert answer.headers["X-Frame-Options"] == "SAMEORIGIN"
        else:
            assert_strict(answer.headers)


def pattern_parts(name):
    return pattern_named(name).pattern.converters


# Redirects ------------------------------------------------------------------------------------

ELSEWHERE = (
    *("elsewhere.example", "xn--bcher-kva.example", "bücher.example"),
    *("[::1]", "0x7f.1", "２.example"),
)
SHAPES = (
    *("//{}", "///{}", "////{}", "/\\{}", "\\\\{}", "\\/{}", "/\t/{}", "/\n/{}", "/\r/{}"),
    *("\t//{}", " //{}", "\x00//{}", "\x0b//{}"),
    *("https:{}", "https:/{}", "https://{}", "https:///{}"),
    *("http:{}", "http://{}/login/", "HTTPS://{}", "https:\\\\{}", "https://testserver@{}/"),
    *("https://testserver:x@{}", "https://{}#testserver", "https://{}?testserver", "ftp://{}"),
    *("https://testserver.{}", "//testserver@{}", "//{}\\@testserver", "https://{}\\.testserver"),
    *("javascript://{}/%0aalert(1)", "data:text/html,//{}", "vbscript:{}", "blob:https://{}"),
    *("/%2f{}/../..//{}", "//{}%2f..", "//{}%00.testserver", "https://{}%0d%0aSet-Cookie:a=b"),
    *("https://{}\r\nSet-Cookie: a=b", "//{}:443", "///{}/%2e%2e", "https://testserver\t@{}"),
    *("／／{}", "https：//{}", "//{}。testserver", "https://testserver＠{}"),
)
CORPUS = sorted({shape.replace("{}", host) for shape, host in product(SHAPES, ELSEWHERE)})


def test_the_corpus_is_large():
    assert len(CORPUS) >= 250


def test_logging_in_leads_to_no_other_site(client):
    user = get_user_model().objects.create_user("olga", password="x")
    client.force_login(user)
    for address in CORPUS:
        answer = client.get("/login/", {"next": address})
        assert answer.status_code == 302, address
        target = answer.headers["Location"]
        assert leads_here(target), (address, target)


def leads_here(target: str) -> bool:
    """A path of this site as browsers read it: they drop tabs and line ends, and turn \\ into /."""
    plain = re.sub(r"[\t\r\n]", "", target.strip()).replace("\\", "/")
    return urljoin("http://testserver/login/", plain).startswith("http://testserver/")


def test_raters_of_prolific_return_to_prolific_whatever_the_campaign_says():
    refusals = (
        "begin with https|no address needs|raters return to|netloc .* invalid|Invalid IPv6 URL"
    )
    for address in CORPUS:
        with pytest.raises(ValueError, match=refusals):
            PANELS["prolific"].check_return_url(address)


def test_raters_are_sent_to_nothing_but_https():
    taken = []
    for address in CORPUS:
        try:
            PANELS["generic"].check_return_url(address)
        except ValueError:
            continue
        taken.append(address)
    assert all(re.match(r"(?i)https://+[^/@\\\s]+", address) for address in taken), taken
    assert not [address for address in taken if "@" in address or "\\" in address], taken
