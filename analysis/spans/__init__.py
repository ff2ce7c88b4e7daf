"""Error spans: what raters marked in outputs, read, scored, compared and written."""
