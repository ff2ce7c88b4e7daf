"""The pages of organisers, participants and readers of reports."""
