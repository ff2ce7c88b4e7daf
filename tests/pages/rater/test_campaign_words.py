"""A campaign in a language of which the site knows nothing, in words that its file gives."""

import html
import io
import json
import re
import threading
from html.parser import HTMLParser
from uuid import uuid4

import pytest
import yaml
from django.core.management import CommandError, call_command
from django.db import OperationalError
from django.http import Http404
from django.test import Client, RequestFactory
from django.utils import translation
from django.utils.translation import gettext, ngettext

from evalsite import error_pages
from rankme.actions import rate_limits
from rankme.actions.campaign import campaigns
from rankme.errors import InvalidDefinition
from rankme.models import Participant
from rankme.panel_links.outcomes import Outcome
from rankme.protocols.files import definition_to_yaml
from rankme.protocols.rater_texts import GAP, rater_texts
from rankme.queries.words import current_words, in_the_language_of, missing_texts, words_file
from tests.campaigns import make_campaign, slider_definition
from tests.pages.addresses import address
from tests.pages.rater.visits import (
    arrival_at,
    arrive,
    begin,
    complete,
    document_of,
    payload_for,
    send,
)
from tests.pages.sent_forms import fields_of

pytestmark = pytest.mark.django_db

AGREE = "I agree to take part"
ENTRY = [
    {"name": "native", "question": "Ερώτηση;", "kind": "yes-no", "accept": ["yes"]},
    {"name": "where", "question": "Πού;", "choices": {"a": "Αθήνα", "b": "Βόλος"}},
]
OWN = {
    "title": "Ευχέρεια",
    "language": "grc",
    "criteria": [
        {
            "name": "fluency",
            "question": "Πόσο;",
            "instrument": "slider",
            "low": "λίγο",
            "high": "πολύ",
            "options": {"confirm": True},
        }
    ],
    "screens": [
        {
            "name": "rate",
            "title": "Οθόνη",
            "show": ["input", "outputs"],
            "ask": ["fluency"],
            "comment": True,
        }
    ],
    "texts": {"consent": "Συμφωνείτε;", "instructions": "Κίνηση."},
    "practice": [{"input": "Ένα", "outputs": ["Δύο"], "feedback": "Τρία"}],
    "breaks": {"after_trials": 1},
}


def greek_words() -> dict[str, str]:
    """Every text of the site, in letters that no English text has."""
    return {
        key: f"λέξη {number} {' '.join(dict.fromkeys(GAP.findall(key)))}".strip()
        for number, key in enumerate(rater_texts())
    }


def greek(**changes):
    return slider_definition(**(OWN | {"words": greek_words()} | changes))


class ShownTexts(HTMLParser):
    """What a page says: the text between its tags and in those attributes that people read."""

    READ = ("aria-label", "alt", "title", "placeholder", "data-copied")

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.language = ""
        self.inside = ""
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.inside = tag
        self.found += [value for name, value in attributes if name in self.READ and value]
        if tag == "html":
            self.language = dict(attributes)["lang"]

    def handle_endtag(self, tag):
        self.inside = ""

    def handle_data(self, data):
        if self.inside not in ("script", "style", "code"):
            self.found.append(data)


def latin_words(texts) -> set[str]:
    return {word for text in texts for word in re.findall("[A-Za-z]{2,}", GAP.sub("", text))}


def assert_no_english(response, *, known=()) -> None:
    page = response.text
    shown = ShownTexts(page)
    assert shown.language == "grc", page[:500]
    assert any("λέξη" in text for text in shown.found)
    assert latin_words(shown.found) - {"UTC", *known} == set(), page


def greek_campaign(**changes):
    return make_campaign(greek(**changes))


