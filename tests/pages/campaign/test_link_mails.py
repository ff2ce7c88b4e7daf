"""Personal links by mail: sent to an address, reminded of, and stopped by the person."""

import re
from datetime import timedelta
from smtplib import SMTPRecipientsRefused, SMTPServerDisconnected

import pytest
from django.conf import settings as site
from django.core import mail
from django.core.mail.backends.locmem import EmailBackend
from django.db.models.functions import Now
from django.test import Client
from django.utils.translation import get_language

from rankme.actions.accounts import link_mail_texts, link_mails
from rankme.actions.accounts.invitations import invite_raters
from rankme.actions.campaign import campaigns
from rankme.actions.campaign.changes import checked_change
from rankme.actions.sitting import erasing, exclusions
from rankme.errors import RefusedAction
from rankme.exporting.own_data import own_data
from rankme.models import AuditEvent, Campaign, Invitation
from rankme.queries.watching.kept_addresses import kept_address
from rankme.worker.tasks import remind_raters
from tests.campaigns import make_campaign, make_owner, slider_definition
from tests.pages.addresses import address
from tests.pages.rater.visits import arrive
from tests.searching import tables
from tests.sittings import sit

pytestmark = pytest.mark.django_db

NORA = "nora@example.org"
STOP = re.compile(r"/no-mail/[^\s>]+")


@pytest.fixture(autouse=True)
def sends_mail(settings) -> None:
    settings.EMAIL_HOST = "mail.example.org"


def study(language: str = "en", words: dict[str, str] | None = None, **crowd) -> Campaign:
    definition = slider_definition(language=language, words=words or {}, raters_per_trial=4)
    crowd = {"batches_per_rater": 2} | crowd
    definition = definition.model_copy(
        update={"title": "Herons", "crowd": definition.crowd.model_copy(update=crowd)}
    )
    return make_campaign(definition, items=4, systems=2, owner=make_owner("olga"))


@pytest.fixture
def campaign() -> Campaign:
    return study()


@pytest.fixture
def link(campaign) -> Invitation:
    return invite_raters(campaign, ["Nora Lindqvist"], by=campaign.owner)[0]


def olga() -> Client:
    client = Client()
    client.force_login(make_owner("olga"))
    return client


def send(link: Invitation, to: str = NORA, *, keep: bool = True) -> str:
    form = {"mail": to} | ({"keep": "on"} if keep else {})
    page = address("campaign-link-mail", link.campaign, link.pk)
    answer = olga().post(page, form, follow=True).text
    link.refresh_from_db()
    return answer


def press(campaign: Campaign) -> str:
    page = address("campaign-links-remind", campaign)
    return olga().post(page, follow=True).text


def kept(campaign: Campaign, name: str = "Nora") -> Invitation:
    """A link whose address is kept; the mail with the link is out of the way."""
    (link,) = invite_raters(campaign, [name], by=campaign.owner)
    send(link, f"{name.lower()}@example.org")
    mail.outbox.clear()
    return link


def verbs(campaign: Campaign) -> list[str]:
    return list(AuditEvent.objects.filter(campaign=campaign).values_list("verb", flat=True))


def everything_stored() -> bytes:
    return b"".join(content for _table, content in tables()).lower()


# --- The link -----------------------------------------------------------------------------------


def test_a_link_is_mailed_without_a_name_and_its_address_is_stored_nowhere(campaign, link):
    assert f"The link was sent to {NORA}." in send(link, keep=False)
    (sent,) = mail.outbox
    assert sent.to == [NORA] and link.mail == ""
    assert f"{site.SITE_URL}/r/{campaign.code}/?invitation={link.token}" in sent.body
    assert "Nora" not in sent.subject + sent.body and "has not stored" in sent.body
    assert NORA.encode() not in everything_stored()
    assert "personal link sent by mail" in verbs(campaign)


def test_an_address_is_kept_sealed_and_shown_to_the_person_alone(campaign, link):
    page = send(link)
    assert "Address kept" in page and "stores your address, encrypted" in mail.outbox[0].body
    assert link.mail and NORA.encode() not in everything_stored()
    assert NORA not in olga().get(address("campaign-links", campaign)).text
    rater = arrive(Client(), campaign, invitation=link.token)
    assert own_data(rater)["you"]["mail"] == NORA


