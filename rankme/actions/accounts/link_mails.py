"""Mail to people with personal links: the link, reminders of what waits, and an end to both.

An address is stored where reminders are wanted, sealed.
"""

from __future__ import annotations

import logging
import time
from datetime import timedelta
from functools import partial
from smtplib import SMTPRecipientsRefused, SMTPResponseException

from django.contrib.auth.models import User
from django.core import signing
from django.core.mail import get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.db import transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Now
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from rankme.actions import jobs
from rankme.actions.accounts.invitations import refuse_broken_promise
from rankme.actions.accounts.link_mail_texts import STOP_SALT, link_message, reminder
from rankme.actions.audit import note
from rankme.actions.campaign.invitation_mail import send_for, sends_mail
from rankme.errors import RefusedAction
from rankme.models import Campaign, Invitation
from rankme.panel_calls.sealed import seal
from rankme.protocols.files import stored_definition
from rankme.queries.watching.kept_addresses import kept_address
from rankme.queries.watching.rater_work import waiting_by_link

log = logging.getLogger(__name__)

BETWEEN_REMINDERS = timedelta(hours=48)
# A reminder that no mail server took for so long is no longer of use.
TRIED_FOR = timedelta(days=1)
MOST_AT_ONCE = 300
SECONDS_AT_ONCE = 120.0
# The server has said that it did not take the mail. After any other fault nobody knows.
NOT_TAKEN = (SMTPResponseException, SMTPRecipientsRefused)


def mail_link(invitation: Invitation, address: str, *, keep: bool, by: User) -> None:
    """Send a personal link to an address. It takes the place of one that was kept before.

    Parameters
    ----------
    keep : store the address, sealed, so that the person can be reminded

    Raises
    ------
    RefusedAction : the campaign lets nobody in, the person wants no mail, the consent promises that
        no address is kept, the site has no key to keep it with, or the mail was not sent
    """
    campaign = invitation.campaign
    if campaign.is_draft or campaign.is_over:
        raise RefusedAction(_("The link lets nobody in at present, so it is not sent."))
    if invitation.mail_stopped_at is not None:
        raise RefusedAction(_("This person wants no more mail about this link."))
    if keep:
        promises = stored_definition(campaign.definition).texts.promises
        refuse_broken_promise(promises, addresses=True)
    sealed = seal(address) if keep else ""
    send_for(by.pk, link_message(invitation, address, keep=keep))
    with transaction.atomic():
        # A link that was erased meanwhile has another token.
        links = Invitation.objects.filter(pk=invitation.pk, token=invitation.token)
        kept = links.filter(mail_stopped_at=None).update(mail=sealed, reminder_asked_at=None)
        is_kept = bool(sealed and kept)
        verb = gettext_noop("personal link sent by mail")
        note(campaign, by, verb, link=invitation.pk, address_kept=is_kept)


def to_remind(campaign: Campaign) -> list[Invitation]:
    """The links with an address for which work waits, and which no reminder was sent lately."""
    unasked = campaign.invitations.filter(reminder_asked_at=None)
    links = list(_may_be_reminded(unasked).order_by("pk"))
    waiting = waiting_by_link(campaign, links)
    return [link for link in links if link.pk in waiting]


@transaction.atomic
def ask_to_remind(campaign: Campaign, *, by: User) -> int:
    """Have a worker send each of them one mail; returns how many.

    Raises
    ------
    RefusedAction : the site sends no mail, or there is nobody to remind
    """
    if not sends_mail():
        raise RefusedAction(_("This site sends no mail. Send the links yourself."))
    links = [link.pk for link in to_remind(campaign)]
    asked = _may_be_reminded(Invitation.objects.filter(pk__in=links)).filter(reminder_asked_at=None)
    number = asked.update(reminder_asked_at=Now())
    if not number:
        raise RefusedAction(_("There is nobody to remind now."))
    note(campaign, by, gettext_noop("reminders asked for"), links=number)
    messages = [("rankme.tasks.remind_raters", campaign.pk)]
    transaction.on_commit(partial(jobs.send, messages))
    return number


