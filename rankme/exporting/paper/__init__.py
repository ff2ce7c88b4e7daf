"""Texts and files for a paper about a campaign: HEDS, methods, checklists, an open data set."""
