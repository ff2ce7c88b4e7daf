"""Shared tasks: what hosts and teams do."""
