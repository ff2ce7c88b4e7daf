"""Plain sentences: what each table of a report can and cannot claim."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np

from analysis.inference import LEAST_RESAMPLED_UNITS, Units
from analysis.ranking.bradley_terry import BradleyTerry
from analysis.ranking.clusters import SCHEME_OF, Ranking
from analysis.reliability.coefficients import Coefficient
from analysis.report.model import CriterionReport
from analysis.report.options import ReportOptions
from analysis.scales.anova import RESIDUAL, Anova
from analysis.scales.comparison import Contrast
from analysis.scales.outliers import OutlierCount
from analysis.scales.versions import version_sentences
from analysis.sequential.sentences import look_sentences
from analysis.table import JudgementTable

from .category_section import CategorySection
from .effect_section import effect_sentences
from .ranking_section import RankingSection
from .scale_section import ScaleSection, units_of

RESAMPLED = {"raters": "whole raters", "items": "whole {}s", "both": "whole raters and {}s"}
# What screens and keyboards add to times taken over the web: Anwyl-Irvine et al. (2021).
HARDWARE_LATENCY = (
    "The delay of screen, keyboard and mouse is not known. Absolute times are 10 to 40 ms too "
    "long, by about the same amount in all trials of one rater; compare times within raters."
)
STANDARDISED = (
    "Scores were standardised within each rater (distance from the rater's mean in the rater's "
    "standard deviations). Tests compare these; the means of the scores as given are shown next "
    "to them. A rater who always gave the same score counts as 0 throughout."
)


def criterion_sentences(
    found: CriterionReport, part: JudgementTable, options: ReportOptions
) -> tuple[str, ...]:
    """Say in plain words what the sections of one criterion can claim."""
    sentences: list[str] = []
    drawn = options.item_groups or "item"
    units = units_of(part, options)
    ranking, scale, effects = found.ranking, found.scale, found.effects
    if found.outliers is not None:
        sentences.append(_about_outliers(found.outliers))
    if found.criterion in options.standardise:
        sentences.append(STANDARDISED)
    if found.kind == "time":
        sentences.append(HARDWARE_LATENCY)
    if found.sequential is not None:  # it has the only claims
        sentences += look_sentences(found.sequential)
        ranking = scale = effects = None
    if ranking is not None:
        sentences += _about_rankings(ranking, units, drawn)
        sentences += _about_mixed(ranking, options, drawn, units)
    if scale is not None:
        sentences += _about_scales(scale, part, found.kind)
        if reason := units.refusal():
            sentences.append(reason)
        sentences += _about_mixed(scale, options, drawn, units)
    if found.kind != "category":
        sentences += version_sentences(part)
    if effects is not None:
        sentences += effect_sentences(effects, options.generality)
    if found.categories is not None:
        sentences += _about_categories(found.categories, part)
    sentences += _about_agreement(found.agreement, drawn)
    if options.item_groups:
        sentences += _about_groups(options.item_groups, part)
    return tuple(sentences)


def report_sentences(*, excluded: bool) -> Iterator[str]:
    """State what is true of the report as a whole."""
    if excluded:
        yield (
            "Some raters were excluded. The ranking is shown before and after; a result that "
            "changes with the exclusion depends on that choice."
        )


def probability(p: float) -> str:
    """Write a p-value as papers do."""
    return "< .001" if p < 0.001 else f"{p:.3f}".replace("0.", ".", 1)


def stated(p: float) -> str:
    """Write a p-value within a sentence."""
    return f"p {probability(p)}" if p < 0.001 else f"p = {probability(p)}"


def _about_outliers(outliers: OutlierCount) -> str:
    if outliers.low is None or outliers.high is None:
        return outliers.sentence
    return (
        f"{outliers.sentence} {outliers.treated} of {outliers.values} values were treated "
        f"({outliers.below} below {outliers.low:.6g}, {outliers.above} above {outliers.high:.6g})."
    )


# --- relative judgements ---------------------------------------------------------------------


def _about_rankings(ranking: RankingSection, units: Units, drawn: str) -> Iterator[str]:
    if "ranking" in ranking.undefined:
        yield f"There is no ranking: {ranking.undefined['ranking']}"
    paper = ranking.rankings.get("none")
    honest = ranking.rankings.get(SCHEME_OF[units.generality])
    if paper is not None:
        yield (
            f"The ranking as published in this field has {_clusters(paper)} in "
            f"{paper.comparisons} pairs; its ranges show how the procedure varies on these "
            "particular judgements, not how other raters would judge, so some of its boundaries "
            "would not be found again."
        )
        yield from _about_cuts(paper)
    if reason := units.refusal():
        yield reason
    else:
        if honest is not None:
            yield _about_resampled(honest, units, drawn)
        if ranking.bradley_terry is not None:
            yield _about_strengths(ranking.bradley_terry, units, drawn)
    shown = paper or honest
    if shown is not None and shown.unmet:
        yield (
            f"{len(shown.unmet)} pairs of systems never appeared on one screen; they are compared "
            "only through other systems."
        )


def _about_resampled(ranking: Ranking, units: Units, drawn: str) -> str:
    """Say whether the clusters may be claimed, and about whom."""
    counted = " and ".join(unit.counted() for unit in units.sampled).replace("item", drawn)
    found = (
        f"With {RESAMPLED[units.generality].format(drawn)} resampled ({counted}) there "
        f"{'is' if _number_of_clusters(ranking) == 1 else 'are'} {_clusters(ranking)}"
    )
    if units.refusal(LEAST_RESAMPLED_UNITS):
        return (
            f"{found}, but fewer than {LEAST_RESAMPLED_UNITS} can all agree by chance, which "
            "resampling takes for certainty: claim none of its boundaries."
        )
    if _number_of_clusters(ranking) == 1:
        return f"{found}: no boundary can be claimed {units.beyond}."
    return (
        f"{found}. If they were planned as the result, claim these boundaries {units.beyond}, in "
        "place of the answer's pairs and not in addition to them."
    )


def _about_strengths(found: BradleyTerry, units: Units, drawn: str) -> str:
    apart = sum(pair.p < found.alpha for pair in found.pairs)
    by = {"raters": "rater", "items": drawn, "both": f"rater and {drawn}"}[units.generality]
    return (
        f"Bradley–Terry with errors clustered by {by} tells {apart} of {len(found.pairs)} pairs "
        f"apart, with all claims holding together; base a claim about one pair of systems "
        f"{units.beyond} on these."
    )


def _number_of_clusters(ranking: Ranking) -> int:
    return max(system.cluster for system in ranking.systems)


def _clusters(ranking: Ranking) -> str:
    count = _number_of_clusters(ranking)
    return f"{count} cluster{'s' if count != 1 else ''} of {len(ranking.systems)} systems"


def _about_cuts(ranking: Ranking) -> Iterator[str]:
    """Name the boundaries that another seed might not show."""
    ends = [
        (above, below)
        for above, below in zip(ranking.systems, ranking.systems[1:], strict=False)
        if above.cluster != below.cluster and above.cut_share < 0.9
    ]
    if ends:
        named = "; ".join(
            f"{above.system} | {below.system} in {above.cut_share:.0%}" for above, below in ends
        )
        yield f"Some boundaries depend on the seed (share of redrawn runs that show them): {named}."


# --- scales ----------------------------------------------------------------------------------


def _about_scales(scale: ScaleSection, part: JudgementTable, kind: str) -> Iterator[str]:
    if scale.anova is None:
        yield f"There is no analysis of variance: {scale.undefined['anova']}"
    else:
        yield from _about_anova(scale.anova, part)
    if scale.tukey is not None and scale.anova is not None:
        differing = sum(pair.p < scale.tukey.alpha for pair in scale.tukey.pairs)
        yield (
            f"Tukey's comparisons, which assume the same, find {differing} of "
            f"{len(scale.tukey.pairs)} pairs different at {scale.tukey.alpha:g}; systems that "
            "share a letter were not told apart, which does not show that they are equal."
        )
        if _letters_differ_from_subsets(scale):
            yield (
                "Letters and SPSS's subsets differ here, because the systems have different "
                "numbers of judgements: the letters follow each pair's own test, the subsets a "
                "harmonic mean of the numbers."
            )
    if kind in ("count", "error") and scale.kruskal is not None:
        yield (
            f"Kruskal–Wallis on ranks: χ²({scale.kruskal.df}) = {scale.kruskal.statistic:.2f}, "
            f"{stated(scale.kruskal.p)}; it does not assume a normal distribution, but it does "
            "assume independent judgements."
        )


def _about_anova(anova: Anova, part: JudgementTable) -> Iterator[str]:
    effects = ", ".join(
        f"{row.source} F({row.df:g}, {anova.residual.df:g}) = {row.F:.3f}, {stated(row.p)}"
        for row in anova.rows
        if row.source != RESIDUAL and row.F is not None and row.p is not None
    )
    raters = len(part.rater.labels)
    repeated = len(part) / max(raters, 1)
    gave = "1 rater gave" if raters == 1 else f"{raters} raters gave"
    yield (
        f"Analysis of variance ({anova.design}): {effects}. It treats every judgement as "
        f"independent, but here {gave} {repeated:.0f} each on average. Its p-values are too small "
        "where raters or items have tastes, that is, order the systems in their own way; where "
        "they only differ in strictness or difficulty, and the design is balanced, they are too "
        "large."
    )


def _letters_differ_from_subsets(scale: ScaleSection) -> bool:
    if scale.tukey is None:
        return False
    together = {
        frozenset(pair) for subset in scale.tukey.subsets for pair in combinations(subset, 2)
    }
    sharing = {
        frozenset((pair.a, pair.b))
        for pair in scale.tukey.pairs
        if set(scale.tukey.letters[pair.a]) & set(scale.tukey.letters[pair.b])
    }
    return together != sharing


def _about_mixed(
    section: ScaleSection | RankingSection, options: ReportOptions, drawn: str, units: Units
) -> Iterator[str]:
    alpha = options.alpha
    if section.mixed is not None:
        strictness = "raters' strictness and " if units.raters.number > 1 else ""
        told = any(pair.p < alpha for pair in section.mixed.contrasts)
        yield (
            f"The mixed model {section.mixed.formula} allows for {strictness}items' difficulty, "
            "and takes raters and items to have no tastes: "
            f"{_apart(section.mixed.contrasts, alpha)} differ (simultaneous intervals)."
            f"{' Claim none of them on this model alone.' if told else ''}"
        )
    if section.mixed_full is not None:
        yield (
            f"The mixed model {section.mixed_full.formula} also allows each rater and each item an "
            f"effect of its own on each system: {_apart(section.mixed_full.contrasts, alpha)} "
            "differ (simultaneous intervals). It takes such effects to vary alike for all systems, "
            "and so tells a system about which raters disagree most apart too often."
        )
    if section.clustered is not None:
        by = {"raters": "rater", "items": drawn, "both": f"rater and {drawn}"}[units.generality]
        yield (
            f"Least squares on system{'' if section.clustered.between else ' and rater'}, with "
            f"errors clustered by {by}, makes "
            f"the fewest assumptions: {_apart(section.clustered.contrasts, alpha)} differ, "
            f"{units.beyond}; {_use_of_clustered(section, alpha)}."
        )


def _use_of_clustered(section: ScaleSection | RankingSection, alpha: float) -> str:
    """Say what to do with the differences: a criterion has one model to be claimed."""
    assert section.clustered is not None
    if isinstance(section, RankingSection) and section.bradley_terry is not None:
        return "this checks the answer, which is read off Bradley–Terry, and adds no claim to it"
    differ = any(contrast.p < alpha for contrast in section.clustered.contrasts)
    return "claim these" if differ else "no difference can be claimed"


def _apart(contrasts: Sequence[Contrast], alpha: float) -> str:
    apart = sum(contrast.p < alpha for contrast in contrasts)
    return f"{apart} of {len(contrasts)} pairs"


# --- categories and agreement ----------------------------------------------------------------


def _about_categories(categories: CategorySection, part: JudgementTable) -> Iterator[str]:
    sizes = [row.judgements for row in categories.rows]
    few, many = min(sizes), max(sizes)
    yield (
        f"Percentages of {few if few == many else f'{few} to {many}'} judgements a system; with "
        f"{int(np.median(sizes))} judgements a share of 50 % is uncertain by about "
        f"± {100 / np.sqrt(np.median(sizes)):.0f} points, and by more as raters judge alike."
    )
    if categories.test is not None:
        yield (
            f"Pearson's χ²({categories.test.df}) = {categories.test.statistic:.1f}, "
            f"{stated(categories.test.p)}, takes the judgements of "
            f"{len(part.rater.labels)} raters as independent."
        )


def _about_groups(name: str, part: JudgementTable) -> Iterator[str]:
    """Name the resampling unit, and the tests that ignore it."""
    groups = part.groups(name)
    items = len(part.item.labels)
    yield (
        f"The {items} items belong to {len(groups.labels)} groups ({name}), and the items of a "
        "group are not independent. Every resampling of items and every clustered error here draws "
        f"whole groups, Friedman's and Wilcoxon's tests compare means of groups, and the mixed "
        "models have an effect of the group where it has several items. Analyses of variance, "
        "Tukey's and Welch's tests, Kruskal–Wallis, Dunn's test and χ² take every judgement as "
        "independent."
    )


def _about_agreement(agreement: Sequence[Coefficient], drawn: str) -> Iterator[str]:
    alphas = [each for each in agreement if each.name.startswith("Krippendorff")]
    known = [each for each in alphas if each.value is not None]
    if not known:
        if alphas:
            yield f"Agreement cannot be stated: {alphas[0].reason}"
        return
    chosen = next((each for each in known if each.name.endswith("ordinal")), known[0])
    interval = ""
    if chosen.low is not None and chosen.high is not None:
        interval = f" (95 % interval {chosen.low:.2f} to {chosen.high:.2f} over {drawn}s)"
    yield (
        f"Agreement of raters is {chosen.name} = {chosen.value:.2f}{interval}. α says how far "
        "raters order these outputs alike. It is also low where the outputs hardly differ, and a "
        "low α alone does not make a ranking wrong."
    )
