"""Another package adds to the registries by its entry points, and nothing else is edited.

`tests/additions/` is such a package, built and installed into a folder as anybody would do it.
"""

import os
import random
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from analysis.plugins import BrokenPlugin, plugin_folders, with_plugins
from analysis.text_metrics.scoring import METRICS, score
from analysis.text_metrics.text_files import Material
from rankme.actions.campaign import campaigns
from rankme.actions.imports.import_jobs import execute_import
from rankme.actions.imports.judgement_imports import import_judgements, start_archive
from rankme.actions.runs import analysis_runs
from rankme.designs.plan import DesignError
from rankme.designs.registry import DESIGNS, draw
from rankme.importing import JUDGEMENT_READERS, READERS
from rankme.models import Campaign, Judgement
from rankme.panel_links import PANELS
from rankme.protocols.checks import CHECK_KINDS
from rankme.protocols.files import definition_from_yaml
from rankme.protocols.instruments import INSTRUMENTS, Instrument
from rankme.simulation.answers import Taste, answers_to
from tests.campaigns import make_owner
from tests.pages.addresses import address
from tests.pages.rater.visits import begin, send
from tests.runs import executed

PROJECT = Path(__file__).resolve().parents[2]
ADDITIONS = PROJECT / "tests/additions"

CAMPAIGN = """
title: Stars
criteria:
  - name: liking
    question: How much do you like it?
    instrument: stars
    options: {most: 4}
screens:
  - {name: rate, show: [input, outputs], ask: [liking]}
design: {kind: one_each, options: {first_system: 1}}
raters_per_trial: 2
seed: 5
texts: {consent: Do you agree?, instructions: Give stars.}
"""
OUTPUTS = """# A
A sunny day.
A rainy day.
A foggy day.
# B
The sun shines.
It rains.
There is fog.
"""
VOTES = "voter,text,system,stars\nv1,t1,A,3\nv1,t2,B,1\nv2,t1,A,2\nv2,t2,B,2\nv3,t1,B,1\n"

# Our registries, by the group of entry points that adds to each.
REGISTRIES: dict[str, dict] = {
    "rankme.instruments": INSTRUMENTS,
    "rankme.designs": DESIGNS,
    "rankme.readers": READERS,
    "rankme.judgement_readers": JUDGEMENT_READERS,
    "rankme.panels": PANELS,
    "rankme.metrics": METRICS,
    "rankme.checks": CHECK_KINDS,
}


@pytest.fixture(scope="module")
def installed(tmp_path_factory) -> Path:
    """The folder into which the package was installed from its own wheel."""
    wheels, folder = tmp_path_factory.mktemp("wheels"), tmp_path_factory.mktemp("installed")
    pip("wheel", "--no-build-isolation", "--wheel-dir", wheels, ADDITIONS)
    (wheel,) = wheels.glob("*.whl")
    pip("install", "--target", folder, wheel)
    return folder


def pip(command: str, *arguments: str | Path) -> None:
    options = ["--quiet", "--disable-pip-version-check", "--no-deps", "--no-index"]
    subprocess.run([sys.executable, "-m", "pip", command, *options, *arguments], check=True)


@pytest.fixture
def added(installed: Path, tmp_path, monkeypatch: pytest.MonkeyPatch, settings) -> Iterator[None]:
    """What a process does that starts with the package, done in this one, and undone."""
    monkeypatch.syspath_prepend(installed)
    for group, registry in REGISTRIES.items():
        for name, value in with_plugins(group, {}, lambda found: True, "").items():
            monkeypatch.setitem(registry, name, value)
    (templates,) = settings.TEMPLATES
    directories = [*templates["DIRS"], *plugin_folders("templates")]
    settings.TEMPLATES = [templates | {"DIRS": directories}]
    settings.STATICFILES_DIRS = [*settings.STATICFILES_DIRS, *plugin_folders("static")]
    settings.MEDIA_ROOT = tmp_path / "media"
    yield
    for name in [name for name in sys.modules if name.split(".")[0] == "rankme_stars"]:
        del sys.modules[name]


