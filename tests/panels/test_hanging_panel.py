"""A panel that accepts connections and says nothing holds up no page for long."""

import socket
import threading
import time
from collections.abc import Iterator

import httpx
import pytest
from django.http import HttpResponse
from django.test import Client, RequestFactory

from evalsite.middleware import bound_calls_to_panels
from rankme.panel_calls import calls
from rankme.panel_calls.calls import Calls, PanelError
from rankme.practice_panel.keys import entry_link
from tests.panels.loop import Loop


@pytest.fixture
def silent() -> Iterator[str]:
    """The address of a server that takes every connection and never answers."""
    with socket.create_server(("127.0.0.1", 0), backlog=64) as server:
        yield f"http://127.0.0.1:{server.getsockname()[1]}"


def as_a_page(work):
    """Do something as a view does it, and return how long that took."""
    started = time.monotonic()

    def view(request):
        work()
        return HttpResponse()

    with pytest.raises(PanelError):
        bound_calls_to_panels(view)(RequestFactory().get("/"))
    return time.monotonic() - started


def test_all_calls_of_a_page_together_have_one_deadline(silent, monkeypatch):
    monkeypatch.setattr(calls, "SECONDS_FOR_A_PAGE", 1.0)
    panel = Calls(silent, {})

    def several_calls() -> None:
        for _ in range(5):
            with pytest.raises(PanelError):
                panel.ask("GET", "/")
        panel.ask("POST", "/")

    assert as_a_page(several_calls) < 2.5


def test_only_a_few_pages_wait_for_a_panel_at_once(silent, monkeypatch):
    monkeypatch.setattr(calls, "SECONDS_FOR_A_PAGE", 2.0)
    waiting = [
        threading.Thread(target=as_a_page, args=(lambda: Calls(silent, {}).ask("POST", "/"),))
        for _ in range(2)
    ]
    for thread in waiting:
        thread.start()
    time.sleep(0.5)
    assert as_a_page(lambda: Calls(silent, {}).ask("GET", "/")) < 1, "not even to ask again"
    for thread in waiting:
        thread.join()


def test_a_page_does_not_wait_until_a_busy_panel_wants_to_be_asked_again(monkeypatch):
    busy = httpx.MockTransport(lambda request: httpx.Response(429, headers={"Retry-After": "20"}))
    monkeypatch.setattr(
        calls, "new_client", lambda base, headers: httpx.Client(base_url=base, transport=busy)
    )
    panel = Calls("https://x", {}, sleep=lambda seconds: pytest.fail("it waits"))
    assert as_a_page(lambda: panel.ask("GET", "/")) < 0.5


def test_a_worker_is_as_patient_as_ever(silent, monkeypatch):
    monkeypatch.setattr(calls, "SECONDS_TO_ANSWER", 0.2)
    pauses: list[float] = []
    with pytest.raises(PanelError):
        Calls(silent, {}, sleep=pauses.append).ask("GET", "/")
    assert len(pauses) == calls.TRIES - 1


@pytest.mark.django_db
def test_signed_links_and_health_need_no_panel_at_all(practice, settings, monkeypatch):
    settings.SITE_URL = "http://localhost:8000"
    loop = Loop(practice, is_secure=True).publish()
    came = loop.arrive("a")
    link = entry_link(practice.books, practice.keys, came).removeprefix(settings.SITE_URL)
    monkeypatch.undo()
    with socket.create_server(("127.0.0.1", 0)) as panel:
        settings.PROLIFIC_API = f"http://127.0.0.1:{panel.getsockname()[1]}"
        for address, status in ((link, 200), (f"{link}x", 403), ("/healthz/", 200)):
            assert Client().get(address).status_code == status
        panel.setblocking(False)
        with pytest.raises(BlockingIOError):  # nobody has called
            panel.accept()
