"""The form of a launched campaign shows what can change, and says what cannot and why."""

import re

import pytest
from django.template.loader import render_to_string

from rankme.forms.definition import draw_form, frozen_form, read_form
from rankme.protocols.changes import what_may_not_change
from rankme.protocols.definition import Definition
from rankme.protocols.files import (
    definition_from_document,
    definition_to_document,
    preset,
    preset_names,
)
from tests.pages.sent_forms import fields_of

SEEN = re.compile(r'<(?:input(?![^>]*type="hidden")|select|textarea)[^>]*\sname="([^"]+)"')


def drawn(definition: Definition) -> str:
    document = definition_to_document(definition)
    sections, frozen = frozen_form(draw_form(document)[0], document)
    return render_to_string(
        "organiser/definition/form.html", {"sections": sections, "frozen": frozen}
    )


def seen_in(page: str) -> set[str]:
    return {re.sub(r"\d+", "N", name) for name in SEEN.findall(page)}


@pytest.mark.parametrize("name", preset_names())
def test_an_untouched_form_is_the_same_document(name: str) -> None:
    """Most of it is in hidden fields, which must come back as they were."""
    definition = preset(name)
    read = definition_from_document(read_form(fields_of(drawn(definition))))
    assert read.model_copy(update={"material": definition.material}) == definition


@pytest.mark.parametrize("name", preset_names())
def test_whatever_is_shown_may_change(name: str) -> None:
    """Each setting on its own, written differently: none is refused for being frozen."""
    definition = preset(name)
    page = drawn(definition)
    sent = fields_of(page)
    texts = re.findall(r'<(?:input type="text"|textarea)[^>]*\sname="([^"]+)"', page)
    assert texts
    for path in texts:
        part, last = path.partition(".")[0], path.rpartition(".")[2]
        if part in ("criteria", "screens", "entry_questions") and last != "accept":
            lines = (sent.get(path) or "").split("\n")
            typed = "\n".join(f"{line} (corrected)" if line.strip() else line for line in lines)
            document = read_form(sent | {path: typed})
            problems = what_may_not_change(definition, definition_from_document(document))
            assert not problems, (path, problems)


def test_scales_plan_and_rules_are_said_and_not_asked() -> None:
    page = drawn(preset("likert-criteria"))
    seen = seen_in(page)
    assert {"criteria.N.question", "criteria.N.options.labels", "screens.N.title"} <= seen
    assert {"title", "texts.instructions", "crowd.pay_per_batch"} <= seen
    for frozen in (
        *("criteria.N.name", "criteria.N.instrument", "criteria.N.options.points", "language"),
        *("screens.N.ask", "design.kind", "raters_per_trial", "seed", "input_kind"),
    ):
        assert frozen not in seen, frozen
    assert not re.search(r'value="(add|remove|up|down):(criteria|screens)', page)
    assert "Cannot change" in page and "The plan was drawn with this design" in page
    assert "Raters have answered on this scale." in page
    words = " ".join(re.sub(r"<[^>]+>", " ", page).split())
    assert re.search(r"Cannot change: Short name : \w+", words.replace("name:", "name :"))


def test_labels_of_errors_can_be_corrected_and_their_names_cannot() -> None:
    definition = preset("mqm")
    document = definition_to_document(definition)
    options = document["criteria"][0]["options"]
    (name, label), *others = options["categories"]
    options["categories"] = [[name, f"{label} (corrected)"], *others]
    assert not what_may_not_change(definition, definition_from_document(document))
    options["categories"] = [[f"{name}x", label], *others]
    assert what_may_not_change(definition, definition_from_document(document))
