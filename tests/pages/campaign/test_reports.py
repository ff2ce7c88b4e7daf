"""From the judgements to a published report, on pages."""

import io
import json
import re
import zipfile
from collections import Counter

import numpy as np
import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.template.loader import render_to_string
from django.test import Client
from django.utils import timezone
from django.utils.html import escape

from analysis.ranking.clusters import SCHEMES
from analysis.report.layout.robustness_tables import findings_of
from analysis.report.layout.table_model import Column, Table, rows_of
from rankme.actions.campaign.campaigns import close_campaign, definition_of
from rankme.actions.runs import publishing, report_files
from rankme.actions.sitting import exclusions
from rankme.exporting import bundle
from rankme.models import AnalysisRun, Campaign, Judgement, ReportFiles
from rankme.pages.campaign.measured import how_measured, scale_of
from rankme.pages.campaign.reports import plot_of, result_context
from rankme.protocols.files import (
    definition_from_document,
    definition_from_yaml,
    definition_to_document,
    definition_to_yaml,
)
from tests.campaigns import (
    make_campaign,
    make_owner,
    make_rater,
    rankme_definition,
    slider_definition,
)
from tests.live import run_python
from tests.pages.addresses import address
from tests.reports import assert_same_report
from tests.runs import asked, executed, rated_campaign
from tests.sittings import sit

pytestmark = [pytest.mark.django_db, pytest.mark.slow]
QUIZ = {"question": "What counts?", "choices": ["Fluency", "Length"], "answer": "Fluency"}
LITTLE = {"runs": 2, "agreement_resamples": 2}  # for what the page says next to its numbers


@pytest.fixture(scope="module")
def done_once(rows_of_the_module) -> AnalysisRun:
    """A rated campaign and an analysis of it. Tests roll back what they do to them."""
    campaign = rated_campaign(raters=3, items=6)
    campaign.participants.filter(external_id="w0").update(external_id="prolific-5f0c")
    return executed(asked(campaign, **LITTLE))


@pytest.fixture
def run(done_once):
    return AnalysisRun.objects.get(pk=done_once.pk)


@pytest.fixture
def campaign(run):
    return run.campaign


@pytest.fixture
def without_bundle(run):
    """The analysis whose file was lost; it is back for the next test."""
    path = bundle.path_of(run)
    with default_storage.open(path) as file:
        content = file.read()
    default_storage.delete(path)
    yield run
    default_storage.delete(path)
    default_storage.save(path, ContentFile(content))


def test_without_judgements_the_page_says_what_to_do(olga):
    campaign = make_campaign(rankme_definition())
    page = olga.get(address("analysis-runs", campaign)).text
    assert "Nothing to analyse yet" in page
    assert address("campaign-links", campaign) in page
    assert "<form" not in page.partition("Nothing to analyse yet")[2]


def filled(olga, campaign, **changes) -> dict:
    """The form as it is offered, with some changes."""
    form = olga.get(address("analysis-runs", campaign)).context["form"]
    return {name: form.initial.get(name, "") for name in form.fields} | changes


def test_the_form_begins_with_the_campaigns_own_options_and_becomes_a_run(olga, campaign, run):
    sent = filled(olga, campaign)
    assert (sent["method"], sent["runs"], sent["resample"]) == (
        "wmt",
        200,
        ["none", "raters-items"],
    )
    answer = olga.post(address("analysis-runs", campaign), sent | {"runs": 30})
    run = AnalysisRun.objects.exclude(pk=run.pk).get()
    assert answer["Location"] == address("analysis-run", campaign, run.pk)
    assert (run.options["runs"], dict(run.options["kinds"])) == (30, {"quality": "relative"})


def test_a_form_of_sliders_asks_nothing_about_rankings(olga):
    campaign = rated_campaign(slider_definition(), raters=2)
    fields = olga.get(address("analysis-runs", campaign)).context["form"].fields
    assert "runs" not in fields
    assert "model" in fields


def test_problems_are_shown_at_their_fields(olga, campaign, run):
    sent = filled(olga, campaign, exclude_raters="nobody", exclusion_reason="Fast.")
    answer = olga.post(address("analysis-runs", campaign), sent)
    assert answer.status_code == 422
    assert "nobody" in str(answer.context["form"].errors["exclude_raters"])
    assert AnalysisRun.objects.get() == run


