"""Tries of a draft with simulated raters: their progress and pages, which expire.

They are in Valkey alone, so the record never contains them. A try that is lost costs a click.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User
from django.utils.translation import gettext as _

from rankme.actions.passing_store import ask_store, send_once
from rankme.errors import RefusedAction
from rankme.models import Campaign

from .launches import is_large

KEPT_FOR = timedelta(hours=1)
# A worker that says nothing for so long is gone.
SILENT_FOR = timedelta(minutes=15)
TASK = "rankme.tasks.try_out"
STATE = "state"


def start_tryout(campaign: Campaign, *, by: User) -> None:
    """Let a worker try the draft out; an earlier try of it is thrown away.

    Raises
    ------
    RefusedAction : it was launched, has too little or too much material, or the broker is away
    """
    if not campaign.is_draft or campaign.is_archive:
        raise RefusedAction(_("Only a draft can be tried with simulated raters."))
    if not campaign.items.exists():
        raise RefusedAction(_("Upload the material first."))
    if is_large(campaign):
        raise RefusedAction(_("The material is too large to be tried with simulated raters."))
    throw_away(campaign.code)
    tell(campaign.code, status="working", done=0, of=0)
    send_once(TASK, campaign.pk, by.pk)


def tell(code: str, **state: Any) -> None:
    """Note how far a try is."""
    ask_store(lambda store: store.hset(_key(code), STATE, json.dumps(state)))
    is_working = state["status"] == "working"
    ask_store(lambda store: store.expire(_key(code), SILENT_FOR if is_working else KEPT_FOR))


def keep_pages(code: str, pages: Mapping[str, tuple[str, bytes]]) -> None:
    """Keep the pages of a finished try: by path, their media types and contents."""
    packed: dict[Any, Any] = {
        f"page:{path}": kind.encode() + b"\n" + zlib.compress(content)
        for path, (kind, content) in pages.items()
    }
    ask_store(lambda store: store.hset(_key(code), mapping=packed))
    tell(code, status="done", paths=sorted(pages))


def tryout_state(code: str) -> dict[str, Any]:
    """The state of the newest try; empty where there is none any more."""
    found = ask_store(lambda store: store.hget(_key(code), STATE))
    return dict(json.loads(found)) if found else {}


def kept_page(code: str, path: str) -> tuple[str, bytes] | None:
    found = ask_store(lambda store: store.hget(_key(code), f"page:{path}"))
    if not found:
        return None
    kind, _newline, content = found.partition(b"\n")
    return kind.decode(), zlib.decompress(content)


def throw_away(code: str) -> None:
    ask_store(lambda store: store.delete(_key(code)))


def _key(code: str) -> str:
    return f"rankme:tryout:{code}"
