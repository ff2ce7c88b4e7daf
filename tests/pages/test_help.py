"""Help leads from each page to the part of the docs about it, and the docs are whole."""

import re

import pytest
from django.urls import reverse

from rankme.pages.help.rendering import help_page, page_names
from rankme.pages.help.topics import TOPICS
from rankme.pages.urls import gallery_urls, organiser_urls, report_urls
from tests.campaigns import slider_definition
from tests.pages.world import POLICY, World
from tests.runs import rated_campaign

HELP_LINK = re.compile(r'class="help-link"\s+href="([^"]+)"')


def assert_leads_to_a_heading(client, link: str) -> None:
    answer = client.get(link)
    assert answer.status_code == 302, f"{link} has no topic"
    page, _, anchor = answer["Location"].partition("#")
    text = client.get(page).text
    assert not anchor or f' id="{anchor}"' in text, f"{link}: {anchor}"


@pytest.mark.django_db
@pytest.mark.usefixtures("own_uploads")
@pytest.mark.slow
def test_each_page_of_the_organiser_has_help_about_it(olga):
    world = World(rated_campaign(slider_definition(), raters=1, items=2, systems=2))
    checked = set()
    for pattern in [*organiser_urls, *report_urls, *gallery_urls]:
        if "GET" not in POLICY[pattern.name]:
            continue
        answer = olga.get(world.address(pattern.name))
        if answer.status_code == 200 and answer["Content-Type"].startswith("text/html"):
            for link in HELP_LINK.findall(answer.text):
                assert_leads_to_a_heading(olga, link)
                checked.add(pattern.name)
    assert len(checked) > 30, checked
    assert {"campaigns", "campaign-monitor", "analysis-run"} <= checked
    for name in TOPICS.keys() - checked:  # pages that lead on in this campaign
        assert_leads_to_a_heading(olga, f"{reverse('rankme:help')}?about={name}")


def test_the_links_between_the_docs_lead_to_pages_and_headings(client):
    anchors = {
        name: set(re.findall(r' id="([^"]+)"', help_page(name).html)) for name in page_names()
    }
    assert len(anchors) > 30
    broken = [
        (name, link)
        for name in anchors
        for link in re.findall(r'href="([^"]+)"', help_page(name).html)
        if not link.startswith("http") and not leads_to(anchors, link, name)
    ]
    assert broken == []


def leads_to(anchors: dict[str, set[str]], link: str, name: str) -> bool:
    path, _, anchor = link.partition("#")
    other = path.removeprefix(reverse("rankme:help")).removesuffix("/") if path else name
    return other in anchors and (not anchor or anchor in anchors[other])


def test_a_page_of_the_docs_shows_its_pictures_and_contents(client):
    page = client.get(reverse("rankme:help-page", args=["raters"])).text
    assert 'href="#instruments"' in page and ' id="instruments"' in page
    (picture, *_more) = re.findall(r'<img [^>]*src="([^"]+e2e-quality-rate[^"]*)"', page)
    assert picture.startswith("/static/images/gallery/")


@pytest.mark.parametrize("name", ["nothing", "../README", "images/take.py"])
def test_only_pages_of_the_docs_are_served(client, name):
    assert client.get(f"/help/{name}/").status_code == 404
