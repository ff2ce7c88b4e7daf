"""Campaign files: what is wrong is said with its line, and what is right reads back the same."""

import re

import pytest

from rankme.actions.campaigns import create_campaign, definition_of
from rankme.errors import InvalidDefinition
from rankme.management.commands.demo import DEMONSTRATIONS, FOLDER
from rankme.protocols.files import (
    definition_from_document,
    definition_from_yaml,
    definition_to_document,
    definition_to_yaml,
    preset,
    preset_names,
)
from tests.campaigns import make_owner, slider_definition


@pytest.mark.parametrize("name", preset_names())
def test_a_preset_reads_back_as_it_was_written(name):
    definition = preset(name)
    assert definition_from_yaml(definition_to_yaml(definition)) == definition
    assert definition_from_document(definition_to_document(definition)) == definition


def shipped_definitions():
    for name in preset_names():
        yield preset(name)
    for name in DEMONSTRATIONS:
        yield definition_from_yaml((FOLDER / name / "campaign.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("definition", list(shipped_definitions()), ids=lambda found: found.title)
def test_what_we_ship_has_paragraphs_and_no_line_breaks_in_mid_sentence(definition):
    texts = definition.texts
    said = [texts.consent, texts.instructions, texts.thanks]
    said += [trial.feedback for trial in definition.practice]
    for text in said:
        assert not re.search(r"(?<!\n)\n(?!\n)", text), text
    assert texts.consent.count("\n\n") >= 1


def test_a_line_break_of_the_organisers_stays_and_line_ends_behind_the_words_go():
    definition = slider_definition(
        texts={"consent": "One,\ntwo.\n\n", "instructions": "\n\nThree.\n", "thanks": "Four. \n"}
    )
    assert definition.texts.model_dump() == {
        "consent": "One,\ntwo.",
        "instructions": "Three.",
        "thanks": "Four.",
    }


def test_every_preset_of_the_seeds_is_shipped():
    seeds = {"e2e-quality", "e2e-naturalness", "e2e-coverage", "sr11-shallow", "sr11-deep"}
    seeds |= {"tuna08-identification", "rotowire-facts", "rotowire-ordering"}
    assert seeds <= set(preset_names())


def test_quality_and_naturalness_are_never_asked_on_one_screen():
    assert [criterion.name for criterion in preset("e2e-naturalness").criteria] == ["naturalness"]
    assert not preset("e2e-naturalness").screens[0].shows("input")
    assert preset("e2e-quality").screens[0].shows("input")


def test_all_problems_are_told_at_once_with_their_lines():
    text = (
        "title: x\n"
        "criteria:\n"
        "  - name: q\n"
        "    question: a\n"
        "    instrument: guess\n"
        "screens:\n"
        "  - name: s\n"
        "    show: [nowhere]\n"
        "    ask: [q]\n"
        "design: {kind: chaos}\n"
        "texts: {consent: a, instructions: b}\n"
    )
    with pytest.raises(InvalidDefinition) as refused:
        definition_from_yaml(text)
    places = [problem.place for problem in refused.value.problems]
    assert places == [
        "line 5, criteria[0].instrument",
        "line 8, screens[0].show[0].block",
        "line 10, design.kind",
    ]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("title: [\n", "line 2, column 1"),
        ("- a list\n", "line 1"),
        ("", "line 1"),
        ("a: !!python/object:os.system x", "line 1, column 4"),
        ("title: x\n" + "a: " + "[" * 3_000 + "]" * 3_000, ""),
    ],
)
def test_what_is_no_campaign_file_is_refused_with_its_place(text, place):
    with pytest.raises(InvalidDefinition) as refused:
        definition_from_yaml(text)
    assert refused.value.problems[0].place == place


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"screens": [{"name": "s", "show": ["standard"], "ask": ["fluency"]}]}, "standard"),
        ({"screens": [{"name": "s", "show": ["images"], "ask": ["fluency"]}]}, "input_kind"),
        ({"screens": [{"name": "s", "show": ["outputs"], "ask": ["other"]}]}, "no criterion"),
        ({"design": {"kind": "latin_square", "options": {"sides": 4}}}, "no option"),
        ({"crowd": {"return_url": "http://example.org/{code}"}}, "https"),
        ({"crowd": {"panel": "prolific", "return_url": "https://evil.example/{code}"}}, "prolific"),
        ({"crowd": {"return_url": "https://{code}.example.org/"}}, "host"),
        ({"unknown": 1}, "no setting of this name"),
    ],
)
def test_parts_that_do_not_fit_together_are_refused(change, words):
    with pytest.raises(InvalidDefinition) as refused:
        slider_definition(**change)
    assert words in str(refused.value)


