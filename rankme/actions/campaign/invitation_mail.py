"""Mail with a link, where the site can send some: to people who are invited to a campaign."""

from __future__ import annotations

import logging

from django.conf import settings
from django.core.mail import EmailMessage
from django.utils.translation import gettext as _

from rankme.actions import rate_limits
from rankme.errors import RefusedAction
from rankme.models import MemberInvitation

log = logging.getLogger(__name__)


def sends_mail() -> bool:
    """Whether an operator has named a server to which mail is handed in."""
    return bool(settings.EMAIL_HOST)


def mail_invitation(invitation: MemberInvitation, address: str, link: str) -> None:
    """Send the link to an address, which is stored nowhere.

    Raises
    ------
    RefusedAction : the site sends no mail, has sent much, or the mail server did not take it
    """
    body = "\n\n".join(_paragraphs(invitation, link))
    message = EmailMessage(_("An invitation to a campaign"), body, to=[address])
    send_for(invitation.made_by_id, message)


def send_for(account: int, message: EmailMessage) -> None:
    """Send one mail with a link, for an account that has not sent many lately.

    Raises
    ------
    RefusedAction : the site sends no mail, has sent much, or the mail server did not take it
    """
    if not sends_mail():
        raise RefusedAction(_("This site sends no mail. Send the link yourself."))
    if not (
        rate_limits.take(rate_limits.INVITATION_MAILS, account)
        and rate_limits.take(rate_limits.MAILS, message.to[0].lower())
    ):
        raise RefusedAction(_("Much mail was sent lately. Send the link yourself."))
    try:
        message.send()
    except OSError as error:  # also what smtplib raises
        # The error itself can have an address in it.
        log.error("A mail with a link was not sent: %s", type(error).__name__)
        said = _("The mail server did not take the mail. Send the link yourself.")
        raise RefusedAction(said) from error


def _paragraphs(invitation: MemberInvitation, link: str) -> list[str]:
    said = _("%(name)s invites you to the campaign “%(title)s” as: %(role)s.") % {
        "name": invitation.made_by.get_username(),
        "title": invitation.campaign.title,
        "role": invitation.get_role_display(),
    }
    ends = _("The link lets one account in, once, and ends on %(day)s. Do not pass it on.")
    return [
        said,
        link,
        ends % {"day": f"{invitation.ends_at:%Y-%m-%d}"},
        _("If you do not expect this mail, ignore it. The site has not stored your address."),
    ]
