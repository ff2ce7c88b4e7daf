"""Which questions can be the rows of one table."""

import pytest

from rankme.errors import InvalidDefinition
from rankme.protocols.matrix import columns_of
from tests.campaigns import slider_definition

LABELS = ["bad", "fair", "good"]


def row(name, **changes):
    scale = {"instrument": "likert", "options": {"points": 3, "labels": LABELS}}
    return {"name": name, "question": f"How {name}?"} | scale | changes


def matrix(*criteria, **screen):
    asked = {"name": "rate", "show": ["outputs"], "ask": [one["name"] for one in criteria]}
    screens = [asked | {"layout": "matrix"} | screen]
    return slider_definition(criteria=list(criteria), screens=screens)


def test_equal_scales_share_their_columns():
    definition = matrix(row("clear"), row("true"))
    columns = columns_of(definition.criteria[0])
    assert columns == [("bad", ""), ("fair", ""), ("good", "")]
    numbered = matrix(
        *(row(name, options={"points": 3}, low="no", high="yes") for name in ("clear", "true"))
    )
    assert columns_of(numbered.criteria[0]) == [("1", "no"), ("2", ""), ("3", "yes")]


@pytest.mark.parametrize(
    ("criteria", "screen", "words"),
    [
        ([row("clear")], {}, "at least two"),
        ([row("clear"), row("true", instrument="slider", options={})], {}, "another instrument"),
        ([row("clear"), row("true", options={"points": 5})], {}, "share one scale"),
        ([row("clear", low="a"), row("true", low="b")], {}, "share one scale"),
        ([row("clear"), row("true", about="item")], {}, "all about the item"),
        ([row("clear"), row("true")], {"timed": {}}, "timed"),
    ],
)
def test_other_questions_cannot_be_a_matrix(criteria, screen, words):
    with pytest.raises(InvalidDefinition, match=words) as refused:
        matrix(*criteria, **screen)
    assert "screens[0].layout" in str(refused.value)
