"""`{% table %}`: the one way in which pages show rows."""

import re

import pytest
from django.core.paginator import Paginator
from django.template import TemplateSyntaxError, engines
from django.test import RequestFactory
from django.urls import NoReverseMatch

COLUMNS = """
  {% column "Rater" "head" %}<b>{{ name }}</b>{% endcolumn %}
  {% column "Seconds" "number" sort="-seconds" %}{{ seconds }}{% endcolumn %}
  {% column "Note" "given" when=has_notes %}
    {{ name }}
  {% endcolumn %}
  {% column "Release" "unnamed" %}<button>Release</button>{% endcolumn %}
"""


def shown(rows, *, options='caption="Raters"', empty="", address="/", **context):
    request = RequestFactory().get(address)
    source = f"{{% table rows as name, seconds {options} %}}{COLUMNS}{empty}{{% endtable %}}"
    page = engines["django"].from_string("{% load tables %}" + source)
    return re.sub(r"\s+", " ", page.render(context | {"rows": rows}, request))


def test_a_table_names_itself_its_columns_and_its_rows():
    page = shown([("<i>Ada</i>", 3)])
    assert 'role="group" aria-label="Raters"' in page
    assert "<caption >Raters</caption>" in page
    assert page.count('scope="col"') == 3
    assert '<th scope="row" ><b>&lt;i&gt;Ada&lt;/i&gt;</b></th>' in page
    assert '<td class="number" data-label="Seconds">3</td>' in page
    assert '<span class="visually-hidden">Release</span>' in page


def test_a_table_below_its_heading_hides_its_caption_from_the_eye():
    page = shown([("Ada", 3)], options='label="Raters"')
    assert '<caption class="visually-hidden">Raters</caption>' in page


def test_a_column_appears_only_when_its_page_has_values_for_it():
    assert "Note" not in shown([("Ada", 3)])
    page = shown([("Ada", 3)], has_notes=True)
    assert re.search('<td class="given" data-label="Note" dir="auto"> ?Ada ?</td>', page)


def test_a_sorted_column_says_so_and_links_to_its_order():
    page = shown([("Ada", 3)], order="seconds", address="/?show=marked&sort=seconds&page=2")
    assert 'aria-sort="descending"' in page
    assert 'href="?show=marked&amp;sort=seconds"' in page
    assert "aria-sort" not in shown([("Ada", 3)], order="name")


def test_a_page_of_rows_brings_links_to_the_other_pages():
    page = Paginator([("Ada", 3), ("Ben", 4)], 1).get_page(1)
    assert 'rel="next" href="?show=marked&amp;page=2"' in shown(page, address="/?show=marked")


def test_a_table_without_rows_says_what_to_do():
    page = shown([], empty="{% empty %}<p>Share the links.</p>")
    assert page.strip() == "<p>Share the links.</p>"
    assert "<table" in shown([])


@pytest.mark.parametrize("wrong", ["", 'title="Raters"', 'caption="Raters" "wide"'])
def test_a_table_needs_a_name_and_takes_no_unknown_options(wrong):
    with pytest.raises(TemplateSyntaxError):
        shown([], options=wrong)


def button(words):
    page = engines["django"].from_string(f"{{% load parts %}}{{% take_away {words} %}}")
    return page.render({"name": "<b>"}, RequestFactory().get("/"))


def test_a_button_of_a_row_posts_to_its_address_or_with_hidden_fields_to_its_page():
    away = button("'Revoke' name 'rankme:key-revoke' 7")
    assert 'action="/keys/7/revoke/"' in away and "csrfmiddlewaretoken" in away
    assert 'Revoke<span class="visually-hidden"> &lt;b&gt;</span>' in away
    here = button("'End' name session=7")
    assert "action=" not in here and '<input type="hidden" name="session" value="7">' in here


def test_a_button_of_a_row_without_an_address_is_an_error_and_not_a_button():
    with pytest.raises(NoReverseMatch):
        button("'Revoke' name 'rankme:no-such-page' 7")
