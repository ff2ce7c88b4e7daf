"""A rater is sent only where the panel's people belong."""

import pytest

from rankme.actions.campaign.campaigns import refuse_without_code
from rankme.errors import RefusedAction
from rankme.panel_links import PANELS, Outcome
from rankme.panel_links.outcomes import FINISHED
from rankme.panel_links.sona import SONA, credit_address
from rankme.protocols.files import (
    definition_from_document,
    definition_from_yaml,
    definition_to_document,
    definition_to_yaml,
)
from tests.campaigns import slider_definition

BAD = [
    "http://example.org/{code}",
    "//example.org/{code}",
    "https:\\\\example.org",
    "https://user@example.org/{code}",
    "https://example.org/%0d\r\nSet-Cookie: a=b",
    "javascript:alert(1)",
    "https://",
    "data:text/html,x",
    "https://{code}.example.org/",
]


@pytest.mark.parametrize("address", BAD)
def test_an_unsafe_return_address_is_refused(address):
    with pytest.raises(ValueError, match=r"address|host"):
        PANELS["generic"].check_return_url(address)


@pytest.mark.parametrize(
    "address",
    [
        "https://app.prolific.com.evil.example/{code}",
        "https://evil.example/?https://app.prolific.com/{code}",
        "https://app.prolific.com\\.evil.example/{code}",
    ],
)
def test_prolific_raters_return_to_prolific_alone(address):
    with pytest.raises(ValueError, match=r"raters return to|address"):
        PANELS["prolific"].check_return_url(address)


def test_a_platform_turns_the_open_link_off_unless_it_was_requested():
    assert not slider_definition(crowd={"panel": "prolific"}).crowd.open_link
    assert slider_definition(crowd={"panel": "generic"}).crowd.open_link
    assert slider_definition(crowd={"panel": "prolific", "open_link": True}).crowd.open_link


@pytest.mark.parametrize("open_link", [True, False])
@pytest.mark.parametrize("panel", sorted(PANELS))
def test_an_open_link_is_read_back_as_it_was_written(panel, open_link):
    definition = slider_definition(crowd={"panel": panel, "open_link": open_link})
    for again in (
        definition_from_document(definition_to_document(definition)),
        definition_from_yaml(definition_to_yaml(definition)),
    ):
        assert again == definition


def test_only_the_code_is_a_variable_and_it_is_quoted():
    address = PANELS["prolific"].completion_url("", "A&B=/C")
    assert address == "https://app.prolific.com/submissions/complete?cc=A%26B%3D%2FC"


IDS = {"id": "a b&c", "session": "s/1", "study": "{code}"}


def test_addresses_are_filled_in_once_and_quoted():
    address = "https://x.example/{study}?i={id}&s={session}&c={code}&other={other}"
    filled = PANELS["generic"].completion_url(address, "Z?", IDS)
    assert filled == "https://x.example/%7Bcode%7D?i=a%20b%26c&s=s%2F1&c=Z%3F&other={other}"


SONA_RETURN = (
    "https://uni.sona-systems.com/webstudy_credit.aspx"
    "?experiment_id=7&credit_token=abc&survey_code={id}"
)


@pytest.mark.parametrize(
    ("panel", "address", "is_allowed"),
    [
        ("connect", "https://connect.cloudresearch.com/participant/project/1/complete", True),
        ("connect", "https://evil.example/participant/project/1/complete", False),
        ("sona", SONA_RETURN, True),
        ("sona", SONA_RETURN.replace(".com/", ".com.evil.example/"), False),
        ("sona", SONA_RETURN.replace("uni.sona", "unisona"), False),
        ("cint", "https://samplicio.us/router/ClientCallBack.aspx?RIS=10&RID={session}", True),
    ],
)
def test_each_panel_knows_its_own_hosts(panel, address, is_allowed):
    if is_allowed:
        PANELS[panel].check_return_url(address)
    else:
        with pytest.raises(ValueError, match="raters return to"):
            PANELS[panel].check_return_url(address)


def test_a_marketplace_has_an_address_for_each_outcome():
    crowd = slider_definition(
        crowd={
            "panel": "cint",
            "return_urls": {
                "completed": "https://m.example/done?r={session}",
                "quota_full": "https://m.example/full?r={session}",
            },
        }
    ).crowd
    ids = {"id": "p", "session": "r1", "study": ""}
    assert crowd.return_address(Outcome.COMPLETED, "", ids) == "https://m.example/done?r=r1"
    assert crowd.return_address(Outcome.QUOTA_FULL, "", ids) == "https://m.example/full?r=r1"
    assert crowd.return_address(Outcome.QUOTA_FULL, "") == "", "nobody is sent without an id"
    assert crowd.return_address(Outcome.SCREENED_OUT, "", ids) == ""


