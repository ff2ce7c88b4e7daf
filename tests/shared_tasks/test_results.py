"""The results of an unsealed task: every number is the frozen report's, in the right row."""

import csv
import io
import re
from datetime import timedelta

import pytest
from django.utils import timezone

from analysis.report.answer import answers_of
from analysis.report.stored import read_report
from analysis.text_metrics.score_files import scores_from
from rankme.actions.material.metric_jobs import store_metric
from rankme.actions.runs import analysis_runs
from rankme.actions.runs.run_metrics import chosen_metric_options
from rankme.actions.shared_task.sealing import Choice, seal
from rankme.actions.shared_task.teams import withdraw_team
from rankme.actions.shared_task.unsealing import unseal
from rankme.actions.shared_task.uploads import withdraw_upload
from rankme.errors import RefusedAction
from rankme.exporting.shared_task import overview, tables, teams
from rankme.exporting.shared_task.files import TEXTS
from rankme.exporting.shared_task.results import results_of
from rankme.models import SharedTask, SystemCode, SystemUpload, Team, UploadCheck
from rankme.queries.shared_task.system_names import is_for_teams_first, is_named_in_public
from tests.latex import assert_well_formed
from tests.runs import asked, executed
from tests.shared_tasks.tasks import (
    HOUR,
    at,
    close,
    host,
    judged,
    judged_task,
    make_task,
    make_team,
    submit,
    unsealed,
    upload,
)

pytestmark = pytest.mark.django_db


def rows_of(results) -> dict[str, dict[str, str]]:
    """Rows of the CSV by system."""
    return {
        each["System"]: each for each in csv.DictReader(io.StringIO(tables.as_one_csv(results)))
    }


def code_of(task: SharedTask, name: str) -> str:
    return SystemCode.objects.get(upload__system__name=name, track__task=task).code


@pytest.fixture(scope="module")
def unsealed_once(rows_of_the_module) -> SharedTask:
    return unsealed(judged_task("Owls", "Bees", "Cats"))


@pytest.fixture
def told(unsealed_once) -> SharedTask:
    """An unsealed task of three teams."""
    return SharedTask.objects.get(pk=unsealed_once.pk)


def test_every_number_is_that_of_the_frozen_report(told):
    results = results_of(told)
    (track,) = results.tracks
    assert track.is_blind
    (answer,) = answers_of(read_report(track.run.finished_result["report"]))
    rows = rows_of(results)
    assert answer.is_claim and len(rows) == 3
    by_code = {code_of(told, name): name for name in rows}
    names = [by_code[each.system] for each in answer.standings]
    assert list(rows) == names, "in the order of the report"
    for each, name in zip(answer.standings, names, strict=True):
        row = rows[name]
        numbers = ("Value", "Interval low", "Interval high", "Ranks low", "Ranks high")
        expected = (each.value, each.low, each.high, each.rank_low, each.rank_high)
        assert tuple(float(row[number]) for number in numbers) == expected
        assert row["Letters"] == each.letters
        assert row["Team"] == name and row["Constrained"] == "yes"


def test_systems_withdrawn_after_the_launch_come_after_the_ranked_ones_with_the_reason():
    task = judged_task("Owls", "Bees", "Cats", "Elks")
    best = answers_of(read_report(analysed(task)))[0].standings[0].system
    gone = SystemCode.objects.get(code=best, track__task=task).upload
    withdraw_upload(gone, by=gone.team.members.get())
    other = task.teams.exclude(pk=gone.team_id).first()
    withdraw_team(other, by=task.owner)
    told = unseal_now(task)
    rows = rows_of(results_of(told))
    assert set(list(rows)[-2:]) == {gone.team.name, other.name}
    assert rows[other.name]["Remarks"].startswith("withdrawn by the hosts on ")
    row = rows[gone.team.name]
    assert row["Remarks"].startswith("withdrawn by the team on ")
    assert row["Remarks"].endswith(": judged, not ranked")
    assert (row["Cluster"], row["Ranks low"], row["Letters"]) == ("", "", "")
    assert float(row["Value"]) and float(row["n"])
    (table,) = tables.tables_of_results(results_of(told))
    assert tables.WITHDRAWN in table.notes
    assert teams.citations(results_of(told))[0].team != gone.team
    assert len(results_of(told).teams) == 2
    assert "2 withdrew later and got no rank" in overview.as_latex(results_of(told))


def analysed(task: SharedTask):
    """The report of all judgements."""
    return executed(asked(task.tracks.get().campaign), pictures=()).finished_result["report"]


def unseal_now(task: SharedTask) -> SharedTask:
    return unseal(task, by=task.owner, reason="The other host is ill.")


