"""Screens shown without a record: previews of drafts and the gallery."""
