"""Limits on requests that cost others something. Ratings use none of these buckets."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from django.db import connection
from django.db.models import F, Value
from django.db.models.functions import Least, Now
from django.utils.crypto import salted_hmac

from rankme.models import RateBucket

# One statement, so that fifty calls at once take exactly what is available: a later call
# waits for the row and reads what the first one left. No row comes back when nothing is left.
TAKE = """
    INSERT INTO rankme_ratebucket AS bucket (mark, "left", filled_at)
    VALUES (%(mark)s, %(most)s - 1, clock_timestamp())
    ON CONFLICT (mark) DO UPDATE SET
        "left" = {filled} - 1, filled_at = clock_timestamp()
        WHERE {filled} >= 1
    RETURNING "left"
""".format(
    filled="""LEAST(%(most)s, bucket."left" + %(per_second)s
        * GREATEST(0, EXTRACT(EPOCH FROM clock_timestamp() - bucket.filled_at)))"""
)


# No limit takes longer to fill up again.
LONGEST_TO_FILL = timedelta(days=1)


@dataclass(frozen=True)
class Limit:
    """A burst of requests, and then one more per interval."""

    name: str
    most: int
    again_every: timedelta

    def __post_init__(self) -> None:
        if self.most * self.again_every > LONGEST_TO_FILL:
            raise ValueError(f"{self.name}: this limit takes too long to fill up again")

    @property
    def per_second(self) -> float:
        return 1 / self.again_every.total_seconds()


# A university behind one address comes in at once, and refusing one person does more harm than
# letting in a script: batches that nobody works on are free again when their lease ends.
NEW_RATERS = Limit("new raters", most=1_000, again_every=timedelta(seconds=0.2))
# A browser with scripts of another release sends what it kept: a sitting at most.
UNREADABLE = Limit("unreadable submissions", most=200, again_every=timedelta(minutes=1))
# What raters report as wrong with an item.
COMPLAINTS = Limit("complaints", most=20, again_every=timedelta(minutes=1))
# Calls of one account's scripts.
CALLS = Limit("calls", most=1_200, again_every=timedelta(seconds=0.1))
# Tables that anybody may have examined, each of which may take half a minute of a core: of one
# address, and of all together.
EXAMINATIONS = Limit("examinations", most=10, again_every=timedelta(minutes=1))
ALL_EXAMINATIONS = Limit("all examinations", most=30, again_every=timedelta(seconds=30))
# Mails about a forgotten password: to one address, and for one address of the network.
MAILS = Limit("mails", most=5, again_every=timedelta(minutes=10))
MAILS_FOR_AN_ADDRESS = Limit("mails for an address", most=20, again_every=timedelta(minutes=2))

# Mails that one account has sent to people whom it invites.
INVITATION_MAILS = Limit("invitations by mail", most=50, again_every=timedelta(minutes=10))


def take(limit: Limit, *whose: object) -> bool:
    """Take one, if any is left. The table stores keyed marks instead of names."""
    with connection.cursor() as cursor:
        values: dict[str, str | float] = {
            "mark": _mark(limit, whose),
            "most": float(limit.most),
            "per_second": limit.per_second,
        }
        cursor.execute(TAKE, values)
        return cursor.fetchone() is not None


def give_back(limit: Limit, *whose: object) -> None:
    """Undo a `take`."""
    left = Least(F("left") + 1, Value(float(limit.most)))
    RateBucket.objects.filter(mark=_mark(limit, whose)).update(left=left)


def _mark(limit: Limit, whose: tuple[object, ...]) -> str:
    named = ":".join(map(str, (limit.name, *whose)))
    return salted_hmac("rankme.limit", named, algorithm="sha256").hexdigest()


def forget_full() -> int:
    """Delete rows that no longer matter: buckets that have long filled up again."""
    return RateBucket.objects.filter(filled_at__lt=Now() - LONGEST_TO_FILL).delete()[0]
