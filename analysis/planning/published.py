"""Spreads of published studies, for campaigns that have no pilot.

`benchmarks/planning/published_spreads.py` computes them from the studies' judgements. They are in
units of the residual's standard deviation, which is what is left of a judgement when system, rater
and item are known.
"""

from __future__ import annotations

from dataclasses import dataclass

from analysis.errors import OptionsError

from .sizes import Spreads


@dataclass(frozen=True)
class Study:
    """A study: its judgements' spreads, how they were given, and where they are from."""

    key: str
    title: str
    source: str
    spreads: Spreads
    systems: int
    raters: int
    items: int


WEBNLG = "Gardent, Shimorina, Narayan & Perez-Beltrachini (2017)"
RANKME = "Novikova, Dušek & Rieser (2018)"
SUMMARIES = "Steen & Markert (2021)"
# The spreads that Card et al. fitted to several studies, for a difference coded −1/+1.
CARD = "Card, Henderson, Khandelwal, Jia, Mahowald & Jurafsky (2020)"
# Systems, raters and items come after the spreads.
STUDIES = (
    Study("e2e-quality", "E2E NLG Challenge 2017: quality, five outputs ranked on a screen",
          "Dušek, Novikova & Rieser (2020)",
          Spreads(0.38, 0.437, 1.0, system=0.321), 21, 112, 630),
    Study("webnlg-fluency", "WebNLG Challenge 2017: fluency, three points", WEBNLG,
          Spreads(0.212, 0.68, 1.0, item=0.451, system=0.354), 10, 254, 223),
    Study("webnlg-grammar", "WebNLG Challenge 2017: grammar, three points", WEBNLG,
          Spreads(0.191, 0.588, 1.0, item=0.362, system=0.303), 10, 254, 223),
    Study("webnlg-semantics", "WebNLG Challenge 2017: semantics, three points", WEBNLG,
          Spreads(0.208, 0.849, 1.0, item=0.513, system=0.53), 10, 254, 223),
    Study("rankme-informativeness", "RankME 2018: informativeness, six points", RANKME,
          Spreads(0.875, 0.923, 1.0, system=1.235), 3, 19, 100),
    Study("rankme-quality", "RankME 2018: quality, six points", RANKME,
          Spreads(1.02, 0.424, 1.0, rater_item=0.4, system=0.835), 3, 13, 100),
    Study("rankme-naturalness", "RankME 2018: naturalness, six points", RANKME,
          Spreads(0.217, 0.353, 1.0, item=0.116, rater_item=1.338, system=0.124), 3, 20, 100),
    Study("summaries-coherence", "Summaries of news 2021: coherence, seven points", SUMMARIES,
          Spreads(0.314, 0.473, 1.0, rater_item=0.202, system=0.527), 5, 60, 100),
    Study("summaries-repetition", "Summaries of news 2021: repetition, seven points", SUMMARIES,
          Spreads(0.327, 0.524, 1.0, item=0.345, rater_item=0.19, system=0.435), 5, 60, 100),
    Study("card-high", "Card et al. 2020: high variance", CARD,
          Spreads(0.598, 0.761, 1.0, item=0.154, system=0.35), 2, 10, 100),
    Study("card-low", "Card et al. 2020: low variance", CARD,
          Spreads(0.354, 1.149, 1.0, item=0.062, system=0.35), 2, 10, 100),
)  # fmt: skip


def study(key: str) -> Study:
    """Return a study by its key.

    Parameters
    ----------
    key : such as `e2e-quality`

    Raises
    ------
    OptionsError : there is no such study
    """
    known = {each.key: each for each in STUDIES}
    if key not in known:
        raise OptionsError([f"There is no study {key!r}: {', '.join(known)}."])
    return known[key]
