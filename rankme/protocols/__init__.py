"""Screens, blocks and instruments of campaign files, as data."""
