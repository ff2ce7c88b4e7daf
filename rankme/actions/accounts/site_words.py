"""Passwords that anybody would try first at this site, or for this account."""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db.models import Q
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
        self.refuse_words_of(password, *_texts_about(user))

    def refuse_words_of(self, password: str, *texts: str) -> None:
        """Refuse a password that is hardly more than words of the site and of these texts."""
        rest = password.lower()
        for word in sorted(_words() | _words_in(texts), key=len, reverse=True):
            rest = rest.replace(word, "")
        if len(rest) < min(FEWEST_OTHERS, len(password)):
            raise ValidationError(self.get_help_text(), code="password_of_this_site")

    def get_help_text(self) -> str:
        return _("Your password can’t consist of words that belong to this site.")


def _texts_about(user: object) -> list[str]:
    """Return a person's name, and the titles of the campaigns in which they are."""
    if not isinstance(user, User):
        return []
    of_user = Campaign.objects.filter(Q(owner_id=user.pk) | Q(memberships__user_id=user.pk))
    titles = of_user.values_list("title", flat=True)[:MOST_TITLES] if user.pk else []
    return [user.username, *titles]


def _words_in(texts: Sequence[str]) -> set[str]:
    words = {word for text in texts for word in WORD.findall(text.lower())}
    return {word for word in words if len(word) >= SHORTEST_PART}


def _words() -> set[str]:
    host = urlsplit(settings.SITE_URL).hostname or ""
    return {*WORDS, *(part for part in host.split(".") if len(part) >= SHORTEST_PART)}
