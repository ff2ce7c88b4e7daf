"""A practice panel without a network: what a client sends goes straight to the panel."""

import httpx

from rankme.panel_calls import calls
from rankme.practice_panel.panel import PracticePanel
from rankme.practice_panel.wire import Request


def transport(panel: PracticePanel) -> httpx.MockTransport:
    def handle(request: httpx.Request) -> httpx.Response:
        response = panel.handle(
            Request(
                request.method,
                request.url.path,
                dict(request.url.params),
                {name.lower(): value for name, value in request.headers.items()},
                request.content,
            )
        )
        if response.lost == "silent":
            raise httpx.ReadTimeout("no answer", request=request)
        if response.lost:
            raise httpx.RemoteProtocolError("connection closed", request=request)
        headers = {"Content-Type": "application/json", **response.headers}
        return httpx.Response(response.status, headers=headers, content=response.body)

    return httpx.MockTransport(handle)


def connect(panel: PracticePanel, monkeypatch) -> None:
    """Let every call to a panel reach this one, and no pause between two calls take time."""

    def new_client(base: str, headers) -> httpx.Client:
        return httpx.Client(base_url=base, headers=dict(headers), transport=transport(panel))

    monkeypatch.setattr(calls, "new_client", new_client)
    monkeypatch.setattr(calls, "SECONDS_BEFORE_REPEATING", 0)
