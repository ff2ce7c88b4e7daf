"""A rater is sent only where the panel's people belong."""

import pytest

from rankme.crowd import PANELS
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
    with pytest.raises(ValueError, match="return_url"):
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
    with pytest.raises(ValueError, match="return_url"):
        PANELS["prolific"].check_return_url(address)


def test_beside_a_platform_the_open_link_is_off_unless_it_was_asked_for():
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
