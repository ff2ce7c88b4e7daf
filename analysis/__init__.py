"""Statistics of human evaluation: judgements in, frozen results out.

>>> import analysis
>>> table = analysis.read_table("judgements.csv")
>>> report = analysis.make_report(table, analysis.ReportOptions(seed=1))
>>> analysis.rank_criterion(table, "quality", analysis.RankingOptions(runs=200))

`python -m analysis` offers the same on the command line.
"""

from analysis.errors import AnalysisError, OptionsError, RankingError, TableError
from analysis.meta_evaluation.against_people import MetricOptions, metrics_against_people
from analysis.meta_evaluation.people import People
from analysis.meta_evaluation.prediction_powered import prediction_powered
from analysis.ranking.bradley_terry import bradley_terry
from analysis.ranking.clusters import RankingOptions, rank_criterion
from analysis.ranking.pairs import pairs_from_table
from analysis.ranking.power import plan_from_pilot, power, with_screens
from analysis.ranking.simulated_campaigns import CampaignPlan
from analysis.reliability.coefficients import fleiss_kappa, kendall_w
from analysis.reliability.generalisability import generalisability
from analysis.reliability.intraclass import intraclass_correlation
from analysis.reliability.krippendorff import krippendorff_alpha
from analysis.reliability.rater_profiles import rater_profiles
from analysis.report.bundle import read_bundle, write_bundle
from analysis.report.make import make_report
from analysis.report.model import Report
from analysis.report.options import ReportOptions
from analysis.scales.anova import factorial, one_way, welch
from analysis.scales.clustered import clustered_comparison
from analysis.scales.mixed_model import fit_mixed
from analysis.scales.ordinal_model import fit_ordinal
from analysis.scales.outliers import treat_outliers, z_by_rater
from analysis.scales.rank_tests import dunn, friedman, kruskal_wallis, wilcoxon_pairs
from analysis.scales.tukey_hsd import tukey
from analysis.signature import VERSION as __version__
from analysis.spans.agreement import span_agreement
from analysis.spans.files import read_spans, write_spans
from analysis.spans.offsets import check_mark
from analysis.spans.scoring import judgement_table, score_segments, score_systems
from analysis.spans.snapping import snap_to_graphemes, snap_to_words
from analysis.spans.weights import parse_weights
from analysis.table import Column, JudgementTable
from analysis.table_files import read_table, write_table
from analysis.text_metrics.score_files import read_scores
from analysis.text_metrics.scoring import score
from analysis.text_metrics.text_files import read_material

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
    "fit_ordinal",
    "fleiss_kappa",
    "friedman",
    "generalisability",
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
