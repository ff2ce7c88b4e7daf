"""A campaign with documents, from its plan to its table: whole, in order, then the document."""

import io
import json
import random
import zipfile
from contextlib import redirect_stdout

import pytest

from analysis.cli.commands import main
from rankme.actions.campaign.campaigns import create_campaign, launch_campaign
from rankme.actions.sitting import assignments, participation
from rankme.errors import InvalidAnswer, InvalidDefinition, RefusedAction
from rankme.exporting.bundle import report_file
from rankme.models import Assignment, Campaign
from rankme.pages.rater.page_document import page_document
from rankme.pages.rater.shown_trials import trials_of
from rankme.pages.rater.terms import terms_of
from rankme.protocols.definition import Definition
from rankme.protocols.files import definition_from_document, definition_to_document, preset
from rankme.queries.judgement_table import judgement_table
from rankme.queries.progress import judgements_per_screen, progress_of
from rankme.simulation.answers import Taste, answers_to, is_asked
from tests.campaigns import make_owner
from tests.experiments.cohorts import launched, rate, report_of
from tests.sittings import finish, store

LENGTHS = {"garden letter": 3, "school trip": 4, "plum cake": 5, "lost bicycle": 3}
LENGTHS |= {"coffee machine": 6}
SEGMENTS = sum(LENGTHS.values())


pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def documents_once(rows_of_the_module) -> Campaign:
    return launched("document-esa", full=False)


@pytest.fixture(scope="module")
def rated_once(rows_of_the_module) -> Campaign:
    campaign = launched("document-esa", full=False)
    rate(campaign, at_once=True)
    return campaign


@pytest.fixture
def campaign(documents_once: Campaign) -> Campaign:
    return Campaign.objects.get(pk=documents_once.pk)


@pytest.fixture
def rated(rated_once: Campaign) -> Campaign:
    return Campaign.objects.get(pk=rated_once.pk)


def sitting_of(campaign: Campaign, name: str = "w1") -> Assignment:
    rater = participation.enter(campaign, panel="generic", external_id=name)
    participation.give_consent(rater)
    rater.refresh_from_db()
    found = assignments.claim_batch(rater)
    assert isinstance(found, Assignment)
    return found


def definition() -> Definition:
    return preset("document-esa")


def changed(**parts) -> Definition:
    return definition_from_document(definition_to_document(definition()) | parts)


def test_each_sitting_has_whole_documents_in_order_by_one_system(campaign):
    orders = set()
    for number in range(6):
        assignment = sitting_of(campaign, f"w{number}")
        places = [trial.place for trial in trials_of(assignment)]
        document = page_document(definition(), trials_of(assignment), seed=assignment.pk)
        orders.add(tuple(dict.fromkeys(name for name, _ in places)))
        for trial, (name, segment) in zip(document["trials"], places, strict=True):
            assert trial["document"]["segment"] == segment
            assert trial["document"]["segments"] == LENGTHS[name]
            first = trial["document"]["first"]
            assert [one for one, _ in places[first : first + LENGTHS[name]]] == [name] * (
                LENGTHS[name]
            )
        for trial in document["trials"]:
            if trial["document"]["segment"] > 1:
                continue
            ids = [page[0] for page in assignment.presentation]
            first = trial["document"]["first"]
            systems = campaign.systems.filter(
                outputs__places__trial__in=ids[first : first + trial["document"]["segments"]]
            )
            assert systems.distinct().count() == 1
    assert len(orders) > 1
    # Nothing of this names a document or a system.
    assert not any(name in str(document) for name in [*LENGTHS, "Linden", "Maple", "Rowan"])


def test_the_document_is_asked_about_once_after_its_last_segment(campaign):
    assignment = sitting_of(campaign)
    shown = page_document(definition(), trials_of(assignment), seed=assignment.pk)
    taste = Taste(random.Random(1), {}, 0.0)

    def payload(trial, screen):
        document = shown["screens"][screen]
        return {
            "version": 1,
            "key": f"00000000-0000-4000-8000-{trial:06}{screen:06}",
            "assignment": assignment.pk,
            "trial": trial,
            "screen": screen,
            "answers": answers_to(document, shown["trials"][trial], taste),
            "times": {},
            "comment": "",
        }

    with pytest.raises(InvalidAnswer, match="after the last segment"):
        store(assignment.participant, payload(0, 1))
    for place, trial in enumerate(shown["trials"]):
        for index, screen in enumerate(shown["screens"]):
            if is_asked(screen, trial):
                with pytest.raises(RefusedAction):
                    finish(assignment)
                store(assignment.participant, payload(place, index))
    assert finish(assignment).state == Assignment.State.COMPLETED


