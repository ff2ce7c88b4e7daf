"""The form and the file of a campaign: two ways to write the same document."""

import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from hypothesis import given, settings
from hypothesis import strategies as st

from rankme.actions.campaign import campaigns
from rankme.forms.definition import change_shape, draw_form, read_form
from rankme.forms.definition.sections import SECTIONS
from rankme.forms.definition.settings import settings_of
from rankme.models import Campaign
from rankme.protocols.definition import Definition
from rankme.protocols.files import (
    definition_from_document,
    definition_to_document,
    definition_to_yaml,
    preset,
    preset_names,
)
from tests.campaigns import make_campaign, make_owner, slider_definition
from tests.pages.addresses import address
from tests.pages.sent_forms import fields_of

pytestmark = pytest.mark.django_db


def new(start: str = "e2e-quality") -> str:
    return reverse("rankme:campaign-new", args=[start])


def edit(campaign: Campaign) -> str:
    return address("campaign-edit", campaign)


# --- The same document ------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("name", preset_names())
def test_the_form_of_a_preset_saves_it_and_its_file_makes_the_same_campaign_again(olga, name):
    sent = fields_of(olga.get(new(name)).text)
    answer = olga.post(new(name), sent)
    assert answer.status_code == 302, answer.text
    campaign = Campaign.objects.get()
    document = definition_to_document(preset(name))
    assert campaign.definition == {**document, "seed": campaign.seed}
    file = olga.get(address("campaign-file", campaign))
    assert "attachment" in file["Content-Disposition"]
    upload = SimpleUploadedFile("campaign.yaml", file.content)
    answer = olga.post(reverse("rankme:campaign-load"), {"file": upload, "text": ""})
    assert answer.status_code == 302
    copy = Campaign.objects.exclude(pk=campaign.pk).get()
    assert (copy.definition, copy.seed) == (campaign.definition, campaign.seed)


def test_what_the_form_changes_the_file_says(olga):
    campaign = campaigns.create_campaign(make_owner(), slider_definition())
    sent = fields_of(olga.get(edit(campaign)).text)
    sent |= {"title": "Fluency of news", "raters_per_trial": "4", "crowd.currency": "EUR"}
    sent |= {"texts.consent": "Agreed?\r\n\r\nReally?"}
    assert olga.post(edit(campaign), sent).status_code == 302
    definition = campaigns.definition_of(Campaign.objects.get())
    assert definition == slider_definition(
        title="Fluency of news",
        raters_per_trial=4,
        crowd={"currency": "EUR"},
        texts={"consent": "Agreed?\n\nReally?", "instructions": "Move the slider."},
    )
    assert "Fluency of news" in definition_to_yaml(definition)


def test_every_setting_of_a_campaign_has_its_place_in_the_form():
    placed = [name for section in SECTIONS for name in section.fields]
    assert sorted(placed) == sorted(found.name for found in settings_of(Definition))


odd_text = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\x00"), min_size=1)


@settings(deadline=None)
@given(outputs=st.lists(odd_text, max_size=4), choices=st.dictionaries(odd_text, odd_text))
@pytest.mark.slow
def test_lists_and_pairs_come_back_with_any_content(outputs, choices):
    document = definition_to_document(slider_definition())
    document["practice"] = [{"outputs": outputs}]
    document["criteria"][0] |= {"instrument": "choice", "options": {"choices": choices}}
    back = read_form(_sent(document))
    assert back["practice"][0]["outputs"] == outputs
    kept = back["criteria"][0]["options"].get("choices", {})
    assert list(kept.items()) == list(choices.items())


def _sent(document) -> dict[str, str]:
    """The values of a drawn form, without a page around them."""
    sent: dict[str, str] = {}

    def collect(parts) -> None:
        for part in parts:
            if hasattr(part, "rows"):
                sent.update({f"{row.path}.row": "1" for row in part.rows})
                collect(part.rows)
            elif hasattr(part, "parts"):
                if part.is_there:
                    sent[f"{part.path}.is_there"] = "on"
                collect([*part.parts, *part.more])
            elif part.kind != "tick":
                sent[part.path] = part.value

    for section in draw_form(document)[0]:
        collect(section.parts)
    return sent


