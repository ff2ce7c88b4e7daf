"""Tables about judges next to people: agreement, preferences, the test, calibration."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from analysis.meta_evaluation.judge_report import JudgeReport
from analysis.meta_evaluation.judges import LEAST_OUTPUTS, Share
from analysis.translatable import gettext_noop as _

from .table_model import Cell, Column, Format, Role, Table, rows_of

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


def _number(title: str) -> Column:
    return Column(title, Format.NUMBER, 3)


def _agreement_table(judges: Sequence[JudgeReport]) -> Table:
    columns = (
        JUDGE,
        _number(_("α, people with people")),
        _number(_("α, judge with people")),
        Column(_("Pairs of raters"), Format.WHOLE),
        Column(_("Raters"), Format.WHOLE),
    )
    rows = [
        (
            each.judge,
            each.agreement.people,
            each.agreement.judge,
            each.agreement.pairs,
            each.agreement.with_judge,
        )
        for each in judges
    ]
    sentences = dict.fromkeys(sentence for each in judges for sentence in each.sentences)
    return Table(
        "judges",
        _("Judges next to people: agreement beyond chance, two at a time"),
        columns,
        rows_of(*rows),
        Role.HONEST,
        notes=tuple(sentences),
    )


def _preferences_table(judges: Sequence[JudgeReport]) -> Table:
    """Shares with intervals; the same of people next to them where it exists."""
    columns = (
        JUDGE, Column(_("Share")), _number(_("Judge")), Column(_("Interval"), Format.INTERVAL, 3),
        Column("n", Format.WHOLE), _number(_("People")),
        Column(_("Interval, people"), Format.INTERVAL, 3),
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
    return Table("judge-preferences", caption, columns, rows_of(*rows), Role.HONEST, heads=1)


def _cells(share: Share | None) -> tuple[Cell, Cell]:
    return (share.value, (share.low, share.high)) if share else (None, None)


def _test_table(judges: Sequence[JudgeReport]) -> Table:
    columns = (
        JUDGE, _number(_("Winning rate")), Column(_("Passes (half or more)")),
        _number(_("Advantage")), _number("ε"), Column(_("Raters"), Format.WHOLE),
        Column(_("Fewest outputs of a rater"), Format.WHOLE),
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
        rows_of(*rows),
        Role.HONEST,
        notes=reasons,
    )


def _calibration_table(judges: Sequence[JudgeReport]) -> Table:
    columns = (
        JUDGE, _number(_("Strength of the verdict")), _number(_("A person agrees")),
        Column(_("Interval"), Format.INTERVAL, 3), Column("n", Format.WHOLE),
        Column(_("Ties of people"), Format.WHOLE),
    )  # fmt: skip
    rows = [
        (each.judge, group.strength, *_cells(group.agrees), group.agrees.n, group.ties)
        for each in judges
        for group in each.calibration
    ]
    caption = _("Calibrated verdicts: how often a person agrees, by how sure the judge is")
    return Table("judge-calibration", caption, columns, rows_of(*rows))