def test_on_the_way_to_the_work_nothing_is_english(client):
    campaign = greek_campaign(entry_questions=ENTRY)
    assert_no_english(client.get(address("enter", campaign)))
    arrive(client, campaign)
    assert_no_english(client.get(address("questions", campaign)))
    wrong = client.post(address("questions", campaign), {"entry-native": "x", "entry-where": ""})
    assert wrong.status_code == 422
    assert_no_english(wrong)
    client.post(address("questions", campaign), {"entry-native": "yes", "entry-where": "a"})
    assert_no_english(client.get(address("instructions", campaign)))
    client.post(address("instructions", campaign))
    work = client.get(address("work", campaign))
    assert_no_english(work, known={"Place", "Soup", "name", "food"})
    document = document_of(work)
    said = [*document["words"].values(), *document["instrument_words"]["slider"].values()]
    assert len(said) > 40
    assert latin_words(said) == set()
    assert all("λέξη" in word for word in said)


def test_after_the_work_nothing_is_english(client):
    campaign = greek_campaign(crowd={"batches_per_rater": 2, "late_pay": 2})
    assert complete(client, campaign, begin(client, campaign)).status_code == 200
    assert_no_english(client.get(address("more", campaign)))
    client.post(address("done", campaign), {"comment": "Ναι"})
    done = client.get(address("done", campaign))
    assert_no_english(done)
    Participant.objects.update(outcome=Outcome.LATE)
    assert_no_english(client.get(address("done", campaign)), known={"GBP"})


SCALE = {"instrument": "likert", "options": {"points": 3}, "low": "λίγο", "high": "πολύ"}
DECLINABLE = {"cannot_judge": True, "cannot_judge_reasons": {"other": "Άλλο"}}
LAST = [
    {"name": "age", "question": "Πότε;", "kind": "text", "required": True},
    {
        "name": "why",
        "question": "Γιατί;",
        "kind": "text",
        "show_if": {"question": "age", "answers": ["x"]},
    },
]


def test_what_a_campaign_can_ask_for_besides_is_not_english(client):
    names = ["fluency", "form"]
    campaign = greek_campaign(
        criteria=[{"name": name, "question": "Πόσο;"} | SCALE | DECLINABLE for name in names],
        screens=[
            {"name": "rate", "title": "Οθόνη", "show": ["input", "outputs"], "ask": names}
            | {"layout": "matrix"}
        ],
        end_questions=LAST,
        problem_button=True,
    )
    begin(client, campaign, id="w1")
    work = client.get(address("work", campaign))
    assert_no_english(work, known={"name", "Place", "food", "Soup"})
    document = document_of(work)
    assert latin_words(document["words"].values()) == set()
    assert {"say_why", "complaint_kept"} <= set(document["words"])
    held = {"version": 1, "assignment": document["assignment"], "screen": 0, "trial": 0}
    unsaid = [
        {"criterion": name, "place": place, "cannot_judge": ""}
        for name in names
        for place in range(document["trials"][0]["places"])
    ]
    for sent in ({"answers": unsaid}, {"complaint": ""}, {"complaint": "x" * 3000}):
        refused = send(client, campaign, held | {"key": str(uuid4())} | sent)
        messages = [problem["message"] for problem in refused.json()["problems"]]
        assert refused.status_code == 422 and messages and latin_words(messages) == set(), sent
    said = [one | {"cannot_judge": "other"} for one in unsaid]
    for trial in range(len(document["trials"])):
        send(client, campaign, held | {"key": str(uuid4()), "trial": trial, "answers": said})
    assert client.post(address("finish", campaign)).json()["next"].endswith("/end-questions/")
    assert_no_english(client.get(address("end-questions", campaign)))
    assert_no_english(client.post(address("end-questions", campaign), {"end-age": ""}))
    assert_no_english(client.get(address("done", campaign)))


def test_where_a_rater_gives_the_rest_back_nothing_is_english(client):
    campaign = greek_campaign(crowd={"partial_pay": 1})
    document = begin(client, campaign)
    send(client, campaign, payload_for(campaign, document))
    assert_no_english(client.get(address("give-back", campaign)), known={"GBP"})
    client.post(address("give-back", campaign), {"decision": "give-back"})
    assert_no_english(client.get(address("give-back", campaign)), known={"GBP"})


