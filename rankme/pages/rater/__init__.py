"""Pages for raters: entering, consent, screens, breaks and endings."""
