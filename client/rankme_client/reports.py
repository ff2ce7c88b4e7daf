"""A report: its numbers, its tables and its files."""

from __future__ import annotations

import io
import zipfile
from functools import cached_property
from typing import TYPE_CHECKING

import pandas as pd

from .connection import Document, quoted
from .errors import RankmeClientError
from .frames import frame_of

if TYPE_CHECKING:
    from .campaigns import Campaign

TABLES = "tables/"
MOST_BYTES = 2_000_000_000  # of a bundle's file, unpacked


class NoTable(RankmeClientError):
    """The report has no such table."""


class Report:
    """A finished analysis of a campaign."""

    def __init__(self, campaign: Campaign, run: int) -> None:
        self.campaign, self.run = campaign, run
        self.path = f"{campaign.path}analysis-runs/{run}/"

    def __repr__(self) -> str:
        return f"<Report {self.run} of {self.campaign.code}>"

    @cached_property
    def row(self) -> Document:
        """What the site says about the analysis: options, seed, hash of the data, signature."""
        found: Document = self.campaign.site.get(self.path)
        return found

    @property
    def result(self) -> Document:
        """All numbers of the report, as its `report.json` has them."""
        found: Document = self.row["result"]
        return found

    @property
    def signature(self) -> str:
        """The line that makes the numbers reproducible."""
        return str(self.row["signature"])

    def file(self, name: str) -> bytes:
        """A file of the report, such as `report.json` or `tables/report.tex`."""
        return self.campaign.site.call("GET", f"{self.path}files/{quoted(name)}").content

    @cached_property
    def bundle(self) -> bytes:
        """The zip with which anybody can recompute the report."""
        return self.file("bundle.zip")

    @cached_property
    def tables(self) -> dict[str, pd.DataFrame]:
        """All tables by name, as `fluency/answer` or `fluency/agreement`."""
        found = {}
        with zipfile.ZipFile(io.BytesIO(self.bundle)) as bundle:
            for each in bundle.infolist():
                name = each.filename
                if name.startswith(TABLES) and name.endswith(".csv"):
                    if each.file_size > MOST_BYTES:
                        raise NoTable(f"{name} is too large.")
                    found[name.removeprefix(TABLES).removesuffix(".csv")] = frame_of(
                        bundle.read(each)
                    )
        return found

    def table(self, name: str = "answer", criterion: str = "") -> pd.DataFrame:
        """A table by its short name; of the first criterion that has it, if none is given."""
        wanted = f"{criterion}/{name}" if criterion else name
        for full, table in self.tables.items():
            if wanted in (full, full.rpartition("/")[2]):
                return table
        raise NoTable(f"There is no table “{wanted}”. The report has: {', '.join(self.tables)}.")

    def latex(self, name: str = "tables/report.tex") -> str:
        """All tables as LaTeX, or one by the name of its file."""
        return self.file(name).decode()

    def publish(self) -> str:
        """Publish the report; the address of its page, which anybody who has it can read."""
        return str(self.campaign.site.send("POST", f"{self.path}report/")["page"])

    def withdraw(self) -> None:
        """Withdraw the public page; the report stays."""
        self.campaign.site.send("DELETE", f"{self.path}report/")