def test_where_there_is_nothing_to_do_nothing_is_english(client, monkeypatch):
    campaign = greek_campaign(entry_questions=ENTRY)
    door = address("enter", campaign)
    arrival = arrival_at(client, door, {})
    assert_no_english(client.post(door, {"arrival": arrival, "decision": "decline"}))
    arrive(client, campaign)
    client.post(address("questions", campaign), {"entry-native": "no", "entry-where": "a"})
    assert_no_english(client.get(address("questions", campaign)))
    monkeypatch.setattr(rate_limits, "take", lambda *arguments: False)
    crowded = Client().post(door, {"arrival": arrival, "decision": "agree"})
    assert crowded.status_code == 429
    assert_no_english(crowded)
    for change in (campaigns.pause_campaign, campaigns.resume_campaign, campaigns.close_campaign):
        change(campaign, by=campaign.owner)
        assert_no_english(Client().get(door))
    by_name = greek_campaign(crowd={"open_link": False, "id_parameter": "who"})
    refused = Client().get(address("enter", by_name))
    assert refused.status_code == 403
    assert_no_english(refused)


def test_no_work_is_said_in_the_campaigns_words(client):
    campaign = greek_campaign()
    for _ in range(campaign.slots.count()):
        begin(Client(), campaign)
    arrive(client, campaign)
    client.post(address("instructions", campaign))
    taken = client.get(address("work", campaign))
    assert "data-again" in taken.text
    assert_no_english(taken)


def test_error_pages_of_a_campaign_say_nothing_in_english(client):
    campaign = greek_campaign()
    door = address("enter", campaign)
    strict = Client(enforce_csrf_checks=True, raise_request_exception=False)
    answers = {
        404: client.get(f"{door}nowhere/"),
        405: client.get(address("submit", campaign)),
        403: strict.post(door, {"decision": "agree"}),
        400: client.get(door, headers={"host": "elsewhere.example"}),
    }
    for status, answer in answers.items():
        assert answer.status_code == status
        assert_no_english(answer)


@pytest.mark.parametrize("status", [500, 503])
def test_a_failure_on_a_raters_page_is_told_in_the_campaigns_words(monkeypatch, status):
    campaign = greek_campaign()

    def fail(*arguments):
        raise OperationalError("the connection is lost") if status == 503 else ValueError

    monkeypatch.setattr("rankme.pages.rater.rater_identity.named_arrival", fail)
    strict = Client(raise_request_exception=False)
    failed = strict.get(address("enter", campaign))
    assert failed.status_code == status
    assert_no_english(failed)


def test_a_failure_before_any_campaign_is_known_asks_the_database_nothing(
    django_assert_num_queries,
):
    campaign = greek_campaign()
    request = RequestFactory().get(address("enter", campaign))
    with django_assert_num_queries(0):
        assert b"Something went wrong" in error_pages.server_error(request).content
        elsewhere = RequestFactory().get("/campaigns/")
        assert b"Page not found" in error_pages.not_found(elsewhere, Http404()).content


def test_an_error_page_needs_no_database(client, monkeypatch):
    campaign = greek_campaign()

    def fail(*arguments):
        raise OperationalError("the connection is lost")

    monkeypatch.setattr("rankme.pages.rater.interface_language.frozen_definition", fail)
    assert "This link does not work" in client.get(f"{address('enter', campaign)}nowhere/").text


def test_messages_for_scripts_are_in_the_campaigns_words(client):
    campaign = greek_campaign()
    document = begin(client, campaign)
    long = payload_for(campaign, document, comment="x" * 200_001)
    assert "λέξη" in send(client, campaign, long).json()["message"]
    unfinished = client.post(address("finish", campaign))
    assert unfinished.status_code == 409
    assert latin_words([unfinished.json()["message"]]) == set()