REPORT = """
import django
django.setup()
from django.contrib.staticfiles import finders
from django.template.loader import get_template
from rankme.designs.registry import DESIGNS
from rankme.importing import JUDGEMENT_READERS, READERS
from rankme.panel_links import PANELS
from rankme.protocols.checks import CHECK_KINDS
from rankme.protocols.instruments import INSTRUMENTS, Instrument
from analysis.text_metrics.scoring import METRICS
assert "stars" in INSTRUMENTS and "one_each" in DESIGNS and "headed" in READERS
assert "votes" in JUDGEMENT_READERS and "village" in PANELS
assert "vowels" in METRICS and "nonsense" in CHECK_KINDS
get_template("participant/instruments/stars.html")
assert finders.find("js/instruments/stars.js") and finders.find("css/instruments/stars.css")
"""


def started(*folders: Path) -> subprocess.CompletedProcess[str]:
    """A process that finds these packages and reads every registry."""
    environment = {
        "PYTHONPATH": os.pathsep.join(map(str, folders)),
        "DJANGO_SETTINGS_MODULE": "evalsite.settings",
        "ENVIRONMENT": "local",
        "DATA_FOLDER": os.environ["DATA_FOLDER"],
        "PATH": os.environ["PATH"],
    }
    command = [sys.executable, "-W", "ignore", "-c", REPORT]
    return subprocess.run(command, cwd=PROJECT, env=environment, capture_output=True, text=True)


def test_a_process_finds_everything_that_an_installed_package_adds(installed):
    found = started(installed)
    assert found.returncode == 0, found.stderr


# What is wrong with the entry point of a package, and what the message says of it.
BROKEN = {
    "stars = nowhere:Stars": "cannot be loaded: ModuleNotFoundError: No module named 'nowhere'",
    "stars = json:Stars": "cannot be loaded: AttributeError: module 'json' has no attribute",
    "stars = json:dumps": "is a function, not an Instrument.",
    "slider = json:dumps": "this name is taken.",
}


@pytest.mark.parametrize("entry", BROKEN)
def test_a_broken_entry_point_is_named_with_its_package(entry: str, tmp_path, monkeypatch):
    about = tmp_path / "broken_stars-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: broken-stars\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[rankme.instruments]\n{entry}\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(BrokenPlugin) as refused:
        with_plugins(
            "rankme.instruments",
            INSTRUMENTS,
            lambda found: isinstance(found, Instrument),
            "an Instrument",
        )
    message = str(refused.value)
    assert message.startswith(f"The entry point {entry} (rankme.instruments) of broken-stars")
    assert BROKEN[entry] in message


def uploaded(olga, campaign: Campaign, content: str, **more):
    """Upload through the page, and do what a worker would: check, then import."""
    file = SimpleUploadedFile("day.txt", content.encode())
    answer = olga.post(address("campaign-material", campaign), {"outputs": file, **more})
    assert answer.status_code == 302, answer.content.decode()
    row = campaign.material_imports.latest("pk")
    assert execute_import(row.pk, "tester")
    return row


def imported(olga, campaign: Campaign, content: str) -> None:
    row = uploaded(olga, campaign, content)
    olga.post(address("campaign-import-take", campaign, row.pk))
    assert execute_import(row.pk, "tester")


def launched(olga, text: str) -> Campaign:
    """A campaign of this file with outputs, and nobody logged in."""
    campaign = campaigns.create_campaign(make_owner(), definition_from_yaml(text))
    imported(olga, campaign, OUTPUTS)
    campaign = campaigns.launch_campaign(campaign, by=make_owner())
    olga.logout()
    return campaign


def simulated(document: dict, rng: random.Random) -> list[list[dict]]:
    """What a simulated rater answers on each trial's only screen."""
    (screen,) = document["screens"]
    taste = Taste(rng, {}, leniency=0)
    return [answers_to(screen, trial, taste) for trial in document["trials"]]


def sit_through(client, campaign: Campaign, rater: str) -> dict:
    """A simulated rater's whole batch; returns what the work page handed to the browser."""
    document = begin(client, campaign, id=rater)
    for trial, answers in enumerate(simulated(document, random.Random(rater))):
        payload = {
            "version": document["version"],
            "key": f"00000000-0000-4000-8000-{int(rater):08d}{trial:04d}",
            "assignment": document["assignment"],
            "trial": trial,
            "screen": 0,
            "answers": answers,
            "times": {"spent_ms": 1},
            "comment": "",
            "replaces": None,
        }
        assert send(client, campaign, payload).status_code == 201
    assert client.post(address("finish", campaign)).status_code == 200
    return document


