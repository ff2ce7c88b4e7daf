"""Every sentence of a report agrees with the data, whatever the data are.

Each sentence is read by a pattern, and what it says is computed again: from the judgements with
other libraries, or from the part of the report that it is about. A sentence that no pattern reads
is an error, and so is one in which a number could be another.
"""

import re
from collections.abc import Callable
from functools import cache, partial
from itertools import pairwise

import numpy as np
import pytest
import scipy

from analysis import JudgementTable
from analysis.ranking.clusters import SCHEME_OF
from analysis.reliability.krippendorff import krippendorff_alpha
from analysis.report.make import make_report
from analysis.report.model import CriterionReport, Report
from analysis.report.options import ReportOptions
from tests.analysis.judged import rebuilt
from tests.analysis.studies import (
    EVERY_KIND,
    QUICK,
    STUDIES,
    every_kind,
    facts,
    from_rows,
    magnitudes,
    report_of,
    report_without_mixed_models,
    sliders,
)

pytestmark = pytest.mark.slow

Case = tuple[JudgementTable, Report]
# What a sentence should say in the places of its pattern's groups.
Meant = Callable[[CriterionReport, JudgementTable, Report], tuple[object, ...]]


def apart(pairs, alpha: float) -> tuple[int, int]:
    return sum(pair.p < alpha for pair in pairs), len(pairs)


def p_value(p: float) -> str:
    return "p < .001" if p < 0.001 else f"p = {p:.3f}".replace("0.", ".", 1)


def groups(part: JudgementTable) -> list[np.ndarray]:
    return [part.value[part.system.codes == code] for code in range(len(part.system.labels))]


def used(part: JudgementTable, name: str) -> int:
    return len(np.unique(getattr(part, name).codes))


# --- what is computed again from the judgements --------------------------------------------------


def percentages(found, part, _report):
    sizes = [len(each) for each in groups(part)]
    median = float(np.median(sizes))
    spread = [min(sizes)] if min(sizes) == max(sizes) else [min(sizes), max(sizes)]
    return " to ".join(map(str, spread)), int(median), round(100 / np.sqrt(median))


def chi_squared(found, part, _report):
    table = scipy.stats.contingency.crosstab(part.system.codes, part.value).count
    test = scipy.stats.chi2_contingency(table, correction=False)
    return test.dof, f"{test.statistic:.1f}", p_value(test.pvalue), used(part, "rater")


def agreement(found, part, _report):
    coefficients = {each.name: each for each in found.agreement}
    name = "ordinal" if "Krippendorff α, ordinal" in coefficients else "nominal"
    chosen = coefficients[f"Krippendorff α, {name}"]
    outputs = part.system.codes.astype(np.int64) * len(part.item.labels) + part.item.codes
    outputs = np.unique(outputs, return_inverse=True)[1]
    value = chosen.value
    if found.kind not in ("relative", "time"):  # these are of ranks, and of treated values
        value = krippendorff_alpha(part.value, outputs, part.rater.codes, name).value
    return name, f"{value:.2f}", f"{chosen.low:.2f}", f"{chosen.high:.2f}"


def anova(found, part, _report):
    model = found.scale.anova
    tests = [row for row in model.rows if row.F is not None]
    if len(tests) == 1 and found.outliers is None:
        again = scipy.stats.f_oneway(*groups(part))
        assert (tests[0].F, tests[0].p) == pytest.approx((again.statistic, again.pvalue))
    df = f"{model.residual.df:g}"
    said = ", ".join(
        f"{row.source} F({row.df:g}, {df}) = {row.F:.3f}, {p_value(row.p)}" for row in tests
    )
    raters = used(part, "rater")
    return model.design, said, raters, f"{len(part) / raters:.0f}"


def tukey(found, part, _report):
    if len(found.scale.anova.rows) == 2 and found.outliers is None:
        p = scipy.stats.tukey_hsd(*groups(part)).pvalue[np.triu_indices(len(groups(part)), 1)]
        assert apart(found.scale.tukey.pairs, 0.05)[0] == np.sum(p < 0.05)
    return (
        *apart(found.scale.tukey.pairs, found.scale.tukey.alpha),
        f"{found.scale.tukey.alpha:g}",
    )


def kruskal(found, part, _report):
    test = scipy.stats.kruskal(*groups(part))
    return len(groups(part)) - 1, f"{test.statistic:.2f}", p_value(test.pvalue)


