"""Campaign files: what is wrong is said with its line, and what is right reads back the same."""

import copy
import re

import pytest
from django.urls import reverse

from rankme.actions.campaign.campaigns import create_campaign, definition_of
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
from rankme.protocols.problem_words import OTHERWISE
from tests.campaigns import make_owner, slider_definition


@pytest.mark.parametrize("name", preset_names())
def test_a_preset_reads_back_as_it_was_written(name):
    definition = preset(name)
    assert definition_from_yaml(definition_to_yaml(definition)) == definition
    assert definition_from_document(definition_to_document(definition)) == definition


def test_a_mapping_that_is_left_empty_reads_back_too():
    criterion = {"name": "fluency", "question": "What is wrong?", "instrument": "spans"}
    settings = {"severities": {}, "categories": {"style": "Style"}}
    definition = slider_definition(criteria=[criterion | {"options": settings}])
    assert definition_from_document(definition_to_document(definition)) == definition


def shipped_definitions():
    for name in preset_names():
        yield preset(name)
    for name in DEMONSTRATIONS:
        yield definition_from_yaml((FOLDER / name / "campaign.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("definition", list(shipped_definitions()), ids=lambda found: found.title)
def test_shipped_texts_have_paragraphs_and_no_other_line_breaks(definition):
    texts = definition.texts
    said = [texts.consent, texts.instructions, texts.thanks]
    said += [trial.feedback for trial in definition.practice]
    for text in said:
        assert not re.search(r"(?<!\n)\n(?!\n)", text), text
    assert texts.consent.count("\n\n") >= 1


def test_line_breaks_inside_a_text_stay_and_those_around_it_go():
    definition = slider_definition(
        texts={"consent": "One,\ntwo.\n\n", "instructions": "\n\nThree.\n", "thanks": "Four. \n"}
    )
    assert definition.texts.model_dump(include={"consent", "instructions", "thanks"}) == {
        "consent": "One,\ntwo.",
        "instructions": "Three.",
        "thanks": "Four.",
    }


@pytest.mark.parametrize(("name", "is_required"), [("sr11-deep", False), ("sr11-shallow", True)])
def test_sr11_asks_clarity_first_and_requires_breaks_only_in_the_long_sitting(name, is_required):
    """Belz et al. (2011), section 4.1."""
    definition = preset(name)
    assert [screen.ask for screen in definition.screens] == [
        ["clarity", "readability"],
        ["meaning_similarity"],
    ]
    assert definition.breaks.enforced is is_required
    assert definition.criterion("meaning_similarity").high == "completely identical"


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
        ("title: x\n" + "a: " + "[" * 3_000 + "]" * 3_000, "line 2"),
    ],
)
def test_invalid_campaign_files_are_refused_with_the_place(text, place):
    with pytest.raises(InvalidDefinition) as refused:
        definition_from_yaml(text)
    assert refused.value.problems[0].place == place


ASKED_TWICE = [{"name": name, "show": ["outputs"], "ask": ["fluency"]} for name in "st"]


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
        ({"unknown": 1}, "no setting with this name"),
        ({"analysis": {"options": {"lower_is_better": ["fluenzy"]}}}, "no criterion “fluenzy”"),
        ({"screens": ASKED_TWICE}, "asked twice"),
    ],
)
def test_parts_that_do_not_fit_together_are_refused(change, words):
    with pytest.raises(InvalidDefinition) as refused:
        slider_definition(**change)
    assert words in str(refused.value)


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
        ({"alpha": 2}, "alpha must be from"),
        ({"primary": "fluency"}, "“primary” is a setting of the campaign"),
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


@pytest.mark.parametrize(
    ("claims", "message"),
    [
        ({"primary": "fluenzy"}, "primary: there is no comparable criterion “fluenzy”"),
        ({"equivalence": {"fluenzy": 1}}, "equivalence: there is no comparable criterion"),
        ({"equivalence": {"fluency": 0}}, "the margin of “fluency” must be above 0"),
        ({"equivalence": {"fluency": "some"}}, "equivalence.fluency"),
    ],
)
def test_claims_are_about_criteria_that_can_be_compared(claims, message):
    with pytest.raises(InvalidDefinition, match=message):
        slider_definition(**claims)
    assert slider_definition(primary="fluency", equivalence={"fluency": 5}).primary == "fluency"


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


def test_a_choice_that_is_given_twice_is_refused():
    document = definition_to_document(slider_definition())
    twice = [["a", "A"], ["a", "B"]]
    document["criteria"][0] |= {"instrument": "choice", "options": {"choices": twice}}
    with pytest.raises(InvalidDefinition, match="“a” is used more than once"):
        definition_from_document(document)


WRONG_VALUES = (None, "", "?", "x" * 3_000, 1.5, -7, 10**12, True, [], [[]], {}, {"?": 1})