def reported(campaign: Campaign) -> dict:
    run = analysis_runs.request_run(campaign, {"runs": 20}, by=make_owner())
    return executed(run, pictures=()).result["report"]


# All three, from the campaign file to the report ---------------------------------------------


@pytest.mark.django_db
def test_what_was_added_goes_from_the_campaign_file_to_the_report(olga, client, added):
    campaign = campaigns.create_campaign(make_owner(), definition_from_yaml(CAMPAIGN))
    imported(olga, campaign, OUTPUTS)
    assert campaign.material_imports.get().format == "headed"
    plan_page = olga.get(address("campaign-launch", campaign)).content.decode()
    assert "One output per item" in plan_page
    assert "Each item with one of its outputs, the systems in turn." in plan_page
    campaign = campaigns.launch_campaign(campaign, by=make_owner())
    client.logout()

    for rater in ("1", "2"):
        document = sit_through(client, campaign, rater)
        client.cookies.clear()
    shown = sorted(text for trial in document["trials"] for text in trial["outputs"])
    assert shown == ["A rainy day.", "The sun shines.", "There is fog."]

    values = set(Judgement.objects.values_list("value", flat=True))
    assert len(values) > 1 and values <= {1, 2, 3, 4}
    report = reported(campaign)
    (criterion,) = report["criteria"]
    assert (criterion["criterion"], report["data"]["judgements"]) == ("liking", 6)
    assert criterion["scale"] is not None


# An instrument -------------------------------------------------------------------------------


@pytest.mark.django_db
def test_a_new_instrument_brings_its_files_and_words_and_refuses_answers(olga, client, added):
    campaign = launched(olga, CAMPAIGN)
    document = begin(client, campaign, id="w1")
    page = client.get(address("work", campaign)).content.decode()
    assert 'data-stars data-most="4"' in page
    assert ".star-row {" in page, "the styles of css/instruments/stars.css"
    script = client.get(document["instruments"]["stars"])
    assert b"export function mount(root" in b"".join(script.streaming_content)
    assert document["instrument_words"] == {
        "stars": {"missing_stars": "Please give this text its stars."}
    }
    (answers, *_) = simulated(document, random.Random(1))
    answers[0]["value"] = 5
    payload = {
        "version": document["version"],
        "key": "00000000-0000-4000-8000-000000000000",
        "assignment": document["assignment"],
        "trial": 0,
        "screen": 0,
        "answers": answers,
    }
    refused = send(client, campaign, payload)
    assert refused.status_code == 422
    assert refused.json()["problems"] == [{"place": "liking[0]", "message": "Give 1 to 4 stars."}]


@pytest.mark.django_db
def test_the_form_asks_for_the_options_of_a_new_instrument_and_design(olga, added):
    campaign = campaigns.create_campaign(make_owner(), definition_from_yaml(CAMPAIGN))
    page = olga.get(address("campaign-edit", campaign)).content.decode()
    assert "One star or more (stars)" in page
    assert "Stars to give" in page and "The best get all" in page
    assert "One output per item (one_each)" in page
    assert "First system" in page and "The system of the first item, from 0." in page


# A design ------------------------------------------------------------------------------------


def test_a_new_design_draws_a_plan_and_refuses_wrong_material(added):
    plan = draw("one_each", 6, 3, {"first_system": 1}, 1, seed=0)
    assert plan.systems.ravel().tolist() == [1, 2, 0, 1, 2, 0]
    assert plan.balance.per_system.min == plan.balance.per_system.max == 2
    with pytest.raises(DesignError, match="at least as many items as systems"):
        draw("one_each", 2, 3, {}, 1, seed=0)
    with pytest.raises(DesignError, match='has no option "last_system"'):
        draw("one_each", 6, 3, {"last_system": 1}, 1, seed=0)


# Formats -------------------------------------------------------------------------------------


