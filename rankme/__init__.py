"""Campaigns, who judges what, and what they said."""
