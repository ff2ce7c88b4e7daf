"""The doors for scripts, one module for each subject."""
