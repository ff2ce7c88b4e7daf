"""Texts for papers: HEDS, methods and checklists say what the record says, and nothing else."""

import json
import shutil
import subprocess

import pytest

from analysis.cli.commands import main
from analysis.report.answer import answers_of
from rankme.actions.audit import note
from rankme.actions.campaign.campaigns import launch_campaign
from rankme.actions.campaign.paper import confirm_answers
from rankme.actions.campaign.planned_work import planned_work
from rankme.actions.campaign.planner import planner_defaults, record_promise
from rankme.actions.sitting import exclusions, participation
from rankme.errors import RefusedAction
from rankme.exporting.paper import heds, methods
from rankme.exporting.paper.heds_questions import LANGUAGES, OTHER_LANGUAGE, QUESTIONS
from rankme.exporting.paper.study import Counts, confirmed_answers, study_of, without_small
from rankme.forms.planner import PlannerForm
from rankme.models import AuditEvent, Campaign, Participant
from rankme.models.campaigns import PROMISED
from tests.campaigns import make_campaign, make_owner, make_rater, slider_definition
from tests.heds import FORM, needs_the_form
from tests.runs import asked, executed, rated_campaign
from tests.sittings import sit

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def analysed_once(rows_of_the_module) -> Campaign:
    campaign = rated_campaign(items=6)
    executed(asked(campaign), pictures=())
    return campaign


@pytest.fixture
def analysed(analysed_once) -> Campaign:
    return Campaign.objects.get(pk=analysed_once.pk)


def texts_by_number(study):
    return {answer.name: answer.text for answer in heds.answers(study)}


@needs_the_form
def test_our_questions_are_those_of_the_form():
    """Keys, numbers, kinds and the options that need words; the labels are our own."""
    official = json.loads((FORM / "heds3_questions.json").read_text())
    del official["MANY"]
    assert [question.number for question in QUESTIONS] == list(official)
    kinds = {"RadioGroup": "one", "CheckGroup": "many", "TextInput": "text", "IntegerInput": "text"}
    for question in QUESTIONS:
        group, *options = official[question.number]["fields"]
        assert group["key"] == f"heds-{question.key}"
        options = [each for each in options if not each["key"].endswith("-other_text")]
        if question.takes == "languages":
            numbers = {each["text"].partition(". ")[2]: n for n, each in enumerate(options, 1)}
            names = {"Abkhazian": "ab", "English": "en", "German": "de", "Zulu": "zu"}
            found = {name: LANGUAGES.index(code) + 2 for name, code in names.items()}
            assert found.items() <= numbers.items()
            assert len(options) == OTHER_LANGUAGE
            continue
        assert question.takes == kinds[group["handler"].removesuffix("Handler")]
        needs = [each["needs_text"] for each in options]
        assert [label.endswith("+") for label in question.options] == needs
        assert not {each["text"] for each in options} & set(question.options)


def test_33_answers_are_from_the_record_22_are_drafts_and_7_are_open(analysed):
    study = study_of(analysed)
    assert heds.state(heds.answers(study)) == {"answered": 33, "draft": 14, "open": 15}
    by = [question.by for question in QUESTIONS]
    assert {who: by.count(who) for who in by} == {"person": 7, "draft": 22, "record": 33}


def test_all_22_drafts_are_there_where_the_record_has_what_they_are_from():
    design = {"kind": "latin_square", "stratify_by": "theme"}
    campaign = make_campaign(slider_definition(input_kind="mr", design=design), launch=False)
    assert heds.state(heds.answers(study_of(campaign)))["draft"] == 16
    owner = campaign.owner
    owner.first_name, owner.last_name, owner.email = "Ada", "Lovelace", "ada@example.org"
    owner.save()
    assert heds.state(heds.answers(study_of(campaign)))["draft"] == 20
    earlier = make_campaign(launch=False, owner=owner)
    people = {"1.3.1.2": "University of A", "1.3.2.2": "University of B", "5.1": "Board 1"}
    confirm_answers(earlier, people, by=owner)
    answers = heds.answers(study_of(campaign))
    drafts = {each.question.number: each.draft for each in answers if each.draft}
    assert len(drafts) == 22
    assert drafts.keys() == {each.number for each in QUESTIONS if each.by == "draft"}
    assert (drafts["1.3.2.2"], drafts["1.3.2.1"]) == ("University of B", "Ada Lovelace")


