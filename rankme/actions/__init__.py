"""Every change to the data, as verbs; pages, API, commands and tasks are doors to these."""