def test_a_criterion_that_no_screen_asks_is_refused():
    twice = [
        {"name": "s", "show": ["outputs"], "ask": ["fluency"]},
        {"name": "t", "show": ["outputs"], "ask": ["fluency"]},
    ]
    with pytest.raises(InvalidDefinition, match="2 screens"):
        slider_definition(screens=twice)


def test_derived_criteria_have_their_own_kinds():
    kinds = preset("tuna08-identification").kinds
    assert kinds == {
        "reading_time": "time",
        "identification": "error",
        "identification_time": "time",
    }


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"modell": "rater"}, "There is no option 'modell'."),
        ({"model": "guess"}, "model must be one of"),
        ({"model": "interaction"}, "The model 'interaction' needs a factor."),
        ({"alpha": 2}, "alpha must be between 0 and 1"),
    ],
)
def test_options_of_the_analysis_are_those_of_a_report(options, message):
    document = definition_to_document(slider_definition()) | {"analysis": {"options": options}}
    with pytest.raises(InvalidDefinition) as refused:
        definition_from_document(document)
    (problem,) = refused.value.problems
    assert problem.place == "analysis.options" and message in problem.message


def test_a_wrong_option_of_the_analysis_is_found_in_the_file():
    text = definition_to_yaml(slider_definition(analysis={"options": {"alpha": 0.01}}))
    line = text.splitlines().index("analysis:") + 2
    with pytest.raises(InvalidDefinition) as refused:
        definition_from_yaml(text.replace("alpha: 0.01", "alpha: 7"))
    assert [problem.place for problem in refused.value.problems] == [
        f"line {line + 1}, analysis.options"
    ]


def test_an_analysis_can_name_only_criteria_that_there_are():
    with pytest.raises(InvalidDefinition, match="names 'fluenzy', which is no criterion"):
        slider_definition(analysis={"options": {"lower_is_better": ["fluenzy"]}})


@pytest.mark.django_db
def test_the_order_of_choices_outlives_the_database():
    """Answers are numbered by their place, and jsonb sorts the names of a mapping by length."""
    choices = {"excellent": "very good", "bad": "bad", "fair": "so so"}
    document = definition_to_document(slider_definition())
    document["criteria"][0] |= {"instrument": "choice", "options": {"choices": choices}}
    document["entry_questions"] = [{"name": "age", "question": "How old?", "choices": choices}]
    definition = definition_from_document(document)
    campaign = create_campaign(make_owner(), definition)
    campaign.refresh_from_db()
    kept = definition_of(campaign)
    assert kept == definition
    assert list(kept.criteria[0].settings.choices) == list(choices)
    assert list(kept.entry_questions[0].choices) == list(choices)
    assert kept.criteria[0].tool.labels(kept.criteria[0].settings)[0.0] == "excellent"
    assert definition_from_yaml(definition_to_yaml(kept)) == definition


def test_a_choice_that_stands_twice_is_refused():
    document = definition_to_document(slider_definition())
    twice = [["a", "A"], ["a", "B"]]
    document["criteria"][0] |= {"instrument": "choice", "options": {"choices": twice}}
    with pytest.raises(InvalidDefinition, match="stands twice"):
        definition_from_document(document)