def test_a_run_is_watched_and_can_be_stopped(olga, campaign):
    run = asked(campaign)
    page = olga.get(address("analysis-run", campaign, run.pk)).text
    assert "Waiting for a worker" in page
    assert "data-live" in page
    olga.post(address("analysis-cancel", campaign, run.pk))
    run.refresh_from_db()
    assert run.state == "cancelled"
    assert "was stopped" in olga.get(address("analysis-run", campaign, run.pk)).text


def test_headings_are_titles_with_the_question_and_names_stay_where_files_use_them(olga):
    question = {
        "question": "How <much> does it say?",
        "instrument": "slider",
        "low": "0",
        "high": "9",
    }
    names = ["info_quality", "clarity"]
    definition = slider_definition(
        criteria=[question | {"name": name} for name in names],
        screens=[{"name": "rate", "show": ["outputs"], "ask": names}],
        analysis={"paper": "Gatt & Belz, Table 9"},
    )
    campaign = rated_campaign(definition, raters=2)
    run = executed(asked(campaign, **LITTLE), pictures=())
    page = " ".join(olga.get(address("analysis-run", campaign, run.pk)).text.split())
    heading = '<h2 id="heading-info_quality"> Info quality <span class="code soft">(info_quality)'
    assert heading in page
    assert '<h2 id="heading-clarity"> Clarity </h2>' in page
    assert page.count(">How &lt;much&gt; does it say?</p>") == 2
    assert 'href="#criterion-info_quality">Info quality</a>' in page
    assert '<th scope="colgroup" colspan="3" class="group"><bdi>Info quality</bdi></th>' in page
    assert "files/tables/info-quality/means.csv" in page
    assert page.count("<summary> Table as in Gatt &amp; Belz, Table 9 </summary>") == 2
    assert "<summary> Standard table </summary>" not in page


def test_a_result_has_both_tables_its_hash_and_its_exclusions(olga, campaign):
    rater = campaign.participants.first()
    exclusions.exclude_rater(rater, reason="Answered <b>in seconds</b>.", by=make_owner())
    run = executed(asked(campaign, **LITTLE), pictures=())
    page = olga.get(address("analysis-run", campaign, run.pk)).text
    for told in (
        "As published in this field",
        "Raters and items resampled",
        run.data_sha256,
        run.signature,
    ):
        assert escape(told) in page
    assert rater.label in page
    assert "Answered &lt;b&gt;in seconds&lt;/b&gt;." in page
    for system in campaign.systems.values_list("name", flat=True):
        assert system in page


def test_a_failed_run_says_why(olga, campaign):
    run = asked(campaign)
    AnalysisRun.objects.filter(pk=run.pk).update(state="failed", error="Nobody rated <two>.")
    page = olga.get(address("analysis-run", campaign, run.pk)).text
    assert "Nobody rated &lt;two&gt;." in page


def test_the_bundle_gives_the_same_numbers_without_the_site(olga, campaign, run, tmp_path):
    answer = olga.get(address("analysis-file", campaign, run.pk, "bundle.zip"))
    path = tmp_path / "bundle.zip"
    path.write_bytes(b"".join(answer.streaming_content))
    with zipfile.ZipFile(path) as opened:
        stored = json.loads(opened.read("report.json"))
        assert "campaign.yaml" in opened.namelist()
    command = ["-m", "analysis", "report", str(path), "--json"]
    printed = run_python(command, {"PATH": "/usr/bin:/bin"})
    assert printed.returncode == 0, printed.stderr
    assert stored == run.result["report"]
    assert_same_report(json.loads(printed.stdout), stored)


def test_the_api_also_asks_scripts_to_come_again(olga, campaign, without_bundle):
    files = f"/api/v1/campaigns/{campaign.code}/analysis-runs/{without_bundle.pk}/files"
    answer = olga.get(f"{files}/report.json")
    assert (answer.status_code, answer["Retry-After"]) == (503, "5")
    assert answer.json()["error"]["code"] == "in_preparation"


