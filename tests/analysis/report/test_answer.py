"""The answer says what its model holds, and nothing beyond that."""

import re
from dataclasses import replace

import numpy as np
import pytest

from analysis.report.answer import answer_of, answers_of
from analysis.report.make import make_report
from analysis.report.options import ReportOptions
from tests.analysis.studies import from_rows

NAMES = ("ash", "birch", "cedar", "dogwood", "elm")
QUICK = {"runs": 2, "agreement_resamples": 0}
# How a sentence names systems that it calls best, or one that is ahead of another.
BEST = re.compile(r"(?:The best system is (.*?)|^(\w+) is the best system)\.")
AHEAD = re.compile(r"It is ahead of (\w+), the next, by ([\d.]+) \(95 % \w* ?interval ([\d.]+) to")
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
    kinds = {"likert": "scale", "arena": "relative"}
    return make_report(table, ReportOptions.from_dict({**QUICK, "kinds": kinds, **options}))


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


def overclaims(answer, held, systems) -> list[str]:
    """What the sentence says that is not among the differences that the model holds."""
    names = "|".join(systems)
    said = []
    for match in BEST.finditer(answer.sentence):
        best = set(re.findall(names, match[1] or match[2]))
        # A system that is not named is beaten by one that is.
        said += [f"not {x}" for x in set(systems) - best if not {(b, x) for b in best} & held]
    if len(best := re.findall(rf"^({names}) is the best", answer.headline)) == 1:
        said += [f"{best[0]} > {x}" for x in set(systems) - {*best} if (best[0], x) not in held]
        ahead_of = [match[1] for match in AHEAD.finditer(answer.sentence)]
        said += [f"ahead of {x}" for x in ahead_of if (best[0], x) not in held]
    for detail in answer.details:
        if match := WORSE.match(detail):
            beaten = set(systems) - {match[1]} - set(re.findall(names, match[2]))
            said += [f"{match[1]} > {x}" for x in beaten if (match[1], x) not in held]
    told = re.search(r"(\d+) of \d+ pairs", answer.sentence)
    if told and int(told[1]) != len(held):
        said.append(told[0])
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
    for seed, (raters, items, systems, step, generality) in enumerate(
        [
            (2, 12, 4, 2.0, "both"), (3, 12, 3, 1.0, "both"), (8, 2, 4, 2.0, "items"),
            (6, 12, 2, 0.0, "raters"), (12, 12, 5, 0.0, "both"), (12, 12, 5, 0.3, "both"),
            (12, 20, 5, 0.6, "raters"), (12, 20, 5, 1.5, "both"), (8, 12, 2, 1.5, "both"),
            (8, 12, 2, 0.3, "items"), (16, 6, 4, 0.8, "both"), (5, 30, 4, 3.0, "both"),
        ]
    )
]  # fmt: skip


@pytest.fixture(scope="module")
def swept():
    return [
        (reported(study(seed, **size), generality=generality), generality)
        for seed, size, generality in SWEEP
    ]


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
