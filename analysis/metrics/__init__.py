"""Automatic metrics and judges: computed from texts, compared with people, used for estimates."""
