"""Screens, blocks and instruments as data: what a campaign file may say."""