# --- Problems and their places ------------------------------------------------------------------


def test_a_pay_of_0_is_a_number():
    crowd = read_form({"crowd.pay_by_outcome.late": "0"})["crowd"]
    assert crowd["pay_by_outcome"]["late"] == 0


def test_a_problem_is_shown_at_its_field_and_nothing_is_saved(olga):
    sent = fields_of(olga.get(new()).text)
    sent |= {"title": "", "criteria.0.options.track_end": "50", "raters_per_trial": "many"}
    answer = olga.post(new(), sent)
    assert answer.status_code == 422
    page = answer.text
    assert 'href="#title"' in page and "this must not be empty" in page
    assert 'href="#raters_per_trial"' in page and "this must be a whole number" in page
    assert "the standard must be below the end of the track" in page
    assert 'value="many"' in page
    assert not Campaign.objects.exists()


def test_a_problem_of_an_option_is_shown_at_that_option():
    document = definition_to_document(preset("direct-assessment"))
    document["criteria"][0] |= {"instrument": "likert", "options": {"points": 40}}
    problems = _problems_of(document)
    assert [problem.place for problem in problems] == ["criteria[0].options.points"]
    _, findings = draw_form(document, problems)
    assert [finding.element for finding in findings] == ["criteria-0-options-points"]


def _problems_of(document):
    from rankme.errors import InvalidDefinition

    with pytest.raises(InvalidDefinition) as refused:
        definition_from_document(document)
    return refused.value.problems


def test_hidden_settings_with_a_problem_are_opened(olga):
    sent = fields_of(olga.get(new("sr11-deep")).text)
    sent["crowd.lease_minutes"] = "1"
    page = olga.post(new("sr11-deep"), sent).text
    around = page[: page.index('id="crowd-lease_minutes"')]
    assert around.rindex("<details open>") > around.rindex("</details>")


def test_a_pasted_file_says_line_and_place(olga):
    text = definition_to_yaml(slider_definition()).replace("slider", "lever")
    answer = olga.post(reverse("rankme:campaign-load"), {"text": text})
    assert answer.status_code == 422
    page = answer.text
    line = next(n for n, row in enumerate(text.splitlines(), 1) if "lever" in row)
    assert f"line {line}, criteria[0].instrument" in page
    assert "lever" in page  # what was pasted is still there to be corrected
    assert not Campaign.objects.exists()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\xff\xfe\x00", "not UTF-8"),
        (b"title: [", "not valid YAML"),
        (b"- a\n- b", "a campaign file is a list of settings"),
        (b'title: "\\0"', "cannot be stored"),
    ],
)
def test_files_other_than_campaigns_are_refused_with_a_reason(olga, content, said):
    upload = SimpleUploadedFile("campaign.yaml", content)
    answer = olga.post(reverse("rankme:campaign-load"), {"file": upload, "text": ""})
    assert answer.status_code == 422
    assert said in answer.text


def test_neither_file_nor_text_is_refused(olga):
    answer = olga.post(reverse("rankme:campaign-load"), {"text": " "})
    assert "Choose a file or paste its text." in answer.text


def test_what_cannot_be_stored_is_refused_and_not_an_accident(olga):
    sent = fields_of(olga.get(new()).text)
    sent["title"] = "a\x00b"
    assert olga.post(new(), sent).status_code == 422


# --- Rows come and go ---------------------------------------------------------------------------


def test_rows_are_added_moved_and_removed_without_saving(olga):
    sent = fields_of(olga.get(new()).text)
    page = olga.post(new(), sent | {"do": "add:criteria"}).text
    more = fields_of(page)
    assert more["criteria.2.instrument"] == "slider"
    page = olga.post(new(), more | {"do": "up:criteria:1"}).text
    moved = fields_of(page)
    assert [moved[f"criteria.{number}.name"] for number in range(3)] == ["coverage", "quality", ""]
    page = olga.post(new(), moved | {"do": "remove:criteria:2"}).text
    assert "criteria.2.name" not in fields_of(page)
    assert not Campaign.objects.exists()


