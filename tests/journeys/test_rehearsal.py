"""A rehearsal: an organiser's own campaign, with simulated raters who get paid by nobody."""

import re
import threading
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from analysis.report import rendered
from rankme.errors import RefusedAction
from rankme.management.rehearsed_raters import read_kinds, with_attackers
from rankme.models import (
    AnalysisRun,
    Campaign,
    PanelAccount,
    PanelPayment,
    PanelStudy,
    Participant,
)
from rankme.practice_panel.panel import PracticePanel
from rankme.practice_panel.server import PracticeServer
from rankme.queries.trace_measures import trace_measures
from rankme.simulation.characters import ATTACKERS
from tests.campaigns import make_campaign, slider_definition
from tests.live import LiveSite, free_port

pytestmark = pytest.mark.slow
NO_CHANCE = {"returns": 0, "time_outs": 0, "wrong_codes": 0}


@pytest.fixture(autouse=True)
def without_pictures(monkeypatch) -> None:
    """Nobody looks at them here."""
    monkeypatch.setattr(rendered, "PLOT_FORMATS", ())


def worked_through() -> Campaign:
    """The copy that a rehearsal made, all of whose places are taken and whose report is there."""
    copy = Campaign.objects.latest("pk")
    assert copy.title.startswith("Rehearsal: ")
    assert not copy.slots.exclude(state="done").exists()
    assert AnalysisRun.objects.get(campaign=copy).state == "done"
    return copy


def test_a_rehearsal_ends_with_equal_books_and_a_report(live_site: LiveSite, settings):
    settings.SITE_URL = live_site.url
    campaign = make_campaign(
        slider_definition(raters_per_trial=2, crowd={"pay_per_batch": 2}), items=4, systems=4
    )
    before = Campaign.objects.values_list("state", "definition").get()
    said = StringIO()
    call_command("rehearse", campaign.code, seed=3, returns=0.3, time_outs=0.1, stdout=said)
    lines = {line.split("  ")[0].strip(): line.split() for line in said.getvalue().splitlines()}
    for state in PanelStudy.objects.get().submissions.values_list("state", flat=True):
        here, there = lines[state][-2:]
        assert here == there
    paid = sum(PanelPayment.objects.filter(state="paid").values_list("amount", flat=True))
    assert lines["rewards paid"][2:4] == [str(paid)] * 2 and paid > 0
    assert (
        Campaign.objects.filter(pk=campaign.pk).values_list("state", "definition").get() == before
    )
    assert f"/campaigns/{worked_through().code}/panel/books/" in said.getvalue()


@pytest.fixture
def site_of_another_panel(site_without_web: LiveSite):
    """The site with the address of a practice panel that is not the rehearsal's."""
    site, port = site_without_web, free_port()
    site.environment["PROLIFIC_API"] = f"http://127.0.0.1:{port}"
    try:
        site.start_web()
        yield site, port
    finally:
        site.kill_web()
        del site.environment["PROLIFIC_API"]


def test_a_rehearsal_ends_at_once_where_the_site_cannot_check_signatures(
    site_of_another_panel: tuple[LiveSite, int], settings
):
    site, port = site_of_another_panel
    settings.SITE_URL, settings.PROLIFIC_API = site.url, f"http://127.0.0.1:{free_port()}"
    campaign = make_campaign(slider_definition(raters_per_trial=3), items=4, systems=4)

    def refusal() -> str:
        with pytest.raises(CommandError) as refused:
            call_command("rehearse", campaign.code, stdout=StringIO())
        assert not PanelStudy.objects.filter(state="ACTIVE").exists()
        assert not Participant.objects.exists()
        return str(refused.value)

    unanswered = refusal()
    assert "could not check the practice panel's signature" in unanswered
    assert f"PROLIFIC_API={settings.PROLIFIC_API}" in unanswered
    other = PracticeServer(PracticePanel(), port)
    threading.Thread(target=other.serve_forever, daemon=True).start()
    try:
        assert refusal() == unanswered
    finally:
        other.shutdown()
        other.server_close()


def test_a_rehearsal_next_to_a_practice_panel_takes_another_address(live_site: LiveSite, settings):
    taken = PracticeServer(PracticePanel())
    settings.SITE_URL, settings.PROLIFIC_API = live_site.url, taken.address
    campaign = make_campaign(slider_definition(crowd={"pay_per_batch": 2}), items=2, systems=2)
    said = StringIO()
    try:
        call_command("rehearse", campaign.code, returns=0, time_outs=0, stdout=said)
    finally:
        taken.server_close()
    assert f"{taken.address} is in use, so links are not signed" in said.getvalue()
    assert not PanelStudy.objects.get().is_secure


