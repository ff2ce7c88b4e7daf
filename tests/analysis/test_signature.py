"""One line says all that decides a number."""

from analysis.signature import VERSION, signature


def test_a_signature_escapes_its_separators():
    line = signature("wmt", {"seed": 3, "exclude": ["a|b"], "resample": "none"}, sha256="f" * 64)
    assert line == (
        f'wmt|exclude:["a%7Cb"]|resample:none|seed:3|data:ffffffffffffffff|version:{VERSION}'
    )


def test_the_order_of_options_does_not_matter():
    assert signature("m", {"a": 1, "b": 2}, sha256="0" * 64) == signature(
        "m", {"b": 2, "a": 1}, sha256="0" * 64
    )
