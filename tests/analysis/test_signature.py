"""One line says all that decides a number."""

from analysis.report.layout.latex import document
from analysis.signature import VERSION, citation, signature
from tests.analysis.studies import report_of


def test_a_signature_escapes_its_separators():
    line = signature("wmt", {"seed": 3, "exclude": ["a|b"], "resample": "none"}, sha256="f" * 64)
    assert line == (
        f'wmt|exclude:["a%7Cb"]|resample:none|seed:3|data:ffffffffffffffff|version:{VERSION}'
    )


def test_the_order_of_options_does_not_matter():
    assert signature("m", {"a": 1, "b": 2}, sha256="0" * 64) == signature(
        "m", {"b": 2, "a": 1}, sha256="0" * 64
    )


def test_a_report_says_how_to_cite_the_version_that_made_it():
    line = signature("report", {"seed": 1}, sha256="0" * 64).replace(VERSION, "1.4.5")
    assert citation(line) == "Cite as: RankME, version 1.4.5 (CITATION.cff)."
    report = report_of("SR11")
    assert citation(report.signature) in document(report)