def test_the_sheet_names_the_language_of_inputs_that_is_another():
    campaign = make_campaign(slider_definition(language="de-AT", input_language="cs"), launch=False)
    drafts = {each.question.number: each.draft for each in heds.answers(study_of(campaign))}
    assert (drafts["2.4"], drafts["2.5"]) == ("cs", "de")


def test_an_answer_changes_with_the_record(analysed):
    before = texts_by_number(study_of(analysed))
    rater = analysed.participants.order_by("pk").first()
    exclusions.exclude_rater(rater, reason="Too fast.", by=make_owner())
    executed(asked(analysed), pictures=())
    after = texts_by_number(study_of(analysed))
    assert (before["3.2.1"], after["3.2.1"]) == ("4", "3")
    assert before["3.3.3.1"] == "7: no checks"
    assert after["3.3.3.1"] == "3, 4"
    assert "1 rater was excluded (“Too fast”)" in after["3.3.3.2"]
    assert before["4.3.11.2 quality"] != after["4.3.11.2 quality"]


def test_a_confirmed_answer_stays_in_the_history_and_can_be_taken_back():
    campaign = make_campaign(launch=False)
    by = campaign.owner
    assert confirm_answers(campaign, {"5.1": "Board 1", "2.3": ""}, by=by) == 1
    assert confirm_answers(campaign, {"5.1": "Board 1"}, by=by) == 0
    assert confirm_answers(campaign, {"5.1": "Board 2"}, by=by) == 1
    assert confirmed_answers(campaign) == {"5.1": "Board 2"}
    confirm_answers(campaign, {"5.1": ""}, by=by)
    assert confirmed_answers(campaign) == {}
    said = AuditEvent.objects.filter(campaign=campaign, detail__has_key="5.1").order_by("number")
    assert [event.detail["5.1"] for event in said] == ["Board 1", "Board 2", ""]


def test_the_page_shows_drafts_and_stores_what_is_confirmed(client, analysed):
    client.force_login(analysed.owner)
    address = f"/campaigns/{analysed.code}/paper/"
    page = client.get(address)
    sent = {}
    for _answer, fields in page.context["form"].groups():
        for field in fields:
            if field.initial:
                sent[field.html_name] = field.initial
    place = next(n for n, each in enumerate(page.context["form"].asked) if each.name == "3.1.2")
    sent |= {f"q{place}": "6", f"q{place}-words": "the first 40"}
    assert client.post(address, sent).status_code == 302
    confirmed = confirmed_answers(analysed)
    assert confirmed["3.1.2"] == "6: the first 40"
    assert confirmed["1.1.2"] == f"Quality ({analysed.code})"
    sheet = client.get(f"{address}files/heds.json").content.decode()
    assert '"the first 40"' in sheet
    assert client.post(address, sent | {f"q{place}": "7"}).status_code == 422
    assert client.post(address, sent | {f"q{place}-words": "a\0b"}).status_code == 422


def test_a_draft_is_in_no_file_before_it_is_confirmed(analysed):
    sheet = json.loads(heds.heds_json(study_of(analysed)))
    assert "heds-system-tasks-9" not in sheet
    assert "heds-paper_and_resources-paper-experiment_identification" not in sheet
    latex = heds.heds_latex(study_of(analysed))
    assert r"1.1.2 Which experiment:} \emph{open}" in latex


def test_every_item_is_said_from_the_record_or_named_as_open(analysed):
    study = study_of(analysed)
    said = {each.item: each.text for each in methods.methods(study)}
    assert said["number of raters"].startswith("4 raters gave")
    assert [item for item, text in said.items() if not text] == [
        "language proficiency", "expertise", "socio-demographics",
    ]  # fmt: skip
    for text in (methods.as_markdown(study), methods.as_latex(study)):
        assert "[Open: expertise]" in text
    (answer,) = answers_of(study.report)
    assert answer.is_claim and answer.sentence in methods.as_markdown(study)
    confirm_answers(analysed, {"3.2.2.1": "2", "risks": "None & 0 %"}, by=analysed.owner)
    study = study_of(analysed)
    assert "The raters are not experts." in methods.as_markdown(study)
    assert r"None \& 0 \%." in methods.as_latex(study)


