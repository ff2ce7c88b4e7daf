"""The client and the site in one process: requests go to Django, jobs run while it waits."""

from collections.abc import Iterable

import httpx
from django.test import Client
from rankme_client import Site

from rankme.actions.accounts.api_keys import obtain_key
from rankme.actions.imports import import_jobs
from rankme.actions.runs import analysis_runs, looks
from rankme.models import AnalysisRun, LookRequest, MaterialImport
from rankme.simulation.raters import Cohort, Latencies, Rater
from tests.accounts import PASSWORD, make_account


class Django(httpx.BaseTransport):
    """Gives requests to Django, within the test's own transaction."""

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        answer = Client(raise_request_exception=False).generic(
            request.method,
            request.url.raw_path.decode(),
            request.read(),
            request.headers.get("content-type", ""),
            headers={name: text for name, text in request.headers.items() if name != "host"},
        )
        cookies = [("set-cookie", each.OutputString()) for each in answer.cookies.values()]
        content = httpx.ByteStream(answer.getvalue())
        headers = [*answer.items(), *cookies]
        return httpx.Response(answer.status_code, headers=headers, stream=content)


def do_what_waits(_seconds: float = 0.0) -> None:
    """Do the jobs of a worker."""
    waiting = {"state__in": ["queued", "working"]}
    for upload in MaterialImport.objects.filter(**waiting):
        import_jobs.execute_import(upload.pk, "tester")
    for run in AnalysisRun.objects.filter(**waiting):
        analysis_runs.execute(run.pk, "tester")
    for look in LookRequest.objects.filter(**waiting):
        looks.execute(look.pk, "tester")


def site_of(name: str = "olga", transport: httpx.BaseTransport | None = None) -> Site:
    """A site for this person's scripts, who has an account from now on."""
    make_account(name)
    key = obtain_key(name, PASSWORD, address="127.0.0.1")
    return Site("http://localhost", key, transport=transport or Django(), sleep=do_what_waits)


def let_raters_work(link: str, raters: int, *, better: Iterable[str]) -> None:
    """Let simulated raters follow the link, one after the other; they like these texts more."""
    truth = dict.fromkeys(better, 2.0)
    cohort = Cohort(link, raters=raters, truth=truth, transport=Django(), seed=3)
    for number in range(raters):
        rater = Rater(cohort, number, Latencies())
        assert rater.take_part() in ("completed", "stopped")
