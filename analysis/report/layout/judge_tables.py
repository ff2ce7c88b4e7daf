"""Tables about judges next to people: agreement, preferences, the test, calibration."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from analysis.meta_evaluation.judge_report import JudgeReport
from analysis.meta_evaluation.judges import LEAST_OUTPUTS, Share
from analysis.translatable import gettext_noop as _

from .table_model import INTERVAL, Cell, Column, N, Role, Table, interval, number, rows_of, whole

JUDGE = Column(_("Judge"))


def judge_tables(judges: Sequence[JudgeReport]) -> Iterator[Table]:
    """Yield all tables of the judges on one criterion."""
    if not judges:
        return
    yield _agreement_table(judges)
    yield _preferences_table(judges)
    yield _test_table(judges)
    if any(each.calibration for each in judges):
        yield _calibration_table(judges)


def _agreement_table(judges: Sequence[JudgeReport]) -> Table:
    columns = (
        JUDGE,
        number(_("α, people with people")),
        number(_("α, judge with people")),
        whole(_("Pairs of raters")),
        whole(_("Raters")),
    )
    agreements = ((each.judge, each.agreement) for each in judges)
    rows = [(name, it.people, it.judge, it.pairs, it.with_judge) for name, it in agreements]
    sentences = dict.fromkeys(sentence for each in judges for sentence in each.sentences)
    return Table(
        "judges",
        _("Judges next to people: agreement beyond chance, two at a time"),
        columns,
        rows_of(rows),
        Role.HONEST,
        notes=tuple(sentences),
    )


def _preferences_table(judges: Sequence[JudgeReport]) -> Table:
    """Shares with intervals; the same of people next to them where it exists."""
    columns = (
        JUDGE, Column(_("Share")), number(_("Judge")), INTERVAL, N, number(_("People")),
        interval(_("Interval, people")),
    )  # fmt: skip
    rows: list[tuple[Cell, ...]] = []
    for each in judges:
        shares: tuple[tuple[str, Share, Share | None], ...] = (
            (_("the same when the order is swapped"), each.swap, None),
            (_("the output shown first wins"), each.first, None),
            (_("the longer output wins"), each.longer, each.people_longer),
            (_("the judge's own output wins"), each.own, each.people_own),
        )
        rows += [
            (
                each.judge,
                title,
                *_cells(mine),
                mine.n,
                *(_cells(theirs) if theirs else (None, None)),
            )
            for title, mine, theirs in shares
            if mine.n
        ]
    caption = _("Judges' biases, compared with people")
    return Table("judge-preferences", caption, columns, rows_of(rows), Role.HONEST, heads=1)


def _cells(share: Share | None) -> tuple[Cell, Cell]:
    return (share.value, (share.low, share.high)) if share else (None, None)


def _test_table(judges: Sequence[JudgeReport]) -> Table:
    columns = (
        JUDGE, number(_("Winning rate")), Column(_("Passes (half or more)")),
        number(_("Advantage")), number("ε"), whole(_("Raters")),
        whole(_("Fewest outputs of a rater")),
    )  # fmt: skip
    rows = [
        (
            each.judge, each.test.winning_rate, _("yes") if each.test.passes else _("no"),
            each.test.advantage, each.test.epsilon, len(each.test.raters),
            min(rater.n for rater in each.test.raters),
        )
        for each in judges
        if each.test
    ]  # fmt: skip
    reasons = tuple(f"{each.judge}: {each.test_reason}" for each in judges if each.test_reason)
    reasons += tuple(
        f"{each.judge}: raters with fewer than {LEAST_OUTPUTS} outputs were left out: "
        f"{each.test.left_out}."
        for each in judges
        if each.test and each.test.left_out
    )
    return Table(
        "judge-test",
        _("Alternative-annotator test: may the judge replace a rater?"),
        columns,
        rows_of(rows),
        Role.HONEST,
        notes=reasons,
    )


def _calibration_table(judges: Sequence[JudgeReport]) -> Table:
    columns = (
        JUDGE, number(_("Strength of the verdict")), number(_("A person agrees")),
        INTERVAL, N, whole(_("Ties of people")),
    )  # fmt: skip
    rows = [
        (each.judge, group.strength, *_cells(group.agrees), group.agrees.n, group.ties)
        for each in judges
        for group in each.calibration
    ]
    caption = _("Calibrated verdicts: how often a person agrees, by how sure the judge is")
    return Table("judge-calibration", caption, columns, rows_of(rows))
