"""A work page loads the scripts and stylesheets that its screens need, and no others."""

import re
from pathlib import Path

import pytest
from django.http import HttpResponse
from django.urls import reverse

from evalsite.storage import without_comments
from rankme.pages.rater.work_files import with_imports, work_scripts, work_stylesheets
from rankme.protocols.files import preset, preset_names
from rankme.protocols.instruments import INSTRUMENTS
from rankme.templatetags.inside import lines_of
from tests.campaigns import make_campaign, slider_definition
from tests.evalsite.requests.headers import policy_of
from tests.pages.addresses import address
from tests.pages.rater.visits import arrive

PROJECT = Path(__file__).resolve().parents[3]
STYLES = PROJECT / "static/css"
TEMPLATES = PROJECT / "templates/participant/instruments"


def classes_of(stylesheet: Path) -> set[str]:
    rules = re.sub(r"/\*.*?\*/", "", stylesheet.read_text(), flags=re.DOTALL)
    return set(re.findall(r"\.([a-z][\w-]*)", rules))


def names_of(addresses: list[str]) -> set[str]:
    return {Path(address).stem for address in addresses}


def styles_inside(page: HttpResponse) -> str:
    return re.search(r"<style [^>]*>(.*?)</style>", page.text, re.DOTALL)[1]


def test_every_stylesheet_of_instruments_is_there_and_used():
    named = {sheet for instrument in INSTRUMENTS.values() for sheet in instrument.stylesheets}
    assert named == {path.stem for path in (STYLES / "instruments").iterdir()}


@pytest.mark.parametrize("name", INSTRUMENTS)
def test_an_instrument_names_every_stylesheet_that_its_template_needs(name):
    text = (TEMPLATES / f"{name}.html").read_text()
    if "_ends.html" in text:
        text += (TEMPLATES / "_ends.html").read_text()
    used = {word for words in re.findall(r'class="([^"]*)"', text) for word in words.split()}
    sheets = {path.stem: classes_of(path) for path in (STYLES / "instruments").iterdir()}
    own = set().union(*(sheets[sheet] for sheet in INSTRUMENTS[name].stylesheets))
    everywhere = set().union(
        *(classes_of(STYLES / f"{sheet}.css") for sheet in ("base", "parts", "work", "screen"))
    )
    assert (used & set().union(*sheets.values())) - everywhere <= own


@pytest.mark.parametrize(
    ("name", "sheets", "scripts"),
    [
        ("direct-assessment", {"line", "slider"}, set()),
        ("esa", {"line", "slider", "spans", "panes"}, set()),
        (
            "chat-arena",
            {"preference", "formatted", "columns", "difference"},
            {"formatted", "columns", "difference"},
        ),
        ("chat-likert", {"likert", "formatted", "columns"}, {"formatted", "columns"}),
        ("e2e-elicitation", {"pictorial"}, {"pictorial"}),
        ("rotowire-facts", {"tables", "counter", "count"}, {"lookup"}),
        ("tuna08-identification", {"pictures", "timed"}, {"timed", "bell", "device"}),
    ],
)
def test_a_campaign_loads_what_its_screens_need(name, sheets, scripts):
    definition = preset(name)
    assert names_of(work_stylesheets(definition)) == {"work", "screen"} | sheets
    optional = {"timed", "bell", "device", "pictorial", "formatted", "columns", "difference"}
    optional.add("lookup")
    assert names_of(work_scripts(definition)) & optional == scripts


def test_scripts_bring_everything_that_they_import():
    """A browser would fetch what is missing here one round trip later."""
    scripts = [path for path in (PROJECT / "static/js").rglob("*.js")]
    assert len(scripts) > 50
    for path in scripts:
        named = re.findall(r' from "(\.[^"]+)";$', without_comments(path.read_text()), re.MULTILINE)
        addresses = [(path.parent / each).resolve() for each in named]
        brought = with_imports(str(path.relative_to(PROJECT / "static")))
        assert {PROJECT / "static" / each for each in brought} >= set(addresses), path


@pytest.mark.parametrize("in_markdown", [False, True])
def test_dialogues_bring_markdown_only_where_their_turns_have_it(in_markdown: bool):
    show = [{"block": "outputs", "format": "dialogue", "markdown_turns": in_markdown}]
    definition = slider_definition(screens=[{"name": "rate", "show": show, "ask": ["fluency"]}])
    for names in (names_of(work_scripts(definition)), names_of(work_stylesheets(definition))):
        assert "dialogue" in names and ("formatted" in names) == in_markdown


