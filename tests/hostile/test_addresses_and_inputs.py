"""What nobody sends in good faith, in addresses, links and inputs: never a 5xx."""

import json
import re
import time

import pytest
from django.test import Client
from django.urls import reverse
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter

from rankme.actions.campaign.campaigns import launch_campaign
from rankme.api.urls import urlpatterns as api_urls
from rankme.errors import RefusedAction
from rankme.models import Campaign
from rankme.pages.rater.page_document import page_document
from rankme.pages.rater.shown_trials import ShownTrial
from rankme.pages.urls import urlpatterns as page_urls
from rankme.protocols.exchange.page_shapes import Screens
from rankme.protocols.instruments import INSTRUMENTS
from rankme.protocols.instruments.base import Refused, Subject
from rankme.protocols.item_input import read_pictures, read_tables, slots
from tests.campaigns import make_campaign, slider_definition
from tests.pages.rater.visits import arrive, begin, payload_for, send
from tests.shared_tasks.tasks import make_task

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign(launched_once) -> Campaign:
    return Campaign.objects.get(pk=launched_once.pk)


# As they are in an address; Django decodes them before any view sees them.
NASTY = (
    "%00",
    "%ED%A0%80",
    "..%2F..%2Fetc%2Fpasswd",
    "%E2%80%AE",
    "a:b:%00",
    "9" * 40,
)
NASTY_NUMBERS = ("0", "9" * 19, "9" * 40)


def nasty_addresses(code: str) -> list[str]:
    """Every address of the site, with something nasty wherever a stranger may write."""
    found = []
    for prefix, patterns in (("/", page_urls), ("/api/v1/", api_urls)):
        for pattern in patterns:
            # Beginnings of regular expressions have no place to write in.
            route = getattr(pattern.pattern, "_route", "").replace("<slug:code>", code)
            for nasty in NASTY_NUMBERS if "<int:" in route else NASTY:
                address = prefix + re.sub(r"<int:\w+>", nasty, route)
                address = re.sub(r"<(str|path):\w+>", nasty, address)
                found.append(re.sub(r"<slug:\w+>", "x", address))
    return sorted(set(found))


@pytest.mark.parametrize("method", ["get", "post"])
def test_no_address_breaks_with_hostile_parts(campaign, method):
    client = Client(raise_request_exception=False)
    arrive(client, campaign, id="w1")
    client.force_login(campaign.owner)
    addresses = nasty_addresses(campaign.code)
    assert f"/campaigns/{campaign.code}/raters/%00/" in addresses
    assert f"/r/{campaign.code}/resume/%00/" in addresses
    broken = [one for one in addresses if getattr(client, method)(one).status_code >= 500]
    assert broken == []


@pytest.mark.parametrize("nasty", NASTY)
def test_no_parameter_breaks_a_page(campaign, nasty):
    client = Client(raise_request_exception=False)
    client.force_login(campaign.owner)
    own, door = f"/campaigns/{campaign.code}", f"/r/{campaign.code}"
    for address in (
        *(f"{own}/{page}/?page={nasty}" for page in ("raters", "history", "links", "preview")),
        *(f"{own}/judgements/?{name}={nasty}" for name in ("format", "stored")),
        *(f"{door}/?{name}={nasty}" for name in ("id", "invitation", "session", nasty)),
        f"{door}/?id=a&session={nasty}",
        f"{own}/material/items/?page={nasty}",
        f"/login/?next={nasty}",
        f"/gallery/e2e-quality/?page={nasty}",
    ):
        assert client.get(address).status_code < 500, address


@pytest.mark.parametrize("number", ["9" * 19, "9" * 5_000, "٣", "²"])
def test_no_number_in_a_form_breaks_a_page(campaign, number):
    client = Client(raise_request_exception=False)
    client.force_login(campaign.owner)
    draft = make_campaign(launch=False, owner=campaign.owner)
    task = make_task(owner=campaign.owner)
    edited = f"/campaigns/{draft.code}/edit/"
    for address, form in (
        ("/sessions/", {"session": number}),
        (f"/campaigns/{draft.code}/launch/damaged/", {"output": number, "page": number}),
        (edited, {f"criteria.{number}.row": "", f"criteria.{number}.name": "a"}),
        (edited, {"command": f"remove:criteria:{number}"}),
        (f"{edited}preview/", {"at": f"criteria.{number}.name"}),
        (f"/campaigns/{campaign.code}/items/?page={number}&of={number}&among={number}", {}),
        (f"/tasks/{task.code}/links/{number}/", {}),
        (f"/tasks/{task.code}/seal/", {"late": number, "reference": number}),
    ):
        assert client.post(address, form).status_code < 500, (address, form)


@pytest.mark.parametrize("coding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-32"])
@pytest.mark.parametrize("version", [1, 2, "\ud800", "\x00", {"a": [1]}, None])
def test_a_submission_in_another_coding_breaks_nothing(client, at_work, coding, version):
    payload = payload_for(at_work.campaign, at_work.document, version=version)
    body = json.dumps(payload).encode(coding)
    assert send(client, at_work.campaign, body).status_code in (201, 202, 422)


# The link of one study opens no other ---------------------------------------------------------


