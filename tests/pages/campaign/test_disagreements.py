"""The page on which organisers read where raters disagree."""

import gzip

import numpy as np
import pytest
from django.urls import reverse

from rankme.actions.sitting import exclusions
from rankme.models import Campaign, Judgement, Metric
from rankme.pages.campaign import disagreements as page_of_disagreements
from rankme.queries.disagreements import pairs, values
from rankme.queries.items.answers import codes_of
from tests.campaigns import make_campaign, slider_definition
from tests.disagreeing import ITEMS, SYSTEMS, disagreeing_campaign

pytestmark = pytest.mark.django_db


@pytest.fixture
def judged() -> Campaign:
    return disagreeing_campaign()


def address(campaign: Campaign) -> str:
    return reverse("rankme:campaign-disagreements", args=[campaign.code])


def labels_of(campaign: Campaign) -> dict[str, str]:
    return dict(campaign.participants.values_list("external_id", "label"))


def context(client, campaign, **asked):
    answered = client.get(address(campaign), asked)
    assert answered.status_code == 200
    return answered.context, " ".join(answered.text.split())


def of_pair(client, campaign, first, second, **asked):
    named = labels_of(campaign)
    both = sorted((named[first], named.get(second, second))) if second in named else None
    first, second = both or (named[first], second)
    return context(client, campaign, first=first, second=second, **asked)


def test_a_lenient_rater_shows_as_a_bias_with_narrow_limits(olga, judged):
    found, page = of_pair(olga, judged, "ann", "ben")
    limits = found["limits"]
    assert abs(limits.bias.value) == pytest.approx(10)
    assert limits.deviation == pytest.approx(0)
    assert (limits.outputs, limits.items) == (ITEMS * SYSTEMS, ITEMS)
    assert "<svg" in page and "Limits of agreement" in page
    # The pair at odds comes first.
    cem = labels_of(judged)["cem"]
    assert cem in (found["pairs"][0].first, found["pairs"][0].second)


def test_outputs_come_by_how_far_their_raters_are_apart(olga, judged):
    found, page = context(olga, judged)
    values_by_output: dict[int, list[float]] = {}
    for row in Judgement.objects.filter(criterion__name="fluency"):
        values_by_output.setdefault(row.output_id, []).append(row.value)
    apart = [np.std(values_by_output[line.output], ddof=1) for line in found["page"]]
    assert apart == sorted(apart, reverse=True) and len(apart) == ITEMS * SYSTEMS
    first = found["page"][0]
    assert first.said == [f"{value:g}" for value in sorted(values_by_output[first.output])]
    item = reverse("rankme:campaign-item", args=[judged.code, first.item.position + 1])
    assert f'href="{item}#output-{first.output}"' in page
    assert f'id="output-{first.output}"' in olga.get(item).text


@pytest.mark.parametrize(
    ("criterion", "others", "kappa", "table"),
    [
        ("points", ("ann", "ben"), 1.0, [[4, 0, 0], [0, 4, 0], [0, 0, 4]]),
        ("points", ("ann", "cem"), None, None),
        ("verdict", ("ben", "cem"), 0.0, None),
    ],
)
def test_points_and_categories_have_a_confusion_table(
    olga, judged, criterion, others, kappa, table
):
    found, page = of_pair(olga, judged, *others, criterion=criterion)
    both = {}
    for name in others:
        mine = Judgement.objects.filter(
            criterion__name=criterion, submission__assignment__participant__external_id=name
        )
        both[labels_of(judged)[name]] = dict(mine.values_list("output", "value"))
    first, second = both[found["pair"].first], both[found["pair"].second]
    counts = found["pair"].counts
    levels = found["pair"].levels
    for a, one in enumerate(levels):
        for b, other in enumerate(levels):
            n = sum(first[key] == one and second[key] == other for key in first)
            assert counts[a, b] == n
    assert kappa is None or found["kappa"].value == pytest.approx(kappa)
    assert table is None or counts.tolist() == table
    assert "confusion" in page and "limits" not in found


def metric_of(campaign, name, scores, **more):
    lines = [f"{name},{system},{item},{score}" for (system, item), score in scores.items()]
    content = "\n".join(["metric,system,item,score", *lines]).encode()
    return Metric.objects.create(
        campaign=campaign,
        name=name,
        kind="scores",
        source="uploaded",
        content_csv_gz=gzip.compress(content),
        systems=SYSTEMS,
        outputs=len(scores),
        **more,
    )


def scores_of_ann(campaign, change):
    given = Judgement.objects.filter(
        criterion__name="fluency", submission__assignment__participant__external_id="ann"
    )
    keys = given.values_list("output__system__name", "output__item__key", "value")
    return {(system, item): change(value) for system, item, value in keys}


def test_raters_are_compared_with_a_judge_on_their_scale_and_with_a_metric_by_ranks(olga, judged):
    metric_of(judged, "judge", scores_of_ann(judged, lambda value: value + 3), is_judge=True)
    metric_of(
        judged, "ter", scores_of_ann(judged, lambda value: value**2 / 1e4), lower_is_better=True
    )
    found, _page = of_pair(olga, judged, "ann", "judge", against="judge")
    assert found["limits"].bias.value == pytest.approx(-3) and not found["pair"].in_ranks
    assert len(found["pairs"]) == 3
    found, page = of_pair(olga, judged, "ann", "ter", against="ter")
    assert found["pair"].in_ranks and "The scales differ" in page
    # Its values rise with Ann's as they were stored, whatever the better end is.
    assert found["limits"].bias.value == found["limits"].deviation == 0
    # A metric has no categories.
    found, _page = context(olga, judged, criterion="verdict", against="ter")
    assert [metric.name for metric in found["metrics"]] == ["judge"] and found["metric"] is None


def test_what_the_page_leaves_out_it_says(olga, judged, monkeypatch):
    for module in (pairs, page_of_disagreements):
        monkeypatch.setattr(module, "MOST_RATERS", 2)
    monkeypatch.setattr(pairs, "MOST_POINTS", 2)
    found, page = context(olga, judged)
    assert len(found["pairs"]) == 1
    assert "Only the 2 raters with the most judgements are compared here, of 3." in page
    monkeypatch.setattr(values, "MOST_VALUES", 8)
    monkeypatch.setattr(values, "VALUES", values.VALUES.replace("200001", "9"))
    found, page = context(olga, judged)
    assert found["given"].is_cut and len(found["given"].value) == 8
    assert "The page compares the first of them" in page


def test_excluded_raters_and_drafts_have_no_disagreements(olga, judged):
    rater = judged.participants.get(external_id="cem")
    exclusions.exclude_rater(rater, reason="At odds.", by=judged.owner)
    found, _page = context(olga, judged)
    assert found["raters"] == 2
    draft = make_campaign(slider_definition(), launch=False)
    assert olga.get(address(draft)).url == reverse("rankme:campaign-items", args=[draft.code])


def test_systems_are_blind_and_strange_requests_are_answered(olga, judged):
    names = judged.systems.values_list("name", flat=True)
    asked = {"criterion": "none", "against": "x\0", "first": "a", "second": "b", "page": "x"}
    found, page = context(olga, judged, **asked)
    assert found["pair"] is None and not any(name in page for name in names)
    assert all(code in page for code in codes_of(judged).values())
