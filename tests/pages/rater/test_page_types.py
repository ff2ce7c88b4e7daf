"""The types of the work page's scripts are those of the server's models."""

from typing_extensions import TypedDict

from rankme.protocols.exchange import page_shapes
from tools.page_types import PAGE, page_types


def test_the_types_of_the_scripts_are_those_of_the_server():
    assert PAGE.read_text("utf-8") == page_types(), "`make types` writes them again"


def test_a_renamed_key_changes_the_types(monkeypatch):
    class Refusal(TypedDict):
        where: str

    monkeypatch.setattr(page_shapes, "Refusal", Refusal)
    assert "  where: string;" in page_types()
