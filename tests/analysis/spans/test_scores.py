"""Scores of error spans: published figures, the weights, and what has no value."""

import csv
import io

import pytest

from analysis.errors import OptionsError, TableError
from analysis.spans.agreement import span_agreement
from analysis.spans.files import read_spans
from analysis.spans.model import Mark, MarkedOutput, SpanTable
from analysis.spans.own import fingerprint
from analysis.spans.scoring import count_kinds, judgement_table, score_segments, score_systems
from analysis.spans.weights import parse_weights
from tests.analysis.published import oracle_data

WEIGHTS = parse_weights()
# The table of google/wmt-mqm-human-evaluation for these talks.
TED_SYSTEMS = {
    "ref": 0.912,
    "Facebook-AI": 1.056,
    "Online-W": 1.122,
    "VolcTrans-AT": 1.241,
    "metricsystem3": 1.436,
    "VolcTrans-GLAT": 1.494,
    "HuaweiTSC": 1.498,
    "metricsystem1": 1.629,
    "metricsystem2": 1.694,
    "metricsystem5": 1.716,
    "UEdin": 1.772,
    "metricsystem4": 1.776,
    "eTranslation": 1.969,
    "Nemo": 2.141,
}


def test_every_published_segment_of_the_talks():
    table = read_spans(oracle_data("mqm-ted-ende/mqm_ted_ende.tsv"))
    segments = score_segments(table, WEIGHTS)
    published = oracle_data("mqm-ted-ende/mqm_ted_ende.avg_seg_scores.tsv").read_text()
    rows = [line.split() for line in published.splitlines()[1:]]
    expected = {
        (system.replace("ref-A", "ref"), item): -float(score)
        for system, score, item in rows
        if score != "None"
    }
    found = {(each.system, each.item): round(each.score, 6) for each in segments}
    assert len(found) == 7_406
    assert found == expected
    systems = score_systems(segments, table, resamples=20)
    assert {each.system: round(each.score, 3) for each in systems} == TED_SYSTEMS
    assert [each.system for each in systems] == list(TED_SYSTEMS)
    assert {each.segments for each in systems} == {529}


def marks(*kinds: tuple[str, str]) -> tuple[Mark, ...]:
    return tuple(Mark(0, 1, "a", severity, category) for severity, category in kinds)


def table_of(*outputs: tuple[str, str, str, tuple[Mark, ...]], text: str | None = "a b c d"):
    return SpanTable(tuple(MarkedOutput(*key, found, text) for *key, found in outputs))


@pytest.mark.parametrize(
    ("severity", "category", "weight"),
    [
        ("Major", "Accuracy/Mistranslation", 5),
        ("minor", "", 1),
        ("MINOR", "fluency/punctuation", 0.1),
        ("minor", "Fluency/Punctuation/Comma", 0.1),
        ("minor", "Fluency/Spelling", 1),
        ("major", "Fluency/Punctuation", 5),
        ("major", "Non-translation!", 25),
        ("Minor", "Non-translation", 25),
        ("neutral", "Style/Awkward", 0),
        ("", "Incorrect", 1),
        ("critical", "Accuracy", None),
    ],
)
def test_the_default_weights(severity, category, weight):
    assert WEIGHTS.of(severity, category) == weight


def test_weights_can_be_set_and_the_most_specific_counts():
    weights = parse_weights("critical:10, any/Locale convention/Date format:2.5 any:1 major:3")
    assert weights.of("critical", "x") == 10
    assert weights.of("minor", "Locale convention/Date format") == 2.5
    assert weights.of("minor", "Locale convention") == 1
    assert weights.of("major", "Locale convention") == 3
    assert weights.of("no-error", "") == 0


@pytest.mark.parametrize("text", ["major", "major:", ":5", "major:x", "major:-1", "major:nan", "5"])
def test_malformed_weights_are_refused(text):
    with pytest.raises(OptionsError, match="is not a weight such as"):
        parse_weights(f"minor:1 {text}")


