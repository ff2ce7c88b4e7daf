"""Metrics and judges compared with people."""
