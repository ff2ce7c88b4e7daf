"""Parts of raters' pages that are the same for all raters of a campaign, rendered once."""

from __future__ import annotations

from django import template
from django.template.base import NodeList, Parser, Token

register = template.Library()


@register.tag
def once(parser: Parser, token: Token) -> Once:
    """`{% once %}…{% endonce %}`: a part that only the campaign's version and the language decide.

    What is about one rater, a request or a preview must be outside: what the first rater sees here,
    all of them do.
    """
    nodes = parser.parse(("endonce",))
    parser.delete_first_token()
    return Once(nodes)


class Once(template.Node):
    """Keep what was rendered for a version with its definition, in this process.

    Rendering took a third of the time in which a batch is claimed. Pages without a rater, such as
    previews, are rendered each time.
    """

    def __init__(self, nodelist: NodeList) -> None:
        self.nodelist = nodelist

    def render(self, context: template.Context) -> str:
        visit = getattr(context.get("request"), "rater_visit", None)
        if visit is None or context.get("preview"):
            return self.nodelist.render(context)
        rendered: str = visit.once(self, lambda: self.nodelist.render(context))
        return rendered
