"""The answer says what its model holds, and nothing beyond that."""

import re
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from matplotlib.text import Text

from analysis.report.answer import answer_of, answers_of
from analysis.report.layout.report_tables import tables_of
from analysis.report.pictures.answer_plot import answer_plot
from tests.analysis.studies import from_rows, report_of_every_kind, report_without_mixed_models

NAMES = (
    "ash", "birch", "cedar", "dogwood", "elm", "fir", "gorse", "hazel", "ivy",
)  # fmt: skip
QUICK = {"runs": 2, "agreement_resamples": 0}
# How a sentence names systems that it calls best, or one that is ahead of another.
BEST = re.compile(r"(?:The best system is (.*?)|^(\w+) is the best system)\.")
AHEAD = re.compile(
    r"It is ahead of (\w+), the next, by ([\d.]+) \(95 % \w* ?interval ([\d.]+) to ([\d.]+)\)"
)
ONE_OF = re.compile(r"The best system is one of (\d+): .* and \d+ more\.")
MANY = re.compile(
    r"^(\w+) has the best estimate, but was not told apart from (\d+) others(?:, of which \d+ "
    r"(?:are|is) worse than another)?; the other (\d+ systems are|system is) worse than \1\."
)
BEATEN = re.compile(r"^(\w+) has .*, of which (\d+) (?:are|is) worse than another")
WORSE = re.compile(r"^(\w+) has the best .*? told apart from (.*?); the other .* worse than \1\.")


def study(seed: int, *, raters: int = 8, items: int = 12, systems: int = 4, step: float = 0.4):
    """A scale and a comparison of the same systems, whose true differences are steps."""
    dice = np.random.default_rng(seed)
    order = dice.permutation(systems)
    tastes = dice.normal(0, 0.4, (raters, systems))
    rows = []
    for rater in range(raters):
        for item in range(items):
            for system in range(systems):
                value = step * order[system] + tastes[rater, system] + dice.normal()
                place = (f"r{rater}", f"i{item}", NAMES[system])
                for criterion in ("likert", "arena"):
                    rows.append((*place, criterion, round(50 + 10 * value), f"{rater}.{item}"))
    return from_rows(rows)


def reported(table, **options):
    """A report without mixed models, which no answer uses."""
    kinds = {"likert": "scale", "arena": "relative"}
    return report_without_mixed_models(table, {**QUICK, "kinds": kinds, **options})


def held_by(found) -> set[tuple[str, str]]:
    """Every (better, worse) whose adjusted p in the report is below the criterion's level."""
    model = found.scale.clustered if found.scale else found.ranking.bradley_terry
    pairs = () if model is None else getattr(model, "contrasts", None) or model.pairs
    sign = 1 if found.higher_is_better or found.ranking else -1
    return {
        (pair.a, pair.b) if sign * pair.difference > 0 else (pair.b, pair.a)
        for pair in pairs
        if pair.p < found.alpha
    }


def closed(held: set[tuple[str, str]]) -> set[tuple[str, str]]:
    """With what follows: of two differences in a row, the one between their ends."""
    found = set(held)
    while more := {(a, d) for a, b in found for c, d in found if b == c} - found:
        found |= more
    return found


def overclaims(answer, held, systems) -> list[str]:
    """What the sentence says that is not among the differences that the model holds."""
    names = "|".join(systems)
    said = []
    beaten, implied = {worse for _, worse in held}, closed(held)
    many = ONE_OF.search(answer.headline)
    if many and int(many[1]) != len(systems) - len(beaten):
        said.append(many[0])
    for match in () if many else BEST.finditer(answer.sentence):
        best = set(re.findall(names, match[1] or match[2]))
        # A system that is not named is beaten.
        said += [f"not {x}" for x in set(systems) - best - beaten]
    if len(best := re.findall(rf"^({names}) is the best", answer.headline)) == 1:
        said += [f"{best[0]} > {x}" for x in set(systems) - {*best} if (best[0], x) not in implied]
        ahead_of = [match[1] for match in AHEAD.finditer(answer.sentence)]
        said += [f"ahead of {x}" for x in ahead_of if (best[0], x) not in held]
    for detail in answer.details:
        if match := MANY.match(detail):
            won = sum((match[1], x) in held for x in systems)
            worse = int(match[3].split()[0]) if match[3][0].isdigit() else 1
            if won != worse or len(systems) - 1 - won != int(match[2]):
                said.append(match[0])
        elif match := WORSE.match(detail):
            beaten = set(systems) - {match[1]} - set(re.findall(names, match[2]))
            said += [f"{match[1]} > {x}" for x in beaten if (match[1], x) not in held]
        if match := BEATEN.match(detail):
            rivals = set(systems) - {match[1]} - {x for x in systems if (match[1], x) in held}
            if int(match[2]) != len(rivals & beaten):
                said.append(match[0])
    told = re.search(r"(\d+) of \d+ pairs", answer.sentence)
    if told and int(told[1]) != len(held):
        said.append(told[0])
    for each in answer.standings if answer.is_claim else ():
        above = sum((x, each.system) in held for x in systems)
        below = sum((each.system, x) in held for x in systems)
        if (each.rank_low, each.rank_high) != (1 + above, len(systems) - below):
            said.append(f"ranks {each.rank_low} to {each.rank_high} of {each.system}")
    letters = {each.system: set(each.letters) for each in answer.standings}
    said += [
        f"letters of {a} and {b}"
        for a in systems
        for b in systems
        if answer.is_claim and a < b and not letters[a] & letters[b]
        if not {(a, b), (b, a)} & held
    ]
    return said