def outliers(found, part, _report):
    mean, sd = part.value.mean(), part.value.std(ddof=1)
    below, above = np.sum(part.value < mean - 2 * sd), np.sum(part.value > mean + 2 * sd)
    ends = f"{mean - 2 * sd:.6g}", f"{mean + 2 * sd:.6g}"
    return below + above, len(part), below, ends[0], above, ends[1]


def published_ranking(found, part, _report):
    sizes = np.bincount(part.screen.codes)
    ranking = found.ranking.rankings["none"]
    clusters = max(each.cluster for each in ranking.systems)
    return clusters, "" if clusters == 1 else "s", used(part, "system"), int(
        sum(size * (size - 1) / 2 for size in sizes)
    )  # fmt: skip


def resampled(found, part, report):
    ranking = found.ranking.rankings[SCHEME_OF[report.options.get("generality", "both")]]
    clusters = max(each.cluster for each in ranking.systems)
    items = (
        documents(found, part, report)[1] if report.options["item_groups"] else used(part, "item")
    )
    few = min(used(part, "rater"), items)
    ending = (
        ", but fewer than 6 can all agree by chance, which resampling takes for certainty: claim "
        "none of its boundaries."
        if few < 6
        else ": no boundary can be claimed for new raters and new items."
        if clusters == 1
        else ". If they were planned as the result, claim these boundaries for new raters and new "
        "items, in place of the answer's pairs and not in addition to them."
    )
    return (
        used(part, "rater"), items, "is" if clusters == 1 else "are", clusters,
        "" if clusters == 1 else "s", used(part, "system"), ending,
    )  # fmt: skip


# --- what a part of the report says --------------------------------------------------------------


def section(found):
    return found.ranking or found.scale


def strengths(found, part, _report):
    return apart(found.ranking.bradley_terry.pairs, found.alpha)


def mixed(name, found, part, _report):
    model = getattr(section(found), name)
    return model.formula, *apart(model.contrasts, found.alpha)


def mixed_of_none(found, part, _report):
    formula, told, number = mixed("mixed", found, part, _report)
    return formula, told, number, " Claim none of them on this model alone." if told else ""


def clustered(found, part, _report):
    told, number = apart(section(found).clustered.contrasts, found.alpha)
    end = "claim these" if told else "no difference can be claimed"
    if found.ranking:
        end = "this checks the answer, which is read off Bradley–Terry, and adds no claim to it"
    return told, number, end


def exact(found, part, _report):
    tests = found.effects.tests
    told = sum(min(each.sign_p, each.permutation_p) < tests.alpha for each in tests.pairs)
    drawn = "" if tests.is_exact else f", {tests.patterns:,} patterns of signs drawn"
    return used(part, "rater"), drawn, told, len(tests.pairs)


def too_few_for_exact(found, part, _report):
    return f"{found.alpha:g}", used(part, "rater")


def refusal(found, part, _report):
    return (used(part, "rater"),)


def judged_once(found, part, _report):
    outputs = part.system.codes.astype(np.int64) * len(part.item.labels) + part.item.codes
    assert len(np.unique(outputs)) == len(part)
    return ()


def unsure_cuts(found, part, _report):
    systems = found.ranking.rankings["none"].systems
    return (
        "; ".join(
            f"{above.system} | {below.system} in {100 * above.cut_share:.0f}%"
            for above, below in pairwise(systems)
            if above.cluster != below.cluster and above.cut_share < 0.9
        ),
    )


def unlinked(found, part, _report):
    return (len(found.ranking.rankings["none"].unmet),)


def equivalence(found, part, _report):
    tested = found.effects.equivalence
    named = "; ".join(f"{pair.a} and {pair.b}" for pair in tested.equivalent()) or "no pair"
    return f"{tested.margin:g}", f"{tested.alpha:g}", len(tested.pairs), named


def documents(found, part, _report):
    return used(part, "item"), len(np.unique(part.factors["document"].codes))


def nothing(found, part, _report):
    return ()


