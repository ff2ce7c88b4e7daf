"""Who a rater is: what the link says, and the signed cookie that remembers it."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import get_random_string, salted_hmac

from rankme.clean_text import storable
from rankme.crowd import PANELS
from rankme.models import Campaign, Participant
from rankme.protocols.definition import Crowd

COOKIE = "__Secure-rater" if settings.SESSION_COOKIE_SECURE else "rater"
COOKIE_DAYS = 60
COOKIE_SALT = "rankme.rater-cookie"
ARRIVAL_SALT = "rankme.arrival"
RESUME_SALT = "rankme.resume"
LONGEST_ID = 200


@dataclass(frozen=True)
class Arrival:
    """What a link says about the person who followed it."""

    panel: str
    external_id: str
    session_id: str = ""

    def signed(self, campaign: Campaign) -> str:
        """For the consent form: what comes back is what we sent, and opens no other campaign."""
        return signing.dumps(asdict(self), salt=f"{ARRIVAL_SALT}.{campaign.pk}", compress=True)


def signed_arrival(token: str, campaign: Campaign) -> Arrival | None:
    try:
        return Arrival(**signing.loads(token, salt=f"{ARRIVAL_SALT}.{campaign.pk}"))
    except signing.BadSignature:
        return None


def named_arrival(request: HttpRequest, campaign: Campaign, crowd: Crowd) -> Arrival | None:
    """The person whom the link names: by a personal invitation or by the panel's own id."""
    token = request.GET.get("invitation", "")
    if token:
        invitation = campaign.invitations.filter(token=token).first() if storable(token) else None
        return invitation and Arrival("invitation", str(invitation.pk))
    panel = PANELS[crowd.panel]
    external_id = request.GET.get(crowd.id_parameter or panel.id_parameter, "").strip()
    session_id = request.GET.get(crowd.session_parameter or panel.session_parameter, "").strip()
    if not _is_an_id(external_id):
        return None
    return Arrival(crowd.panel, external_id, session_id if _is_an_id(session_id) else "")


def anonymous_arrival() -> Arrival:
    """Somebody with the open link: an id is drawn, and the cookie alone brings them back."""
    return Arrival("open", get_random_string(22))


def _is_an_id(text: str) -> bool:
    # Braces are a panel's own placeholder ({{%PROLIFIC_PID%}}) that nobody has filled in.
    return 0 < len(text) <= LONGEST_ID and storable(text) and not {"{", "}"} & set(text)


def known_rater(campaign: Campaign, arrival: Arrival) -> Participant | None:
    found = campaign.participants.filter(panel=arrival.panel, external_id=arrival.external_id)
    return found.select_related("campaign").first()


def rater_of(request: HttpRequest, code: str) -> Participant | None:
    """The rater of this campaign whom the request's cookie names, in one query."""
    # The browser drops it in time. Its age would be by this machine's clock, and one that is set
    # right after it was wrong must not send everybody away in the middle of a batch.
    rater = request.get_signed_cookie(COOKIE, None, COOKIE_SALT)
    if rater is None or not rater.isdigit():
        return None
    return (
        Participant.objects.select_related("campaign")
        .filter(pk=int(rater), campaign__code=code)
        .first()
    )


def remember(response: HttpResponse, rater: Participant) -> HttpResponse:
    """Set the cookie, for this campaign's pages alone."""
    response.set_signed_cookie(
        COOKIE,
        str(rater.pk),
        COOKIE_SALT,
        max_age=COOKIE_DAYS * 86_400,
        path=f"/r/{rater.campaign.code}/",
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )
    return response


def resume_token(rater: Participant) -> str:
    """The personal part of the link with which a rater goes on at another device."""
    return signing.dumps(rater.pk, salt=RESUME_SALT)


def resumed_rater(campaign: Campaign, token: str) -> Participant | None:
    try:
        rater = signing.loads(token, salt=RESUME_SALT)
    except signing.BadSignature:
        return None
    return campaign.participants.select_related("campaign").filter(pk=rater).first()


def browser_tag(rater: Participant) -> str:
    """Tells apart, inside one browser, the stored answers of people who share it."""
    return salted_hmac("rankme.browser-tag", str(rater.pk)).hexdigest()[:16]