def send_reminders(campaign_id: int | None = None) -> int:
    """Send the reminders that wait, of one campaign or of all; return how many were sent.

    Each is claimed before it is sent. It waits again only if the server surely did not take it.
    """
    if not sends_mail():
        return 0
    waiting = Invitation.objects.filter(reminder_asked_at__isnull=False)
    if campaign_id is not None:
        waiting = waiting.filter(campaign=campaign_id)
    waiting.filter(reminder_asked_at__lte=Now() - TRIED_FOR).update(reminder_asked_at=None)
    links = list(waiting.select_related("campaign").order_by("reminder_asked_at", "pk"))
    if not links:
        return 0
    connection = get_connection()
    try:
        connection.open()
        return _send_all(links[:MOST_AT_ONCE], connection)
    except OSError as error:  # also what smtplib raises
        # The error itself can have an address in it.
        log.error("Reminders wait for the mail server: %s", type(error).__name__)
        return 0
    finally:
        connection.close()


def _send_all(links: list[Invitation], connection: BaseEmailBackend) -> int:
    ends_at = time.monotonic() + SECONDS_AT_ONCE
    sent = 0
    for link in links:
        if time.monotonic() > ends_at:
            break
        sent += _remind(link, connection)
    return sent


def _remind(link: Invitation, connection: BaseEmailBackend) -> bool:
    """Claim one reminder and send it, unless nothing waits for this person any more."""
    this = Invitation.objects.filter(pk=link.pk, token=link.token)
    waiting = waiting_by_link(link.campaign, [link]).get(link.pk)
    address = kept_address(link)
    if waiting is None or not address:
        this.update(reminder_asked_at=None)
        return False
    claimed = _may_be_reminded(this).filter(reminder_asked_at=link.reminder_asked_at)
    if not claimed.update(reminded_at=Now(), reminder_asked_at=None):
        return False
    message = reminder(link, address, waiting)
    message.connection = connection
    try:
        message.send()
    except NOT_TAKEN as error:
        log.error("A reminder was refused, and is tried again: %s", type(error).__name__)
        again = this.filter(mail_stopped_at=None).exclude(mail="")
        again.update(reminded_at=link.reminded_at, reminder_asked_at=link.reminder_asked_at)
        return False
    return True


def _may_be_reminded(links: QuerySet[Invitation]) -> QuerySet[Invitation]:
    long_ago = Q(reminded_at=None) | Q(reminded_at__lte=Now() - BETWEEN_REMINDERS)
    return links.filter(long_ago, mail_stopped_at=None).exclude(mail="")


# --- The end of it ------------------------------------------------------------------------------


@transaction.atomic
def forget_address(invitation: Invitation, *, by: User) -> None:
    """Forget the address that is kept with a link, so that nobody is reminded. Twice is as once."""
    links = Invitation.objects.filter(pk=invitation.pk).exclude(mail="")
    if links.update(mail="", reminder_asked_at=None):
        verb = gettext_noop("address of a personal link forgotten")
        note(invitation.campaign, by, verb, link=invitation.pk)


def link_to_stop(signed: str) -> Invitation | None:
    """The personal link about which a stop link is."""
    try:
        number = signing.Signer(salt=STOP_SALT).unsign(signed)
    except signing.BadSignature:
        return None
    return Invitation.objects.select_related("campaign").filter(pk=number).first()


@transaction.atomic
def stop_mails(invitation: Invitation) -> None:
    """Send no more mail about this link, and forget the address. Twice is as once."""
    links = Invitation.objects.filter(pk=invitation.pk, mail_stopped_at=None)
    if links.update(mail_stopped_at=Now(), mail="", reminder_asked_at=None):
        verb = gettext_noop("mails about a personal link stopped")
        note(invitation.campaign, None, verb, link=invitation.pk)
