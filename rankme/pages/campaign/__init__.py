"""A campaign's pages for its organisers: setup, launch, progress, results."""