def test_sending_without_the_tick_forgets_an_address(link):
    send(link)
    send(link, keep=False)
    assert link.mail == ""


def test_one_address_is_corrected_or_forgotten_from_its_row(campaign, link):
    other = kept(campaign, "Otto")
    send(link, "nroa@example.org")
    assert "Change or forget" in olga().get(address("campaign-links", campaign)).text
    page = olga().get(address("campaign-link-mail", campaign, link.pk)).text
    assert "Forget the address" in page and "nroa" not in page
    assert re.search(r'name="keep"[^>]* checked', page), "who corrects an address keeps it"
    send(link)
    assert kept_address(link) == NORA and mail.outbox[-1].to == [NORA]
    forget = address("campaign-link-mail-forget", campaign, link.pk)
    assert "The address is forgotten." in olga().post(forget, follow=True).text
    link.refresh_from_db()
    assert link.mail == "" and "address of a personal link forgotten" in verbs(campaign)
    other.refresh_from_db()
    assert other.mail


def test_without_a_key_no_address_is_kept_and_nothing_is_sent(link, settings):
    settings.PANEL_KEYS = []
    assert "PANEL_KEYS" in send(link)
    assert mail.outbox == [] and link.mail == ""


def test_a_link_that_could_not_be_sent_says_so_and_keeps_nothing(link, monkeypatch):
    def away(self) -> None:
        raise OSError("no route")

    monkeypatch.setattr(mail.EmailMessage, "send", away)
    assert "The mail server did not take the mail." in send(link)
    assert link.mail == ""


def test_without_a_mail_server_the_pages_offer_no_mail(campaign, link, settings):
    settings.EMAIL_HOST = ""
    page = olga().get(address("campaign-links", campaign)).text
    assert "Remind" not in page and "/mail/" not in page
    assert "This site sends no mail." in send(link) and mail.outbox == []
    assert "This site sends no mail." in press(campaign)


def test_links_that_let_nobody_in_are_not_sent(campaign, link):
    campaigns.close_campaign(campaign, by=campaign.owner)
    assert "The link lets nobody in at present" in send(link)
    assert mail.outbox == []


# --- Reminders ----------------------------------------------------------------------------------


def test_those_for_whom_work_waits_are_reminded_after_a_question(campaign):
    waits, done, out, stopped = (kept(campaign, name) for name in ("Nora", "Otto", "Pia", "Quin"))
    invite_raters(campaign, ["Ruth"], by=campaign.owner)  # without an address
    finished = arrive(Client(), campaign, invitation=done.token)
    sit(finished)
    sit(finished)
    excluded = arrive(Client(), campaign, invitation=out.token)
    exclusions.exclude_rater(excluded, reason="Too fast.", by=campaign.owner)
    link_mails.stop_mails(stopped)
    page = olga().get(address("campaign-links-remind", campaign)).text
    assert "1 person gets one mail" in page and mail.outbox == []
    assert "1 reminder is being sent." in press(campaign)
    remind_raters()
    (sent,) = mail.outbox
    assert sent.to == ["nora@example.org"] and sent.subject == "2 sittings wait for you"
    assert waits.token in sent.body and "Nora" not in sent.subject + sent.body
    assert AuditEvent.objects.get(verb="reminders asked for").detail == {"links": 1}


def test_nobody_gets_two_within_48_hours(campaign):
    link = kept(campaign)
    for _time in range(2):
        press(campaign)
        remind_raters()
        remind_raters()
    assert len(mail.outbox) == 1
    for hours, count in ((47, 1), (49, 2)):
        Invitation.objects.filter(pk=link.pk).update(reminded_at=Now() - timedelta(hours=hours))
        press(campaign)
        remind_raters()
        assert len(mail.outbox) == count


def test_two_workers_at_once_send_one(campaign, monkeypatch):
    kept(campaign)
    press(campaign)

    class Interrupted(EmailBackend):
        """Another worker sends everything after this one has read the rows."""

        def open(self):
            monkeypatch.setattr(link_mails, "get_connection", EmailBackend)
            assert link_mails.send_reminders() == 1

    monkeypatch.setattr(link_mails, "get_connection", Interrupted)
    remind_raters()
    assert len(mail.outbox) == 1


