"""Try a draft out: simulated raters work in a transaction that is always rolled back.

The pages that an organiser would then see are kept for an hour (`actions.campaign.tryouts`). Their
numbers never reach the record, which can be added to but not deleted from.
"""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.models import User
from django.contrib.sessions.backends.db import SessionStore
from django.core.handlers.wsgi import WSGIHandler
from django.core.signals import request_finished, request_started
from django.db import close_old_connections, transaction
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _

from rankme.actions.campaign import campaigns, tryouts
from rankme.actions.campaign.duplicates import duplicate_campaign
from rankme.actions.jobs import APOLOGY
from rankme.actions.rows.stored_files import delete_files
from rankme.actions.runs import analysis_runs
from rankme.errors import RankmeError
from rankme.exporting.bundle import stored_paths
from rankme.models import AnalysisRun, Campaign, MediaFile, Slot
from rankme.models.campaigns import new_code
from rankme.protocols.definition import Definition
from rankme.simulation.raters import Cohort, Latencies, Rater

from .rehearsed_raters import knowledge_of

log = logging.getLogger(__name__)

MOST_RATERS, MOST_SECONDS, MOST_PICTURES = 40, 60.0, 60
# An address of nobody (RFC 5737), so that no real rater shares its limits.
ADDRESS = "192.0.2.1"
# Enough to see what a report contains.
FEW = {"runs": 100, "agreement_resamples": 50, "metric_resamples": 50}
PAGES = ("monitor/", "raters/", "quality/", "items/")
SENDS = re.compile(r"<form\b[^>]*\bmethod=\"post\".*?</form>", re.DOTALL)

Kept = dict[str, tuple[str, bytes]]


def try_out(campaign_id: int, user_id: int) -> None:
    """Make the pages of a draft as if raters had worked; what is stored meanwhile is undone."""
    campaign = Campaign.objects.filter(pk=campaign_id).first()
    if campaign is None:  # deleted since the click
        return
    code = campaign.code
    try:
        tryouts.keep_pages(code, _made_up(campaign, by=User.objects.get(pk=user_id)))
    except RankmeError as refusal:
        tryouts.tell(code, status="failed", error=str(refusal))
    except Exception:
        log.exception("the try of campaign %s failed", code)
        tryouts.tell(code, status="failed", error=APOLOGY)


def _made_up(campaign: Campaign, *, by: User) -> Kept:
    files: list[str] = []
    try:
        with _one_connection(), transaction.atomic():
            copy = duplicate_campaign(campaign, by=by, with_material=True)
            files += MediaFile.objects.filter(campaign=copy).values_list("stored", flat=True)
            copy = campaigns.change_definition(copy, _definition(campaign), by=by)
            copy = campaigns.launch_campaign(copy, by=by)
            _work(copy, told=campaign.code)
            run = _analysed(copy, by=by)
            files += stored_paths(run) if run else []
            pages = _pages(campaign, copy, run, by=by)
            transaction.set_rollback(True)
    finally:
        delete_files(files)
    return pages


@contextmanager
def _one_connection() -> Iterator[None]:
    """Let requests of this process share its transaction, which Django would close for each."""
    signals = (request_started, request_finished)
    for signal in signals:
        signal.disconnect(close_old_connections)
    try:
        yield
    finally:
        for signal in signals:
            signal.connect(close_old_connections)


def _definition(campaign: Campaign) -> Definition:
    """The same campaign with an open link, whatever panel its raters will come from."""
    definition = campaigns.definition_of(campaign)
    crowd = definition.crowd.model_copy(
        update={
            "panel": "generic",
            "open_link": True,
            "return_url": "",
            "least_seconds_per_screen": 0,
            "wait_least_seconds": False,
            "too_fast": "flag",
            "completion_codes": definition.crowd.completion_codes.model_copy(
                update={"completed": new_code(8).upper()}
            ),
        }
    )
    title = _("Made up: %(title)s") % {"title": definition.title}
    return definition.model_copy(update={"title": title[:200], "crowd": crowd})


def _work(copy: Campaign, *, told: str) -> None:
    """Let careful raters come one after the other, until all is done or it takes too long."""
    link = settings.SITE_URL + reverse("rankme:enter", args=[copy.code])
    cohort = Cohort(
        link,
        known=knowledge_of(copy),
        reports_times=True,
        patience_seconds=0,
        transport=httpx.WSGITransport(WSGIHandler(), remote_addr=ADDRESS),
    )
    latencies, end, batches = Latencies(), time.monotonic() + MOST_SECONDS, copy.slots.count()
    for number in range(MOST_RATERS):
        rater = Rater(cohort, number, latencies)
        rater.take_part()
        done = copy.slots.filter(state=Slot.State.DONE).count()
        tryouts.tell(told, status="working", done=done, of=batches)
        if done == batches or time.monotonic() > end:
            break


def _analysed(copy: Campaign, *, by: User) -> AnalysisRun | None:
    if not analysis_runs.has_judgements(copy):
        return None
    run = analysis_runs.request_run(copy, FEW, by=by)
    analysis_runs.execute(run.pk, "tryout")
    run.refresh_from_db()
    return run


# The pages, as the organiser of the copy sees them ---------------------------------------------


def _pages(campaign: Campaign, copy: Campaign, run: AnalysisRun | None, *, by: User) -> Kept:
    """The pages by path, with links between them, and without what sends anything."""
    session = SessionStore()
    session[SESSION_KEY] = str(by.pk)
    session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    session[HASH_SESSION_KEY] = by.get_session_auth_hash()
    session.create()
    there = reverse("rankme:campaign", args=[copy.code])
    here = reverse("rankme:campaign-tryout", args=[campaign.code])
    client = httpx.Client(
        base_url=settings.SITE_URL,
        transport=httpx.WSGITransport(WSGIHandler(), remote_addr=ADDRESS),
        cookies={settings.SESSION_COOKIE_NAME: str(session.session_key)},
    )
    paths = [*PAGES, *([f"analysis/{run.pk}/"] if run else [])]
    pages: Kept = {}
    pictures: list[str] = []
    for path in paths:
        text = client.get(there + path).text
        pictures += re.findall(rf'<img[^>]* src="{there}([^"]+)"', text)
        text = _marked(SENDS.sub("", text), here).replace(there, f"{here}pages/")
        pages[path] = ("text/html; charset=utf-8", text.encode())
    for path in pictures[:MOST_PICTURES]:
        answer = client.get(there + path)
        if answer.status_code == 200:
            pages[path] = (answer.headers["Content-Type"], answer.content)
    return pages


def _marked(text: str, here: str) -> str:
    """Say at the top of a page that its numbers are made up."""
    notice = format_html(
        '<div class="messages" role="note"><p class="message warning">'
        '{} <a href="{}">{}</a></p></div>',
        _(
            "All numbers on this page are made up by simulated raters and stored nowhere. "
            "Ignore flags about times: these raters answer at once."
        ),
        here,
        _("Back to the draft"),
    )
    start = re.search(r'<main id="content"[^>]*>', text)
    return text[: start.end()] + notice + text[start.end() :] if start else text