def test_files_that_cannot_be_made_are_not_tried_for_every_reader(
    olga, campaign, without_bundle, monkeypatch
):
    def refuse(*arguments, **options):
        raise RuntimeError("no space")

    monkeypatch.setattr(report_files, "store_bundle", refuse)
    page = address("analysis-run", campaign, without_bundle.pk)
    assert olga.get(page).status_code == 503
    assert report_files.execute(ReportFiles.objects.get().pk, "worker")
    assert "could not be prepared" in olga.get(page).text
    assert ReportFiles.objects.get().state == "failed"
    ReportFiles.objects.update(finished_at=timezone.now() - report_files.TRY_AGAIN_AFTER)
    assert "are being prepared" in olga.get(page).text
    assert ReportFiles.objects.get().state == "queued"


def test_every_file_of_a_report_can_be_fetched_and_no_other(olga, campaign, run):
    page = olga.get(address("analysis-run", campaign, run.pk))
    for name in page.context["files"]:
        answer = olga.get(address("analysis-file", campaign, run.pk, name))
        assert answer.status_code == 200, name
        assert answer["X-Content-Type-Options"] == "nosniff"
    csv = olga.get(address("analysis-file", campaign, run.pk, "tables/quality/ranking-none.csv"))
    assert csv.text.splitlines()[0] == "Cluster,Score,Ranks low,Ranks high,System"
    for name in ("nothing.svg", "../../settings.py", "tables/quality/x.csv", "tables", "a\x00b"):
        assert olga.get(address("analysis-file", campaign, run.pk, name)).status_code == 404


def test_a_file_of_a_report_is_read_without_its_bundle(olga, campaign, run, monkeypatch):
    place = address("analysis-file", campaign, run.pk, "report.json")
    olga.get(place)  # from now on the names of the files are known
    opened, open_file = [], default_storage.open
    monkeypatch.setattr(
        default_storage, "open", lambda path: opened.append(path) or open_file(path)
    )
    assert olga.get(place).status_code == 200
    [path] = opened
    assert path.endswith("/report.json") and path in bundle.stored_paths(run)
    assert olga.get(address("analysis-file", campaign, run.pk, "../x")).status_code == 404


@pytest.mark.parametrize("scheme", SCHEMES)
def test_pictures_of_rankings_have_titles_in_words(scheme):
    for ranking in ("ranks", "heatmap"):
        plot = plot_of(f"plots/quality-{ranking}-{scheme}", "")
        assert plot["part"] == ("paper" if scheme == "none" else "other")
        assert plot["kind"] == f"{ranking}-{scheme}" not in plot["title"]
        assert plot["title"].endswith(("as published", "resampled"))


def test_a_run_that_is_not_done_has_no_files(olga, campaign):
    run = asked(campaign)
    assert olga.get(address("analysis-file", campaign, run.pk, "bundle.zip")).status_code == 404


def test_a_report_is_published_read_by_anybody_and_withdrawn(olga, campaign, run):
    assert "Publish" in olga.get(address("analysis-publish", campaign, run.pk)).text
    assert not hasattr(AnalysisRun.objects.get(pk=run.pk), "report"), "asking must not publish"
    olga.post(address("analysis-publish", campaign, run.pk))
    public = address("report-public", publishing.Report.objects.get())
    anybody = Client()
    page = anybody.get(public).text
    assert run.data_sha256 in page
    drawn = [publishing.Report.objects.get().code]  # by chance, it may contain an id
    drawn += campaign.participants.values_list("label", flat=True)
    plain = re.sub("|".join(drawn), "", page)
    assert not any(each.external_id in plain for each in campaign.participants.all())
    fetched = anybody.get(public + "files/bundle.zip")
    assert fetched.status_code == 200
    assert zipfile.is_zipfile(io.BytesIO(b"".join(fetched.streaming_content)))
    assert anybody.get(public + "files/judgements.csv").status_code == 200
    assert "A snapshot of the judgements as of" in page
    assert "The campaign was not closed" in page
    kept = {name: anybody.get(f"{public}files/{name}") for name in ("bundle.zip", "judgements.csv")}
    for name, first in kept.items():
        assert first["Cache-Control"] == "no-cache", "a proxy asks: it may have been withdrawn"
        assert first.getvalue()
        tag = {"If-None-Match": first["ETag"]}
        again = anybody.get(f"{public}files/{name}", headers=tag)
        assert (again.status_code, again.content, again["ETag"]) == (304, b"", first["ETag"])
        own = olga.get(address("analysis-file", campaign, run.pk, name), headers=tag)
        assert (own.status_code, own["Cache-Control"]) == (304, "private, no-store")
        other = {"If-None-Match": kept["bundle.zip"]["ETag"][:-1] + 'x"'}
        assert anybody.get(f"{public}files/{name}", headers=other).getvalue()
    olga.post(address("analysis-withdraw", campaign, run.pk))
    for gone in (public, public + "files/bundle.zip", public + "metrics/"):
        notice = anybody.get(gone)
        assert notice.status_code == 410
        assert "This report was withdrawn" in notice.text
        assert run.data_sha256 not in notice.text
    olga.post(address("analysis-publish", campaign, run.pk))
    assert anybody.get(public).status_code == 200