def test_teams_that_nobody_judged_come_last_and_each_says_why():
    task = make_task(late="mark", most_judged=2)
    track = task.tracks.get()
    for name in ("Owls", "Bees", "Over"):
        submit(make_team(task, name))
    submit(make_team(task, "Second"), role="contrastive")
    submit(make_team(task, "Broken"), is_valid=False)
    back = submit(make_team(task, "Back"))
    SystemUpload.objects.filter(pk=back.pk).update(withdrawn_at=timezone.now())
    make_team(task, "Silent")
    refused = make_team(task, "Refused")
    upload(refused)
    Team.objects.filter(pk=refused.pk).update(state="refused")
    SharedTask.objects.filter(pk=task.pk).update(closes_at=timezone.now())
    submit(make_team(task, "Late"))
    unknown = make_team(task, "Waiting", state="waiting")
    submit(unknown, track=track)
    close(task)
    told = unsealed(judged(seal(task, by=task.owner)))
    remarks = {name: row["Remarks"] for name, row in rows_of(results_of(told)).items()}
    assert list(remarks)[:2] in (["Owls", "Bees"], ["Bees", "Owls"])
    assert {name: remarks[name] for name in list(remarks)[2:]} == {
        "Over": "not judged: more systems had a primary upload than people judge",
        "Second": "not judged: the team chose no primary upload",
        "Broken": "not judged: the file of the primary upload has problems",
        "Back": "not judged: the team withdrew its primary upload before the seal",
        "Late": "not judged: the primary upload came late, and the hosts left it out",
    }


def test_the_reference_and_baselines_are_systems_and_no_teams():
    task = make_task()
    submit(make_team(task, "Owls"))
    hosts = make_team(task, "Hosts", kind="hosts")
    submit(hosts)
    rehearsal = make_team(task, "Rehearsal", kind="rehearsal")
    submit(rehearsal)
    close(task)
    sealed = seal(task, Choice(with_reference=[task.tracks.get().pk]), by=task.owner)
    told = unsealed(judged(sealed))
    rows = rows_of(results_of(told))
    assert rows["Reference"]["Remarks"] == "reference"
    assert rows["Hosts"]["Remarks"] == "baseline of the hosts"
    assert (rows["Hosts"]["Team"], rows["Reference"]["Constrained"]) == ("", "")
    assert [each.name for each in results_of(told).teams] == ["Owls"]
    assert "Rehearsal" not in "".join(write(results_of(told)) for _type, write in TEXTS.values())


def test_automatic_scores_come_after_those_of_people_and_rank_nobody(told):
    (table,) = tables.tables_of_results(results_of(told))
    assert not {tables.CHRF, tables.NO_SCORE} & set(table.notes)
    for place, check in enumerate(UploadCheck.objects.order_by("upload")):
        UploadCheck.objects.filter(pk=check.pk).update(scores={"chrf": 40.0 + place})
    results = results_of(told)
    (table,) = tables.tables_of_results(results)
    titles = [column.title for column in table.columns]
    assert titles.index("chrF") > titles.index("Interval")
    assert tables.CHRF in table.notes
    scores = {row["System"]: row["chrF"] for row in rows_of(results).values()}
    assert scores == {"Owls": "40.0", "Bees": "41.0", "Cats": "42.0"}


def test_a_table_says_that_names_were_known_and_why_it_has_no_chrf():
    task = make_task()
    task.tracks.get().campaign.items.update(reference="")
    for name in ("Owls", "Bees"):
        submit(make_team(task, name))
    close(task)
    told = unseal_now(judged(seal(task, by=task.owner)))
    (track,) = results_of(told).tracks
    assert track.run is None and tables.tables_of_results(results_of(told)) == []
    executed(analysis_runs.request_run(track.track.campaign, {}, by=told.owner), pictures=())
    (table,) = tables.tables_of_results(results_of(told))
    assert tables.NOT_BLIND in table.notes
    assert tables.NO_SCORE in table.notes and tables.CHRF not in table.notes


@pytest.mark.parametrize(
    "fields", [{"teams_named": "never"}, {"teams_named": "date", "teams_named_at": timezone.now}]
)
def test_names_are_in_no_file_of_a_task_that_does_not_publish_them(unsealed_once, fields):
    fields = {name: value() if callable(value) else value for name, value in fields.items()}
    if "teams_named_at" in fields:
        fields["teams_named_at"] += timedelta(days=1)
    SharedTask.objects.update(**fields)
    told = SharedTask.objects.get()
    results = results_of(told)
    assert set(rows_of(results)) == {"S01", "S02", "S03"}
    for name, (_type, write) in TEXTS.items():
        found = write(results).casefold()
        assert "owls" not in found and "bees" not in found, name
    named = rows_of(results_of(told, for_hosts=True))
    assert set(named) == {"Owls", "Bees", "Cats"}


