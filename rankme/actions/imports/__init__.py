"""Checking and importing uploads: outputs, judgements, scores."""