def test_sentences_change_with_the_data():
    few = rated_campaign(slider_definition(raters_per_trial=2), raters=2, items=4)
    executed(asked(few), pictures=())
    said = methods.as_markdown(study_of(few))
    assert "2 raters gave the analysed answers." in said
    (answer,) = answers_of(study_of(few).report)
    assert not answer.is_claim
    assert answer.sentence in said
    assert "2 raters and 4 items do not allow claims" in said


def test_a_rater_of_the_open_link_and_a_single_output_are_said_in_words():
    campaign = make_campaign(slider_definition(design={"kind": "complete"}), items=1, systems=2)
    rater = participation.enter(campaign, panel="open", external_id="somebody")
    participation.give_consent(rater)
    sit(rater)
    executed(asked(campaign), pictures=())
    text = methods.as_markdown(study_of(campaign))
    assert "1 person agreed to take part (1 by the open link)." in text
    assert "(1 output per system)" in text


def test_the_checklist_says_who_ticked_the_statements_of_the_consent():
    texts = {"consent": "Agree?", "instructions": "Move.", "statements": ["I am 18.", "I read it."]}
    campaign = rated_campaign(slider_definition(texts=texts), items=6)
    raters = campaign.participants.exclude(consented_at=None)
    raters.update(ticked=texts["statements"])
    said = dict(methods.checklist(study_of(campaign)))["D3"]
    assert said.endswith("They ticked “I am 18.” and “I read it.”.")
    raters.filter(pk=raters.first().pk).update(ticked=[])
    said = dict(methods.checklist(study_of(campaign)))["D3"]
    assert "3 of 4 raters also ticked" in said


def test_small_groups_of_raters_are_not_told_apart():
    assert without_small({"a": 20, "b": 9, "c": 1}) == [("a", 20), ("other", 10)]
    assert without_small({"a": 20, "b": 3, "c": 3}) == [("a", 20), ("other", 6)]
    assert without_small({"a": 4, "b": 3}) == []


CHOICES = {"yes": "Yes", "no": "No"}


def described(raters, *answers):
    """What is published of raters who gave these answers to two questions before the work."""
    questions = [
        {"name": "native", "question": "Native?", "kind": "choice", "choices": CHOICES},
        {"name": "since", "question": "Since birth?", "kind": "choice", "choices": CHOICES},
    ]
    campaign = make_campaign(slider_definition(entry_questions=questions))
    labels = []
    for number in range(raters):
        rater = make_rater(campaign, f"w{number}")
        given = answers[number] if number < len(answers) else {}
        Participant.objects.filter(pk=rater.pk).update(entry_answers=given)
        labels.append(rater.label)
    study = study_of(campaign)
    vars(study)["counts"] = Counts((1, 1), (1, 1), raters, frozenset(labels))
    return study.characteristics


def test_raters_are_described_from_20_on():
    native = [{"native": "yes"}] * 10 + [{"native": "no"}] * 10
    assert described(19, *native[:19]) == []
    assert described(20, *native) == ["Native? no: 10, yes: 10."]


def test_a_question_that_few_answered_is_not_described():
    both = [{"native": "yes", "since": "yes"}] * 12 + [{"native": "no"}] * 12
    assert described(24, *both) == ["Native? no: 12, yes: 12."]


def test_the_size_of_a_group_without_an_answer_does_not_follow_from_the_others():
    asked = [{"since": "yes"}] * 11 + [{"since": "no"}] * 10
    assert described(24, *asked) == ["Since birth? yes: 11, other: 13."]
    assert described(27, *asked) == ["Since birth? yes: 11, no: 10, no answer: 6."]


