"""Scores of metrics and verdicts of judges that a report compares with people, as two files."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from analysis.text_metrics.score_files import MetricScores, read_scores, write_scores

from .verdict_files import Verdicts, read_verdicts, write_verdicts

SCORES, VERDICTS = "scores.csv", "verdicts.csv"


@dataclass(frozen=True, eq=False)
class Compared:
    """Scores, or None; and verdicts by judge, possibly none."""

    scores: MetricScores | None = None
    verdicts: Verdicts = field(default_factory=dict)

    @property
    def sha256(self) -> str:
        """A hash of both; the order of rows in a file does not change it."""
        digest = hashlib.sha256((self.scores.sha256 if self.scores else "").encode())
        for judge in sorted(self.verdicts):
            rows = sorted(map(repr, self.verdicts[judge]))
            digest.update("\n".join([judge, *rows]).encode())
        return digest.hexdigest()

    def files(self) -> dict[str, bytes]:
        """Return the files that `read_compared` reads, by their names in a bundle."""
        found: dict[str, bytes] = {}
        content = io.BytesIO()
        if self.scores:
            write_scores(self.scores, content)
            found[SCORES] = content.getvalue()
        if self.verdicts:
            content = io.BytesIO()
            write_verdicts(self.verdicts, content)
            found[VERDICTS] = content.getvalue()
        return found


def read_compared(files: Mapping[str, bytes], *, lower_is_better: Sequence[str]) -> Compared | None:
    """Read the files of a bundle.

    Parameters
    ----------
    files : by name; those with other names are left alone
    lower_is_better : metrics whose sign is to be changed

    Returns
    -------
    None where neither file is there.

    Raises
    ------
    TableError : with every problem and its line and column
    """
    scores, verdicts = files.get(SCORES), files.get(VERDICTS)
    if scores is None and verdicts is None:
        return None
    return Compared(
        read_scores(io.BytesIO(scores), lower_is_better=lower_is_better) if scores else None,
        read_verdicts(io.BytesIO(verdicts)) if verdicts else {},
    )