UNFINISHED = [outcome for outcome in Outcome if outcome not in FINISHED]
CONNECT_RETURN = "https://connect.cloudresearch.com/participant/project/p9/complete"
ALL_IDS = {"id": "w1", "session": "a1", "study": "p9"}


@pytest.mark.parametrize(
    ("panel", "crowd"),
    [
        ("connect", {}),
        ("connect", {"return_url": CONNECT_RETURN}),
        ("connect", {"return_url": f"{CONNECT_RETURN}?code={{code}}"}),
        ("sona", {"return_url": SONA_RETURN}),
        ("sona", {"return_url": f"{SONA_RETURN}&code={{code}}"}),
        ("generic", {"return_url": "https://panel.example/thanks"}),
        ("cint", {"return_url": "https://panel.example/thanks?who={id}"}),
    ],
)
def test_an_address_that_means_completed_is_for_those_who_have_finished(panel, crowd):
    crowd = slider_definition(crowd={"panel": panel} | crowd).crowd
    for outcome in FINISHED:
        assert crowd.return_address(outcome, "DONE", ALL_IDS)
    for outcome in UNFINISHED:
        assert crowd.return_address(outcome, "OTHER", ALL_IDS) == ""


@pytest.mark.parametrize(
    ("panel", "address", "is_used"),
    [
        ("connect", CONNECT_RETURN, False),
        ("connect", CONNECT_RETURN.replace("complete", "partial/77"), True),
        ("connect", f"{CONNECT_RETURN}?branch=77", True),
        ("sona", SONA_RETURN, False),
        ("sona", SONA_RETURN.replace("webstudy", "WebStudy"), False),
        ("sona", "https://uni.sona-systems.com/", True),
        ("cint", "https://m.example/full?r={session}", True),
    ],
)
def test_an_outcomes_own_address_is_used_unless_it_pays_everybody(panel, address, is_used):
    urls = {"failed_checks": address}
    crowd = slider_definition(crowd={"panel": panel, "return_urls": urls}).crowd
    assert bool(crowd.return_address(Outcome.FAILED_CHECKS, "", ALL_IDS)) == is_used


def test_codes_tell_a_panels_outcomes_apart_at_one_address():
    crowd = slider_definition(crowd={"panel": "prolific"}).crowd
    for outcome in Outcome:
        assert crowd.return_address(outcome, "ITS", ALL_IDS).endswith("complete?cc=ITS")
        assert crowd.return_address(outcome, "", ALL_IDS) == ""


def test_who_finishes_late_returns_like_the_others():
    urls = {"completed": "https://m.example/done"}
    crowd = slider_definition(crowd={"panel": "cint", "return_urls": urls}).crowd
    assert crowd.return_address(Outcome.LATE, "", ALL_IDS) == "https://m.example/done"


def test_a_university_can_have_sona_on_its_own_domain():
    address = SONA_RETURN.replace("uni.sona-systems.com", "credits.uni.example")
    assert credit_address(address, "1") == ""
    SONA.own_hosts.add("credits.uni.example")
    try:
        PANELS["sona"].check_return_url(address)
        assert credit_address(address, "1").startswith("https://credits.uni.example/services/")
    finally:
        SONA.own_hosts.clear()


def test_an_address_whose_gap_nobody_fills_is_not_launched():
    address = SONA_RETURN.replace("{id}", "XXXX")
    definition = slider_definition(crowd={"panel": "sona", "return_url": address})
    with pytest.raises(RefusedAction, match=r"\{id\} in the place of XXXX"):
        refuse_without_code(definition)
    refuse_without_code(slider_definition(crowd={"panel": "sona", "return_url": SONA_RETURN}))


def test_sonas_credit_is_reported_to_the_same_study_on_the_same_host():
    assert credit_address(SONA_RETURN, "12 3") == (
        "https://uni.sona-systems.com/services/SonaAPI.svc/WebstudyCredit"
        "?experiment_id=7&credit_token=abc&survey_code=12%203"
    )


@pytest.mark.parametrize(
    "address",
    [
        "",
        SONA_RETURN.replace("uni.sona-systems.com", "127.0.0.1"),
        SONA_RETURN.replace("uni.sona-systems.com", "uni.sona-systems.com:8443"),
        SONA_RETURN.replace("webstudy_credit.aspx", "other.aspx"),
        SONA_RETURN.replace("credit_token=abc", "x=1"),
    ],
)
def test_no_other_address_is_ever_called(address):
    assert credit_address(address, "1") == ""
