"""One judge next to people: made-up judges whose habits are known come out as they are."""

import csv
import json
from itertools import combinations, permutations
from pathlib import Path

import numpy as np
import pytest

from analysis.cli.commands import main
from analysis.meta_evaluation.judge_report import JudgeReport, judge_report, lengths_of
from analysis.meta_evaluation.judges import FIRST, SECOND, TIE, Verdict
from analysis.meta_evaluation.people import People
from analysis.report.layout.judge_tables import judge_tables
from analysis.table import JudgementTable
from analysis.text_metrics.score_files import scores_from

SYSTEMS, ITEMS, RATERS = 4, 40, 5
NAMES = [f"s{number}" for number in range(SYSTEMS)]


def truth(system: str, item: int) -> float:
    """What every rater would say without noise."""
    number = int(system[1:])
    return float(4 * number + (item * 7 + number * 13) % 11)


def table(noise: float = 4.0) -> JudgementTable:
    dice = np.random.default_rng(4)
    rows = [
        (f"r{rater}", f"i{item}", system, "q", f"{rater}-{item}", truth(system, item))
        for rater in range(RATERS)
        for item in range(ITEMS)
        for system in NAMES
    ]
    names = ("rater", "item", "system", "criterion", "screen", "value")
    columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    columns["value"] = np.array(columns["value"]) + dice.normal(0, noise, len(rows))
    return JudgementTable.from_columns(columns)


@pytest.fixture(scope="module")
def people() -> People:
    return People.from_table(table())


def verdicts(decide) -> list[Verdict]:
    """A judge that sees every pair in both orders."""
    return [
        Verdict(f"i{item}", a, b, decide(item, a, b))
        for item in range(ITEMS)
        for a, b in permutations(NAMES, 2)
    ]


def better(item: int, a: str, b: str) -> int:
    return FIRST if truth(a, item) > truth(b, item) else SECOND


def report(people: People, decide, **options) -> JudgeReport:
    return judge_report(people, "lm", verdicts(decide), **options)


def test_a_good_judge_is_consistent_and_agrees_as_people_do(people):
    found = report(people, better)
    assert found.swap.value == 1 and found.first.value == 0.5
    assert found.agreement.judge > found.agreement.people > 0.3
    assert (found.agreement.pairs, found.agreement.with_judge, found.raters) == (10, 5, 5)
    assert found.test.passes and found.test.winning_rate == 1


def test_a_judge_that_prefers_the_first_is_found_out(people):
    found = report(people, lambda item, a, b: FIRST)
    assert (found.first.value, found.swap.value) == (1, 0)
    assert found.agreement.judge < 0 < found.agreement.people
    assert not found.test.passes
    # Contradicted by the other order, its verdicts say nothing that could be calibrated.
    assert found.calibration == ()


def test_a_judge_that_prefers_long_outputs_is_compared_with_people(people):
    lengths = {(name, f"i{item}"): float(-int(name[1:])) for name in NAMES for item in range(ITEMS)}
    found = report(people, lambda item, a, b: FIRST if a < b else SECOND, lengths=lengths)
    assert found.longer.value == 1 and found.people_longer.value < 0.3
    assert report(people, better).longer.n == 0


def test_a_judge_that_prefers_its_own_system_is_compared_with_people(people):
    def vain(item: int, a: str, b: str) -> int:
        return FIRST if a == "s1" else SECOND if b == "s1" else better(item, a, b)

    found = report(people, vain, own=["s1"])
    assert found.own.value == 1 and 0.2 < found.people_own.value < 0.5
    assert report(people, better).own.n == 0


def test_verdicts_are_calibrated_against_people(people):
    """Here the judge is sure of distant systems, and ties in one order for neighbours."""

    def careful(item: int, a: str, b: str) -> int:
        near = abs(int(a[1:]) - int(b[1:])) == 1
        return TIE if near and a < b else better(item, a, b)

    weak, strong = report(people, careful).calibration
    assert (weak.strength, strong.strength) == (0.5, 1.0)
    assert weak.agrees.value < strong.agrees.value
    columns = people.system, people.item, people.value
    said = 0
    for rater in range(RATERS):
        mine = people.rater == rater
        value = {
            (people.systems[system], item): value
            for system, item, value in zip(*(column[mine] for column in columns), strict=True)
        }
        said += sum(
            value[b, item] > value[a, item]
            for a, b in combinations(NAMES, 2)
            if int(b[1:]) - int(a[1:]) > 1
            for item in range(ITEMS)
        )
    assert (strong.agrees.n, strong.agrees.value) == (600, pytest.approx(said / 600))


def test_scores_on_the_raters_scale_are_compared_with_single_raters(people):
    good = {("lm", name, f"i{item}"): truth(name, item) for name in NAMES for item in range(ITEMS)}
    found = judge_report(people, "lm", scores_from(good))
    assert found.kind == "scores" and found.swap.n == found.first.n == 0
    assert found.agreement.judge > found.agreement.people and found.test.passes
    assert [each.agrees.value for each in found.calibration] == sorted(
        each.agrees.value for each in found.calibration
    )
    bad = {key: 30 - value for key, value in good.items()}
    turned = judge_report(people, "lm", scores_from(bad))
    assert turned.agreement.judge < 0 and not turned.test.passes
    assert all(each.agrees.value < 0.5 for each in turned.calibration)


