"""What leaves the site: nothing that a spreadsheet runs, nothing lost, and nobody's panel id."""

import csv
import gzip
import io
import json
import zipfile
from urllib.parse import quote

import numpy as np
import pytest
from django.urls import reverse
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from analysis.table import Column, JudgementTable
from analysis.table_files import csv_parts, guarded, read_table, unguarded
from rankme.actions.accounts.invitations import invite_raters
from rankme.actions.sitting import assignments, exclusions
from rankme.exporting import bundle
from rankme.queries.judgement_table import TAKEN
from tests.campaigns import make_campaign, make_rater, slider_definition
from tests.runs import asked, executed, rated_campaign
from tests.sittings import answer, finish

pytestmark = pytest.mark.django_db

FORMULAS = (
    *("=1+1", "=cmd|' /C calc'!A0", "+1+cmd", "-2+3", "@SUM(1)", "\t=1", "\r=1", "'=1", "''=1"),
    *('=HYPERLINK("http://x")', "=IMPORTXML(1)", "-", "+", "@", "=", "'", "''", "'x", "-5", "+5"),
)
STORABLE = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=20)
names = st.one_of(st.sampled_from(FORMULAS), STORABLE, st.sampled_from(["NA", "null", "nan", " "]))
given_names = names.filter(str.strip)


def runs_in_a_spreadsheet(cell: str) -> bool:
    try:
        return bool(cell) and cell[0] in "=+-@\t\r\0" and float(cell) is None
    except ValueError:
        return True


# Formulas, and nothing lost --------------------------------------------------------------------


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    rows=st.lists(st.tuples(given_names, given_names, given_names, names), min_size=1, max_size=6),
    factor=names.filter(lambda name: name.strip() and name not in TAKEN),
)
def test_names_come_back_from_the_table_as_they_were(rows, factor):
    rater, item, system, domain = (Column(*labelled(part)) for part in zip(*rows, strict=True))
    one = Column(np.zeros(len(rows), np.int32), ("quality",))
    screen = Column(*labelled([f"1.{number}.0.1" for number in range(len(rows))]))
    table = JudgementTable.from_columns(
        {"rater": rater, "item": item, "system": system, "criterion": one, "screen": screen}
        | {"value": np.zeros(len(rows)), factor: domain}
    )
    text = b"".join(csv_parts(table))
    back = read_table(io.BytesIO(text), "csv", as_given=True)
    assert words_of(back) == words_of(table)
    cells = [cell for row in csv.reader(io.StringIO(text.decode(), newline="")) for cell in row]
    assert not [cell for cell in cells if runs_in_a_spreadsheet(cell)]


def labelled(words):
    found, codes = np.unique(np.array(words, dtype=object), return_inverse=True)
    return codes.astype(np.int32), tuple(found.tolist())


def words_of(table):
    columns = {name: getattr(table, name) for name in ("rater", "item", "system")} | table.factors
    return {
        name: [column.labels[code] for code in column.codes] for name, column in columns.items()
    }


def test_the_check_for_formulas_sees_them():
    assert all(runs_in_a_spreadsheet(text) for text in ("=1+1", "-2+3", "@SUM(1)", "\t=1", "-"))
    assert not any(runs_in_a_spreadsheet(text) for text in ("'=1+1", "-5", "+1e3", "", "a=b"))


def text_campaign():
    question = {"name": "words", "question": "?", "instrument": "text", "about": "item"}
    return make_campaign(
        slider_definition(
            criteria=[question | {"options": {"least": 0, "characters": None}}],
            screens=[{"name": "write", "show": ["input"], "ask": ["words"]}],
            design={"kind": "items_only"},
        ),
        items=len(FORMULAS),
        systems=0,
    )


