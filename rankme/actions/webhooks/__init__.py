"""Tell other programs what happens to a campaign."""
