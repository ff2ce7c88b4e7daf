"""Organisers, their invitations, passwords and API keys."""