def test_an_answer_is_refused_in_the_campaigns_words(client):
    write = OWN["criteria"][0] | {"instrument": "text", "options": {"least": 5, "characters": ""}}
    campaign = greek_campaign(criteria=[write])
    document = begin(client, campaign)
    payload = payload_for(campaign, document)
    for value, gap in (("λ", "5"), ("αβγδε!", "!")):
        payload["answers"][0]["value"] = value
        (problem,) = send(client, campaign, payload).json()["problems"]
        assert problem["message"].startswith("λέξη")
        assert problem["message"].endswith(f" {gap}")
    (problem,) = send(client, campaign, payload | {"answers": []}).json()["problems"]
    assert problem["message"] == greek_words()["Please answer this."]


# --- What is missing ----------------------------------------------------------------------------


def test_a_missing_text_is_named(client):
    words = greek_words()
    del words[AGREE]
    definition = greek(words=words)
    assert [text.key for text in missing_texts(definition)] == [AGREE]
    assert missing_texts(greek()) == []
    assert missing_texts(greek(language="cs", words={})) == []


@pytest.mark.parametrize("name", ["campaign-launch", "campaign-edit"])
def test_the_organiser_reads_what_is_missing_and_downloads_it(client, name):
    words = greek_words()
    del words[AGREE]
    campaign = make_campaign(greek(words=words), launch=False)
    client.force_login(campaign.owner)
    page = client.get(address(name, campaign)).text
    needed = len(current_words("grc", greek()))
    assert f"1 of {needed} buttons and messages" in page
    assert f'<li lang="en">{AGREE}</li>' in page
    assert address("campaign-words", campaign) in page
    file = yaml.safe_load(client.get(address("campaign-words", campaign)).text)
    assert file["language"] == "grc"
    assert file["words"][AGREE] == ""
    assert file["words"]["Begin"] == words["Begin"]


@pytest.mark.parametrize("name", ["campaign-launch", "campaign-edit"])
@pytest.mark.parametrize("definition", [greek(), slider_definition(language="de-AT")])
def test_where_nothing_is_missing_nothing_is_said(client, name, definition):
    campaign = make_campaign(definition, launch=False)
    client.force_login(campaign.owner)
    page = client.get(address(name, campaign)).text
    assert address("campaign-words", campaign) not in page


def test_the_list_that_is_filled_in_completes_the_campaign():
    unfinished = slider_definition(language="sw")
    empty = yaml.safe_load(words_file("sw", current_words("sw", unfinished)))
    assert len(empty["words"]) > 100
    assert set(empty["words"].values()) == {""}
    filled = {key: f"neno {' '.join(GAP.findall(key))}" for key in empty["words"]}
    assert missing_texts(slider_definition(language="sw", words=filled)) == []


def test_the_list_has_the_sites_own_words_where_it_speaks_the_language():
    words = current_words("de", slider_definition(language="de", words={AGREE: "Klar"}))
    with translation.override("de"):
        assert words["Begin"] == gettext("Begin") != "Begin"
    assert words[AGREE] == "Klar"
    assert all(words.values())


def run(*arguments: str) -> tuple[dict, str]:
    out, err = io.StringIO(), io.StringIO()
    call_command("words", *arguments, stdout=out, stderr=err)
    return yaml.safe_load(out.getvalue()), err.getvalue()


def test_the_command_prints_what_a_campaign_says_and_what_is_missing(tmp_path):
    campaign = make_campaign(slider_definition(language="fr", words={AGREE: "Oui"}))
    file, _ = run(campaign.code)
    assert (file["language"], file["words"][AGREE]) == ("fr", "Oui")
    missing, said = run(campaign.code, "--missing")
    assert AGREE not in missing["words"]
    assert len(missing["words"]) == len(file["words"]) - 1
    assert f"{len(missing['words'])} of {len(file['words'])} texts are missing" in said
    german, _ = run("direct-assessment", "--template", "de")
    assert german["words"][AGREE] not in ("", AGREE, "Oui")
    path = tmp_path / "campaign.yaml"
    path.write_text(definition_to_yaml(greek()), "utf-8")
    assert run(str(path), "--missing")[0]["words"] == {}
    assert set(run("--template", "sw")[0]["words"]) == set(rater_texts())


