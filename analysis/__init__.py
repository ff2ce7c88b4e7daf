"""Statistics of human evaluation: judgements in, frozen results out; `python -m analysis`."""

from analysis.errors import AnalysisError, OptionsError, RankingError, TableError
from analysis.signature import VERSION as __version__
from analysis.table import Column, JudgementTable, read_table, write_table

__all__ = [
    "AnalysisError",
    "Column",
    "JudgementTable",
    "OptionsError",
    "RankingError",
    "TableError",
    "__version__",
    "read_table",
    "write_table",
]