def test_publishing_while_raters_are_still_to_come_is_warned_of(olga, campaign, run):
    publish = address("analysis-publish", campaign, run.pk)
    assert "This campaign is still open" in olga.get(publish).text
    close_campaign(campaign, by=campaign.owner)
    assert "This campaign is still open" not in olga.get(publish).text


def test_a_report_says_how_it_was_measured_and_keeps_checks_of_open_campaigns_to_itself(run):
    document = definition_to_document(definition_of(run.campaign)) | {
        "checks": [{"name": "gold", "kind": "quiz", "options": QUIZ}],
        "rules": {"exclude_if": "gold.failed >= 2"},
        "crowd": {"panel": "prolific", "pay_per_batch": 2.5, "batches_per_rater": 2},
    }
    definition = definition_from_document(document)
    told = dict(how_measured(run, definition, tells_checks=True))
    day = run.requested_at.date().isoformat()
    assert told["Dates"] == day
    assert told["Pay per batch"] == "2.50 GBP, at most 2 batches per rater"
    assert (told["Recruitment"], told["Raters planned for the same outputs"]) == (
        "Prolific, by invitation",
        "2",
    )
    assert told["Assignment"].endswith("(Outputs per screen: 3, Trials per batch: 4)")
    judged = Counter(
        Judgement.objects.filter(submission__assignment__campaign=run.campaign).values_list(
            "output"
        )
    )
    least, most = min(judged.values()), max(judged.values())
    assert told["Raters per output"].startswith(f"{np.median([*judged.values()]):g}")
    assert (f"({least} – {most})" in told["Raters per output"]) == (least < most)
    assert "gold.failed >= 2" in told["Checks"]
    assert "Checks" not in dict(how_measured(run, definition, tells_checks=False))
    run.result["rule"] = {"rule": "gold.failed >= 2"}
    assert result_context(run)["rule"]
    assert result_context(run, is_public=True)["rule"] is None
    assert "Checks" not in dict(result_context(run, is_public=True)["measured"])
    scale = scale_of(slider_definition().criteria[0])
    assert scale.endswith("not at all … entirely")
    archive = Campaign(is_archive=True)
    run.campaign = archive
    assert dict(how_measured(run, definition, tells_checks=True)).keys() == {
        "Raters per output",
        "Origin",
    }


def test_what_is_public_names_no_panel_id(run):
    assert run.campaign.participants.filter(external_id="prolific-5f0c").exists()
    for name in bundle.members(run):
        assert b"prolific-5f0c" not in bundle.read_member(run, name)


SEED = 7_340_911_528_661
SECRETS = {
    "code": "PAIDC0DE",
    "address": "https://panel.example/back",
    "accepted": "fluent-in-klingon",
    "feedback": "The second one misses a fact.",
    "seed": str(SEED),
}


def campaign_with_secrets():
    definition = slider_definition(
        seed=SEED,
        raters_per_trial=3,
        crowd={"completion_code": SECRETS["code"], "return_url": SECRETS["address"] + "?cc={code}"},
        entry_questions=[
            {
                "name": "languages",
                "question": "Which languages do you speak?",
                "kind": "text",
                "accept": [SECRETS["accepted"]],
            }
        ],
        practice=[{"outputs": ["One."], "feedback": SECRETS["feedback"]}],
    )
    campaign = make_campaign(definition, items=2, systems=2)
    for number in range(3):
        sit(make_rater(campaign, f"w{number}"))
    return campaign


def published_by_name(run, client) -> dict[str, bytes]:
    """Everything that anybody can read of a published report: the page, and the bundle's files."""
    report = publishing.publish_report(run, by=run.campaign.owner)
    public = address("report-public", report)
    whole = b"".join(client.get(f"{public}files/bundle.zip").streaming_content)
    with zipfile.ZipFile(io.BytesIO(whole)) as opened:
        files = {name: opened.read(name) for name in opened.namelist()}
    files["the page"] = client.get(public).content
    return files


