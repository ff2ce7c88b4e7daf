"""How often somebody may do what costs others something. Ratings use none of these buckets."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from django.db import connection
from django.db.models.functions import Now
from django.utils.crypto import salted_hmac

from rankme.models import RateBucket

# One statement, so that fifty calls at once take exactly as much as there is: whoever comes second
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


@dataclass(frozen=True)
class Limit:
    """So many at once, and then one more every so often."""

    name: str
    most: int
    again_every: timedelta

    @property
    def per_second(self) -> float:
        return 1 / self.again_every.total_seconds()


# A university behind one address comes in at once, and refusing one person costs more than letting
# in a script: batches that nobody works on are free again when their lease ends.
NEW_RATERS = Limit("new raters", most=1_000, again_every=timedelta(seconds=0.2))
# A browser with scripts of another release sends what it kept: a sitting at most.
UNREADABLE = Limit("unreadable submissions", most=200, again_every=timedelta(minutes=1))
LIMITS = (NEW_RATERS, UNREADABLE)


def take(limit: Limit, *whose: object) -> bool:
    """Take one, if there is one left. The table names nobody: it holds marks of who they are."""
    mark = salted_hmac("rankme.limit", ":".join(map(str, (limit.name, *whose)))).hexdigest()
    with connection.cursor() as cursor:
        values = {"mark": mark, "most": float(limit.most), "per_second": limit.per_second}
        cursor.execute(TAKE, values)
        return cursor.fetchone() is not None


def forget_full() -> int:
    """Delete what says nothing any more: buckets that have long filled up again."""
    longest = max(limit.most * limit.again_every for limit in LIMITS)
    return RateBucket.objects.filter(filled_at__lt=Now() - longest).delete()[0]
