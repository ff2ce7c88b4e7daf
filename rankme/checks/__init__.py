"""Checks of a campaign: drawn for a plan, and read back from what raters answered."""