def test_progress_pace_and_terms_count_what_raters_see(campaign, rated):
    sittings = campaign.slots.count()
    documents = campaign.batches.filter(trials__item__factors__segment="1").count() * 2
    assert documents == 2 * 3 * len(LENGTHS)
    progress = progress_of(campaign)
    assert (progress.screens, progress.screens_done) == (2 * 3 * SEGMENTS + documents, 0)
    values = 2 * 3 * SEGMENTS + documents
    assert judgements_per_screen(campaign) == pytest.approx(values / progress.screens)
    terms = terms_of(campaign, definition())
    assert terms.pages == pytest.approx(progress.screens / sittings, abs=1)
    assert progress_of(rated).percent == 100


def test_the_table_has_documents_and_segments(rated):
    table = judgement_table(rated)
    assert set(table.factors["document"].labels) == set(LENGTHS)
    segments = table.for_criterion("errors")
    assert len(segments) == 2 * 3 * SEGMENTS
    whole = table.for_criterion("document_score")
    assert len(whole) == 2 * 3 * len(LENGTHS)
    assert {label.partition("/")[0] for label in whole.item.labels} == set(LENGTHS)
    assert len(whole.item.labels) == len(LENGTHS)


def test_the_report_draws_documents_and_its_bundle_computes_the_same(rated, tmp_path):
    run = report_of(rated, pictures=())
    report = run.result["report"]
    assert run.options["item_groups"] == "document"
    sentences = [text for each in report["criteria"] for text in each["sentences"]]
    assert any(f"belong to {len(LENGTHS)} groups (document)" in text for text in sentences)
    errors = next(each for each in report["criteria"] if each["criterion"] == "errors")
    assert [system["segments"] for system in errors["spans"]["systems"]] == [SEGMENTS] * 3
    path = tmp_path / "bundle.zip"
    found = report_file(run, "bundle.zip")
    with found.content as stored:
        path.write_bytes(stored.read())
    with zipfile.ZipFile(path) as bundle:
        header = bundle.read("judgements.csv").decode().splitlines()[0]
    assert {'"document"', '"segment"'} <= set(header.split(","))
    printed = io.StringIO()
    with redirect_stdout(printed):
        assert main(["report", str(path), "--json"]) == 0
    again = json.loads(printed.getvalue())
    assert again["criteria"] == json.loads(json.dumps(report["criteria"]))


def test_material_without_documents_is_refused_with_an_example():
    owner = make_owner()
    campaign = create_campaign(owner, definition())
    item = campaign.items.create(key="a", position=0)
    campaign.systems.create(name="S", folded="s", position=0).outputs.create(item=item, text="x")
    with pytest.raises(RefusedAction, match="the item “a” is in none"):
        launch_campaign(campaign, by=owner)


SEGMENT, WHOLE = definition_to_document(definition())["screens"]


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"screens": [WHOLE, SEGMENT]}, "come after those about its segments"),
        (
            {"screens": [SEGMENT, WHOLE | {"show": [{"block": "text", "text": "x"}]}]},
            "shows the block `document`",
        ),
        (
            {"screens": [SEGMENT | {"show": [{"block": "document"}, {"block": "outputs"}]}, WHOLE]},
            "leave out the block `outputs`",
        ),
        (
            {"screens": [SEGMENT | {"scope": "document"}, WHOLE]},
            "add a screen with the scope “item”",
        ),
        (
            {"checks": [{"name": "again", "kind": "repeat", "criterion": "document_score"}]},
            "would tear documents apart",
        ),
    ],
)
def test_what_does_not_go_with_documents_is_said(parts, message):
    with pytest.raises(InvalidDefinition, match=message):
        changed(**parts)
