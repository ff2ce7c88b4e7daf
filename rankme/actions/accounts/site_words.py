"""Passwords that anybody would try first at this site."""

from __future__ import annotations

from urllib.parse import urlsplit

from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

WORDS = ("rankme", "evaluation", "organiser", "organizer", "password", "annotator")
FEWEST_OTHERS = 8
SHORTEST_PART = 4


class SiteWordsValidator:
    """Refuses what is hardly more than a word of this site: its name, its host, its trade."""

    def validate(self, password: str, user: object = None) -> None:
        rest = password.lower()
        for word in sorted(_words(), key=len, reverse=True):
            rest = rest.replace(word, "")
        if len(rest) < min(FEWEST_OTHERS, len(password)):
            raise ValidationError(self.get_help_text(), code="password_of_this_site")

    def get_help_text(self) -> str:
        return _("Your password can’t consist of words that belong to this site.")


def _words() -> set[str]:
    host = urlsplit(settings.SITE_URL).hostname or ""
    return {*WORDS, *(part for part in host.split(".") if len(part) >= SHORTEST_PART)}
