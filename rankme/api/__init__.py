"""The API for scripts."""