def test_a_draft_campaign_has_its_page_and_files(client):
    campaign = make_campaign(launch=False)
    client.force_login(campaign.owner)
    for name in ("", "files/heds.json", "files/heds.tex", "files/methods.md", "files/methods.tex"):
        assert client.get(f"/campaigns/{campaign.code}/paper/{name}").status_code == 200
    assert client.get(f"/campaigns/{campaign.code}/paper/files/other.txt").status_code == 404


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="There is no TeX here.")
def test_the_texts_compile(analysed, tmp_path):
    wicked = "100 % of C:\\x_1 & {y} #2 ~ ^ $3$ <ä> “ok”"
    confirm_answers(analysed, {"1.1.2": wicked, "proficiency": wicked}, by=analysed.owner)
    study = study_of(analysed)
    head = "\\documentclass{article}\\usepackage[utf8]{inputenc}\\usepackage[T1]{fontenc}"
    texts = methods.as_latex(study) + heds.heds_latex(study)
    (tmp_path / "a.tex").write_text(f"{head}\\begin{{document}}{texts}\\end{{document}}")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "a.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout.decode("utf-8", "replace")[-2000:]


@pytest.fixture
def draft():
    return make_campaign(slider_definition(raters_per_trial=2), items=6, systems=4, launch=False)


def promised(draft, **changes):
    asked = PlannerForm(planner_defaults(draft, planned_work(draft)) | changes)
    assert asked.is_valid(), asked.errors
    record_promise(draft, asked.cleaned_data, by=draft.owner)
    return {each.name: each.text for each in heds.answers(study_of(draft))}


def power(answers):
    return [answers[f"3.1.3.{part}"] for part in (1, 2, 3)]


def test_power_that_was_not_looked_at_is_said_plainly(draft):
    found = power({each.name: each.text for each in heds.answers(study_of(draft))})
    assert found == ["None: no power analysis was recorded before the launch.", "N/A", "N/A"]
    assert "No power analysis made before the study is on record." in methods.limitations(
        study_of(draft)
    )


@pytest.mark.parametrize("spreads", ["e2e-quality", "own"])
def test_power_is_what_the_planner_promised_and_its_command_computes_it_again(
    draft, capsys, spreads
):
    method, value, code = power(promised(draft, raters=12, items=40, spreads=spreads))
    assert "12 raters, 40 items and 4 systems, 2 raters for each output" in method
    assert main([*code.split()[3:], "--json"]) == 0
    again = json.loads(capsys.readouterr().out)["plan"]["prospect"]
    unit = " residual SDs" if spreads != "own" else ""
    assert value == (
        f"Power .80 for a difference of {again['detectable']:.2g}{unit} between two systems, "
        f"with intervals of ± {again['half_width']:.2g} on average."
    )


def test_a_promise_beyond_the_scale_is_none(draft):
    noisy = {"rater_system": 60, "item_system": 20, "residual": 30, "system": 10}
    found = power(promised(draft, spreads="own", raters=3, items=40, **noisy))[1]
    assert found.startswith("None: power .80 is not reached for any difference on this scale")


def test_the_newest_promise_counts_and_none_is_recorded_after_the_launch(draft):
    promised(draft, raters=12)
    assert "of ±" in power(promised(draft, raters=40))[1]
    assert "40 raters" in power(promised(draft, raters=40))[0]
    launch_campaign(draft, by=draft.owner)
    with pytest.raises(RefusedAction, match="before the launch"):
        promised(draft)
    said = methods.limitations(study_of(draft))
    assert any(each.startswith("Before the study its planner promised: Power .80") for each in said)


def test_a_study_smaller_than_its_plan_says_so(analysed):
    plan = {"raters": 9, "items": 6, "repeats": 2, "systems": 4, "shown": 1, "coverage": 1.0}
    found = {"generality": "both", "spreads": "own", "detectable": 3.0, "half_width": 2.0}
    note(analysed, analysed.owner, PROMISED, **plan, **found)
    said = "That was for 9 raters and 6 items; 4 and 6 were analysed."
    assert said in methods.as_markdown(study_of(analysed))
    note(analysed, analysed.owner, PROMISED, **plan | {"raters": 4}, **found)
    assert "That was for" not in methods.as_markdown(study_of(analysed))
