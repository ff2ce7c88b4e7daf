"""Simulated raters: a client of the pages, as a browser is one; it knows nothing else."""
