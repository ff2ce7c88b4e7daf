"""A rehearsal: a copy of a campaign, a practice panel, and simulated raters who get paid."""

from __future__ import annotations

import contextlib
import random
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth.models import User

from rankme.actions.campaign import campaigns
from rankme.actions.campaign.duplicates import duplicate_campaign
from rankme.actions.panel import accounts, entry, studies, sync
from rankme.actions.panel.studies import StudyPlan
from rankme.actions.runs import analysis_runs
from rankme.errors import RefusedAction
from rankme.management.loading import wait_for
from rankme.management.rehearsed_raters import drawn_kind, knowledge_of, set_back
from rankme.models import AnalysisRun, Campaign, PanelAccount, PanelStudy
from rankme.models.campaigns import new_code
from rankme.models.panels import REHEARSAL
from rankme.panel_calls.prolific import least_longest_minutes
from rankme.practice_panel.books import Submission
from rankme.practice_panel.keys import entry_link
from rankme.practice_panel.panel import PracticePanel
from rankme.practice_panel.server import OWN_NAMES, PracticeServer
from rankme.practice_panel.wire import Refusal
from rankme.protocols.definition import Definition
from rankme.queries.panel_books import Books, books_of
from rankme.simulation.browser import Browser, ConnectionLost
from rankme.simulation.characters import Knowledge
from rankme.simulation.raters import Cohort, Latencies, Rater, RaterError

WALLET = 100_000_000
# Of the whole reward: fees and tax of the practice panel, bonuses, and places that rules free.
CEILING_FACTOR = 6
MOST_WAVES = 12
# In minor units for each minute, as the practice panel asks for it.
LEAST_REWARD, MOST_MINUTES = 10, 60
CANNOT_CHECK = (
    "The site could not check the practice panel's signature, so no rater could enter. Start the "
    "site with PROLIFIC_API=%(address)s, as this command has it. After another rehearsal, wait a "
    "minute: the site asks a panel for its keys once a minute at most."
)


@dataclass(frozen=True)
class Behaviour:
    """Numbers of simulated raters that show each behaviour organisers have to expect."""

    returns: float = 0.1
    times_out: float = 0.05
    wrong_codes: float = 0.05
    kinds: Mapping[str, float] = field(default_factory=lambda: {"careful": 1.0})
    seed: int = 0
    concurrency: int = 4


@dataclass
class Rehearsal:
    """The course of a rehearsal, on the site and at the panel."""

    campaign: Campaign
    study: PanelStudy
    server: PracticeServer
    run: AnalysisRun | None = None
    known: Knowledge = field(default_factory=Knowledge)
    kinds: dict[str, str] = field(default_factory=dict)  # by the rater's id at the panel
    endings: dict[str, int] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)

    @property
    def panel(self) -> PracticePanel:
        return self.server.panel

    @property
    def books(self) -> Books:
        return books_of(self.study)


def rehearse(
    campaign: Campaign, behaviour: Behaviour, *, by: User, told: Callable[[str], None]
) -> Rehearsal:
    """Take a copy of the campaign from its launch to paid raters and a report.

    The site has to be running at SITE_URL: raters use its pages.
    """
    of_site = settings.PROLIFIC_API.rstrip("/")
    with practice_panel() as server:
        is_signed = urlsplit(of_site).port == server.server_address[1]
        if not is_signed and urlsplit(of_site).hostname in OWN_NAMES:
            told(f"{of_site} is in use, so links are not signed in this rehearsal.")
        copy = _launched_copy(campaign, by=by)
        told(f"Copy launched: {settings.SITE_URL}/campaigns/{copy.code}/")
        server.panel.books.wallet = WALLET
        study = _published_study(copy, server.panel, is_signed=is_signed, by=by)
        told(f"Study published with {study.places} places at {server.address}")
        rehearsal = Rehearsal(copy, study, server, known=knowledge_of(copy))
        try:
            _work_in_waves(rehearsal, behaviour, told=told)
        finally:
            studies.stop_study(rehearsal.study, by=by)
        _visit(rehearsal)
    rehearsal.run = _report(copy, by=by)
    return rehearsal


def _launched_copy(campaign: Campaign, *, by: User) -> Campaign:
    copy = duplicate_campaign(campaign, by=by, with_material=True)
    copy = campaigns.change_definition(copy, _definition_of_copy(campaign), by=by)
    return campaigns.launch_campaign(copy, by=by)


def _definition_of_copy(campaign: Campaign) -> Definition:
    """The same campaign for Prolific's raters, with codes where it has none yet."""
    definition = campaigns.definition_of(campaign)
    crowd = definition.crowd
    codes = crowd.completion_codes
    if not codes.completed:
        codes = codes.model_copy(update={"completed": new_code(8).upper()})
    crowd = crowd.model_copy(
        update={"panel": "prolific", "open_link": False, "completion_codes": codes}
    )
    title = f"Rehearsal: {definition.title}"[:200]
    return definition.model_copy(update={"title": title, "crowd": crowd})


@contextlib.contextmanager
def practice_panel() -> Iterator[PracticeServer]:
    """Start a practice panel that receives all panel calls of this process.

    Where the site itself uses a practice panel's address, it is started there, so that the site
    can check the panel's signatures; if another panel is there already, it is started elsewhere.
    """
    if settings.PRODUCTION:
        raise RefusedAction("A production site rehearses nothing. Use a copy of the site.")
    before = settings.PROLIFIC_API
    parts = urlsplit(before)
    port = (parts.port or 0) if parts.hostname in OWN_NAMES else 0
    try:
        server = PracticeServer(PracticePanel(), port)
    except OSError:
        server = PracticeServer(PracticePanel(), 0)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    settings.PROLIFIC_API = server.address
    try:
        yield server
    finally:
        settings.PROLIFIC_API = before
        server.shutdown()
        server.server_close()
        thread.join()


