"""Automatic metrics of texts, and the files of their scores."""