def test_the_command_says_what_it_cannot_find():
    for arguments in ([], ["nowhere.yaml"], ["--missing"]):
        with pytest.raises(CommandError):
            call_command("words", *arguments)


def test_a_missing_text_is_english_and_the_page_keeps_its_direction(client):
    campaign = make_campaign(slider_definition(language="fa-IR", words={AGREE: "می‌پذیرم"}))
    page = client.get(address("enter", campaign)).text
    assert '<html lang="fa-IR" dir="rtl">' in page
    assert "می‌پذیرم" in page
    assert "I do not want to take part" in page


def test_words_replace_single_texts_of_a_language_that_the_site_knows(client):
    campaign = make_campaign(slider_definition(language="de", words={AGREE: "Na klar"}))
    page = client.get(address("enter", campaign)).text
    assert "Na klar" in page
    with translation.override("de"):
        assert gettext("I do not want to take part") in page


# --- Words are text -----------------------------------------------------------------------------

HOSTILE = (
    "</script><script>alert(1)</script><img src=x onerror=alert(1)>"
    """" onfocus="alert(1)" '&lt; 100 % sûr %"""
)


def test_hostile_words_run_nothing(client):
    words = {key: " ".join([HOSTILE, *GAP.findall(key)]) for key in rater_texts()}
    campaign = make_campaign(greek(words=words, entry_questions=ENTRY))
    pages = [client.get(address("enter", campaign))]
    arrive(client, campaign)
    pages.append(
        client.post(address("questions", campaign), {"entry-native": "x", "entry-where": ""})
    )
    client.post(address("questions", campaign), {"entry-native": "yes", "entry-where": "a"})
    pages.append(client.get(address("instructions", campaign)))
    client.post(address("instructions", campaign))
    pages.append(client.get(address("work", campaign)))
    pages.append(client.get(f"{address('enter', campaign)}nowhere/"))
    for page in pages:
        # The document of the work page is JSON, in which scripts find the words as they are.
        text = re.sub(r"(?s)<script id.*?</script>", "", page.text)
        assert "<script>alert" not in page.text
        assert "<script>alert" not in text
        assert "<img" not in text
        assert '" onfocus' not in text
        assert "&amp;amp;" not in text, "escaped twice"
        assert "%%" not in text
    document = document_of(pages[3])
    assert document["words"]["copied"] == words["Copied"], "scripts put it on the page as text"
    shown = html.unescape(re.search(r"value=\"agree\"[^>]*>(.*?)</button>", pages[0].text, re.S)[1])
    assert shown.strip() == words[AGREE]


def test_an_error_next_to_a_field_is_escaped_once(client):
    choice = "Select a valid choice. %(value)s is not one of the available choices."
    campaign = make_campaign(
        greek(words={choice: "Ce n'est pas <possible>: %(value)s"}, entry_questions=ENTRY)
    )
    arrive(client, campaign)
    page = client.post(address("questions", campaign), {"entry-where": "<b>'"}).text
    assert "Ce n&#x27;est pas &lt;possible&gt;: &lt;b&gt;&#x27;" in page


# --- A rater's choice ---------------------------------------------------------------------------


def language_of(page) -> str:
    return ShownTexts(page.text).language


def test_a_rater_can_choose_among_the_campaigns_languages(client):
    campaign = greek_campaign(languages=["en", "de"], crowd={"id_parameter": "who"})
    door = address("enter", campaign)
    page = client.get(door, {"who": "ada"})
    assert language_of(page) == "grc"
    assert 'href="?who=ada&amp;interface=de"' in page.text
    assert "Deutsch" in page.text
    german = client.get(door, {"who": "ada", "interface": "de"})
    assert language_of(german) == "de"
    assert "Συμφωνείτε;" in german.text, "the campaign's own texts stay"
    rater = arrive(client, campaign, who="ada")
    assert rater.language == "de"
    work = begin_work(client, campaign)
    assert language_of(work) == "de"
    with translation.override("de"):
        assert document_of(work)["words"]["finish"] == gettext("Finish")
    assert language_of(client.get(f"{door}nowhere/")) == "de"
    back = client.get(address("work", campaign), {"interface": "grc"})
    assert language_of(back) == "grc"
    assert language_of(client.get(address("work", campaign))) == "grc"


