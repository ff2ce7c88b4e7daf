"""What every answer of the site carries: pages, files, errors and refusals."""

import re
import urllib.error
import urllib.request

import pytest

from tests.evalsite.requests.headers import EVERYWHERE, assert_strict, policy_of
from tests.live import PATIENCE, LiveSite


def fetch(address: str):
    try:
        return urllib.request.urlopen(address, timeout=PATIENCE)
    except urllib.error.HTTPError as error:
        return error


ADDRESSES = {
    "a probe": "/healthz/",
    "a page": "/login/",
    "a redirect to the login": "/admin/",
    "an unknown address": "/there/is/nothing/",
    "the API to a stranger": "/api/v1/campaigns/",
}


@pytest.mark.parametrize("path", ADDRESSES.values(), ids=list(ADDRESSES))
def test_every_answer_is_isolated_and_strict(live_site: LiveSite, path: str):
    with fetch(live_site.url + path) as answer:
        assert_strict(answer.headers)


@pytest.mark.parametrize("path", ADDRESSES.values(), ids=list(ADDRESSES))
def test_nothing_but_files_is_kept_in_a_cache(live_site: LiveSite, path: str):
    with fetch(live_site.url + path) as answer:
        assert "no-store" in answer.headers["Cache-Control"]


FILES = ("js/work/work.js", "css/base.css", "images/rankme.svg")


@pytest.mark.parametrize("name", FILES)
def test_a_static_file_loads_and_runs_nothing_and_serves_no_other_site(
    live_site: LiveSite, name: str
):
    with fetch(f"{live_site.url}/static/{name}") as answer:
        assert answer.status == 200
        headers = answer.headers
    for kept in set(EVERYWHERE) - {"X-Frame-Options"}:
        assert headers[kept] == EVERYWHERE[kept], kept
    if name.endswith(".svg"):
        assert policy_of(headers["Content-Security-Policy"]) == {
            "default-src": ["'none'"],
            "frame-ancestors": ["'none'"],  # what X-Frame-Options says for pages
            "sandbox": [],
        }
    else:  # a browser shows it as text, and knows that it is nothing else
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers.get_content_type() in {"text/javascript", "text/css"}
    assert "Access-Control-Allow-Origin" not in headers


@pytest.mark.parametrize("name", FILES)
def test_the_headers_of_a_file_are_short(live_site: LiveSite, name: str):
    """Forty of them are on the way to a rater's first screen."""
    with fetch(f"{live_site.url}/static/{name}") as answer:
        assert len(bytes(answer.headers)) <= (600 if name.endswith(".svg") else 500)


def test_a_missing_file_is_as_strict_as_a_page(live_site: LiveSite):
    with fetch(f"{live_site.url}/static/js/none.js") as answer:
        assert answer.status == 404
        assert_strict(answer.headers)


def test_an_svg_that_is_opened_directly_is_a_sandboxed_document(browser, live_site: LiveSite):
    with browser.new_page() as page:
        page.goto(f"{live_site.url}/static/images/rankme.svg")
        assert page.evaluate("window.origin") == "null"


def test_files_are_kept_for_ever_under_names_that_change(live_site: LiveSite):
    name = live_site.manage(
        "shell",
        "--verbosity",
        "0",
        "-c",
        "from django.templatetags.static import static; print(static('admin/css/base.css'))",
    ).strip()
    assert re.search(r"base\.[0-9a-f]{12}\.css$", name)
    request = urllib.request.Request(live_site.url + name, headers={"Accept-Encoding": "gzip"})
    with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
        assert "immutable" in answer.headers["Cache-Control"]
        assert answer.headers["Content-Encoding"] == "gzip"


def test_a_browser_isolates_the_page(page):
    page.goto("/login/")
    assert page.evaluate("crossOriginIsolated") is True


def test_a_browser_makes_no_markup_of_text(browser, live_site: LiveSite):
    # A separate page: the fixture `page` would count the refusal as the site's fault.
    with browser.new_page() as page:
        page.goto(f"{live_site.url}/login/")
        refused = page.evaluate(
            """() => { try { document.body.innerHTML = "<b>x</b>"; return "" }
                       catch (error) { return error.name } }"""
        )
    assert refused == "TypeError"
