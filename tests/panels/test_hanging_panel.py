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
from rankme.panel_calls.calls import Calls, PanelAway, PanelError
from rankme.practice_panel.keys import entry_link
from tests.live import PATIENCE
from tests.panels.loop import Loop


@pytest.fixture
def silent() -> Iterator[socket.socket]:
    """A server that takes every connection and never answers."""
    with socket.create_server(("127.0.0.1", 0), backlog=64) as server:
        server.settimeout(PATIENCE)
        yield server


def address_of(server: socket.socket) -> str:
    return f"http://127.0.0.1:{server.getsockname()[1]}"


def as_a_page(work) -> PanelError:
    """Do something as a view does it, and return the error that ends it."""

    def view(request):
        work()
        return HttpResponse()

    with pytest.raises(PanelError) as error:
        bound_calls_to_panels(view)(RequestFactory().get("/"))
    return error.value


def test_all_calls_of_a_page_together_have_one_deadline(silent, monkeypatch):
    monkeypatch.setattr(calls, "SECONDS_FOR_A_PAGE", 1.0)
    monkeypatch.setattr(calls, "SECONDS_TO_ANSWER", PATIENCE)
    panel = Calls(address_of(silent), {})

    def several_calls() -> None:
        for _ in range(5):
            with pytest.raises(PanelError):
                panel.ask("GET", "/")
        panel.ask("POST", "/")

    started = time.monotonic()
    as_a_page(several_calls)
    assert time.monotonic() - started < PATIENCE, "that of a single call alone"


def test_only_a_few_pages_wait_for_a_panel_at_once(silent, monkeypatch):
    for seconds in ("SECONDS_FOR_A_PAGE", "SECONDS_TO_ANSWER"):
        monkeypatch.setattr(calls, seconds, PATIENCE)

    def ask() -> PanelError:
        return as_a_page(lambda: Calls(address_of(silent), {}).ask("POST", "/"))

    waiting = [threading.Thread(target=ask) for _ in range(2)]
    for thread in waiting:
        thread.start()
    connected = [silent.accept()[0] for _ in waiting]
    assert isinstance(ask(), PanelAway), "it does not even ask"
    for each in connected:
        each.close()
    for thread in waiting:
        thread.join()


def test_a_page_does_not_wait_until_a_busy_panel_wants_to_be_asked_again(monkeypatch):
    busy = httpx.MockTransport(lambda request: httpx.Response(429, headers={"Retry-After": "20"}))
    monkeypatch.setattr(
        calls, "new_client", lambda base, headers: httpx.Client(base_url=base, transport=busy)
    )
    panel = Calls("https://x", {}, sleep=lambda seconds: pytest.fail("it waits"))
    assert isinstance(as_a_page(lambda: panel.ask("GET", "/")), PanelAway)


def test_a_worker_is_as_patient_as_ever(silent, monkeypatch):
    monkeypatch.setattr(calls, "SECONDS_TO_ANSWER", 0.2)
    pauses: list[float] = []
    with pytest.raises(PanelError):
        Calls(address_of(silent), {}, sleep=pauses.append).ask("GET", "/")
    assert len(pauses) == calls.TRIES - 1


@pytest.mark.django_db
def test_signed_links_and_health_need_no_panel_at_all(practice, silent, settings, monkeypatch):
    settings.SITE_URL = "http://localhost:8000"
    loop = Loop(practice, is_secure=True).publish()
    came = loop.arrive("a")
    link = entry_link(practice.books, practice.keys, came).removeprefix(settings.SITE_URL)
    monkeypatch.undo()
    settings.PROLIFIC_API = address_of(silent)
    for address, status in ((link, 200), (f"{link}x", 403), ("/healthz/", 200)):
        assert Client().get(address).status_code == status
    silent.setblocking(False)
    with pytest.raises(BlockingIOError):  # nobody has called
        silent.accept()