def test_work_that_was_finished_after_the_press_is_not_reminded_of(campaign):
    link = kept(campaign)
    press(campaign)
    rater = arrive(Client(), campaign, invitation=link.token)
    sit(rater)
    sit(rater)
    assert link_mails.send_reminders() == 0 and mail.outbox == []
    link.refresh_from_db()
    assert link.reminder_asked_at is None and link.reminded_at is None


def test_a_mail_is_in_the_language_in_which_the_person_rates(monkeypatch):
    german = study("de")
    spoken = []

    def written(*given, **named):
        spoken.append(get_language())
        return mail.EmailMessage(*given, **named)

    monkeypatch.setattr(link_mail_texts, "EmailMessage", written)
    kept(german)
    press(german)
    assert link_mails.send_reminders() == 1
    assert spoken == ["de", "de"]


def test_mails_have_the_words_of_a_campaign_in_a_language_that_the_site_lacks():
    words = {
        "Your link to the study “%(title)s”": "Dolen & gyswllt: %(title)s",
        "%(number)s sittings wait for you": "Mae %(number)s sesiwn yn aros",
        "No more mail about this study: %(link)s": "Dim mwy: %(link)s",
    }
    welsh = study("cy", words)
    (link,) = invite_raters(welsh, ["Nora"], by=welsh.owner)
    send(link)
    press(welsh)
    assert link_mails.send_reminders() == 1
    first, second = mail.outbox
    assert first.subject == "Dolen & gyswllt: Herons" and "Dim mwy: http" in first.body
    assert "You are asked to take part" in first.body, "what has no words is English"
    assert second.subject == "Mae 2 sesiwn yn aros"


class Away(EmailBackend):
    def open(self):
        raise ConnectionRefusedError("the server is away")


def test_a_mail_server_that_is_away_is_tried_again_and_no_mail_is_sent_twice(campaign, monkeypatch):
    link, other = kept(campaign), kept(campaign, "Otto")
    press(campaign)
    with monkeypatch.context() as patch:
        patch.setattr(link_mails, "get_connection", Away)
        assert link_mails.send_reminders() == 0
    assert mail.outbox == []
    assert link_mails.send_reminders(campaign.pk) == 2
    assert link_mails.send_reminders() == 0
    assert sorted(to for sent in mail.outbox for to in sent.to) == [
        "nora@example.org",
        "otto@example.org",
    ]
    link.refresh_from_db()
    other.refresh_from_db()
    assert link.reminded_at and other.reminded_at


@pytest.mark.parametrize(
    ("fault", "tried_again"),
    [
        (SMTPRecipientsRefused({NORA: (451, b"later")}), True),
        # Lost after it was handed over: it may be in the mailbox already.
        (SMTPServerDisconnected("gone"), False),
    ],
)
def test_only_a_mail_that_was_surely_not_taken_is_sent_again(
    campaign, monkeypatch, caplog, fault, tried_again
):
    kept(campaign)
    press(campaign)

    class Failing(EmailBackend):
        def send_messages(self, messages):
            raise fault

    with monkeypatch.context() as patch:
        patch.setattr(link_mails, "get_connection", Failing)
        assert link_mails.send_reminders() == 0
    assert NORA not in caplog.text and type(fault).__name__ in caplog.text
    assert link_mails.send_reminders() == tried_again
    assert len(mail.outbox) == tried_again


def test_a_reminder_that_nobody_took_for_a_day_is_given_up(campaign):
    link = kept(campaign)
    press(campaign)
    Invitation.objects.update(reminder_asked_at=Now() - timedelta(hours=25))
    assert link_mails.send_reminders() == 0 and mail.outbox == []
    link.refresh_from_db()
    assert link.reminder_asked_at is None


def test_an_erased_rater_gets_no_mail(campaign):
    link = kept(campaign)
    press(campaign)
    erasing.erase_campaign(campaigns.close_campaign(campaign, by=campaign.owner), by=None)
    assert link_mails.send_reminders() == 0 and mail.outbox == []
    link.refresh_from_db()
    assert link.mail == "" and link.reminder_asked_at is None


