"""The database's rules about shared tasks, as sentences that say what to do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import IntegrityError, transaction
from django.utils.translation import gettext_lazy

from rankme.errors import RefusedAction

SENTENCES = {
    "task_closes_after_it_opens": gettext_lazy(
        "The task has to close after it opens. Correct one of the two times."
    ),
    "task_preregistration_ends_before_the_close": gettext_lazy(
        "Pre-registration has to end before the task closes. Choose an earlier time."
    ),
    "task_teams_are_named_on_a_day": gettext_lazy("Enter the day on which the teams are named."),
    "one_row_per_host": gettext_lazy("This account is a host already."),
    "track_name_once": gettext_lazy("Another track has this name. Choose another name."),
    "team_name_once": gettext_lazy("Another team has this short name. Choose another one."),
    "team_name_is_plain": gettext_lazy(
        "A short name begins with a letter or digit, and has letters A–Z, digits, dots, hyphens "
        "and underscores alone."
    ),
    "hosts_have_one_team_of_each_kind": gettext_lazy("The hosts have this team already."),
    "one_captain_per_team": gettext_lazy("The team has another captain. Reload the page."),
    "system_name_once_per_team": gettext_lazy(
        "Your team has a system with this name. Choose another name."
    ),
    "upload_is_of_one_task": gettext_lazy(
        "This system or track belongs to another task. Reload the page and choose again."
    ),
    "upload_of_a_team_that_takes_part": gettext_lazy(
        "Your team no longer takes part. Write to the hosts if that is wrong."
    ),
    "upload_before_the_seal": gettext_lazy("The task is sealed: nothing is uploaded any more."),
    "upload_after_the_opening": gettext_lazy(
        "The task is not open yet. Come back at the time that its page gives."
    ),
    "upload_before_the_close": gettext_lazy(
        "The task is closed, by the clock of the server. Write to the hosts if your upload had "
        "begun in time."
    ),
    "upload_within_the_limit": gettext_lazy(
        "Your team has used all its uploads to this track. One of them can still be chosen as "
        "primary."
    ),
    "upload_within_the_limit_of_a_day": gettext_lazy(
        "Your team has used its uploads of the last 24 hours to this track. Try again later."
    ),
    "one_primary_per_team_and_track": gettext_lazy(
        "Another upload became the primary one meanwhile. Reload the page."
    ),
    "roles_are_fixed_by_the_seal": gettext_lazy(
        "The task is sealed: what counts can no longer change. A withdrawal is still possible."
    ),
    "a_withdrawal_stays": gettext_lazy("This upload was withdrawn, and stays so."),
    "withdrawals_end_with_the_seal": gettext_lazy(
        "The names are known: nothing can be withdrawn any more."
    ),
    "a_seal_is_set_once": gettext_lazy("The task is sealed: its times can no longer change."),
    "dispute_is_of_one_task": gettext_lazy(
        "This track belongs to another task. Reload the page and choose again."
    ),
    "dispute_within_the_days": gettext_lazy(
        "The time to object is over, or has not begun. Write to the hosts."
    ),
    "what_was_said_stays": gettext_lazy("This was answered already, and the answer stays."),
    "days_of_teams_stay": gettext_lazy(
        "The names are known: teams keep the days that they were given, or get more."
    ),
    "rankme_systemupload_ticket_id_key": gettext_lazy(
        "This upload has already arrived. Reload the page to see it."
    ),
}


@contextmanager
def rules_as_refusals() -> Iterator[None]:
    """Let the database judge in a savepoint, and say what it refuses and why.

    Raises
    ------
    RefusedAction : a rule of `SENTENCES` does not allow it
    """
    try:
        with transaction.atomic():
            yield
    except IntegrityError as error:
        diagnosis = getattr(error.__cause__, "diag", None)
        name = getattr(diagnosis, "constraint_name", None) or ""
        if name not in SENTENCES:
            raise
        raise RefusedAction(str(SENTENCES[name])) from error