def test_a_severity_without_a_weight_is_refused():
    table = table_of(("r", "s", "1", marks(("Critical", "a"), ("Critical", "b"), ("minor", ""))))
    with pytest.raises(TableError, match=r"'Critical' \(2 marks\) has no weight: add Critical:…"):
        score_segments(table, WEIGHTS)
    with pytest.raises(TableError, match="Critical"):
        judgement_table(table, WEIGHTS)


def test_a_segment_is_the_mean_over_its_raters_and_a_system_over_its_segments():
    table = table_of(
        ("r", "s", "1", marks(("major", ""), ("minor", ""))),
        ("q", "s", "1", ()),
        ("r", "s", "2", marks(("minor", ""))),
        ("r", "t", "1", ()),
    )
    segments = score_segments(table, WEIGHTS)
    assert [(each.system, each.item, each.score) for each in segments] == [
        ("s", "1", 3.0),
        ("s", "2", 1.0),
        ("t", "1", 0.0),
    ]
    best, other = score_systems(segments, table)
    assert (best.system, best.score, best.low, best.per_100_words) == ("t", 0.0, None, 0.0)
    assert (other.score, other.segments, other.marks, other.words) == (2.0, 2, 3, 8)
    assert other.per_100_words == 50.0
    assert (other.low, other.high) == (
        None,
        None,
    )  # two segments cannot show what others would give


def test_a_score_of_three_segments_has_an_interval():
    table = table_of(
        *(("r", "s", str(item), marks(("minor", ""))) for item in range(2)), ("r", "s", "2", ())
    )
    (found,) = score_systems(score_segments(table, WEIGHTS), table)
    assert found.low == 0.0 <= found.score <= found.high == 1.0


def test_another_place_of_an_error_costs_nothing_more():
    again = Mark(2, 3, "b", "major", continues=True)
    table = table_of(("r", "s", "1", (*marks(("major", "")), again)))
    assert score_segments(table, WEIGHTS)[0].score == 5
    assert [(kind.marks, kind.penalty) for kind in count_kinds(table, WEIGHTS)] == [(1, 5.0)]


@pytest.mark.parametrize("text", [None, "", " \n"])
def test_per_100_words_is_undefined_without_words(text):
    table = table_of(("r", "s", "1", marks(("major", ""))), text=text)
    assert score_systems(score_segments(table, WEIGHTS), table)[0].per_100_words is None


def test_intervals_cover_the_mean_of_the_items_and_do_not_depend_on_the_order():
    outputs = [("r", "s", str(item), marks(*[("minor", "")] * (item % 5))) for item in range(60)]
    outputs += [("q", *rest) for _rater, *rest in outputs[7:40]]
    tables = table_of(*outputs), table_of(*reversed(outputs))
    first, again = (score_systems(score_segments(each, WEIGHTS), each)[0] for each in tables)
    assert first == again
    assert fingerprint(tables[0]) == fingerprint(tables[1])
    compared, reverse = (span_agreement(each, WEIGHTS, resamples=50) for each in tables)
    assert compared == reverse
    # The standard error of the mean of 0 … 4 in equal shares: √2 / √60.
    assert first.high - first.low == pytest.approx(2 * 1.96 * 2**0.5 / 60**0.5, rel=0.15)


def test_penalties_become_judgements():
    table = SpanTable(
        (
            MarkedOutput("r", "s", "1", marks(("major", "")), "a", document="d", score=70.0),
            MarkedOutput("r", "t", "1", (), "a", document="d"),
        )
    )
    judgements = judgement_table(table, WEIGHTS)
    assert judgements.criterion.labels == ("penalty", "score")
    penalties = judgements.for_criterion("penalty")
    assert penalties.value.tolist() == [5.0, 0.0]
    assert len(penalties.screen.labels) == 1
    assert penalties.factors["document"].labels == ("d",)


def test_the_command_writes_the_score_of_each_segment():
    from analysis.cli.spans import segments_csv

    table = table_of(("r", "=s", "1", marks(("minor", "Fluency/Punctuation"))), text=None)
    rows = list(csv.reader(io.StringIO(segments_csv(score_segments(table, WEIGHTS)))))
    assert rows == [
        ["system", "document", "item", "raters", "marks", "words", "score"],
        ["'=s", "", "1", "1", "1.0", "", "0.1"],
    ]
