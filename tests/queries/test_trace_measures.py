"""Measures from traces: shares over a rater's newest screens, and the rules that ask for them."""

import pytest

from analysis.checks.false_alarms import FalseAlarms, least_bound, measured
from analysis.checks.measure_names import TRACES
from rankme.errors import InvalidDefinition
from rankme.models import RuleDecision
from rankme.protocols import definition_problems
from rankme.queries import trace_measures
from rankme.queries.trace_measures import SHARES
from tests.campaigns import make_campaign, make_rater, slider_definition
from tests.sittings import answer, claim

pytestmark = pytest.mark.django_db


def at_work(*, raters: int = 1, **changes):
    definition = slider_definition(**{"crowd": {"traces": True}, "raters_per_trial": 2} | changes)
    campaign = make_campaign(definition, items=3, systems=1)
    return [claim(make_rater(campaign, f"w{number}")) for number in range(raters)]


def measures_of(held):
    rater = held.participant_id
    return trace_measures.trace_measures([rater])[rater]


def test_names_in_rules_are_those_of_the_measures():
    assert set(TRACES) == {*SHARES, "repeated_share"}


def test_shares_are_of_all_screens_together():
    (held,) = at_work()
    answer(held, 0, trace={"typed": 15, "composed": 5, "pasted": 20}, times={"spent_ms": 8_000})
    answer(held, 1, trace={"events": 40, "untrusted": 10, "away_ms": 4_000, "webdriver": 1},
           times={"spent_ms": 12_000})  # fmt: skip
    found = measures_of(held)
    assert found["pasted_share"] == 0.5
    assert found["untrusted_share"] == 0.25
    assert found["webdriver_share"] == 0.5
    assert found["away_share"] == pytest.approx(4 / 20)
    assert found["centred_share"] is None  # of too few presses
    assert found["repeated_share"] is None  # nothing was moved


def test_only_the_newest_screens_count(monkeypatch):
    monkeypatch.setattr(trace_measures, "SAMPLED_SCREENS", 1)
    (held,) = at_work()
    answer(held, 0, trace={"events": 40, "untrusted": 40})
    answer(held, 1, trace={"events": 40})
    assert measures_of(held)["untrusted_share"] == 0


def test_a_part_that_is_larger_than_its_whole_is_all_of_it():
    (held,) = at_work()
    answer(held, 0, trace={"events": 10, "untrusted": 90})
    assert measures_of(held)["untrusted_share"] == 1


def test_a_repeated_trace_counts_for_the_later_rater_alone():
    first, second = at_work(raters=2)
    for trial in range(2):
        answer(first, trial, trace={"path_px": 812.4 + trial, "last_ms": 551.2})
    answer(second, 0, trace={"path_px": 813.4, "last_ms": 551.2})
    answer(second, 1, trace={"path_px": 99.1, "last_ms": 551.2})
    assert measures_of(first)["repeated_share"] == 0
    assert measures_of(second)["repeated_share"] == 0.5


def test_traces_of_fingers_alone_are_not_compared():
    """They have no path and no rhythm: those of careful people are often the same."""
    first, second = at_work(raters=2)
    for held in (first, second):
        answer(held, 0, trace={"presses": 3, "touches": 3, "composed": 2})
    assert measures_of(second)["repeated_share"] is None


# --- Rules -----------------------------------------------------------------------------------


def rule_of(text: str, *, traces: bool = True):
    return slider_definition(crowd={"traces": traces}, rules={"flag_if": text})


def refusal_of(text: str, **changes) -> str:
    with pytest.raises(InvalidDefinition) as refusal:
        rule_of(text, **changes)
    (problem,) = refusal.value.problems
    assert problem.place == "rules.flag_if"
    return problem.message


@pytest.mark.parametrize("measure", TRACES)
def test_a_rule_asks_only_for_what_few_careful_raters_do(measure):
    """By the committed table: from a bound on, or not at all."""
    least = least_bound(measure, measured())
    if least is None:
        assert "can be shown, but not be in a rule: at most" in refusal_of(f"{measure} > .9")
    else:
        rule_of(f"{measure} > {least}")
        assert f"> {least:g} or more" in refusal_of(f"{measure} > {least / 2}")


@pytest.fixture
def rare_from_half_on(monkeypatch):
    rows = (FalseAlarms("untrusted_share", 0.5, "careful, mouse", 400, 0, 0.0096),)
    monkeypatch.setattr(definition_problems, "measured", lambda: rows)


@pytest.mark.parametrize(
    "text",
    [
        "untrusted_share > .4",
        "untrusted_share < .5",
        "untrusted_share == 1",
        "not untrusted_share > .5",
        "median_seconds < 1 or not (screens > 3 and untrusted_share >= .6)",
    ],
)
def test_a_rule_may_not_ask_for_less_or_for_the_contrary(rare_from_half_on, text):
    assert "can only ask for untrusted_share > 0.5 or more" in refusal_of(text)


def test_a_rule_about_traces_needs_traces(rare_from_half_on):
    message = refusal_of("untrusted_share > .5", traces=False)
    assert "does not keep: crowd.traces" in message


def test_an_unmeasured_measure_says_so(rare_from_half_on):
    assert "nobody has measured" in refusal_of("pasted_share > .9")


def test_a_rule_decides_by_traces_at_the_end_of_a_batch(rare_from_half_on):
    first, second = at_work(raters=2, rules={"flag_if": "untrusted_share > .5"})
    for held, untrusted in ((first, 20), (second, 30)):
        for trial in range(len(held.presentation)):
            answer(held, trial, trace={"events": 40, "untrusted": untrusted})
    (decision,) = RuleDecision.objects.all()
    assert decision.participant_id == second.participant_id
    assert decision.parts == ["untrusted_share > .5"]
