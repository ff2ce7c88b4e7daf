"""What the mails to people with personal links say: in the campaign's own words, where it has some.

They name nobody.
"""

from __future__ import annotations

from django.conf import settings
from django.core import signing
from django.core.mail import EmailMessage
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from rankme.links import invitation_link
from rankme.models import Invitation
from rankme.queries.definitions import frozen_definition
from rankme.queries.watching.rater_work import Waiting
from rankme.queries.words import in_plain_text, in_the_language_of

STOP_SALT = "rankme.mail-stop"


def link_message(invitation: Invitation, address: str, *, keep: bool) -> EmailMessage:
    """The mail that brings a personal link, in the campaign's language."""
    title = {"title": _title(invitation)}
    with in_the_language_of(frozen_definition(invitation.campaign).definition), in_plain_text():
        kept = _(
            "The site stores your address, encrypted, to remind you of work that waits for you."
        )
        said = [
            _("You are asked to take part in the study “%(title)s”.") % title,
            _own_link(invitation),
            _(
                "The link is yours alone, and always leads back to your own work. "
                "Do not pass it on."
            ),
            kept if keep else _("The site has not stored your address."),
        ]
        subject = _("Your link to the study “%(title)s”") % title
        return _message(invitation, address, subject, said)


def reminder(invitation: Invitation, address: str, waiting: Waiting) -> EmailMessage:
    """The mail that says what waits, in the language in which the person rates."""
    definition = frozen_definition(invitation.campaign).definition
    with in_the_language_of(definition, waiting.language), in_plain_text():
        subject = ngettext(
            "%(number)s sitting waits for you", "%(number)s sittings wait for you", waiting.number
        ) % {"number": waiting.number}
        study = _("In the study “%(title)s”:") % {"title": _title(invitation)}
        said = [f"{study} {subject}.", _own_link(invitation)]
        return _message(invitation, address, subject, said)


def _message(invitation: Invitation, address: str, subject: str, said: list[str]) -> EmailMessage:
    """A mail with its stop link, also in the headers that mail programs read (RFC 8058)."""
    signed = signing.Signer(salt=STOP_SALT).sign(str(invitation.pk))
    stop = settings.SITE_URL + reverse("rankme:mail-stop", args=[signed])
    headers = {
        "List-Unsubscribe": f"<{stop}>",
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    }
    paragraphs = [*said, _("No more mail about this study: %(link)s") % {"link": stop}]
    return EmailMessage(subject, "\n\n".join(paragraphs), to=[address], headers=headers)


def _own_link(invitation: Invitation) -> str:
    entry = settings.SITE_URL + reverse("rankme:enter", args=[invitation.campaign.code])
    return invitation_link(entry, invitation.token)


def _title(invitation: Invitation) -> str:
    """The title on one line, since a subject has no second one."""
    return " ".join(invitation.campaign.title.split())
