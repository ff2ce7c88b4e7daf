"""Metrics of a campaign: computed by a worker, uploaded with all problems, replaced knowingly."""

import io

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command

from analysis.text_metrics.scoring import score
from rankme.actions import jobs
from rankme.actions.material import material_rows, materials, metric_jobs, metric_parts
from rankme.actions.material.metric_parts import results_of
from rankme.errors import RefusedAction
from rankme.models import Metric, MetricComputation, Output
from rankme.queries.metric_scores import material_of, scores_of, uncomputable, verdicts_of
from tests.campaigns import make_campaign, make_owner
from tests.imports import work_on

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_uploads")]

SCORES = "system,item,metric,score\nSys0,item-0,comet,0.5\nSys1,item-0,comet,0.25\n"


@pytest.fixture
def campaign():
    return make_campaign(items=3, systems=3)


def computed(campaign, *names: str):
    row = metric_jobs.request_metrics(campaign, names, by=make_owner())
    assert metric_jobs.execute(row.pk, "tester")
    row.refresh_from_db()
    return row


def checked(campaign, text: str, **options):
    file = SimpleUploadedFile("scores.csv", text.encode())
    return work_on(
        materials.start_import(campaign, [file], kind="scores", options=options, by=make_owner())
    )


def taken(campaign, text: str, **options):
    row = checked(campaign, text, **options)
    materials.take_import(row, by=make_owner())
    assert work_on(row).phase == "taken", row.error
    return row


def problems(row) -> list[tuple[int | None, str, str]]:
    assert row.state == "failed"
    return [(each["line"], each["column"], each["message"]) for each in row.problems]


# --- computed ----------------------------------------------------------------------------------


def test_a_worker_computes_what_python_computes(campaign):
    row = computed(campaign, "bleu", "ter")
    assert (row.state, row.progress) == ("done", 1.0)
    found = scores_of(campaign)
    bleu, ter = score(material_of(campaign), ["bleu", "ter"])
    place = found.systems.index("Sys1"), found.items.index("item-2")
    assert found.whole[0][place[0]] == bleu.systems["Sys1"]
    assert found.segments[0][place] == bleu.segments["Sys1"]["item-2"]
    assert found.turned == ("ter",)
    assert found.segments[1][place] == -ter.segments["Sys1"]["item-2"]
    stored = campaign.metrics.get(name="bleu")
    assert (stored.systems, stored.outputs, stored.method) == (3, 9, bleu.method)


def test_metrics_are_in_one_order_and_computed_again_replace_the_scores(campaign):
    for name in ("ter", "bleu", "bleu"):
        computed(campaign, name)
    assert scores_of(campaign).metrics == ("bleu", "ter")
    assert campaign.metrics.count() == 2


def test_each_metric_is_stored_as_soon_as_it_is_ready(campaign, monkeypatch):
    monkeypatch.setattr(metric_parts, "rate", lambda *given: 1e3)
    seen, compute = [], metric_parts.compute_one
    monkeypatch.setattr(
        metric_parts,
        "compute_one",
        lambda *given: seen.append(campaign.metrics.count()) or compute(*given),
    )
    row = computed(campaign, "bleu", "ter")
    assert seen == [0, 0, 0, 1, 1, 1], "each metric has a part for each system"
    assert not row.parts.exists()


def test_a_helper_computes_parts_and_the_leader_puts_them_together(campaign, monkeypatch):
    monkeypatch.setattr(metric_parts, "rate", lambda *given: 1e3)
    asked = metric_jobs.request_metrics(campaign, ["chrf", "distinct"], by=make_owner())
    row = jobs.claim(MetricComputation, asked.pk, worker="leader")
    material = material_of(campaign)
    metric_parts.plan_parts(row, material)
    assert metric_parts.help_with(row.pk) == 6
    together = {each.metric: each for name in row.metrics for each in results_of(row, name)}
    assert together == {each.metric: each for each in score(material, row.metrics)}


