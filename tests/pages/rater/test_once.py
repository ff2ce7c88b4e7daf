"""What is rendered once for all raters of a campaign has nothing of one of them."""

from collections.abc import Iterator

import pytest
from django.template import engines
from django.template.base import Node, Template, VariableNode
from django.test import Client

from rankme.queries.definitions import frozen_definition
from rankme.templatetags.once import Once
from tests.campaigns import make_campaign, slider_definition
from tests.pages.addresses import address
from tests.pages.rater.visits import arrive, begin

pytestmark = pytest.mark.django_db

PAGES = (
    "participant/work/work.html",
    "participant/arrival/instructions.html",
    "participant/arrival/consent.html",
)
# The context of these pages that the version and the language do not decide alone.
OF_ONE_RATER = {
    "arrival",
    "campaign",
    "csp_nonce",
    "csrf_token",
    "document",
    "has_changed",
    "is_late",
    "may_give_back",
    "preview",
    "request",
    "resume_link",
    "stored_name",
    "terms",
}


def template(name: str) -> Template:
    return engines["django"].get_template(name).template


def parts_of(name: str) -> list[Once]:
    return template(name).nodelist.get_nodes_by_type(Once)


def nodes_of(nodelist) -> Iterator[Node]:
    """All nodes, with those of the templates that are included by name."""
    for node in nodelist.get_nodes_by_type(Node):
        yield node
        included = getattr(getattr(node, "template", None), "var", None)
        if isinstance(included, str) and type(node).__name__ == "IncludeNode":
            yield from nodes_of(template(included).nodelist)


def variables_of(nodelist) -> set[str]:
    """The first words of the variables that these templates print or compare."""
    found: set[str] = set()
    for node in nodes_of(nodelist):
        if type(node).__name__ == "CsrfTokenNode":
            found.add("csrf_token")
        expressions = [node.filter_expression] if isinstance(node, VariableNode) else []
        expressions += [
            getattr(each, "value", None)
            for condition, _ in getattr(node, "conditions_nodelists", ())
            if condition is not None
            for each in (condition, getattr(condition, "first", None))
        ]
        for expression in expressions:
            lookups = getattr(getattr(expression, "var", None), "lookups", None)
            found |= {lookups[0]} if lookups else set()
    return found


@pytest.mark.parametrize("page", PAGES)
def test_parts_that_are_kept_use_nothing_of_one_rater(page):
    parts = parts_of(page)
    assert parts
    for part in parts:
        assert not variables_of(part.nodelist) & OF_ONE_RATER


def test_the_search_for_variables_finds_those_of_one_rater():
    source = "{% load once %}{% once %}{% if is_late %}{{ resume_link }}{% endif %}{% endonce %}"
    (part,) = engines["django"].from_string(source).template.nodelist.get_nodes_by_type(Once)
    assert variables_of(part.nodelist) == {"is_late", "resume_link"}


def test_the_second_rater_gets_the_same_page_with_an_own_document():
    campaign = make_campaign(slider_definition(), items=1, systems=2)
    pages, documents = [], []
    for name in ("w1", "w2"):
        client = Client()
        documents.append(begin(client, campaign, id=name))
        work = client.get(address("work", campaign))
        pages.append(work.text)
    assert documents[0]["assignment"] != documents[1]["assignment"]
    first, second = (page.partition('<template id="message-screen">')[2] for page in pages)
    assert first.partition('id="work-document"')[0] == second.partition('id="work-document"')[0]


def test_each_language_is_kept_for_itself():
    definition = slider_definition(languages=["de"])
    campaign = make_campaign(definition, items=1, systems=1)
    found = {}
    for name, language in (("w1", "en"), ("w2", "de"), ("w3", "en")):
        client = Client()
        arrive(client, campaign, id=name, interface=language)
        page = client.get(address("instructions", campaign))
        found[name] = "Anleitung" in page.text
    assert found == {"w1": False, "w2": True, "w3": False}


def test_two_campaigns_keep_their_own_parts(client):
    texts = [f"Instructions of study {number}." for number in (1, 2)]
    for text in texts:
        definition = slider_definition(texts={"instructions": text, "consent": "Agree?"})
        campaign = make_campaign(definition, items=1, systems=2)
        begin(Client(), campaign, id="w1")
        begin(client, campaign, id="w2")
        page = client.get(address("work", campaign)).text
        assert [text in page for text in texts] == [each == text for each in texts]
        assert frozen_definition(campaign).kept


def test_what_is_kept_is_not_made_again(client, monkeypatch):
    campaign = make_campaign(slider_definition(), items=1, systems=1)
    begin(client, campaign, id="w1")
    rendered = []
    for part in parts_of("participant/work/work.html"):
        monkeypatch.setattr(part.nodelist, "render", rendered.append, raising=False)
    assert client.get(address("work", campaign)).status_code == 200
    assert rendered == []