SWEEP = [
    (seed, {"raters": raters, "items": items, "systems": systems, "step": step}, generality)
    for seed, (raters, items, systems, step, generality) in enumerate(2 *
        [
            (2, 12, 4, 2.0, "both"), (3, 12, 3, 1.0, "both"), (8, 2, 4, 2.0, "items"),
            (6, 12, 2, 0.0, "raters"), (12, 12, 5, 0.0, "both"), (12, 12, 5, 0.3, "both"),
            (12, 20, 5, 0.6, "raters"), (12, 20, 5, 1.5, "both"), (8, 12, 2, 1.5, "both"),
            (8, 12, 2, 0.3, "items"), (16, 6, 4, 0.8, "both"), (5, 30, 4, 3.0, "both"),
            (10, 12, 9, 0.0, "both"), (8, 20, 9, 0.15, "both"), (12, 20, 9, 0.2, "raters"),
        ]
    )
]  # fmt: skip


@pytest.fixture(scope="module")
def swept():
    return [
        (reported(study(seed, **size), generality=generality), generality)
        for seed, size, generality in SWEEP
    ]


@pytest.mark.slow
def test_no_sentence_says_more_than_its_model_holds(swept):
    headlines = set()
    for report, generality in swept:
        for found, answer in zip(report.criteria, answers_of(report), strict=True):
            systems = [row.system for row in found.systems]
            assert overclaims(answer, held_by(found), systems) == [], answer.sentence
            headlines.add(re.sub("|".join(NAMES), "X", answer.headline))
            words = {"raters": "these items", "items": "these raters", "both": "new raters and new"}
            assert answer.is_claim == (words[generality] in " ".join(answer.details[-1:]))
    # The sweep meets every form of the sentence.
    assert {"X is the best system.", "No system was found to be better than another."} < headlines
    assert "No difference between these systems can be claimed." in headlines
    assert any(each.startswith("The best system is X or") for each in headlines)
    assert any(each.startswith("The best system is one of ") for each in headlines)


def test_no_difference_is_called_possible_for_which_the_values_have_no_room():
    """Intervals of few raters are wider than the scale; sentences are not."""
    forms = set()
    for seed, raters in product(range(3), (3, 8)):
        table = study(seed, raters=raters, items=4, systems=3, step=0.0)
        found = reported(table).criterion("likert")
        if found.scale.clustered is None or "pairs was told apart" not in (
            said := answer_of(found, "both").sentence
        ):
            continue
        room = np.ptp(table.for_criterion("likert").value)
        limit = max(max(-pair.low, pair.high) for pair in found.scale.clustered.contrasts)
        if number := re.search(r"differences of up to ([\d.]+) remain possible\.", said):
            assert float(number[1]) == pytest.approx(limit, abs=0.51) and limit < room
        else:
            ends = re.search(r"the lowest and the highest value given \((\d+) and (\d+)\)\.", said)
            assert int(ends[2]) - int(ends[1]) == room <= limit
        forms.add(bool(number))
    assert forms == {True, False}


def test_the_check_finds_a_sentence_that_claims_what_a_careless_model_would(swept):
    """The control: answers read off independent judgements say what the model does not hold."""
    found_out = 0
    for report, generality in swept:
        found = report.criterion("likert")
        if found.scale.clustered is None:
            continue
        careless = tuple(
            replace(pair, p=pair.p / 1e3, low=pair.low / 2, high=pair.high / 2)
            for pair in found.scale.clustered.contrasts
        )
        model = replace(found.scale.clustered, contrasts=careless)
        answer = answer_of(replace(found, scale=replace(found.scale, clustered=model)), generality)
        systems = [row.system for row in found.systems]
        found_out += bool(overclaims(answer, held_by(found), systems))
    assert found_out >= 3