def test_an_arrival_at_one_campaign_is_none_at_another(client):
    """Else anybody who sees an open study could walk into one that is for invited raters alone."""
    open_one = make_campaign()
    closed = make_campaign(slider_definition(crowd={"open_link": False}))
    page = client.get(reverse("rankme:enter", args=[open_one.code])).content.decode()
    arrival = re.search(r'name="arrival" value="([^"]+)"', page)[1]
    door = reverse("rankme:enter", args=[closed.code])
    answer = client.post(door, {"arrival": arrival, "decision": "agree"})
    assert answer.headers["Location"] == door
    assert not closed.participants.exists()


# Inputs that are documents --------------------------------------------------------------------

MALFORMED = {
    "tables": (
        '{"tables": [1]}',
        '{"tables": [{"rows": [1]}]}',
        '{"tables": [{"rows": 1}]}',
        '{"tables": [{"columns": 1}]}',
        '{"tables": [{"title": "\\ud800"}]}',
        '{"tables": [{"rows": [[1e400]]}]}',
        '{"tables": [{"rows": [[{}]]}]}',
        "[" * 100_000,
        "9" * 5_000,
    ),
    "images": (
        '{"images": [1]}',
        '{"images": [{"x": "a"}]}',
        '{"images": [{"x": NaN}]}',
        '{"images": [{"x": 1e999}]}',
        '{"images": [{"svg": 1}]}',
        '{"images": [{"svg": "\\ud800"}]}',
        '{"images": [], "columns": Infinity}',
        '{"images": [], "rows": 1e9}',
    ),
}


def draft_with_input(kind: str, text: str) -> Campaign:
    campaign = make_campaign(slider_definition(input_kind=kind), items=1, systems=1, launch=False)
    campaign.items.update(input=text)
    return campaign


@pytest.mark.parametrize("text", MALFORMED["tables"])
def test_what_is_not_a_document_of_tables_is_shown_as_text(client, text):
    campaign = draft_with_input("tables", text)
    campaign = launch_campaign(campaign, by=campaign.owner)
    shown = begin(client, campaign, id="w1")["trials"][0]["input"]
    assert shown == {"kind": "text", "text": text}


@pytest.mark.parametrize("text", MALFORMED["images"])
def test_what_is_not_a_document_of_pictures_is_not_launched(text):
    campaign = draft_with_input("images", text)
    with pytest.raises(RefusedAction, match="no pictures to show"):
        launch_campaign(campaign, by=campaign.owner)


@pytest.mark.parametrize("text", [*MALFORMED["images"], "no pictures", '{"images": []}'])
def test_a_click_on_pictures_that_are_none_is_refused(text):
    tool = INSTRUMENTS["click_target"]
    with pytest.raises(Refused):
        tool.clean(0, tool.Options(), Subject(text, "", {}, 900.0))


documents = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text()),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(
                ["tables", "images", "title", "columns", "rows", "x", "y", "svg", "src", "target"]
            ),
            inner,
            max_size=4,
        ),
    ),
    max_leaves=12,
)


SCREENS = TypeAdapter(Screens)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(kind=st.sampled_from(["tables", "images"]), inner=documents)
def test_the_page_is_strict_json_for_any_document_in_an_item(kind, inner):
    definition = slider_definition(input_kind=kind)
    for document in ({kind: inner}, {kind: [inner]}, inner):
        text = json.dumps(document)
        page = page_document(definition, [ShownTrial(text, "", "", ("An output.",))])
        sent = SCREENS.dump_python(page, mode="json")
        json.dumps(sent, allow_nan=False).encode()


def test_documents_are_read_whole():
    tables = read_tables('{"tables": [{"title": "T", "columns": ["a", 1], "rows": [[null, 2.5]]}]}')
    assert tables.model_dump() == {
        "tables": [{"title": "T", "columns": ["a", "1"], "rows": [["", "2.5"]]}]
    }
    domain = read_pictures('{"images": [{"name": "a", "svg": "<svg/>", "x": 2}], "target": "a"}')
    assert (domain.images[0].x, domain.images[0].y, domain.target) == (2.0, 0.0, "a")


# Texts that take for ever ----------------------------------------------------------------------

TEXTS = {
    "spaces": " ",
    "letters and spaces": "a ",
    "opened": "a[",
    "closed": "a]",
    "slots": "a[b],",
    "spaces after a slot": "a[b] ",
}


@pytest.mark.parametrize("part", TEXTS.values(), ids=list(TEXTS))
def test_a_meaning_is_read_in_time_that_grows_with_its_length(part):
    """With spaces that two parts of the pattern may match, 100,000 of them would take days."""
    before = 0.0
    for length in (250, 1_000, 4_000, 16_000, 64_000):
        text = part * (length // len(part)) + "x"
        # The least of some: now and then a search for garbage falls into one.
        seconds = min(seconds_to_read(text) for _ in range(3))
        assert seconds < 8 * max(before, 0.01), f"{length} characters"
        before = seconds


def seconds_to_read(meaning: str) -> float:
    began = time.thread_time()
    slots(meaning)
    return time.thread_time() - began


# Choices ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("instrument", ["choice", "checklist"])
def test_choices_reach_the_browser_in_the_files_order(instrument):
    """As a mapping they would not: JavaScript puts names like "10" and "2" before all others."""
    choices = {"10": "ten", "b": "bee", "2": "two", "__proto__": "p", "1": "one"}
    question = {"name": "q", "question": "?", "instrument": instrument}
    definition = slider_definition(
        criteria=[question | {"options": {"choices": choices}}],
        screens=[{"name": "rate", "show": ["outputs"], "ask": ["q"]}],
    )
    [asked] = page_document(definition, [])["screens"][0]["ask"]
    assert asked["options"]["choices"] == list(choices.items())