@pytest.mark.django_db
def test_a_new_format_is_offered_and_lists_what_is_wrong_with_a_file(olga, added):
    campaign = campaigns.create_campaign(make_owner(), definition_from_yaml(CAMPAIGN))
    page = olga.get(address("campaign-material", campaign)).content.decode()
    assert '<option value="headed">Outputs below headings</option>' in page
    assert "A heading `# system`, and below it one output per line." in page
    row = uploaded(olga, campaign, f"Too early.\n{OUTPUTS}", format="headed")
    row.refresh_from_db()
    assert [(problem["line"], problem["message"]) for problem in row.problems] == [
        (1, "There is no heading above this output.")
    ]


@pytest.mark.django_db
def test_a_new_format_of_judgements_names_its_instrument_and_is_analysed(olga, tmp_path, added):
    (tmp_path / "votes.csv").write_text(VOTES)
    archive = start_archive(make_owner(), title="Votes")
    page = olga.get(address("campaign-material", archive)).content.decode()
    assert "A table with the columns voter, text, system and stars." in page
    campaign = import_judgements(make_owner(), tmp_path / "votes.csv", title="Votes")
    (criterion,) = campaigns.definition_of(campaign).criteria
    assert (criterion.instrument, criterion.options) == ("stars", {"most": 3})
    assert reported(campaign)["data"]["judgements"] == 5


# A panel, a metric, a check -------------------------------------------------------------------


def test_raters_of_a_new_panel_come_and_return(added):
    crowd = definition_from_yaml(f"{CAMPAIGN}crowd: {{panel: village}}\n").crowd
    assert crowd.panel == "village"
    with pytest.raises(ValueError):
        PANELS["village"].check_return_url("https://elsewhere.example.org/?{code}")


def test_a_new_metric_is_computed(added):
    material = Material({"A": {"1": "aha", "2": "shh"}})
    (vowels,) = score(material, ["vowels"])
    assert vowels.systems == {"A": pytest.approx(1 / 3)}


CHECKED = f"{CAMPAIGN.replace('one_each, options: {first_system: 1}', 'complete')}checks:\n" + (
    "  - {name: backwards, kind: nonsense, criterion: liking, options: {at_most: 1}}\n"
    "rules:\n  exclude_if: backwards.failed >= 1\n"
)


@pytest.mark.django_db
def test_a_new_kind_of_check_has_its_page_and_its_measures(olga, client, added):
    document = begin(client, launched(olga, CHECKED), id="1")
    texts = [text for trial in document["trials"] for text in trial["outputs"]]
    backwards = {" ".join(reversed(text.split())) for text in OUTPUTS.splitlines()}
    assert backwards & set(texts)


# Nothing else --------------------------------------------------------------------------------

# Names that mean something else, too, wherever they stand alone: "text", "count", "choice", …
NAMES = ("checklist", "response_time", "click_target", "preference", "best_worst", "mr_coverage")
NAMES += ("slider", "likert", "latin_square", "random_blocks", "items_only", "tuna", "rotowire")
# What owns a name: the registries and what is registered, and data that chose it.
OWN = (
    "rankme/protocols/instruments/",
    "rankme/designs/",
    "rankme/importing/",
    "rankme/demonstration/",
    "static/js/instruments/",
    "templates/participant/instruments/",
)
# The first choice of a new form, a line where nothing else is known, and the role of ARIA.
DEFAULTS = {
    "rankme/forms/definition/settings.py": {"slider", "random_blocks"},
    "rankme/actions/imports/archive_definitions.py": {"slider"},
    "rankme/exporting/paper/heds_questions.py": {"slider"},  # the data sheet's own word
    "static/js/work/desk.js": {"slider"},
    "static/js/work/screen.js": {"slider"},
}


def test_no_other_module_names_an_instrument_a_design_or_a_format():
    """A module that asks for a name would have to be edited for the next one."""
    quoted = re.compile(rf"[\"'`=]({'|'.join(NAMES)})[\"'`\]]")
    assert quoted.search('if question.instrument === "click_target"')
    found = {
        (str(path.relative_to(PROJECT)), name)
        for pattern in ("rankme/**/*.py", "static/js/**/*.js", "templates/**/*.html")
        for path in PROJECT.glob(pattern)
        if not str(path.relative_to(PROJECT)).startswith(OWN) and "migrations" not in path.parts
        for name in quoted.findall(path.read_text("utf-8"))
    }
    assert {(path, name) for path, name in found if name not in DEFAULTS.get(path, ())} == set()