def test_lengths_come_from_a_metric_of_lengths():
    cells = {("characters", "a", "1"): 12.0, ("bleu", "a", "1"): 0.5}
    assert lengths_of(scores_from(cells)) == {("a", "1"): 12.0}
    assert lengths_of(None) == {}


def test_one_rater_alone_gives_no_test_but_a_reason():
    one = table()
    alone = People.from_table(one.rows(one.rater.codes == 0))
    found = report(alone, better)
    assert found.test is None and "two raters" in found.test_reason
    assert found.agreement.people is None and found.agreement.judge is not None
    tables = {each.name: each for each in judge_tables([found])}
    assert tables["judge-test"].rows == () and "two raters" in tables["judge-test"].notes[0]


# --- the command line ----------------------------------------------------------------------------


def written(path: Path, header: tuple[str, ...], rows: list[tuple[object, ...]]) -> str:
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([header, *rows])
    return str(path)


@pytest.fixture(scope="module")
def judgements(tmp_path_factory) -> str:
    found = table()
    rows = [
        (found.rater.labels[r], found.item.labels[i], found.system.labels[s], "q", n, v)
        for n, (r, i, s, v) in enumerate(
            zip(found.rater.codes, found.item.codes, found.system.codes, found.value, strict=True)
        )
    ]
    header = ("rater", "item", "system", "criterion", "screen", "value")
    return written(tmp_path_factory.mktemp("judged") / "judgements.csv", header, rows)


def test_the_command_puts_verdicts_next_to_people(judgements, tmp_path, capsys):
    rows = [(v.item, v.first, v.second, v.first) for v in verdicts(lambda *pair: FIRST)]
    file = written(tmp_path / "verdicts.csv", ("item", "first", "second", "winner"), rows)
    texts = [(name, f"i{item}", "word " * len(name)) for name in NAMES for item in range(ITEMS)]
    outputs = written(tmp_path / "outputs.csv", ("system", "item", "output"), texts)
    assert main(["judge", judgements, file, "--outputs", outputs, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    (found,) = document["judges"]
    assert (found["judge"], found["swap"]["value"], found["first"]["value"]) == ("judge", 0, 1)
    assert document["signature"].startswith("judge|alpha:0.05|criterion:q|epsilon:0.1|lengths:")
    assert main(["judge", judgements, file, "--latex"]) == 0
    assert r"\begin{tabular}" in capsys.readouterr().out
    assert main(["judge", judgements, file, "--judges", "nobody"]) == 2
    assert "no judge 'nobody'" in capsys.readouterr().err


def test_the_command_predicts_with_a_metric_and_its_price(judgements, tmp_path, capsys):
    rows = [
        (name, f"i{item}", "lm", truth(name, item)) for name in NAMES for item in range(2 * ITEMS)
    ]
    file = written(tmp_path / "scores.csv", ("system", "item", "metric", "score"), rows)
    assert main(["predict", judgements, file, "--price", "0.1", "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["estimates"]
    assert found["price"] == pytest.approx(0.1 * found["estimates"]["worth"])
    assert found["signature"].startswith("prediction-powered|")
    assert main(["predict", judgements, file]) == 0
    assert "next to those of people alone" in capsys.readouterr().out
    assert main(["predict", judgements, file, "--item-groups", "document"]) == 2
    assert "no factor 'document'" in capsys.readouterr().err
    half = written(tmp_path / "half.csv", ("system", "item", "metric", "score"), rows[:100])
    assert main(["predict", judgements, half]) == 0
    assert "no score of" in capsys.readouterr().out


def test_the_signatures_of_both_commands_state_what_decides_a_number(judgements, tmp_path, capsys):
    rows = [
        (v.item, v.first, v.second, min(v.first, v.second)) for v in verdicts(lambda *pair: FIRST)
    ]
    judge = written(tmp_path / "verdicts.csv", ("item", "first", "second", "winner"), rows)
    places = [(name, f"i{item}") for name in NAMES for item in range(2 * ITEMS)]
    texts = [(*place, "word " * (1 + number % 3)) for number, place in enumerate(places)]
    outputs = written(tmp_path / "outputs.csv", ("system", "item", "output"), texts)
    scores = [(name, item, "lm", truth(name, int(item[1:]))) for name, item in places]
    metric = written(tmp_path / "scores.csv", ("system", "item", "metric", "score"), scores)
    fewer = ["--exclude-raters", table().rater.labels[0]]
    low = ["--low-judgements-are-better"]
    for command, given, ways in (
        ("judge", judge, (fewer, low, ["--own", NAMES[0]], ["--outputs", outputs])),
        ("predict", metric, (fewer, low, ["--z"])),
    ):
        lines, documents = set(), set()
        for more in ([], *ways):
            assert main([command, judgements, given, *more, "--json"]) == 0
            document = json.loads(capsys.readouterr().out)
            lines.add(document.pop("signature", "") or document["estimates"][0].pop("signature"))
            documents.add(json.dumps(document))
        assert len(lines) == len(documents) == 1 + len(ways), lines
