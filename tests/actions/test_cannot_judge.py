"""Raters who cannot judge: stored, counted and reported, and never a number."""

import io
import json
import zipfile

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import IntegrityError, transaction

from analysis.report.declined import ANSWERS, COUNTS
from rankme.exporting import bundle
from rankme.exporting.declined import declined_csv, declined_files_of_run, declined_of_run
from rankme.exporting.judgements import judgements_csv, judgements_jsonl
from rankme.models import AnalysisRun, Judgement
from rankme.protocols.option_order import option_orders
from rankme.queries.cannot_judge import declined_by_rater, declined_of
from rankme.queries.judgement_table import judgement_table
from rankme.verification import verify_campaign
from tests.campaigns import make_campaign, make_rater, slider_definition
from tests.runs import asked, executed
from tests.sittings import claim, payload_for, store

pytestmark = pytest.mark.django_db

CHOICES = {"a": "First", "b": "Second", "c": "Third", "d": "Fourth"}
CRITERIA = [
    {
        "name": "quality",
        "question": "How good?",
        "instrument": "slider",
        "cannot_judge": True,
        "cannot_judge_reasons": {"unclear": "I do not understand it", "other": "Something else"},
    },
    {
        "name": "kind",
        "question": "What is it?",
        "instrument": "choice",
        "options": {"choices": CHOICES, "shuffle": True},
    },
]


DEFINITION = slider_definition(
    criteria=CRITERIA,
    screens=[{"name": "rate", "show": ["outputs"], "ask": ["quality", "kind"]}],
    design={"kind": "complete"},
)


@pytest.fixture
def held():
    return claim(make_rater(make_campaign(DEFINITION, items=2, systems=2)))


@pytest.fixture
def run(held) -> AnalysisRun:
    """An analysis of one value and one answer that gives a reason instead."""
    send(held, 0, {"value": 70})
    send(held, 1, {"cannot_judge": "unclear"})
    return executed(asked(held.campaign), pictures=())


def order_of(held, trial):
    seed = (held.campaign.seed, held.participant_id, held.presentation[trial][0])
    return option_orders(DEFINITION.criteria, seed)["kind"]


def answers(held, trial, quality):
    kind = {"criterion": "kind", "value": "c", "order": order_of(held, trial)}
    return [
        {"place": place, "time_ms": 9.0} | one
        for place in range(len(held.presentation[trial][1]))
        for one in ({"criterion": "quality"} | quality, kind)
    ]


def send(held, trial, quality):
    payload = payload_for(held, trial, value=0) | {"answers": answers(held, trial, quality)}
    return store(held.participant, payload)


def test_declined_answers_are_counted_and_never_numbers(held):
    campaign = held.campaign
    send(held, 0, {"value": 70})
    send(held, 1, {"cannot_judge": "unclear"})
    stored = Judgement.objects.filter(criterion__name="quality")
    declined = stored.exclude(cannot_judge=None)
    assert {(one.value, one.text, one.cannot_judge) for one in declined} == {(None, "", "unclear")}
    table = judgement_table(campaign)
    values = table.value[table.criterion.codes == table.criterion.labels.index("quality")]
    assert set(values) == {70}
    found = list(declined_of(campaign))
    assert len(found) == declined.count() > 0
    assert {(one.criterion, one.reason, one.rater, one.excluded) for one in found} == {
        ("quality", "unclear", held.participant.label, False)
    }
    assert {one.system for one in found} <= {"Sys0", "Sys1"}
    everything = Judgement.objects.count()
    assert declined_by_rater([held.participant_id]) == {
        held.participant_id: (declined.count(), everything)
    }
    raw = [json.loads(line) for line in judgements_jsonl(campaign)]
    said = [one["cannot_judge"] for line in raw for one in line["judgements"]]
    assert said.count("unclear") == declined.count() and said.count(None) > 0
    # The order of the choices is in the table, whatever the place of the chosen one was in it.
    rows = b"".join(judgements_csv(campaign)).decode().splitlines()
    assert "options_shown" in rows[0]
    assert json.dumps(order_of(held, 0)).replace('"', '""') in "\n".join(rows)
    verify_campaign(campaign)


def test_a_run_keeps_who_could_not_judge(held, run):
    assert "cannot_judge.json" in bundle.members(run)
    reasons = bundle.read_member(run, "tables/quality/cannot-judge-reasons.csv")
    assert b"unclear,1" in reasons
    found = run.declined["quality"]
    assert found["reasons"] == [["unclear", 1]] and "kind" not in run.declined
    assert found["raters"] == [[held.participant.label, 1]]
    assert sum(judged for _, judged, _ in found["systems"]) == 1
    rows = b"".join(declined_csv(held.campaign)).decode().splitlines()
    assert len(rows) == 2 and rows[1].endswith(f"{held.participant.label},unclear,1,0")
    _, counts = declined_of_run(run.declined)
    assert set(declined_files_of_run(counts)) == {COUNTS}, "as before answers were kept"


def test_verify_counts_the_answers_of_a_report_again(held, run):
    assert verify_campaign(held.campaign).fault == ""
    with default_storage.open(bundle.path_of(run)) as file:
        stored = file.read()
    answers, counts = (bundle.read_member(run, name) for name in (ANSWERS, COUNTS))
    assert answers.count(b"\n") == 2 and b"answers" not in counts

    replace_bundle(run, with_file(stored, ANSWERS, answers.replace(b"unclear", b"other")))
    assert f"{ANSWERS} in its bundle is not" in verify_campaign(held.campaign).fault
    replace_bundle(run, stored)
    assert verify_campaign(held.campaign).fault == ""

    run.declined["quality"]["raters"][0][1] = 2
    AnalysisRun.objects.filter(pk=run.pk).update(declined=run.declined)
    assert "other counts than follow" in verify_campaign(held.campaign).fault


def with_file(archive: bytes, name: str, content: bytes) -> bytes:
    """The zip with another content of one file."""
    changed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(archive)) as old, zipfile.ZipFile(changed, "w") as new:
        for entry in old.namelist():
            new.writestr(entry, content if entry == name else old.read(entry))
    return changed.getvalue()


def replace_bundle(run: AnalysisRun, content: bytes) -> None:
    default_storage.delete(bundle.path_of(run))
    default_storage.save(bundle.path_of(run), ContentFile(content))


def test_a_changed_answer_is_declined_no_longer(held):
    first = send(held, 0, {"cannot_judge": "other"})
    payload = payload_for(held, 0, value=0, replaces=str(first.key))
    store(held.participant, payload | {"answers": answers(held, 0, {"value": 5})})
    assert not list(declined_of(held.campaign))


@pytest.mark.parametrize("changes", [{"value": 1.0}, {"text": "words"}])
def test_the_database_refuses_a_value_next_to_a_reason(held, changes):
    send(held, 0, {"value": 70})
    stored = Judgement.objects.filter(criterion__name="quality").first()
    fields = {"value": None, "text": "", "cannot_judge": "", "position": None} | changes
    with pytest.raises(IntegrityError, match="a_value_or_cannot_judge"), transaction.atomic():
        Judgement.objects.create(submission=stored.submission, criterion=stored.criterion, **fields)