def _published_study(
    campaign: Campaign, panel: PracticePanel, *, is_signed: bool, by: User
) -> PanelStudy:
    name = f"Rehearsal {campaign.code}"
    account = accounts.add_account(owner=by, name=name, token=panel.token)
    PanelAccount.objects.filter(pk=account.pk).update(panel=REHEARSAL)
    account.refresh_from_db()
    crowd = campaigns.definition_of(campaign).crowd
    places = -(-campaign.slots.count() // crowd.batches_per_rater)
    reward = max(LEAST_REWARD, round(crowd.pay_per_batch * crowd.batches_per_rater * 100))
    minutes = min(reward // LEAST_REWARD, MOST_MINUTES)  # never below the panel's minimum
    plan = StudyPlan(
        name=campaign.title[:120],
        description="A rehearsal with simulated raters.",
        places=places,
        reward=reward,
        minutes=minutes,
        longest_minutes=max(minutes * 4, least_longest_minutes(minutes)),
        ceiling=reward * places * CEILING_FACTOR,
        devices=["desktop"],
        is_secure=is_signed,
        tops_up=True,
    )
    study = studies.draft_study(campaign, account, plan, by=by)
    if is_signed:
        entry.read_panel_keys()
    return studies.publish_study(study, by=by)


# Waves of raters ---------------------------------------------------------------------------


def _work_in_waves(
    rehearsal: Rehearsal, behaviour: Behaviour, *, told: Callable[[str], None]
) -> None:
    """Raters come until every batch is done; places that are returned are taken by others."""
    rng = random.Random(behaviour.seed)
    number = 0
    for wave in range(MOST_WAVES):
        arrived: list[Submission] = []
        with contextlib.suppress(Refusal):
            while True:
                arrived.append(_arrive(rehearsal, number))
                number += 1
        if not arrived:
            break
        if wave == 0 and rehearsal.study.is_secure:
            _check_signed_entry(rehearsal, arrived[0])
        manners = [_manner(rng, behaviour) for _ in arrived]
        for submission in arrived:
            rehearsal.kinds[submission.participant] = drawn_kind(behaviour.kinds, rng)
        seeds = range(number - len(arrived), number)
        with ThreadPoolExecutor(behaviour.concurrency) as pool:
            jobs = zip(arrived, manners, seeds, strict=True)
            for ending in pool.map(lambda job: _take_part(rehearsal, behaviour, *job), jobs):
                rehearsal.endings[ending] = rehearsal.endings.get(ending, 0) + 1
        _visit(rehearsal)
        done = rehearsal.campaign.slots.filter(state="done").count()
        told(f"Wave {wave + 1}: {len(arrived)} raters came, {done} sittings are done")
        if done == rehearsal.campaign.slots.count():
            break


def _check_signed_entry(rehearsal: Rehearsal, submission: Submission) -> None:
    """Look at the first rater's link: if it does not open, all raters would wait in vain."""
    link = entry_link(rehearsal.panel.books, rehearsal.panel.keys, submission)
    browser = Browser(settings.SITE_URL)
    try:
        page = browser.open(link)
        is_open = page.status < 400 and page.ask_again_seconds is None
    except ConnectionLost:
        is_open = False
    finally:
        browser.close()
    if not is_open:
        raise RefusedAction(CANNOT_CHECK % {"address": rehearsal.server.address})


def _manner(rng: random.Random, behaviour: Behaviour) -> str:
    chance = rng.random()
    for manner, share in (
        ("returned", behaviour.returns),
        ("timed out", behaviour.times_out),
        ("wrong code", behaviour.wrong_codes),
    ):
        if chance < share:
            return manner
        chance -= share
    return "finished"


def _arrive(rehearsal: Rehearsal, number: int) -> Submission:
    books = rehearsal.panel.books
    return books.arrive(books.studies[rehearsal.study.external_id], f"{number:024x}")


def _take_part(
    rehearsal: Rehearsal, behaviour: Behaviour, submission: Submission, manner: str, number: int
) -> str:
    """One rater on the real pages, and what they then do at the panel."""
    leaves = manner in ("returned", "timed out")
    link = entry_link(rehearsal.panel.books, rehearsal.panel.keys, submission)
    cohort = Cohort(
        link,
        seed=behaviour.seed,
        abandon=1.0 if leaves else 0.0,
        known=rehearsal.known,
        character=rehearsal.kinds[submission.participant],
        reports_times=True,
        begun=set_back,
    )
    rater = Rater(cohort, number, Latencies())
    try:
        ending = rater.take_part()
    except (RaterError, ConnectionLost) as error:
        rehearsal.problems.append(f"rater {number}: {error}")
        ending = "failed"
    finally:
        rater.browser.close()
    books = rehearsal.panel.books
    with rehearsal.server.one_at_a_time:
        if ending != "completed":
            is_late = manner == "timed out"
            books.leave(submission, "TIMED-OUT" if is_late else "RETURNED")
            return "timed out" if is_late else "returned"
        books.submit(submission, "WRONG" if manner == "wrong code" else rater.code)
    return "wrong code" if manner == "wrong code" else "finished"


def _visit(rehearsal: Rehearsal) -> None:
    rehearsal.study.refresh_from_db()
    problem = sync.visit(rehearsal.study)
    if problem:
        rehearsal.problems.append(problem)
    rehearsal.study.refresh_from_db()


def _report(campaign: Campaign, *, by: User) -> AnalysisRun | None:
    """The report that real raters' answers would give."""
    if not analysis_runs.has_judgements(campaign):
        return None
    run = analysis_runs.request_run(campaign, {}, by=by)
    wait_for(run, analysis_runs.execute)
    run.refresh_from_db()
    return run
