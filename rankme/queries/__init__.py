"""Read-only queries of the record."""
