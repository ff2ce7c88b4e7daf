"""Say what anybody's table of ratings can claim: `python -m rankme.doctor FILE`, and a page."""