def begin_work(client, campaign):
    client.post(address("instructions", campaign))
    return client.get(address("work", campaign))


def test_a_choice_follows_the_personal_link_to_another_device(client):
    campaign = greek_campaign(languages=["de"])
    client.get(address("enter", campaign), {"interface": "de"})
    arrive(client, campaign)
    link = re.search(r'value="(http[^"]+/resume/[^"]+)"', begin_work(client, campaign).text)[1]
    other = Client()
    assert language_of(other.get(link, follow=True)) == "de"


@pytest.mark.parametrize("wish", ["cs", "fr", "../de", "de-AT", ""])
def test_only_an_offered_language_can_be_chosen(client, wish):
    campaign = greek_campaign(languages=["de"])
    page = client.get(address("enter", campaign), {"interface": wish})
    assert language_of(page) == "grc"
    assert not [name for name in page.cookies if "language" in name]


def test_without_an_offer_there_is_no_choice(client):
    campaign = greek_campaign()
    client.cookies["rater-language"] = "de"
    page = client.get(address("enter", campaign), {"interface": "de"})
    assert language_of(page) == "grc"
    assert "interface=" not in page.text


def test_a_choice_belongs_to_one_campaign(client):
    one, two = greek_campaign(languages=["de"]), greek_campaign(languages=["de"])
    client.get(address("enter", one), {"interface": "de"})
    assert client.cookies["rater-language"]["path"] == address("enter", one)
    assert two.code not in address("enter", one)


def test_a_language_that_the_site_does_not_speak_is_refused():
    with pytest.raises(InvalidDefinition, match="no translation of the site for “fr”: choose en"):
        greek(languages=["en", "fr"])
    assert greek(languages=["grc", "en"]).languages == ["grc", "en"]


# --- Two campaigns at once ----------------------------------------------------------------------


def test_campaigns_with_different_words_do_not_mix():
    one, two = (slider_definition(language="fr", words={AGREE: word}) for word in ("Un", "Deux"))
    plain = slider_definition(language="fr")
    wrong: list[str] = []
    barrier = threading.Barrier(3)

    def read(definition, expected: str) -> None:
        barrier.wait()
        for _ in range(2_000):
            with in_the_language_of(definition):
                if gettext(AGREE) != expected:
                    wrong.append(gettext(AGREE))

    pairs = ((one, "Un"), (two, "Deux"), (plain, AGREE))
    threads = [threading.Thread(target=read, args=pair) for pair in pairs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert gettext(AGREE) == AGREE


def test_the_language_before_comes_back_even_after_an_error():
    with translation.override("de"):
        with pytest.raises(ZeroDivisionError), in_the_language_of(greek()):
            assert translation.get_language() == "grc"
            raise ZeroDivisionError
        assert translation.get_language() == "de"
        assert gettext(AGREE) != AGREE


def test_each_of_two_forms_has_words_of_its_own():
    one = "You have finished %(number)s part. Thank you! All of your answers are stored."
    several = "You have finished %(number)s parts. Thank you! All of your answers are stored."
    definition = slider_definition(language="fr", words={several: "%(number)s parties"})
    with in_the_language_of(definition):
        assert ngettext(one, several, 2) == "%(number)s parties"
        assert ngettext(one, several, 1) == one
        assert json.dumps(gettext(AGREE)) == f'"{AGREE}"'


def test_the_form_keeps_words_and_languages(client):
    words = greek_words()
    campaign = make_campaign(greek(words=words, languages=["en", "de"]), launch=False)
    client.force_login(campaign.owner)
    page = client.get(address("campaign-edit", campaign)).text
    before = campaign.definition
    assert client.post(address("campaign-edit", campaign), fields_of(page)).status_code == 302
    campaign.refresh_from_db()
    assert campaign.definition == before
    assert campaign.definition["words"] == words
