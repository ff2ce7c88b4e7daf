"""One line says all that decides a number."""

import pytest

from analysis.errors import OptionsError
from analysis.signature import VERSION, read_signature, signature


def test_a_signature_can_be_read_back():
    line = signature("wmt", {"seed": 3, "exclude": ["a|b"], "resample": "none"}, sha256="f" * 64)
    assert line == (
        f'wmt|exclude:["a%7Cb"]|resample:none|seed:3|data:ffffffffffffffff|version:{VERSION}'
    )
    assert read_signature(line)["seed"] == "3"


def test_the_order_of_options_does_not_matter():
    assert signature("m", {"a": 1, "b": 2}, sha256="0" * 64) == signature(
        "m", {"b": 2, "a": 1}, sha256="0" * 64
    )


def test_malformed_signatures_are_refused():
    with pytest.raises(OptionsError, match="not a signature"):
        read_signature("wmt|runs")
