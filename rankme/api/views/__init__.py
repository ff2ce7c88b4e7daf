"""The views for scripts, one module for each subject."""
