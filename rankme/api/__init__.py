"""The same for scripts."""