def test_texts_of_raters_become_no_formulas_and_stay_raw_in_the_record(client):
    campaign = text_campaign()
    rater = make_rater(campaign)
    held = assignments.claim_batch(rater)
    written = []
    for trial, text in zip(range(len(held.presentation)), FORMULAS, strict=False):
        words = {"criterion": "words", "place": None, "value": text, "time_ms": 900.0}
        answer(held, trial, answers=[words], comment=text)
        written.append(text)
    finish(held)
    client.force_login(campaign.owner)
    address = reverse("rankme:export-judgements", args=[campaign.code])
    table = b"".join(client.get(f"{address}?format=texts")).decode()
    rows = list(csv.DictReader(io.StringIO(table, newline="")))
    assert sorted(unguarded(row["text"]) for row in rows) == sorted(map(str.strip, written))
    assert not [cell for row in rows for cell in row.values() if runs_in_a_spreadsheet(cell)]
    raw = [
        json.loads(line) for line in b"".join(client.get(f"{address}?format=jsonl")).splitlines()
    ]
    (comments,) = zip(*(line["words"] for line in raw), strict=True)
    assert sorted(comment["text"] for comment in comments) == sorted(written)
    assert sorted(line["payload"]["answers"][0]["value"] for line in raw) == sorted(written)


def test_names_of_invited_raters_never_become_formulas(client):
    campaign = make_campaign()
    invite_raters(campaign, FORMULAS, by=campaign.owner)
    client.force_login(campaign.owner)
    address = reverse("rankme:campaign-invitations", args=[campaign.code])
    rows = list(csv.DictReader(io.StringIO(client.get(address).text, newline="")))
    assert [unguarded(row["name"]) for row in rows] == list(FORMULAS)
    assert not [cell for row in rows for cell in row.values() if runs_in_a_spreadsheet(cell)]


@given(STORABLE)
def test_a_guarded_text_is_the_same_text_again(text):
    assert unguarded(guarded(text)) == text
    assert not runs_in_a_spreadsheet(guarded(text))


# Identities of raters --------------------------------------------------------------------------

PANEL_ID, SESSION_ID, SAID = "5f3c9d1e2b4a6c8d0e1f2a3b", "64f0aa17c0ffee1234567890", "native-q7x"


@pytest.mark.django_db(transaction=True)
def test_no_export_no_report_and_no_page_has_a_panels_id(client, caplog):
    campaign = rated_campaign(raters=2, items=4)
    rater = campaign.participants.first()
    campaign.participants.filter(pk=rater.pk).update(
        external_id=PANEL_ID, session_id=SESSION_ID, entry_answers={"q": SAID}
    )
    exclusions.exclude_rater(rater, reason="Too fast.", by=campaign.owner)
    # A PDF has the words of the other picture, but packed.
    run = executed(asked(campaign, exclusion_reason="Too fast."), pictures=("svg",))
    client.force_login(campaign.owner)
    own = f"/campaigns/{campaign.code}"
    answers = {
        address: client.get(address)
        for address in (
            *(f"{own}/judgements/?format={kind}" for kind in ("csv", "csv&stored=1", "jsonl")),
            *(f"{own}/{page}/" for page in ("monitor", "raters", "history", "links", "analysis")),
            f"{own}/analysis/{run.pk}/",
            *(f"{own}/analysis/{run.pk}/files/{quote(name)}" for name in bundle.members(run)),
            *(f"/api/v1{own}/judgements{kind}" for kind in ("/", ".csv", ".jsonl")),
            f"/api/v1{own}/progress/",
            f"/api/v1{own}/analysis-runs/{run.pk}/",
        )
    }
    for address, reply in answers.items():
        assert reply.status_code == 200, address
        whole = b"".join(reply) if reply.streaming else reply.content
        for secret in (PANEL_ID, SESSION_ID, SAID):
            assert secret.encode() not in opened(whole), address
    stored = gzip.decompress(bytes(run.table_csv_gz)) + json.dumps(run.result).encode()
    assert PANEL_ID.encode() not in stored
    assert rater.label.encode() in stored, "raters are there, by their labels"
    assert PANEL_ID not in caplog.text


def opened(content: bytes) -> bytes:
    """What is in it, also when it is packed."""
    if content.startswith(b"PK\x03\x04"):
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return b"".join(archive.read(name) for name in archive.namelist())
    return gzip.decompress(content) if content.startswith(b"\x1f\x8b") else content
