"""Credit at panels without an API: reported once, to the allowed host alone."""

import httpx
import pytest

from rankme.actions.sitting import credits, participation
from rankme.models import PanelCredit
from rankme.panel_calls import calls
from tests.campaigns import make_campaign, slider_definition
from tests.sittings import sit

RETURN = (
    "https://uni.sona-systems.com/webstudy_credit.aspx"
    "?experiment_id=7&credit_token=abc&survey_code={id}"
)
pytestmark = pytest.mark.django_db


class Sona:
    """What SONA was asked, and what it answers."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.answer: httpx.Response | Exception = httpx.Response(200, text="<ok/>")

    def handle(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(str(request.url))
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


@pytest.fixture
def sona(monkeypatch) -> Sona:
    found = Sona()

    def new_client(base, headers) -> httpx.Client:
        return httpx.Client(base_url=base, transport=httpx.MockTransport(found.handle))

    monkeypatch.setattr(calls, "new_client", new_client)
    return found


def finished(panel: str = "sona"):
    crowd = {"panel": "sona", "return_url": RETURN, "open_link": True}
    campaign = make_campaign(slider_definition(crowd=crowd))
    rater = participation.enter(campaign, panel=panel, external_id="12345")
    participation.give_consent(rater)
    sit(participation.Participant.objects.get(pk=rater.pk))
    return participation.complete_participation(rater)


def test_a_finished_rater_is_reported_once(sona):
    rater = finished()
    participation.complete_participation(rater)
    for _ in range(2):
        credits.report_credits()
    assert sona.asked == [
        "https://uni.sona-systems.com/services/SonaAPI.svc/WebstudyCredit"
        "?experiment_id=7&credit_token=abc&survey_code=12345"
    ]
    assert PanelCredit.objects.get().state == "granted"


def test_a_redirect_is_not_followed(sona):
    finished()
    sona.answer = httpx.Response(302, headers={"Location": "http://127.0.0.1/"})
    credits.report_credits()
    assert len(sona.asked) == 1
    assert PanelCredit.objects.get().state == "refused"


@pytest.mark.parametrize(
    ("error", "state", "times"),
    [(httpx.ReadTimeout("late"), "lost", 1), (httpx.ConnectError("away"), "drafted", 2)],
)
def test_only_a_call_that_never_left_is_repeated(sona, error, state, times):
    finished()
    sona.answer = error
    for _ in range(2):
        credits.report_credits()
    assert PanelCredit.objects.get().state == state
    assert len(sona.asked) == times


def test_people_whom_the_panel_did_not_send_get_no_credit(sona):
    finished(panel="open")
    assert not PanelCredit.objects.exists()
