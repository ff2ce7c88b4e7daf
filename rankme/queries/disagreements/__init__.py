"""Where raters disagree, in pairs and with judges, and how a curator has settled it."""
