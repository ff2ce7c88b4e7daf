"""Judgements under several versions of a campaign: what links them, and what is confounded.

Systems that join later are judged under another version, partly by other raters. Models of means
have the version as a factor; without systems or raters in both, nothing tells a difference between
systems from one between versions.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import scipy

from analysis.errors import Undefined
from analysis.scales.codes import compact, distinct
from analysis.table import JudgementTable
from analysis.typing import Codes

VERSION = "version"


def versions_of(part: JudgementTable) -> Codes | None:
    """Return the version of each judgement; None where there is one at most.

    Parameters
    ----------
    part : the judgements on one criterion
    """
    shown = part.factors.get(VERSION)
    return None if shown is None or len(shown.labels) < 2 else shown.codes


def blocks_of(part: JudgementTable) -> Codes | None:
    """Number each rater's work under each version; None where there is one version at most.

    Parameters
    ----------
    part : the judgements on one criterion
    """
    versions = versions_of(part)
    if versions is None:
        return None
    return part.rater.codes.astype(np.int64) * (int(versions.max()) + 1) + versions


def require_linked_versions(part: JudgementTable) -> None:
    """Refuse to compare systems that no rater judged under one version with the others.

    Parameters
    ----------
    part : the judgements on one criterion

    Raises
    ------
    Undefined : with the groups of systems
    """
    groups = _groups(part)
    if len(groups) > 1:
        named = " | ".join(_listed(group) for group in groups)
        raise Undefined(
            f"No rater judged systems of both groups under one version of the campaign: {named}. "
            "A difference between the groups cannot be told from one between versions and raters."
        )


def joined_later(part: JudgementTable) -> list[str]:
    """Return the systems that were not judged under every version.

    Parameters
    ----------
    part : the judgements on one criterion
    """
    versions = versions_of(part)
    if versions is None:
        return []
    cells = np.zeros((len(part.system.labels), int(versions.max()) + 1), dtype=bool)
    cells[part.system.codes, versions] = True
    return [name for name, row in zip(part.system.labels, cells, strict=True) if not row.all()]


def version_sentences(part: JudgementTable) -> Iterator[str]:
    """Say what links the versions, or what is confounded.

    Parameters
    ----------
    part : the judgements on one criterion
    """
    later = joined_later(part)
    if not later:
        return
    try:
        require_linked_versions(part)
    except Undefined as confounded:
        yield f"{confounded} Claim no such difference, whatever the means are."
        return
    blocks = blocks_of(part)
    assert blocks is not None
    is_later = np.isin(np.array(part.system.labels, dtype=object), later)[part.system.codes]
    both = np.intersect1d(blocks[is_later], blocks[~is_later])
    raters = distinct(part.rater.codes[np.isin(blocks, both)])
    linked = f"{raters} of {len(part.rater.labels)} raters judged systems of both kinds"
    yield (
        f"Not judged under every version of the campaign: {_listed(later)}. {linked} under one "
        "version, and link them. Mixed models have the version as a factor, and least squares "
        "compare systems within each rater and version. Means, analyses of variance and Tukey's "
        "comparisons do neither: a difference between versions or their raters is in them."
    )


def _groups(part: JudgementTable) -> list[list[str]]:
    """Return the groups of systems that raters link, each within one version."""
    blocks = blocks_of(part)
    labels = part.system.labels
    if blocks is None:
        return [list(labels)]
    blocks = compact(blocks)
    count = len(labels) + int(blocks.max()) + 1
    edges = (np.ones(len(part)), (part.system.codes, blocks + len(labels)))
    number, group = scipy.sparse.csgraph.connected_components(
        scipy.sparse.coo_matrix(edges, shape=(count, count)), directed=False
    )
    of_systems = group[: len(labels)].tolist()
    return [
        [name for name, its in zip(labels, of_systems, strict=True) if its == each]
        for each in range(number)
        if each in of_systems
    ]


def _listed(names: list[str]) -> str:
    return ", ".join(names)
