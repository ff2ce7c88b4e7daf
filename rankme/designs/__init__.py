"""Designs: pure functions from (items, systems, options, seed) to a plan of batches and trials."""
