"""Small parts that many pages have.

    {% link_to _("Edit") 'rankme:task-edit' task.code look="button" %}
    {% rater_link participant.label %}
    {% button_to _("Pause") 'rankme:campaign-pause' campaign.code %}
    {% take_away _("Revoke") key.name 'rankme:key-revoke' key.pk %}
    {% fields form "name token workspace" %}
    {% fact _("Places") study.places|intcomma %}
    {% figure cost.total %}{% translate "in all, with fees and tax" %}{% endfigure %}
    {% module "js/copy.js" %}

A button is a form of its own: it posts to the named address, or to this page. `look` is a CSS
class, and `about` names the row for screen readers where a table has the button in each.
"""

from __future__ import annotations

from django.forms import BaseForm
from django.forms.utils import flatatt
from django.template import Context, Library
from django.template.loader import get_template
from django.templatetags.static import static
from django.urls import reverse
from django.utils.formats import localize
from django.utils.html import format_html, format_html_join

register = Library()


@register.simple_tag
def link_to(word: str, url: str, *place: object, look: str = "") -> str:
    attributes = flatatt({"class": look or None, "href": reverse(url, args=place)})
    return format_html("<a{}>{}</a>", attributes, word)


@register.simple_tag(takes_context=True)
def rater_link(context: Context, label: str) -> str:
    """A rater's label; those who may watch raters get to the rater's page."""
    if not (context.get("may") or {}).get("watch"):
        return label
    return link_to(label, "rankme:campaign-rater", context["campaign"].code, label)


@register.inclusion_tag("components/button.html", takes_context=True)
def button_to(
    context: Context,
    word: str,
    url: str = "",
    *place: object,
    look: str = "button",
    about: object = "",
    **hidden: object,
) -> dict[str, object]:
    """A button alone; it also posts `hidden`."""
    if about:
        word = format_html('{}<span class="visually-hidden"> {}</span>', word, about)
    return {
        "action": reverse(url, args=place) if url else "",
        "word": word,
        "look": look,
        "hidden": hidden,
        "csrf_token": context.get("csrf_token"),
    }


@register.inclusion_tag("components/button.html", takes_context=True)
def take_away(
    context: Context, word: str, about: object, url: str = "", *place: object, **hidden: object
) -> dict[str, object]:
    """A row's button that ends what the row is about."""
    look = "link-button danger"
    return button_to(context, word, url, *place, look=look, about=about, **hidden)


@register.simple_tag
def fields(form: BaseForm, names: str) -> str:
    """These fields of a form, with their labels, hints and errors."""
    template = get_template("components/field.html")
    shown = ((template.render({"field": form[name]}),) for name in names.split())
    return format_html_join("", "{}", shown)


@register.simple_tag
def fact(title: str, value: object) -> str:
    """One line of a `<dl class="facts">`."""
    return format_html("<dt>{}</dt><dd>{}</dd>", title, localize(value))


@register.simple_block_tag
def figure(content: str, number: object) -> str:
    """A large number with words below it."""
    shape = '<div class="card"><p class="figure">{}</p><p class="soft">{}</p></div>'
    return format_html(shape, localize(number), content)


@register.simple_tag
def module(name: str) -> str:
    """A script of our own, as an ES module."""
    return format_html('<script type="module" src="{}"></script>', static(name))
