"""Simulated raters: they use the pages as a browser does, and know nothing else."""