def test_another_instrument_brings_its_own_options(olga):
    sent = fields_of(olga.get(new()).text)
    sent |= {"criteria.0.instrument": "likert", "do": "refresh:criteria.0.instrument"}
    fields = fields_of(olga.post(new(), sent).text)
    assert "criteria.0.options.points" in fields
    assert "criteria.0.options.track_end" not in fields


@pytest.mark.parametrize(
    "command",
    [
        "remove:criteria:99",
        "up:nothing:0",
        "down:criteria:x",
        "add:title",
        "::",
        "remove:screens.7.show:0",
    ],
)
def test_a_forged_command_changes_nothing(command):
    document = definition_to_document(slider_definition())
    before = definition_to_document(slider_definition())
    change_shape(document, command)
    assert document == before


def test_a_standard_can_be_left_out(olga):
    sent = fields_of(olga.get(new()).text)
    del sent["standard.is_there"]
    sent["screens.0.show.1.block"] = "reference"
    assert olga.post(new(), sent).status_code == 302
    assert campaigns.definition_of(Campaign.objects.get()).standard is None


# --- After the launch ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["campaign-edit", "campaign-file-edit"])
def test_a_launched_campaign_shows_its_file_and_takes_no_changes(olga, name):
    campaign = make_campaign()
    before = campaign.definition
    address = reverse(f"rankme:{name}", args=[campaign.code])
    assert "Change this campaign" in olga.get(address).text
    assert olga.post(address, {"title": "Another", "text": "title: x"}).status_code == 422
    campaign.refresh_from_db()
    assert campaign.definition == before


def test_a_draft_is_changed_by_its_file(olga):
    campaign = campaigns.create_campaign(make_owner(), slider_definition())
    address = reverse("rankme:campaign-file-edit", args=[campaign.code])
    form = olga.get(address).context["form"]
    sent = {name: form[name].value() for name in ("text", "version")}
    sent["text"] = sent["text"].replace("title: Fluency", "title: Ease")
    answer = olga.post(address, sent)
    assert answer.status_code == 302
    campaign.refresh_from_db()
    assert campaign.title == campaign.definition["title"] == "Ease"


# --- Two people at one draft --------------------------------------------------------------------


def test_the_second_of_two_who_edit_a_draft_overwrites_nothing_unseen(olga):
    campaign = campaigns.create_campaign(make_owner(), slider_definition())
    page = olga.get(edit(campaign)).text
    mine, theirs = fields_of(page), fields_of(page)
    assert olga.post(edit(campaign), theirs | {"title": "Theirs"}).status_code == 302
    answer = olga.post(edit(campaign), mine | {"title": "Mine", "raters_per_trial": "7"})
    assert answer.status_code == 409
    assert Campaign.objects.get().title == "Theirs"
    page = answer.text
    assert "olga saved this definition" in page
    assert {
        (one.label, one.saved, one.typed) for one in answer.context["conflict"]["differences"]
    } == {
        ("Campaign: Title", "Theirs", "Mine"),
        ("Design: Raters per trial", "1", "7"),
    }
    kept = fields_of(page)
    assert (kept["title"], kept["raters_per_trial"]) == ("Mine", "7")
    assert olga.post(edit(campaign), kept).status_code == 302
    assert Campaign.objects.get().title == "Mine"


def test_a_row_that_is_added_does_not_hide_that_somebody_else_saved(olga):
    campaign = campaigns.create_campaign(make_owner(), slider_definition())
    page = olga.get(edit(campaign)).text
    mine, theirs = fields_of(page), fields_of(page)
    olga.post(edit(campaign), theirs | {"title": "Theirs"})
    grown = olga.post(edit(campaign), mine | {"do": "add:practice"}).text
    assert olga.post(edit(campaign), fields_of(grown)).status_code == 409


