"""A rater is sent only where the panel's people belong."""

import pytest

from rankme.crowd import PANELS

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


def test_only_the_code_is_a_variable_and_it_is_quoted():
    address = PANELS["prolific"].completion_url("", "A&B=/C")
    assert address == "https://app.prolific.com/submissions/complete?cc=A%26B%3D%2FC"