def test_a_pictorial_block_brings_its_script_and_stylesheet():
    definition = preset("e2e-elicitation")
    screen = definition.screens[0]
    show = [block.model_copy(update={"pictorial": True}) for block in screen.show]
    screens = [screen.model_copy(update={"show": show})]
    pictorial = definition.model_copy(update={"screens": screens})
    assert "pictorial" in names_of(work_scripts(pictorial))
    assert "pictorial" in names_of(work_stylesheets(pictorial))


@pytest.mark.slow
@pytest.mark.parametrize("name", preset_names())
def test_the_gallery_shows_a_preset_in_its_own_styles(client, db, name):
    page = client.get(reverse("rankme:gallery-preset", args=[name]), {"page": "work"})
    expected = [
        "css/base.css",
        "css/parts.css",
        "css/participant.css",
        *work_stylesheets(preset(name)),
    ]
    assert styles_inside(page) == "\n".join(lines_of(sheet) for sheet in expected)


def test_the_pages_of_raters_contain_their_styles_and_link_none(client, db):
    """A stylesheet that has to be fetched keeps the page blank for another round trip."""
    campaign = make_campaign(slider_definition(), items=1, systems=1)
    consent = client.get(address("enter", campaign))
    arrive(client, campaign, id="w1")
    instructions = client.get(address("instructions", campaign))
    client.post(address("instructions", campaign))
    work = client.get(address("work", campaign))
    for page in (consent, instructions, work):
        without_scripts = re.compile(r"<noscript>.*?</noscript>", re.DOTALL)
        assert "stylesheet" not in without_scripts.sub("", page.text)
        assert lines_of("css/base.css") in styles_inside(page)
    for name in ("work", "screen", "instruments/line", "instruments/slider"):
        assert lines_of(f"css/{name}.css") in styles_inside(work)
    for name in ("instruments/likert", "timed"):
        assert lines_of(f"css/{name}.css") not in styles_inside(work)


def test_styles_inside_a_page_are_allowed_by_a_nonce_of_this_answer(client, db):
    campaign = make_campaign(slider_definition(), items=1, systems=1)
    nonces = set()
    for _ in range(2):
        page = client.get(address("enter", campaign))
        nonce = re.search(r'<style nonce="([^"]+)"', page.text)[1]
        policy = policy_of(page.headers["Content-Security-Policy"])
        assert policy["style-src"] == ["'self'", f"'nonce-{nonce}'"]
        nonces.add(nonce)
    assert len(nonces) == 2
    plain = client.get(reverse("account_login"))
    assert policy_of(plain.headers["Content-Security-Policy"])["style-src"] == ["'self'"]


def test_only_the_consent_page_contains_a_script_which_a_nonce_of_this_answer_allows(client, db):
    campaign = make_campaign(slider_definition())
    page = client.get(address("enter", campaign))
    nonce, script = re.search(
        r'<script nonce="([^"]+)">(.*?)</script>', page.text, re.DOTALL
    ).groups()
    assert script == lines_of("js/participant/agree.js")
    policy = policy_of(page.headers["Content-Security-Policy"])
    assert policy["script-src"] == ["'self'", f"'nonce-{nonce}'"]
    arrive(client, campaign, id="w1")
    for name in ("instructions", "work"):
        page = client.get(address(name, campaign))
        client.post(address("instructions", campaign))
        assert policy_of(page.headers["Content-Security-Policy"])["script-src"] == ["'self'"]
        assert "<script nonce" not in page.text


def test_a_page_for_a_document_that_has_its_styles_contains_none(client, db):
    """And one that needs others contains them all."""
    campaign = make_campaign(slider_definition())
    page = client.get(address("enter", campaign)).text
    there = re.search(r'data-sheets="([^"]+)"', page)[1]
    assert there == "css/base.css css/parts.css css/participant.css"
    arrive(client, campaign, id="w1")
    instructions = address("instructions", campaign)
    has_styles = {"Styles-There": there}
    assert "<style" not in client.get(instructions, headers=has_styles).text
    client.post(instructions)
    work = client.get(address("work", campaign), headers=has_styles)
    assert "<style" in work.text


def test_a_script_inside_a_page_ends_no_script():
    assert "</" not in lines_of("js/participant/agree.js")
    assert "<!--" not in lines_of("js/participant/agree.js")


def test_stylesheets_name_no_other_file_and_end_no_style():
    """Inside a page, the address of a file would mean another one, and `</` would be markup."""
    sheets = {sheet.relative_to(STYLES.parent).as_posix() for sheet in STYLES.rglob("*.css")}
    assert len(sheets) > 20
    told = {sheet for sheet in sheets if re.search(r"url\(|@import|</", lines_of(sheet))}
    assert told == set()


def test_rules_lose_comments_and_indents_and_nothing_else():
    text = (STYLES / "timed.css").read_text()
    bare = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    assert lines_of("css/timed.css").split() == bare.split()
    assert "\n\n" not in lines_of("css/timed.css") and "/*" in text
