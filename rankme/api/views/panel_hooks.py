"""Webhooks of panels: genuine ones are noted and answered at once; a worker looks at them."""

from __future__ import annotations

import time
from typing import Any

from django.http import Http404
from django.shortcuts import get_object_or_404
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from rankme.actions.panel import sync
from rankme.models import PanelAccount
from rankme.panel_calls.sealed import unseal
from rankme.panel_calls.webhooks import is_genuine
from rankme.untrusted import strict_json
from rankme.untrusted.clean_text import storable

LONGEST_EVENT_ID = 64


class PanelHookView(APIView):
    """Believes a panel that something happened, and nothing else.

    There is no API key: the signature over the raw body says who calls.
    """

    authentication_classes = ()
    permission_classes = ()
    parser_classes = ()
    schema = None
    metadata_class = None

    def post(self, request: Request, code: str) -> Response:
        account = get_object_or_404(PanelAccount, code=code)
        body = request._request.body
        if not account.hook_secret_sealed or not is_genuine(
            unseal(account.hook_secret_sealed),
            body,
            stamp=request.headers.get("X-Prolific-Request-Timestamp", ""),
            signature=request.headers.get("X-Prolific-Request-Signature", ""),
            now=time.time(),
        ):
            raise Http404
        event_id = request.headers.get("X-Event-ID", "")
        named = _named(body)
        if named is None or not 0 < len(event_id) <= LONGEST_EVENT_ID or not storable(event_id):
            return Response(status=400)
        if sync.receive_event(account, event_id, *named):
            sync.call_a_worker(account)
        return Response(status=204)


def _named(body: bytes) -> tuple[str, str] | None:
    """The kind of event and what it is about."""
    try:
        document: Any = strict_json.parse(body)
    except strict_json.InvalidJson:
        return None
    if not isinstance(document, dict):
        return None
    kind, resource = document.get("event_type"), document.get("resource_id")
    if not isinstance(kind, str) or not isinstance(resource, str):
        return None
    return (kind, resource) if storable(kind) and storable(resource) else None
