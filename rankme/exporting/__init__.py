"""Exports: judgements as CSV and JSON lines, reports with their bundle."""