FORMULA, COUNT = r"(value ~ .*?)", r"(\d+) of (\d+) pairs"
ABOUT_NEW = "for new raters and new items"
SAID: dict[str, Meant] = {
    r"Percentages of ([\d to]+) judgements a system; with (\d+) judgements a share of 50 % is "
    r"uncertain by about ± (\d+) points, and by more as raters judge alike\.": percentages,
    r"Pearson's χ²\((\d+)\) = ([\d.]+), (p [<=] [.\d]+), takes the judgements of (\d+) raters as "
    r"independent\.": chi_squared,
    r"Agreement of raters is Krippendorff α, (\w+) = (-?[\d.]+) \(95 % interval (-?[\d.]+) to "
    r"(-?[\d.]+) over (?:items|documents)\)\. α says how far raters order these outputs alike\. It "
    r"is also low where the outputs hardly differ, and a low α alone does not make a ranking "
    r"wrong\.": agreement,
    r"Analysis of variance \((.*?)\): (system F.*?)\. It treats every judgement as independent, "
    r"but here (\d+) raters gave (\d+) each on average\. Its p-values are too small .* too large\.":
    anova,
    rf"Tukey's comparisons, which assume the same, find {COUNT} different at ([\d.]+); systems "
    r"that share a letter were not told apart, which does not show that they are equal\.": tukey,
    r"Kruskal–Wallis on ranks: χ²\((\d+)\) = ([\d.]+), (p [<=] [.\d]+); it does not .*": kruskal,
    r"Values beyond mean ± 2 SD were replaced by the overall mean\. (\d+) of (\d+) values were "
    r"treated \((\d+) below (\S+), (\d+) above (\S+)\)\.": outliers,
    r"The ranking as published in this field has (\d+) cluster(s?) of (\d+) systems in (\d+) "
    r"pairs; its ranges show .* would not be found again\.": published_ranking,
    r"With whole raters and (?:item|document)s resampled \((\d+) raters and (\d+) "
    r"(?:item|document)s\) there (is|are) (\d+) "
    r"cluster(s?) of (\d+) systems(.*)": resampled,
    rf"Bradley–Terry with errors clustered by rater and (?:item|document) tells {COUNT} apart, "
    r"with all claims holding together; base a claim about one pair of systems "
    rf"{ABOUT_NEW} on these\.": strengths,
    rf"The mixed model {FORMULA} allows for raters' strictness and items' difficulty, and takes "
    rf"raters and items to have no tastes: {COUNT} differ \(simultaneous intervals\)\."
    r"( Claim none of them on this model alone\.)?": mixed_of_none,
    rf"The mixed model {FORMULA} also allows each rater and each item an effect of its own on each "
    rf"system: {COUNT} differ \(simultaneous intervals\)\. It takes .* too often\.":
    partial(mixed, "mixed_full"),
    r"Least squares on system and rater, with errors clustered by rater and (?:item|document), "
    rf"makes the fewest assumptions: {COUNT} differ, {ABOUT_NEW}; (.*)\.": clustered,
    r"Exact tests that take each of (\d+) raters as one observation \(sign test and permutation "
    rf"test(, [\d,]+ patterns of signs drawn)?\) tell {COUNT} apart, with all claims holding "
    r"together, for new raters of these items\. They say nothing about new items\.": exact,
    r"An exact test at ([\d.]+) needs 6 raters who tell systems apart, even if all of them agree; "
    r"here there are (\d+)\.": too_few_for_exact,
    r"(\d+) raters cannot show what other raters would give: claim nothing .* at least 3 of each\.":
    refusal,
    r"Agreement cannot be stated: No output was judged by two raters\.": judged_once,
    r"Some boundaries depend on the seed \(share of redrawn runs that show them\): (.*)\.":
    unsure_cuts,
    r"(\d+) pairs of systems never appeared on one screen; they are compared only through other "
    r"systems\.": unlinked,
    r"The margin of equivalence is ± ([\d.]+) \(.*\)\. Two one-sided tests at ([\d.]+), adjusted "
    rf"for (\d+) pairs, show smaller differences for: (.*), {ABOUT_NEW}\. Of other pairs, do .*":
    equivalence,
    r"The (\d+) items belong to (\d+) groups \(document\), and the items of a group are not "
    r"independent\. .* independent\.": documents,
    r"The delay of screen, keyboard and mouse is not known\. Absolute times are 10 to 40 ms too "
    r"long, .* within raters\.": nothing,
}  # fmt: skip
CHECKS = [(re.compile(pattern), meant) for pattern, meant in SAID.items()]


def wrong(text: str, found: CriterionReport, part: JudgementTable, report: Report) -> str:
    """Why a sentence is wrong; empty where it is right."""
    for pattern, meant in CHECKS:
        if match := pattern.fullmatch(text):
            said = tuple("" if each is None else each for each in match.groups())
            right = tuple(map(str, meant(found, part, report)))
            return "" if said == right else f"{said} should be {right}: {text}"
    return f"No pattern reads: {text}"


