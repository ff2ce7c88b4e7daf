"""Strict reading of input from strangers: unambiguous, bounded, storable."""