def test_a_file_does_not_overwrite_what_somebody_else_saved(olga):
    campaign = campaigns.create_campaign(make_owner(), slider_definition())
    address = reverse("rankme:campaign-file-edit", args=[campaign.code])
    form = olga.get(address).context["form"]
    mine = {name: form[name].initial for name in ("text", "version")}
    campaigns.change_definition(campaign, slider_definition(title="Theirs"), by=make_owner("mia"))
    mine["text"] = mine["text"].replace("title: Fluency", "title: Mine")
    answer = olga.post(address, mine)
    assert answer.status_code == 409
    assert Campaign.objects.get().title == "Theirs"
    page = answer.text
    assert "mia saved this definition" in page
    assert "-title: Theirs" in page and "+title: Mine" in page
    again = answer.context["form"]
    kept = {name: again[name].initial for name in ("text", "version")}
    assert olga.post(address, kept).status_code == 302
    assert Campaign.objects.get().title == "Mine"


@pytest.mark.parametrize("page", ["campaign-edit", "campaign-file-edit"])
def test_what_was_typed_is_kept_when_the_campaign_was_launched_meanwhile(olga, page):
    campaign = make_campaign(launch=False)
    address = reverse(f"rankme:{page}", args=[campaign.code])
    answer = olga.get(address)
    if page == "campaign-edit":
        sent = fields_of(answer.text) | {"description": "What I typed"}
    else:
        form = answer.context["form"]
        sent = {"text": form["text"].initial + "\ndescription: What I typed\n", "version": "x"}
    campaigns.launch_campaign(campaign, by=campaign.owner)
    answer = olga.post(address, sent)
    assert answer.status_code in (409, 422)
    assert "What I typed" in answer.text
    assert "Running" in answer.text


# --- Screens follow the criteria ----------------------------------------------------------------


def asked(sent: dict[str, str], screen: int = 0) -> list[str]:
    return sent[f"screens.{screen}.ask"].split()


def test_a_blank_start_needs_a_title_and_questions_only(olga):
    sent = fields_of(olga.get(new("blank")).text) | {"title": "Three questions"}
    sent["criteria.0.question"] = "How fluent is it?"
    for number, question in ((1, "Říká totéž?"), (2, "流畅吗?")):
        sent = fields_of(olga.post(new("blank"), sent | {"do": "add:criteria"}).text)
        sent[f"criteria.{number}.question"] = question
    answer = olga.post(new("blank"), sent)
    assert answer.status_code == 302, answer.context["findings"]
    definition = campaigns.definition_of(Campaign.objects.get())
    names = ["how-fluent-is-it", "rika-totez", "criterion"]
    assert [criterion.name for criterion in definition.criteria] == names
    assert definition.screens[0].ask == names
    assert len({tuple(one.settings.labels) for one in definition.criteria}) == 1
    assert definition.criteria[2].settings.labels[0] == "very poor"


def test_a_blank_start_says_what_is_missing(olga):
    sent = fields_of(olga.get(new("blank")).text)
    answer = olga.post(new("blank"), sent)
    assert answer.status_code == 422
    assert {found.element for found in answer.context["findings"]} >= {
        "title",
        "criteria-0-question",
    }
    assert not Campaign.objects.exists()


def test_screens_follow_a_criterion_that_is_added_renamed_moved_or_removed(olga):
    def after(sent: dict[str, str], command: str) -> dict[str, str]:
        return fields_of(olga.post(new("sr11-shallow"), sent | {"do": command}).text)

    sent = after(fields_of(olga.get(new("sr11-shallow")).text), "add:criteria")
    sent |= {"criteria.0.name": "ease", "criteria.3.name": "tone"}
    sent = after(sent, "refresh")
    assert asked(sent, 0) == ["ease", "readability"]
    assert asked(sent, 1) == ["meaning_similarity", "tone"]
    assert asked(after(sent, "up:criteria:3"), 1) == ["tone", "meaning_similarity"]
    assert asked(after(sent, "remove:criteria:3"), 1) == ["meaning_similarity"]