@pytest.mark.parametrize("name", ["e2e-quality", "tuna08-identification", "rotowire-facts"])
@pytest.mark.slow
def test_every_mistake_in_every_setting_is_explained_in_plain_words(name):
    """Nothing of what the validator says to programmers gets through, whatever is wrong."""
    document = preset(name).model_dump(mode="json")
    del document["analysis"]  # the report checks its own options
    messages = {
        problem.message
        for place in places_in(document)
        for wrong in WRONG_VALUES
        for problem in problems_of(changed(document, place, wrong))
    }
    messages.discard("the text must contain {number}")  # a gap, which has this name
    assert len(messages) > 20
    technical = re.compile(
        r"Input|should|String|Value|validation|pattern|[\\\[\]^{}]|None|\bdict\b"
    )
    assert [words for words in messages if technical.search(words)] == []
    assert OTHERWISE not in messages


def places_in(part, place=()):
    if place:
        yield place
    if isinstance(part, dict | list):
        inner = part.items() if isinstance(part, dict) else enumerate(part)
        for name, value in inner:
            yield from places_in(value, (*place, name))


def changed(document, place, value):
    """A document with another value in this place, which shares everything else."""
    if not place:
        return value
    name, *inner = place
    document = copy.copy(document)
    document[name] = changed(document[name], inner, value)
    return document


def problems_of(document):
    try:
        definition_from_document(document)
    except InvalidDefinition as refused:
        return refused.problems
    return ()


def test_a_problem_that_occurs_again_and_again_is_listed_once():
    document = definition_to_document(slider_definition())
    document["practice"] = [{"outputs": 1, "wrong": 1} for _ in range(40)]
    assert [str(problem) for problem in problems_of(document)] == [
        "practice[0].outputs: this must be a list (and in 39 more places)",
        "practice[0].wrong: there is no setting with this name (and in 39 more places)",
    ]


def test_at_most_fifty_problems_are_listed():
    document = definition_to_document(slider_definition())
    document["screens"][0]["ask"] = [f"c{number}" for number in range(90)]
    problems = problems_of(document)
    assert len(problems) == 51
    assert problems[-1].message == "and 41 more problems"


@pytest.mark.parametrize("part", ["criteria", "screens", "entry_questions", "checks"])
def test_repeated_names_are_listed_with_other_problems(part):
    document = definition_to_document(slider_definition()) | {"raters_per_trial": 0}
    entry = document.get(part, [{"name": "twice", "question": "Sure?", "kind": "yes-no"}])[0]
    document[part] = [entry, {}, entry]
    with pytest.raises(InvalidDefinition) as refused:
        definition_from_document(document)
    messages = {problem.place: problem.message for problem in refused.value.problems}
    assert "raters_per_trial" in messages
    assert messages[f"{part}[2].name"] == f"the name “{entry['name']}” is used more than once"


def test_joint_problems_name_the_part_that_has_to_change():
    question = {"name": "age", "question": "?", "kind": "text"}
    screens = [
        {"name": "s", "show": ["outputs", "standard", "images"], "ask": ["other"]},
        {"name": "s", "show": ["outputs"], "ask": ["other"]},
    ]
    document = definition_to_document(slider_definition()) | {
        "screens": screens,
        "entry_questions": [question, question],
    }
    assert [problem.place for problem in problems_of(document)] == [
        "screens[1].name",
        "entry_questions[1].name",
        "screens[0].ask",
        "screens[1].ask",
        "criteria[0].name",
        "screens[0].show",
        "screens[0].show",
    ]


# --- Numbers that the database would give back as something else -------------------------------


@pytest.mark.parametrize("number", [1e20, -1e300, 2.0**63, 10**20])
def test_a_number_that_is_too_large_for_the_database_is_refused(number):
    document = definition_to_document(slider_definition())
    document["criteria"][0]["options"] = {"maximum": number}
    (problem,) = problems_of(document)
    assert problem.place == "criteria[0].options.maximum"
    assert "too large" in problem.message


@pytest.mark.django_db
def test_a_campaign_that_was_stored_with_such_a_number_still_opens(client):
    campaign = create_campaign(make_owner(), slider_definition())
    campaign.definition["criteria"][0]["options"] = {"maximum": 1e20}
    campaign.save()
    campaign.refresh_from_db()
    assert isinstance(campaign.definition["criteria"][0]["options"]["maximum"], int)
    client.force_login(make_owner())
    for page in ("campaign", "campaign-edit", "campaign-file-edit", "campaign-file"):
        address = reverse(f"rankme:{page}", args=[campaign.code])
        assert client.get(address).status_code == 200
    assert definition_of(campaign).criteria[0].settings.maximum == 1e20
