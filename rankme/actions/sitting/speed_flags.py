"""Flag submissions that came faster than a person can read, also by the server's clock.

A browser's own times can be missing or forged, so they are compared with what the server knows:
when it handed out the batch, and when it received each screen. Screens that were answered without
a connection arrive together, which proves nothing. But the sum does: nobody spends more time on
the screens of a sitting than has passed since the batch was handed out.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.translation import gettext_noop

from rankme.protocols.exchange.sent_screen import SentTimes

# A browser's clock runs a little faster or slower than the server's.
SLACK_SECONDS = 2.0
SLACK_SHARE = 0.01

FAST = gettext_noop("fast")

# The other screens of a sitting: how many have answers, the seconds that their browsers claim to
# have spent on them, the seconds since the last of them came, and how many submissions of the whole
# sitting came within the last minute. Part of the statement that reads the sitting.
OTHER_SCREENS = """(
    SELECT jsonb_build_array(
        count(*) FILTER (WHERE is_other),
        COALESCE(sum(spent_ms) FILTER (WHERE is_other), 0) / 1000,
        EXTRACT(EPOCH FROM now() - max(received_at) FILTER (WHERE is_other)),
        COALESCE(sum(lately), 0)
    ) FROM (
        SELECT
            (trial_id, screen) IS DISTINCT FROM
                ((sitting.presentation #>> ARRAY[%(place)s, '0'])::bigint, %(screen)s) AS is_other,
            -- Opening a screen again goes on counting: its latest time includes the earlier ones.
            max(CASE WHEN jsonb_typeof(payload #> '{times,spent_ms}') = 'number'
                THEN (payload #>> '{times,spent_ms}')::numeric END) AS spent_ms,
            max(received_at) AS received_at,
            count(*) FILTER (WHERE received_at > now() - interval '1 minute') AS lately
        FROM rankme_submission
        WHERE assignment_id = sitting.id
        GROUP BY trial_id, screen
    ) AS screens
)"""


@dataclass(frozen=True)
class Sitting:
    """The server's own times of a sitting when another screen of it arrives, in seconds."""

    age: float  # since the batch was handed out
    others: int
    claimed: float
    since_last: float | None
    lately: int


def speed_flags(
    times: SentTimes, sitting: Sitting, *, least_seconds: float, last_answer: float = 0.0
) -> list[str]:
    """Name what a person should look at; nothing is altered or refused for it.

    `last_answer` is the time of the screen's last answer as its browser measured it, in seconds.
    """
    flags = []
    spent = times.spent_seconds
    possible = sitting.age * (1 + SLACK_SHARE) + SLACK_SECONDS
    # A time that is missing, or cannot be, is replaced by the server's own.
    taken = sitting.age if sitting.since_last is None else sitting.since_last
    if spent is None:
        flags.append(gettext_noop("no time"))
    elif spent >= 0 and spent + sitting.claimed <= possible and _holds(times, spent, last_answer):
        taken = spent
    else:
        flags.append(gettext_noop("impossible time"))
    if taken < least_seconds or sitting.age < least_seconds * (sitting.others + 1):
        flags.append(FAST)
    if times.page_was_hidden:
        flags.append(gettext_noop("page was hidden"))
    return flags


def _holds(times: SentTimes, spent: float, last_answer: float) -> bool:
    """Whether the screen was open until its last answer; answers' times include the pauses."""
    return last_answer <= (spent + times.paused_seconds) * (1 + SLACK_SHARE) + SLACK_SECONDS