def test_metrics_of_the_report_come_after_the_numbers_of_people_and_rank_nothing():
    task = judged_task("Owls", "Bees", "Cats")
    campaign = task.tracks.get().campaign
    codes = {name: code_of(task, name) for name in ("Owls", "Bees", "Cats")}
    given = {("m_up", codes["Owls"], ""): 0.25, ("m_up", codes["Bees"], ""): 0.75}
    errors = {("m_err", code, ""): 3.0 for code in codes.values()}
    for name, scores in (("m_up", given), ("m_err", errors)):
        turned = [name] if name == "m_err" else []
        found = scores_from(scores, turned)
        store_metric(campaign, name, found, source="uploaded", method="a file", by=task.owner)
    executed(asked(campaign, **chosen_metric_options(campaign, ["m_up", "m_err"])), pictures=())
    told = unseal_now(task)
    rows = rows_of(results_of(told))
    assert [(name, rows[name]["m_up"]) for name in codes] == [
        ("Owls", "0.25"), ("Bees", "0.75"), ("Cats", ""),
    ]  # fmt: skip
    assert {row["m_err"] for row in rows.values()} == {"3.0"}, "in its own direction"
    columns = list(rows["Owls"])
    assert {*columns[-3:-1]} == {"m_up", "m_err"}
    assert columns[-4] == "chrF" and columns[-1] == "Remarks"
    (table,) = tables.tables_of_results(results_of(told))
    assert tables.METRICS in table.notes
    without = [answer.standings for answer in answers_of(results_of(told).tracks[0].report)]
    assert list(rows) == [
        {code: name for name, code in codes.items()}[each.system] for each in without[0]
    ]
    assert_well_formed(tables.as_latex(results_of(told)))
    # A metric that nobody put into the frozen report appears nowhere.
    late = scores_from({("m_late", codes["Owls"], ""): 9.0})
    store_metric(campaign, "m_late", late, source="uploaded", method="a file", by=task.owner)
    assert "m_late" not in tables.as_one_csv(results_of(told))


@pytest.mark.parametrize("hours", [-2, 2])
def test_a_web_hosts_clock_neither_names_teams_nor_ends_their_days(monkeypatch, hours):
    """Between an hour ago and in an hour: a clock that is two hours off would say the opposite."""
    now = timezone.now()
    task = make_task(teams_named="date", teams_named_at=now + HOUR, teams_first_days=1)
    task.unsealed_at = now + HOUR - timedelta(days=1)
    ended = make_task(
        owner=task.owner, teams_named="date", teams_named_at=now - HOUR, teams_first_days=1
    )
    ended.unsealed_at = now - HOUR - timedelta(days=1)
    monkeypatch.setattr(timezone, "now", lambda: now + timedelta(hours=hours))
    assert (is_for_teams_first(task), is_named_in_public(task)) == (True, False)
    assert (is_for_teams_first(ended), is_named_in_public(ended)) == (False, True)


def test_before_the_unseal_there_is_nothing():
    with pytest.raises(RefusedAction, match="not unsealed"):
        results_of(make_task())


ENTRIES = {
    "own": (r"@inproceedings{owls26, title={Of {\"O}wls}, author={A and B}}", "owls26"),
    "cut": (r"@inproceedings{owls26, title={Of Owls}, author={A", "Owls"),
    "runs": (r"@misc{owls26, title={\input{/etc/passwd}}}", "Owls"),
    "typed": ("Ada and Bob, Of Owls & 50 % {", "Owls"),
    "none": ("", "Owls"),
}


@pytest.mark.parametrize("kind", ENTRIES)
def test_each_team_has_an_entry_that_bibtex_reads(told, kind):
    citation, key = ENTRIES[kind]
    Team.objects.filter(name="Owls").update(citation=citation, institution="Owls & Sons_1")
    results = results_of(told)
    found = {each.team.name: each for each in teams.citations(results)}
    assert found["Owls"].key == key
    text = teams.as_bibtex(results)
    assert r"\input" not in text
    assert text.count("{") == text.count("}"), "BibTeX counts those after a backslash, too"
    assert len(re.findall("^@", text, re.M)) == 3
    latex = teams.as_latex(results)
    assert_well_formed(latex)
    assert rf"Owls \cite{{{key}}} & Owls \& Sons\_1" in latex


def test_two_teams_never_share_a_key(told):
    Team.objects.filter(name="Bees").update(citation="@misc{owls, title={Bees}}")
    Team.objects.filter(name="Owls").update(citation="@misc{OWLS, title={Owls}}")
    keys = [each.key for each in teams.citations(results_of(told))]
    assert sorted(key.casefold() for key in keys) == ["bees", "cats", "owls"]


def test_hosts_read_the_page_and_download_every_file(told):
    client = host()
    page = client.get(at("task-results", told.code)).content.decode()
    assert "Owls" in page and "Bees" in page
    for name in TEXTS:
        address = at("task-result-file", told.code, name)
        assert address in page
        answer = client.get(address)
        assert answer.status_code == 200 and b"Owls" in answer.content, name
    assert client.get(at("task-result-file", told.code, "x")).status_code == 404
    assert_well_formed(tables.as_latex(results_of(told)))


def test_a_file_of_results_cannot_run_in_a_spreadsheet_or_a_browser(told):
    Team.objects.filter(name="Owls").update(publication_name="=1+1<script>")
    results = results_of(told)
    assert "'=1+1" in tables.as_one_csv(results)
    assert "<script>" not in tables.as_html(results)