def test_claims_follow_a_renamed_criterion(olga):
    sent = fields_of(olga.get(new()).text)
    sent |= {"primary": "quality", "equivalence": "quality: 0.1", "criteria.0.name": "ease"}
    back = fields_of(olga.post(new(), sent | {"do": "refresh"}).text)
    assert (back["primary"], back["equivalence"].strip()) == ("ease", "ease: 0.1")


def test_a_criterion_that_was_taken_from_its_screen_is_not_put_back(olga):
    sent = fields_of(olga.get(new()).text)
    sent["screens.0.ask"] = "quality"
    answer = olga.post(new(), sent)
    assert answer.status_code == 422
    assert "is not shown on any screen" in answer.text


# --- Folded sections ----------------------------------------------------------------------------


def folded(page: str) -> dict[str, bool]:
    """Every section and row that can be folded, and whether it is open."""
    found = re.findall(
        r'<details\s+class="(?:card form-section|group)"\s+id="([^"]+)"\s+(open)?', page
    )
    return {name: bool(is_open) for name, is_open in found}


def test_a_new_form_shows_its_title_and_questions_and_folds_the_rest(olga):
    shown = folded(olga.get(new("blank")).text)
    assert [name for name, is_open in shown.items() if is_open] == [
        "section-general",
        "section-criteria",
        "criteria-0-row",
        "screens-0-row",
    ]
    assert "section-crowd" in shown
    page = olga.get(new("likert-criteria")).text
    assert not folded(page)["criteria-1-row"]
    assert "adequacy · How well does the text say" in page


def test_a_problem_and_a_fresh_row_are_unfolded(olga):
    sent = fields_of(olga.get(new("likert-criteria")).text)
    wrong = sent | {"crowd.currency": "euro", "criteria.2.options.points": "99"}
    shown = folded(olga.post(new("likert-criteria"), wrong).text)
    assert shown["section-crowd"] and shown["criteria-2-row"]
    assert not (shown["criteria-1-row"] or shown["section-texts"])
    more = olga.post(new("likert-criteria"), sent | {"do": "add:practice"})
    shown = folded(more.text)
    assert shown["section-practice"] and shown["practice-1-row"] and not shown["practice-0-row"]


def test_a_preset_is_offered_in_other_languages(olga):
    page = olga.get(new("e2e-quality")).text
    assert f"{new('e2e-quality')}?language=de" in page and "Deutsch" in page
    assert "?language=" not in olga.get(new("blank")).text
    german = olga.get(new("e2e-quality") + "?language=de").text
    assert "In dieser Studie lesen Sie" in german
    assert fields_of(german)["language"] == "de"
    unknown = olga.get(new("e2e-quality") + "?language=fr").text
    assert "In this study you read" in unknown


def test_only_what_an_instrument_or_block_uses_is_asked(olga):
    """The ends of a scale mean nothing for a preference, nor a map for outputs."""
    pairs = fields_of(olga.get(new("pairwise-preference")).text)
    assert "criteria.0.low" not in pairs and "criteria.0.question" in pairs
    shown = {pairs[f"screens.0.show.{number}.block"]: number for number in range(2)}
    assert f"screens.0.show.{shown['outputs']}.layout" in pairs
    assert f"screens.0.show.{shown['outputs']}.pictorial_share" not in pairs
    assert f"screens.0.show.{shown['input']}.pictorial_share" in pairs
    likert = fields_of(olga.get(new("likert-criteria")).text)
    assert "criteria.0.low" in likert


def test_choices_are_named_in_words(olga):
    page = olga.get(new("blank")).text
    assert "Attributes with values, such as name[Alimentum]" in page
    for jargon in ("For the block", "painted onset", "from 0.", "value per line."):
        assert jargon not in page, jargon
