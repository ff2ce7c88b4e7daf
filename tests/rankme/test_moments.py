"""Times are shown with their zone, on every page."""

import re
from datetime import UTC, datetime

import pytest

from evalsite.embedded import PROJECT
from rankme.templatetags.moments import FORMATS, moment

BARE = re.compile(r'\|(?:date|time)\b|_(?:at|until)\s*\}\}|\{% now "(?![^"]*[eT]")')


def test_no_template_prints_a_date_without_its_zone():
    assert all(
        BARE.search(bait) for bait in ('{{ a|date:"Y" }}', "{{ a.sent_at }}", '{% now "H" %}')
    )
    found = [path for path in PROJECT.glob("templates/**/*.html") if BARE.search(path.read_text())]
    assert found == []


@pytest.mark.parametrize("kind", sorted(FORMATS.keys() - {"day"}))
def test_a_moment_ends_with_the_zone_of_the_site(kind, settings):
    settings.TIME_ZONE = "Europe/Prague"
    shown = moment(datetime(2026, 7, 1, 9, 30, tzinfo=UTC), kind)
    assert "11:30" in shown and shown.endswith(" CEST")
    assert moment(None, kind) == ""


def test_a_day_is_that_of_the_sites_zone(settings):
    settings.TIME_ZONE = "Europe/Prague"
    assert moment(datetime(2026, 7, 1, 22, 30, tzinfo=UTC), "day") == "2026-07-02"