# --- The end of it ------------------------------------------------------------------------------


def stop_link() -> str:
    (found,) = set(STOP.findall(mail.outbox[0].body))
    assert mail.outbox[0].extra_headers["List-Unsubscribe"] == f"<{site.SITE_URL}{found}>"
    assert mail.outbox[0].extra_headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    return found


def test_one_press_stops_mails_and_looking_does_not(campaign, link):
    send(link)
    press(campaign)
    stop, anybody = stop_link(), Client()
    assert "Send me no more mail" in anybody.get(stop).text
    link.refresh_from_db()
    assert link.mail_stopped_at is None
    assert "You get no more mail" in anybody.post(stop).text
    remind_raters()
    assert len(mail.outbox) == 1, "the reminder that waited is not sent"
    assert "This person wants no more mail" in send(link)
    assert link.mail == "" and len(mail.outbox) == 1
    assert "No more mail wanted" in olga().get(address("campaign-links", campaign)).text


def test_a_mail_program_stops_them_and_may_do_it_twice(campaign, link):
    send(link)
    program = Client(enforce_csrf_checks=True)
    for _time in range(2):
        answer = program.post(stop_link(), {"List-Unsubscribe": "One-Click"})
        assert answer.status_code == 200
    assert verbs(campaign).count("mails about a personal link stopped") == 1


def test_another_number_in_a_stop_link_stops_nobody(campaign, link):
    other = kept(campaign, "Otto")
    send(link)
    forged = stop_link().replace(f"/{link.pk}:", f"/{other.pk}:")
    assert forged != stop_link() and Client().post(forged).status_code == 404
    other.refresh_from_db()
    assert other.mail_stopped_at is None


def test_a_press_without_anybody_to_remind_says_so(campaign):
    assert "There is nobody to remind now." in press(campaign)
    with pytest.raises(RefusedAction):
        link_mails.ask_to_remind(campaign, by=campaign.owner)


@pytest.mark.parametrize(
    "promise",
    [
        "We never keep your e-mail address.",
        "We do not store your name or your address.",
        "Ihren Namen und Ihre Adresse speichern wir nicht.",
        "Wir speichern keine Adressen.",
        "Vaše jméno ani adresu neukládáme.",
        "ولا نحفظ اسمك ولا عنوانك.",
    ],
)
def test_no_address_is_kept_under_a_consent_that_promises_otherwise(campaign, link, promise):
    texts = {"consent": f"Hello. {promise}", "instructions": "Rate."}
    promising = make_campaign(slider_definition(texts=texts), owner=campaign.owner)
    unnamed = invite_raters(promising, [""], by=promising.owner)[0]
    with pytest.raises(RefusedAction, match="address that is kept makes untrue"):
        link_mails.mail_link(unnamed, NORA, keep=True, by=promising.owner)
    assert mail.outbox == []
    link_mails.mail_link(unnamed, NORA, keep=False, by=promising.owner)

    link_mails.mail_link(link, NORA, keep=True, by=campaign.owner)
    Invitation.objects.filter(pk=link.pk).update(name="")  # names have a rule of their own
    with pytest.raises(RefusedAction, match="address that is kept makes untrue"):
        checked_change(campaign, slider_definition(raters_per_trial=4, texts=texts))


@pytest.mark.parametrize(
    "promise",
    [
        "We do not store your IP address.",
        "Ihre IP-Adresse speichern wir nicht.",
        "Vaši IP adresu neukládáme.",
        "We do not ask for your name or your address.",
    ],
)
def test_an_address_may_be_kept_where_the_consent_says_nothing_of_it(campaign, promise):
    texts = {"consent": f"Hello. {promise}", "instructions": "Rate."}
    other = make_campaign(slider_definition(texts=texts), owner=campaign.owner)
    unnamed = invite_raters(other, [""], by=other.owner)[0]
    link_mails.mail_link(unnamed, NORA, keep=True, by=other.owner)
    unnamed.refresh_from_db()
    assert kept_address(unnamed) == NORA