@pytest.mark.parametrize("is_closed", [False, True])
def test_what_is_public_holds_no_secret_of_the_crowd(client, is_closed):
    campaign = campaign_with_secrets()
    if is_closed:
        close_campaign(campaign, by=campaign.owner)
    files = published_by_name(executed(asked(campaign, **LITTLE), pictures=("svg",)), client)
    found = {
        (secret, name)
        for name, content in files.items()
        for secret, text in SECRETS.items()
        if text.encode() in content
    }
    campaign_file = {("feedback", "campaign.yaml"), ("seed", "campaign.yaml")}
    assert found == (campaign_file if is_closed else set())
    definition = definition_from_yaml(files["campaign.yaml"].decode())
    assert definition.criteria == definition_of(campaign).criteria
    assert definition.entry_questions[0].question == "Which languages do you speak?"


def test_the_grep_finds_the_secrets_where_they_are():
    """The control: the campaign's own file, which its organisers download, has them all."""
    whole = definition_to_yaml(definition_of(campaign_with_secrets()))
    assert [secret for secret, text in SECRETS.items() if text not in whole] == []


def test_a_bundle_of_the_format_that_held_secrets_is_not_served(
    olga, campaign, without_bundle, monkeypatch
):
    monkeypatch.setattr("analysis.report.rendered.PLOT_FORMATS", ())  # nobody looks at them here
    run = without_bundle
    old = f"{bundle.FOLDER}/{run.pk}-{run.data_sha256[:16]}.zip"
    default_storage.save(old, ContentFile(b"with a completion code"))
    page = address("analysis-file", campaign, run.pk, "bundle.zip")
    assert olga.get(page).status_code == 503
    assert report_files.execute(ReportFiles.objects.get().pk, "worker")
    assert b"".join(olga.get(page).streaming_content).startswith(b"PK")


def test_judgements_are_downloaded_as_csv_and_as_they_were_sent(olga, campaign):
    page = olga.get(address("export-judgements", campaign)).text
    assert "?format=csv" in page
    csv = b"".join(olga.get(address("export-judgements", campaign) + "?format=csv"))
    assert csv.startswith(b'"rater","item","system","criterion","value","screen"')
    raw = b"".join(olga.get(address("export-judgements", campaign) + "?format=jsonl"))
    lines = [json.loads(line) for line in io.BytesIO(raw)]
    assert sum(len(line["judgements"]) for line in lines) == csv.count(b"\n") - 1
    assert lines[0]["payload"]["key"] == lines[0]["key"]


def test_addresses_with_signs_that_no_database_holds_are_404(olga):
    olga.raise_request_exception = False
    for prefix in ("campaigns", "r", "reports"):
        for code in ("%00", "a%00b", "%ed%a0%80"):
            assert olga.get(f"/{prefix}/{code}/").status_code == 404


TABLE = re.compile(r'<table class="report">.*?</table>(.*?)(?=<table|<summary>|$)', re.DOTALL)


def test_every_table_of_a_page_can_be_downloaded_as_csv_and_as_latex(olga, campaign, run):
    """The organiser's page and the public one."""
    report = publishing.publish_report(run, by=run.campaign.owner)
    for address_of_page in (
        address("analysis-run", campaign, run.pk),
        address("report-public", report),
    ):
        tables = TABLE.findall(olga.get(address_of_page).text)
        assert len(tables) > 5
        for below in tables:
            for form in ("csv", "tex"):
                (link,) = re.findall(rf'href="(\S+/files/tables/\S+\.{form})"', below)
                assert link.startswith(address_of_page)
                assert olga.get(link).status_code == 200, link


def test_a_check_without_numbers_has_none_to_open():
    column = Column("Systems")
    for rows, opened in [((), 0), (rows_of([("A < B < C < A",)]), 1)]:
        table = Table("cycles", "Circles of preference", (column,), rows, notes=("None.", "Rate."))
        page = render_to_string("report/_robustness.html", {"findings": _drawn(table)})
        assert page.count("<details>") == opened


def _drawn(table: Table) -> list[dict[str, object]]:
    return [{"found": found, "plots": []} for found in findings_of((table,))]
