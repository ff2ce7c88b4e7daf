"""Group presets by purpose; the most common ones first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from analysis.translatable import gettext_noop as _

MOST_COMMON = _("Most common")
GROUPS = {
    MOST_COMMON: (
        "likert-criteria", "direct-assessment", "pairwise-preference",
        "best-worst", "esa", "chat-arena",
    ),
    _("Rate one output at a time"): ("chat-likert", "image-captions", "audio-quality"),
    _("Compare outputs"): ("contrastive-esa",),
    _("Mark errors"): ("mqm", "document-esa", "fact-spans"),
    _("Let raters write"): ("e2e-elicitation",),
    _("Published experiments"): (
        "e2e-quality", "e2e-naturalness", "e2e-coverage", "rotowire-facts", "rotowire-ordering",
        "sr11-shallow", "sr11-deep", "tuna08-identification",
    ),
}  # fmt: skip


def grouped_presets(names: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """The titles of the groups with their presets, and at the end those of no group."""
    for title, group in GROUPS.items():
        if found := [name for name in group if name in names]:
            yield title, found
    grouped = {name for group in GROUPS.values() for name in group}
    if others := [name for name in names if name not in grouped]:
        yield _("Others"), others
