"""Calls to panels of paid raters, their signed tokens and webhooks, and secrets as stored."""
