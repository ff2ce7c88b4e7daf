"""Reminders before a task closes: by mail, to the members of teams in which nothing counts yet."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import timedelta

from django.conf import settings
from django.core.mail import send_mail
from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from rankme.models import SharedTask, TaskEvent, Team
from rankme.queries.shared_task.overview import tracks_without_primary
from rankme.templatetags.moments import aoe, moment

log = logging.getLogger(__name__)

REMINDED = gettext_noop("team reminded")
# A round of mails to a slow server must end before the next one.
MOST_TEAMS = 100


def remind_due() -> int:
    """Remind the teams whose time has come, each once for each term; return their number.

    Without a mail server nothing is sent, and the teams' pages alone say what is missing.
    """
    if not settings.EMAIL_HOST:
        return 0
    reminded = 0
    # A team that registers within the last hours gets one reminder.
    for hours, after in ((6, 0), (48, 6)):
        for task in _closing(after, hours):
            for team in _waiting(task, hours)[: MOST_TEAMS - reminded]:
                reminded += _remind(team, hours)
    return reminded


def _closing(after: int, hours: int) -> QuerySet[SharedTask]:
    """The open tasks that close within these hours by the database's clock, the nearest first."""
    found = SharedTask.objects.filter(
        opens_at__lte=Now(),
        closes_at__gt=Now() + timedelta(hours=after),
        closes_at__lte=Now() + timedelta(hours=hours),
        sealed_at=None,
    )
    return found.order_by("closes_at")


def _waiting(task: SharedTask, hours: int) -> QuerySet[Team]:
    """The teams that were not asked about this term yet."""
    teams = task.teams.filter(
        kind=Team.Kind.TEAM, state__in=[Team.State.WAITING, Team.State.APPROVED]
    )
    done = task.events.filter(verb=REMINDED, detail__hours=hours).values("team")
    return teams.exclude(pk__in=done).order_by("pk")


def _remind(team: Team, hours: int) -> bool:
    """Note the reminder, then send it: at most once, also when two workers come together."""
    with transaction.atomic():
        team = Team.objects.select_for_update(no_key=True).get(pk=team.pk)
        if team.events.filter(verb=REMINDED, detail__hours=hours).exists():
            return False
        missing = [track.name for track in tracks_without_primary(team)]
        detail = {"hours": hours, "tracks": missing}
        TaskEvent.objects.create(task=team.task, team=team, verb=REMINDED, detail=detail)
    if missing:
        _send(team, missing)
    return True


def _send(team: Team, missing: Sequence[str]) -> None:
    task = team.task
    title = " ".join(task.title.split())
    subject = _("%(task)s: nothing of your team counts yet") % {"task": title}
    text = _(
        "The shared task “%(task)s” closes on %(utc)s (%(aoe)s).\n\n"
        "In these tracks, your team has not chosen a primary upload: %(tracks)s.\n\n"
        "Open your own link of the team, upload the outputs, and press “Primary”. Nothing counts "
        "without it. If you have opened the link in your browser before: %(page)s\n"
    ) % {
        "task": title,
        "utc": moment(task.closes_at),
        "aoe": aoe(task.closes_at),
        "tracks": ", ".join(missing),
        "page": settings.SITE_URL + reverse("rankme:team"),
    }
    members = team.members.filter(removed_at=None).exclude(email="")
    # One mail each: members do not learn each other's addresses.
    for address in dict.fromkeys(members.values_list("email", flat=True)):
        try:
            send_mail(subject, text, None, [address])
        except OSError as error:  # also what smtplib raises
            # Its text can have the address.
            log.error("A reminder of a shared task was not sent: %s", type(error).__name__)
