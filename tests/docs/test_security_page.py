"""The page on security: every row has its state and its reason, and what it names is there."""

import re

from django.conf import settings

from evalsite.embedded import PROJECT

PAGE = (PROJECT / "docs/security.md").read_text()
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in PAGE.splitlines()
    if re.match(r"\| \d", line)
]


def test_fifty_rows_have_a_state_a_reason_and_tests_that_exist():
    numbers = [number for row in ROWS for number in re.findall(r"\d+\.\d+\.\d+", row[0])]
    assert len(numbers) == len(set(numbers)) == 50
    for number, requirement, state, reason, test in ROWS:
        assert requirement and reason, number
        assert state in {"holds", "part", "open", "not applicable"}, number
        assert test or state != "holds", number
        for path in re.findall(r"`([\w/]+\.py)`", f"{reason} {test}"):
            assert (PROJECT / path).is_file(), path


def test_the_page_says_what_the_settings_say():
    hours = settings.SESSION_COOKIE_AGE // 3600
    assert f"`SESSION_HOURS` ({hours})" in PAGE
    for section in ("Keys", "What is stored about whom", "Logs", "Updates"):
        assert f"## {section}\n" in PAGE
    assert "within 7 days" in PAGE
