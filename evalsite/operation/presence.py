"""Each web server, worker and beat says every half minute that it runs, and which release it is."""

from __future__ import annotations

import logging
import threading
import time

from django.db import Error, connection

from analysis.signature import VERSION
from evalsite.privacy import HOST
from rankme.actions.operators import note_process

log = logging.getLogger(__name__)
SECONDS_BETWEEN_NOTES = 30.0


def announce(kind: str, number: int) -> None:
    """Go on saying so until this process ends; `number` is that of the whole server's."""
    threading.Thread(target=_go_on, args=[kind, number], name="presence", daemon=True).start()


def _go_on(kind: str, number: int) -> None:
    was_noted = False
    while True:
        was_noted |= note(kind, number, is_new=not was_noted)
        time.sleep(SECONDS_BETWEEN_NOTES)


def note(kind: str, number: int, *, is_new: bool) -> bool:
    """Say it once; False if the database is away."""
    try:
        note_process(HOST, kind, number, VERSION, is_new=is_new)
    except Error as trouble:
        log.info("The database does not note that this process runs: %s", trouble)
        return False
    finally:
        connection.close()
    return True