def part_of(table: JudgementTable, found: CriterionReport, report: Report) -> JudgementTable:
    """The judgements that a criterion's sentences are about."""
    excluded = set(report.options.get("exclude_raters", ()))
    return table.without_raters(excluded).for_criterion(found.criterion)


def documented() -> JudgementTable:
    """Items of documents that systems do differently well."""
    dice = np.random.default_rng(9)
    taste = dice.normal(0, 1, (8, 3))
    rows = [
        (f"r{rater}", f"{book}/{item}", f"sys{system}", "fit",
         round(50 + 5 * system + 4 * taste[book, system] + 6 * dice.normal()),
         f"{rater}.{book}.{item}", f"book {book}")
        for rater in range(5) for book in range(8) for item in range(3) for system in range(3)
    ]  # fmt: skip
    return from_rows(rows, "document")


def in_two_arenas() -> JudgementTable:
    """Two systems that never meet are compared through a third."""
    dice = np.random.default_rng(6)
    rows = [
        (f"r{rater}", f"i{item}", f"sys{system}", "arena", round(dice.normal(60 - 9 * system, 9)),
         f"{rater}.{item}")
        for rater in range(6) for item in range(12) for system in ((0, 1) if item % 2 else (1, 2))
    ]  # fmt: skip
    return from_rows(rows)


def unmixed(table: JudgementTable, options: dict) -> Case:
    return table, report_without_mixed_models(table, {**QUICK, **options})


def first(table: JudgementTable, raters: int) -> JudgementTable:
    return rebuilt(table.rows(table.rater.codes < raters))


@cache
def cases() -> list[Case]:
    """Reports of every kind, of changed data, with few raters, documents and a margin."""
    whole = [(STUDIES[name][0](), report_of(name)) for name in STUDIES]
    whole.append((every_kind(5), make_report(every_kind(5), ReportOptions.from_dict(EVERY_KIND))))
    return [
        *whole,
        unmixed(sliders(4, raters=7, items=30, systems=3), {}),
        unmixed(first(sliders(2), 2), {}),
        unmixed(first(magnitudes(2), 5), {}),
        unmixed(magnitudes(6), {}),
        unmixed(rebuilt(facts(7)), {"kinds": {"Supp": "count", "Cont": "count"}}),
        unmixed(sliders(5, raters=15, items=40, systems=2), {"equivalence": {"Clarity": 30}}),
        unmixed(documented(), {"item_groups": "document"}),
        unmixed(in_two_arenas(), {}),
    ]


def sentences():
    for table, report in cases():
        for found in report.criteria:
            part = part_of(table, found, report)
            for text in found.sentences:
                yield text, found, part, report


def test_every_sentence_of_a_report_says_what_its_data_say():
    assert [reason for given in sentences() if (reason := wrong(*given))] == []


def test_a_number_that_were_another_would_be_found():
    """The control: each number of each sentence, and each 'no' and 'claim', is looked at."""
    missed = set()
    for text, found, part, report in sentences():
        for match in re.finditer(r"(?<![\w~.])\d+(?:\.\d+)?(?![\w|])", text):
            other = f"{float(match[0]) + 1:g}"
            changed = f"{text[: match.start()]}{other}{text[match.end() :]}"
            if not wrong(changed, found, part, report):
                missed.add(f"{match[0]} in {text}")
        for word, opposite in (("claim these", "claim none"), ("no difference", "a difference")):
            if word in text and not wrong(text.replace(word, opposite), found, part, report):
                missed.add(f"{word} in {text}")
    assert missed == set()


def test_every_pattern_reads_a_sentence():
    unread = {pattern.pattern for pattern, _ in CHECKS}
    for text, *_ in sentences():
        unread -= {pattern.pattern for pattern, _ in CHECKS if pattern.fullmatch(text)}
    assert unread == set()


def test_sentences_about_the_whole_report_name_its_levels_and_exclusions():
    for _table, report in cases():
        said = " ".join(report.sentences)
        number = len(report.criteria)
        assert f"no adjustment is made for reporting {number} criteri" in said
        assert ("Some raters were excluded" in said) == bool(report.options["exclude_raters"])
    _, report = unmixed(sliders(1), {"primary": "Readability"})
    levels = {found.criterion: found.alpha for found in report.criteria}
    said = " ".join(report.sentences)
    level = f"{levels['Readability']:g}"
    assert f"Readability: its claims are made at a level of {level} for all its pairs" in said
    assert f"Clarity {levels['Clarity']:.3g}" in said
