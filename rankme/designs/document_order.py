"""Documents: items that stay together and in order, for one rater.

A design draws documents as if each were one item; then every document becomes its segments.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from rankme.designs.growth import Growth
from rankme.designs.plan import DesignError, DesignRequest, Layout

NOTE = (
    "Documents stay whole: batches, groups and chunks are counted in documents, and a rater sees "
    "all segments of a document in order, by the same systems."
)


@dataclass(frozen=True)
class Documents:
    """The indexes of each document's items, in the order of its segments.

    Every item is in one document.
    """

    segments: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, segments: Sequence[Sequence[int]]) -> Documents:
        return cls(tuple(tuple(each) for each in segments))

    def as_items(self, request: DesignRequest) -> DesignRequest:
        """The request with a document for each item.

        Raises
        ------
        DesignError : a system has some segments of a document and lacks others
        """
        covered = [request.coverage[list(items)] for items in self.segments]
        partly = sum(int(np.any(each.any(axis=0) & ~each.all(axis=0))) for each in covered)
        if partly:
            raise DesignError(
                [f"In {partly} documents a system lacks some segments: a document is judged whole."]
            )
        first = [items[0] for items in self.segments]
        return replace(
            request,
            n_items=len(self.segments),
            coverage=np.array([each.all(axis=0) for each in covered], dtype=np.bool_).reshape(
                len(self.segments), request.n_systems
            ),
            strata=request.strata[first],
        )

    def as_segments(self, layout: Layout) -> Layout:
        """The layout with each document's segments, in order, in the place of the document."""
        lengths = np.array([len(items) for items in self.segments], dtype=np.int64)
        of_trials = lengths[layout.items]
        batch = np.repeat(np.arange(len(layout.batch_sizes)), layout.batch_sizes)
        items = [item for document in layout.items for item in self.segments[document]]
        return Layout(
            np.array(items, dtype=np.int64),
            np.repeat(layout.systems, of_trials, axis=0),
            np.bincount(batch, of_trials, minlength=len(layout.batch_sizes)).astype(np.int64),
            (*layout.notes, NOTE),
        )

    def in_growth(self, growth: Growth) -> Growth:
        """A plan and what has come to its material, in documents.

        Raises
        ------
        DesignError : new segments belong to a document of the plan
        """
        are_old = [[item < growth.old_items for item in items] for items in self.segments]
        if any(any(each) and not all(each) for each in are_old):
            raise DesignError(
                ["A document of the plan has new segments: add whole documents only."]
            )
        document = {items[0]: number for number, items in enumerate(self.segments)}
        begins = np.isin(growth.items, list(document))
        batch = np.repeat(np.arange(len(growth.batch_sizes)), growth.batch_sizes)
        return replace(
            growth,
            request=self.as_items(growth.request),
            items=np.array([document[item] for item in growth.items[begins].tolist()], np.int64),
            systems=growth.systems[begins],
            batch_sizes=np.bincount(batch[begins], minlength=len(growth.batch_sizes)),
            old_items=sum(each[0] for each in are_old),
        )


def document_of_trials(segments: Sequence[int]) -> list[int]:
    """The number of each trial's document within its batch, from each trial's segment (from 1)."""
    return [int(number) for number in np.cumsum(np.asarray(segments) == 1)]
