"""The bounds of what organisers decide about studies, for pages and the API alike."""

from __future__ import annotations

from rankme.models import PanelAccount, PanelPayment, PanelStudy

DEVICES = ("desktop", "tablet", "mobile")
MINOR_UNITS = 100
MOST_MINOR = 100_000 * MINOR_UNITS
MOST_PLACES, MOST_MINUTES, MOST_LONGEST_MINUTES = 10_000, 600, 1_000
LONGEST_DESCRIPTION, LONGEST_TOKEN = 5_000, 400
LONGEST_ACCOUNT = PanelAccount._meta.get_field("name").max_length
LONGEST_ID = PanelAccount._meta.get_field("workspace").max_length
LONGEST_NAME = PanelStudy._meta.get_field("name").max_length
LONGEST_REASON = PanelPayment._meta.get_field("reason").max_length
