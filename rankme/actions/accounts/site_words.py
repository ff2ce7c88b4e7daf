"""Passwords that anybody would try first at this site, or for this account."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from rankme.models import Campaign

WORDS = ("rankme", "evaluation", "organiser", "organizer", "password", "annotator")
FEWEST_OTHERS = 8
SHORTEST_PART = 4
MOST_TITLES = 500
WORD = re.compile(r"\w+")


class SiteWordsValidator:
    """Refuses what is hardly more than words of this site, of a person or of their campaigns."""

    def validate(self, password: str, user: object = None) -> None:
        rest = password.lower()
        for word in sorted(_words() | _words_of(user), key=len, reverse=True):
            rest = rest.replace(word, "")
        if len(rest) < min(FEWEST_OTHERS, len(password)):
            raise ValidationError(self.get_help_text(), code="password_of_this_site")

    def get_help_text(self) -> str:
        return _("Your password can’t consist of words that belong to this site.")


def _words_of(user: object) -> set[str]:
    """Return a person's name, and the words in the titles of their own campaigns."""
    if not isinstance(user, User):
        return set()
    titles = Campaign.objects.filter(owner_id=user.pk).values_list("title", flat=True)
    texts = (user.username, *titles[:MOST_TITLES])
    words = {word for text in texts for word in WORD.findall(text.lower())}
    return {word for word in words if len(word) >= SHORTEST_PART}


def _words() -> set[str]:
    host = urlsplit(settings.SITE_URL).hostname or ""
    return {*WORDS, *(part for part in host.split(".") if len(part) >= SHORTEST_PART)}
