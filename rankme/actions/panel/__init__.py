"""Paid raters: accounts at panels, studies, what comes back from them, and money."""
