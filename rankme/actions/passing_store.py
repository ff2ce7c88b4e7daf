"""What may be lost: kept in Valkey alone for a while, so the record never contains it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import redis
from celery import current_app
from django.utils.translation import gettext as _
from kombu.exceptions import KombuError
from redis.exceptions import RedisError

from rankme.errors import RefusedAction


def ask_store(question: Callable[[redis.Redis], Any]) -> Any:
    """Ask Valkey.

    Raises
    ------
    RefusedAction : it is away
    """
    try:
        with current_app.connection_for_write() as connection:
            channel: Any = connection.default_channel
            return question(channel.client)
    except (KombuError, RedisError, OSError) as error:
        raise RefusedAction(_("No worker can be reached. Try again later.")) from error


def send_once(task: str, *arguments: Any) -> None:
    """Send a task whose loss costs a click.

    Raises
    ------
    RefusedAction : no worker can be reached
    """
    try:
        current_app.send_task(task, args=list(arguments), retry=False)
    except (KombuError, RedisError, OSError) as error:
        raise RefusedAction(_("No worker can be reached. Try again later.")) from error
