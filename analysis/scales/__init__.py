"""Tests, intervals and models of values on a scale."""
