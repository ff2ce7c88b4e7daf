"""Every change to the data, as verbs; pages, API, commands and tasks call these."""
