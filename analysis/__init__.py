"""Statistics of human evaluation: judgements in, frozen results out.

>>> import analysis
>>> table = analysis.read_table("judgements.csv")
>>> report = analysis.make_report(table, analysis.ReportOptions(seed=1))
>>> analysis.rank_criterion(table, "quality", analysis.RankingOptions(runs=200))

`python -m analysis` offers the same on the command line.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from analysis.errors import AnalysisError, OptionsError, RankingError, TableError
from analysis.signature import VERSION as __version__
from analysis.table import Column, JudgementTable
from analysis.table_files import read_table, write_table

if TYPE_CHECKING:
    from analysis.agreement import fleiss_kappa, kendall_w
    from analysis.anova import factorial, one_way, welch
    from analysis.campaign_power import plan_from_pilot, power, with_screens
    from analysis.clustered import clustered_comparison
    from analysis.clusters import RankingOptions, rank_criterion
    from analysis.intraclass import intraclass_correlation
    from analysis.krippendorff import krippendorff_alpha
    from analysis.metrics.against_people import MetricOptions, metrics_against_people
    from analysis.metrics.people import People
    from analysis.metrics.prediction_powered import prediction_powered
    from analysis.metrics.score_files import read_scores
    from analysis.metrics.scoring import score
    from analysis.metrics.text_files import read_material
    from analysis.mixed import fit_mixed
    from analysis.nonparametric import dunn, friedman, kruskal_wallis, wilcoxon_pairs
    from analysis.outliers import treat_outliers, z_by_rater
    from analysis.paired_comparison import bradley_terry
    from analysis.pairs import pairs_from_table
    from analysis.raters import rater_profiles
    from analysis.report.bundle import read_bundle, write_bundle
    from analysis.report.make import make_report
    from analysis.report.model import Report
    from analysis.report.options import ReportOptions
    from analysis.simulated_campaigns import CampaignPlan
    from analysis.spans.agreement import span_agreement
    from analysis.spans.files import read_spans, write_spans
    from analysis.spans.offsets import check_mark
    from analysis.spans.scoring import judgement_table, score_segments, score_systems
    from analysis.spans.snapping import snap_to_graphemes, snap_to_words
    from analysis.spans.weights import parse_weights
    from analysis.tukey_hsd import tukey

# Methods are imported when they are first used: the web server reads tables and computes nothing.
_MODULES = {
    "agreement": ("fleiss_kappa", "kendall_w"),
    "intraclass": ("intraclass_correlation",),
    "krippendorff": ("krippendorff_alpha",),
    "anova": ("factorial", "one_way", "welch"),
    "campaign_power": ("plan_from_pilot", "power", "with_screens"),
    "clustered": ("clustered_comparison",),
    "clusters": ("RankingOptions", "rank_criterion"),
    "metrics.against_people": ("MetricOptions", "metrics_against_people"),
    "metrics.people": ("People",),
    "metrics.prediction_powered": ("prediction_powered",),
    "metrics.score_files": ("read_scores",),
    "metrics.scoring": ("score",),
    "metrics.text_files": ("read_material",),
    "mixed": ("fit_mixed",),
    "nonparametric": ("dunn", "friedman", "kruskal_wallis", "wilcoxon_pairs"),
    "outliers": ("treat_outliers", "z_by_rater"),
    "paired_comparison": ("bradley_terry",),
    "pairs": ("pairs_from_table",),
    "raters": ("rater_profiles",),
    "report.bundle": ("read_bundle", "write_bundle"),
    "report.make": ("make_report",),
    "report.model": ("Report",),
    "report.options": ("ReportOptions",),
    "simulated_campaigns": ("CampaignPlan",),
    "spans.agreement": ("span_agreement",),
    "spans.files": ("read_spans", "write_spans"),
    "spans.offsets": ("check_mark",),
    "spans.scoring": ("judgement_table", "score_segments", "score_systems"),
    "spans.snapping": ("snap_to_graphemes", "snap_to_words"),
    "spans.weights": ("parse_weights",),
    "tukey_hsd": ("tukey",),
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}

__all__ = [
    "AnalysisError",
    "CampaignPlan",
    "Column",
    "JudgementTable",
    "MetricOptions",
    "OptionsError",
    "People",
    "RankingError",
    "RankingOptions",
    "Report",
    "ReportOptions",
    "TableError",
    "__version__",
    "bradley_terry",
    "check_mark",
    "clustered_comparison",
    "dunn",
    "factorial",
    "fit_mixed",
    "fleiss_kappa",
    "friedman",
    "intraclass_correlation",
    "judgement_table",
    "kendall_w",
    "krippendorff_alpha",
    "kruskal_wallis",
    "make_report",
    "metrics_against_people",
    "one_way",
    "pairs_from_table",
    "parse_weights",
    "plan_from_pilot",
    "power",
    "prediction_powered",
    "rank_criterion",
    "rater_profiles",
    "read_bundle",
    "read_material",
    "read_scores",
    "read_spans",
    "read_table",
    "score",
    "score_segments",
    "score_systems",
    "snap_to_graphemes",
    "snap_to_words",
    "span_agreement",
    "treat_outliers",
    "tukey",
    "welch",
    "wilcoxon_pairs",
    "with_screens",
    "write_bundle",
    "write_spans",
    "write_table",
    "z_by_rater",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'analysis' has no attribute {name!r}")
    return getattr(importlib.import_module(f"analysis.{_MODULE_OF[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
