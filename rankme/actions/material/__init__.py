"""Texts, media and metric values of a campaign."""