def test_a_rehearsal_shows_what_checks_and_rules_do_to_kinds(live_site: LiveSite, settings):
    """Careful raters answer the quiz, obey, and see damage; others are turned away or excluded."""
    settings.SITE_URL = live_site.url
    quiz = {"question": "What?", "choices": ["Length", "Fluency", "Taste"], "answer": "Fluency"}
    look = {"text": "Move this to {value}.", "value": 20, "tolerance": 4}
    known = {"outputs": ["Xq wer tz."], "at_most": 30}
    fluency = {"criterion": "fluency"}
    checks = [
        fluency | {"name": "look", "kind": "instructed", "per_batch": 3, "options": look},
        fluency | {"name": "known", "kind": "known_answer", "options": known},
        {"name": "what", "kind": "quiz", "options": quiz | {"tries": 2}},
    ]
    # A careful rater slips on 3 of 100 such pages: twelve raters do so twice in 3 of 100 runs.
    rules = {
        "exclude_if": "look.failed >= 3 or median_seconds < 3 or impossible_times >= 1",
        "flag_if": "known.failed >= 1",
        "gate_if": "quiz.failed >= 1",
    }
    definition = slider_definition(
        checks=checks, rules=rules, raters_per_trial=4, crowd={"pay_per_batch": 2}
    )
    campaign = make_campaign(definition, items=8, systems=3)
    said = StringIO()
    kinds = "careful=.5,copy=.3,middle=.2"
    call_command("rehearse", campaign.code, seed=5, kinds=kinds, stdout=said, **NO_CHANCE)
    rows = [line.split() for line in said.getvalue().splitlines()]
    found = {row[0]: [int(n) for n in row[1:]] for row in rows if row and row[0] in kinds}
    assert found.keys() == {"careful", "copy", "middle"}
    came, turned_away, excluded, _marked, counted = found["careful"]
    assert (turned_away, excluded) == (0, 0) and came == counted == 12
    for kind in ("copy", "middle"):
        came, turned_away, excluded, _marked, counted = found[kind]
        assert came == turned_away + excluded > 0 and counted == 0
    worked_through()
    assert PanelAccount.objects.count() == 1 and not PanelAccount.objects.real().exists()


def test_a_rehearsal_says_which_attackers_the_rules_found(live_site: LiveSite, settings):
    settings.SITE_URL = live_site.url
    definition = slider_definition(
        rules={"exclude_if": "median_seconds < 4"},
        raters_per_trial=4,
        crowd={"pay_per_batch": 2, "traces": True},
    )
    campaign = make_campaign(definition, items=8, systems=3)
    said = StringIO()
    call_command("rehearse", campaign.code, seed=1, attackers=0.7, stdout=said, **NO_CHANCE)
    line = next(line for line in said.getvalue().splitlines() if line.startswith("Attackers"))
    of_kind = {
        kind: (int(found), int(came))
        for kind, found, came in re.findall(r"(script|clicker|paster|replay) (\d+) of (\d+)", line)
    }
    assert of_kind.keys() == {"script", "clicker", "paster", "replay"}
    assert of_kind["script"][0] == of_kind["script"][1] > 0
    assert all(of_kind[kind][0] == 0 for kind in ("clicker", "paster", "replay"))
    copy = Campaign.objects.exclude(pk=campaign.pk).get()
    measures = trace_measures(list(copy.participants.values_list("pk", flat=True))).values()
    for name in ("untrusted_share", "centred_share", "pasted_share", "repeated_share"):
        assert any((found[name] or 0) > 0.9 for found in measures), name


def test_attackers_are_mixed_in_at_their_share():
    mixed = with_attackers({"careful": 3, "copy": 1}, 0.2)
    assert mixed == pytest.approx(
        {"careful": 0.6, "copy": 0.2, **dict.fromkeys(ATTACKERS, 0.2 / len(ATTACKERS))}
    )
    assert with_attackers({"careful": 2}, 0) == {"careful": 1}
    for share in (-0.1, 1, float("nan")):
        with pytest.raises(RefusedAction):
            with_attackers({"careful": 1}, share)


@pytest.mark.parametrize("kinds", ["careful", "careful=x", "careful=-1", "careful=0", "best=1"])
def test_kinds_of_raters_need_shares(db, kinds):
    with pytest.raises(RefusedAction):
        read_kinds(kinds)


def test_a_production_site_rehearses_nothing(db, settings):
    settings.PRODUCTION = True
    with pytest.raises(CommandError, match="production"):
        call_command("rehearse", "anything")