def test_a_helper_ignores_jobs_without_a_leader(campaign):
    row = metric_jobs.request_metrics(campaign, ["bleu"], by=make_owner())
    assert metric_parts.help_with(row.pk) == 0


def test_progress_names_the_metric_and_the_time_left(campaign, monkeypatch):
    steps = []
    heartbeat = jobs.heartbeat
    monkeypatch.setattr(
        jobs, "heartbeat", lambda row, **told: steps.append(told) or heartbeat(row, **told)
    )
    computed(campaign, "bleu", "rouge-l")
    said = [told["step"] for told in steps if told.get("step")]
    assert "ROUGE-L" in said[-1] or "BLEU" in said[-1]
    assert said[-1].endswith("(nearly done)")
    assert metric_jobs.minutes_left(1_020) == "about 17 min left"


def test_impossible_metrics_are_refused_with_the_reason():
    campaign = make_campaign(items=3, systems=3, launch=False)
    campaign.items.filter(key="item-1").update(reference="")
    reasons = uncomputable(campaign)
    assert "item-1" in reasons["bleu"] and not reasons["lengths"]
    with pytest.raises(RefusedAction, match="item-1"):
        metric_jobs.request_metrics(campaign, ["bleu"], by=make_owner())
    with pytest.raises(RefusedAction, match="no metric “blue”"):
        metric_jobs.request_metrics(campaign, ["blue"], by=make_owner())


def test_only_one_computation_is_under_way(campaign):
    row = metric_jobs.request_metrics(campaign, ["bleu"], by=make_owner())
    with pytest.raises(RefusedAction, match="already being computed"):
        metric_jobs.request_metrics(campaign, ["ter"], by=make_owner())
    metric_jobs.cancel_metrics(row, by=make_owner())
    assert not metric_jobs.execute(row.pk, "tester") and not campaign.metrics.exists()


def test_uploaded_scores_are_not_replaced_by_a_computation(campaign):
    taken(campaign, SCORES.replace("comet", "bleu"))
    row = computed(campaign, "bleu", "ter")
    assert row.state == "failed" and "uploaded" in row.error
    assert [each.name for each in campaign.metrics.all()] == ["bleu"]


def test_new_material_of_a_draft_takes_the_scores_away():
    draft = make_campaign(items=2, systems=2, launch=False)
    computed(draft, "bleu")
    material_rows.forget_material(draft)
    assert not Metric.objects.exists() and not Output.objects.exists()


def test_material_that_changes_under_a_computation_refuses_its_scores(monkeypatch):
    from analysis.text_metrics import scoring

    draft = make_campaign(items=2, systems=2, launch=False)
    original = scoring.score

    def replaced_meanwhile(*arguments, **named):
        found = original(*arguments, **named)
        Output.objects.filter(item__campaign=draft).update(text="Something else.")
        return found

    monkeypatch.setattr(scoring, "score", replaced_meanwhile)
    row = computed(draft, "bleu")
    assert row.state == "failed" and "replaced meanwhile" in row.error
    assert not draft.metrics.exists()


# --- uploaded ----------------------------------------------------------------------------------


def test_an_upload_is_previewed_and_stores_nothing_yet(campaign):
    row = checked(campaign, SCORES)
    (found,) = row.preview["metrics"]
    assert (row.phase, row.format) == ("previewed", "scores")
    assert (found["name"], found["outputs"], found["missing"]) == ("comet", 2, 7)
    assert (found["lowest"], found["highest"], found["replaces"]) == (0.25, 0.5, "")
    assert not campaign.metrics.exists()


def test_a_second_upload_says_what_it_replaces(campaign):
    taken(campaign, SCORES)
    row = checked(campaign, SCORES.replace("0.5", "0.75"))
    assert row.preview["metrics"][0]["replaces"] == "uploaded"
    assert scores_of(campaign).segments.max() == 0.5
    materials.take_import(row, by=make_owner())
    work_on(row)
    assert scores_of(campaign).segments[scores_of(campaign).segments > 0].max() == 0.75