def test_the_numbers_of_a_sentence_are_those_of_its_model(swept):
    """Whatever the data, at the digits that are written."""
    seen = set()
    for report, _ in swept:
        for answer in answers_of(report):
            if not answer.is_claim:
                continue
            pair = answer.pairs[0]
            means = AHEAD.search(answer.sentence)
            shares = re.search(
                r", (\d+) % prefer it to (\w+),.* interval (\d+) to (\d+) %", answer.sentence
            )
            if means:
                digits = len(means[2].partition(".")[2])
                written = [float(each) for each in means.group(2, 3, 4)]
                near, far = sorted((abs(pair.low), abs(pair.high)))
                model = [round(each, digits) for each in (abs(pair.difference), near, far)]
                assert (means[1], written) == (pair.b, model)
            if shares:
                odds = np.exp([pair.difference, pair.low, pair.high])
                model = np.round(100 * odds / (1 + odds)).tolist()
                assert shares[2] == pair.b
                assert [float(each) for each in shares.group(1, 3, 4)] == model
            told = re.search(r"(\d+) of (\d+) pairs", answer.sentence)
            if told:
                assert int(told[2]) == len(answer.pairs)
            seen |= {name for name, found in (("means", means), ("shares", shares)) if found}
    assert seen == {"means", "shares"}


@pytest.mark.slow
def test_the_sentence_follows_the_data(swept):
    """Other names, another direction, another primary criterion, too few raters, one system."""
    table = study(3, raters=8, items=8, systems=3, step=3.0)
    first, second = answers_of(reported(table))
    assert (first.criterion, second.criterion) == ("likert", "arena")
    order = [each.system for each in first.standings]
    assert first.headline == f"{order[0]} is the best system."
    renamed = replace(
        table, system=table.system._replace(labels=tuple(f"neo-{x}" for x in table.system.labels))
    )
    for before, after in zip(answers_of(reported(renamed)), (first, second), strict=True):
        assert before.sentence.replace("neo-", "") == after.sentence
    turned = reported(table, lower_is_better=["likert"], primary="likert")
    likert, arena = answers_of(turned)
    assert (likert.criterion, arena.criterion) == ("likert", "arena")
    assert likert.headline == f"{order[-1]} is the best system."
    assert [each.system for each in likert.standings] == order[::-1]
    few = table.without_raters(set(table.rater.labels[2:]))
    for answer in answers_of(reported(few)):
        assert answer.headline == "No difference between these systems can be claimed."
        assert "2 raters cannot show what other raters would give" in answer.sentence
        assert all(each.low is None and not each.letters for each in answer.standings)
    alone = table.rows(table.system.codes == 0)
    kinds = {"likert": "scale", "arena": "scale"}
    for answer in answers_of(reported(alone, kinds=kinds)):
        assert answer.headline == "There is only one system, so there is nothing to compare."


def test_reports_of_earlier_versions_get_no_answer(swept):
    """Their models claimed more: see the table of false claims."""
    report, generality = swept[-1]
    for found in report.criteria:
        assert answer_of(found, generality).is_claim
        answer = answer_of(replace(found, alpha=None), generality)
        assert not answer.is_claim
        assert "Analyse the judgements again" in answer.sentence


@pytest.mark.slow
def test_every_kind_of_criterion_opens_with_an_answer():
    for tables in tables_of(report_of_every_kind()):
        answer = tables.answer
        assert len(answer.standings) == 4
        assert tables.answered.columns[0].title == "System"
        assert tables.parts[0].name == "paper"
        assert answer.is_claim == (tables.kind != "category")
        assert {table.name for part in tables.parts for table in part.tables} | {"answer"} == {
            table.name for table in tables.tables
        }


def test_missing_answers_are_said_next_to_the_answer():
    counts = {"clarity": {"systems": [["slug", 40, 10]], "reasons": [], "raters": []}}
    said = {
        tables.name: tables.answer.sentence
        for tables in tables_of(report_of_every_kind(), declined=counts)
    }
    assert "10 answers are missing because raters could not judge" in said["clarity"]
    assert "missing" not in said["facts"]


def test_the_figure_has_an_interval_and_letters_for_each_system(swept):
    report, _ = swept[-1]
    for answer in answers_of(report):
        axes = answer_plot(answer).axes[0]
        lines = [line.get_xdata() for line in axes.lines if len(line.get_xdata()) == 2]
        ends = [
            (each.rank_low, each.rank_high) if answer.unit == "log-odds" else (each.low, each.high)
            for each in answer.standings
        ]
        assert [tuple(line) for line in lines] == ends
        letters = sorted(note.get_text() for note in axes.texts)
        assert letters == sorted("".join(each.letters for each in answer.standings))


def test_penalties_and_errors_say_that_lower_is_better():
    """In the figure and in the table, and nowhere else."""
    said = {}
    for tables in tables_of(report_of_every_kind()):
        answer = tables.answer
        words = answer_plot(answer).findobj(Text)
        in_figure = "lower is better" in " ".join(each.get_text() for each in words)
        in_table = "Lower values are better." in tables.answered.notes
        said[tables.name] = {in_figure, in_table, answer.lower_is_better}
    assert {name for name, where in said.items() if where == {True}} == {"reading", "errors"}
    assert all(where in ({True}, {False}) for where in said.values())
    table = study(3, raters=8, items=8, systems=3, step=3.0)
    likert, arena = answers_of(reported(table, lower_is_better=["likert", "arena"]))
    assert likert.lower_is_better
    assert not arena.lower_is_better, "wins are better, whatever the values are"
