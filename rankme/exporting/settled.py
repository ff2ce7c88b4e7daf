"""Export how curators settled disagreements, apart from judgements, which they are not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rankme.models import AnalysisRun, Campaign, Settlement
from rankme.models.settlements import SETTLED
from rankme.queries.disagreements.settled import all_settlements

from .files import CSV, ExportedFile, csv_line
from .seen import events_known_to

FILE_NAME = "settled.csv"
COLUMNS = ("item", "system", "criterion", "value", "reason", "curator", "decided_at", "applies")


def settled_csv(
    rows: Iterable[tuple[Settlement, bool]], *, with_names: bool = True
) -> Iterator[bytes]:
    """One row for each decision; an empty value leaves the output open again.

    Without names curators have codes, as raters have labels.
    """
    yield csv_line(COLUMNS)
    codes: dict[int, str] = {}
    for row, applies in rows:
        code = codes.setdefault(row.decided_by_id, f"C{len(codes) + 1}")
        yield csv_line(
            (
                row.item.key,
                row.output.system.name if row.output else "",
                row.criterion.name,
                "" if row.value is None else row.value,
                row.reason,
                row.decided_by.get_username() if with_names else code,
                row.decided_at.isoformat(),
                int(applies),
            )
        )


def settled_file(campaign: Campaign) -> ExportedFile:
    """The file as a download for organisers."""
    content = settled_csv(all_settlements(campaign))
    return ExportedFile(f"{campaign.code}-settled.csv", CSV, content)


def settled_file_of_run(run: AnalysisRun) -> dict[str, bytes]:
    """What was settled when the run read its judgements, as a file of its bundle."""
    if not (number := events_known_to(run).filter(verb=SETTLED).count()):
        return {}
    rows = all_settlements(run.campaign, number)
    return {FILE_NAME: b"".join(settled_csv(rows, with_names=False))}
