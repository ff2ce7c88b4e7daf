"""The page about members shows what the code lets each role do."""

from pathlib import Path

from django.utils import translation

from rankme.models import Role
from rankme.permissions import ROLES, Permission

PAGE = Path(__file__).parents[2] / "docs" / "members.md"


def table() -> str:
    """The roles and their permissions, as the page shows them."""
    with translation.override("en"):
        head = ["may", *(str(role.label).lower() for role in Role)]
        rows = [
            [str(each.label), *("✓" if each in ROLES[role] else "" for role in Role)]
            for each in Permission
        ]
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cells)} |".replace("|  |", "| |") for cells in lines)


def test_the_page_has_the_table_of_the_code():
    shown = [line for line in PAGE.read_text().splitlines() if line.startswith("|")]
    expected = table().replace("|  |", "| |").splitlines()
    assert shown[: len(expected)] == expected