def test_one_column_per_metric_and_scores_of_whole_systems(campaign):
    taken(campaign, "system,comet,errors\nSys0,0.5,3\nSys1,,1\n", lower_is_better=["errors"])
    found = scores_of(campaign)
    assert found.metrics == ("comet", "errors") and found.turned == ("errors",)
    assert found.whole[1].tolist() == [-3.0, -1.0]
    assert campaign.metrics.get(name="errors").outputs == 0


def test_every_problem_of_a_file_comes_with_line_and_column(campaign):
    text = "system,item,metric,score\nSysX,item-0,comet,1\nSys0,item-9,comet,x\nSys0,item-0,,1\n"
    row = checked(campaign, text)
    assert problems(row) == [
        (2, "system", 'there is no system "SysX".'),
        (3, "item", 'there is no item "item-9".'),
        (3, "score", '"x" is not a finite number.'),
        (4, "metric", "the cell is empty."),
    ]
    assert not campaign.metrics.exists()


def test_verdicts_keep_the_order_in_which_outputs_were_shown(campaign):
    text = (
        "judge,item,first,second,winner\n"
        "lm,item-0,Sys0,Sys1,Sys1\nlm,item-0,Sys1,Sys0,first\nlm,item-1,Sys0,Sys2,tie\n"
    )
    row = taken(campaign, text, own_systems=["Sys1"])
    assert row.format == "verdicts"
    stored = campaign.metrics.get(name="lm")
    assert (stored.kind, stored.is_judge, stored.own_systems) == ("verdicts", True, ["Sys1"])
    shown = [(each.first, each.second, each.outcome) for each in verdicts_of(campaign)["lm"]]
    assert shown == [("Sys0", "Sys1", -1), ("Sys1", "Sys0", 1), ("Sys0", "Sys2", 0)]


def test_problems_of_verdicts_have_their_places_too(campaign):
    text = (
        "item,first,second,winner\nitem-0,Sys0,Sys9,tie\nitem-0,Sys0,Sys0,tie\n"
        "item-0,Sys0,Sys1,Sys2\nitem-1,Sys0,Sys1,tie\nitem-1,Sys0,Sys1,first\n"
    )
    places = [(line, column) for line, column, _ in problems(checked(campaign, text))]
    assert places == [(2, "second"), (3, "second"), (4, "winner")], "asking twice is no problem"


def test_a_name_that_cannot_be_stored_is_a_problem_not_an_error(campaign):
    row = checked(campaign, f"system,item,{'m' * 201}\nSys0,item-0,1\n")
    assert "at most 200" in row.problems[0]["message"]
    row = checked(campaign, SCORES, own_systems=["nobody"])
    assert "nobody" in row.problems[0]["message"]


def test_scores_need_outputs_to_be_about():
    empty = make_campaign(items=0, systems=0, launch=False)
    with pytest.raises(RefusedAction, match="outputs first"):
        checked(empty, SCORES)


# --- the command -------------------------------------------------------------------------------


def said(*arguments: str, **options) -> str:
    printed = io.StringIO()
    call_command("metrics", *arguments, stdout=printed, **options)
    return printed.getvalue()


def test_the_command_computes_and_stores(campaign, tmp_path):
    assert "bleu: 9 outputs of 3 systems, computed" in said(campaign.code, metrics="bleu,lengths")
    file = tmp_path / "scores.csv"
    file.write_text(SCORES)
    assert "Nothing was stored." in said(campaign.code, "--scores", str(file), "--dry-run")
    assert "comet: 2 outputs of 2 systems, uploaded" in said(campaign.code, "--scores", str(file))
    file.write_text(SCORES.replace("0.5", "much"))
    with pytest.raises(CommandError, match=r"line 2, score: \"much\""):
        said(campaign.code, "--scores", str(file))
