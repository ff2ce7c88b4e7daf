"""What raters open: entering, consent, screens, breaks and endings."""
