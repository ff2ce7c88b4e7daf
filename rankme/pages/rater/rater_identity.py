"""A rater's identity: the link, and the signed cookie that remembers it."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.core import signing
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.crypto import get_random_string, salted_hmac

from rankme.actions.panel import entry as panel_entry
from rankme.models import Campaign, Participant
from rankme.panel_links import PANELS
from rankme.protocols.crowd import Crowd
from rankme.queries.sql import columns_of, objects_of
from rankme.untrusted.clean_text import storable

COOKIE = "__Secure-rater" if settings.SESSION_COOKIE_SECURE else "rater"
COOKIE_SALT = "rankme.rater-cookie"
ARRIVAL_SALT = "rankme.arrival"
RESUME_SALT = "rankme.resume"
ACCESS_DAYS = 60
# What a rater may ask about their own data does not end with the access to the work.
ALWAYS_DAYS = 36_500
LONGEST_ID = 200
BROWSER_LETTERS = 22


def new_browser() -> str:
    return get_random_string(BROWSER_LETTERS)


# The definition is read once for each version (`frozen_definition`), and not with every request.
OF_CAMPAIGN = [
    field.attname for field in Campaign._meta.concrete_fields if field.attname != "definition"
]
OPEN = f"""
    SELECT {", ".join(OF_CAMPAIGN)} FROM rankme_campaign
    WHERE code = %(code)s AND launched_at IS NOT NULL AND NOT is_archive
"""


def campaign_at(code: str) -> Campaign:
    """The launched campaign of a rater's address.

    Raises
    ------
    Http404 : there is none
    """
    for campaign in objects_of(Campaign, OPEN, {"code": code}):
        return campaign
    raise Http404


@dataclass(frozen=True)
class Arrival:
    """A person's ids from the link, and the browser that shows the page."""

    panel: str
    external_id: str
    session_id: str = ""
    browser: str = field(default_factory=new_browser)
    study_id: str = ""
    is_proven: bool = False  # the panel has signed who comes

    @property
    def ids(self) -> dict[str, str]:
        """The panel's ids, as return addresses name them."""
        return {"id": self.external_id, "session": self.session_id, "study": self.study_id}

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
        return Arrival("invitation", str(invitation.pk)) if invitation else None
    if not crowd.takes_panel_ids:
        return None
    panel = PANELS[crowd.panel]
    external_id = request.GET.get(crowd.id_parameter or panel.id_parameter, "").strip()
    session_id = request.GET.get(crowd.session_parameter or panel.session_parameter, "").strip()
    if not _is_an_id(external_id):
        return None
    session_id = session_id if _is_an_id(session_id) else ""
    proven = panel.has_api and _is_proven(request, campaign, external_id, session_id)
    study_id = request.GET.get(panel.study_parameter, "").strip() if panel.study_parameter else ""
    return Arrival(
        crowd.panel,
        external_id,
        session_id,
        study_id=study_id if _is_an_id(study_id) else "",
        is_proven=proven,
    )


def _is_proven(request: HttpRequest, campaign: Campaign, external_id: str, session_id: str) -> bool:
    study = request.GET.get("STUDY_ID", "")
    ids = {"PROLIFIC_PID": external_id, "SESSION_ID": session_id}
    if _is_an_id(study):
        ids["STUDY_ID"] = study
    return panel_entry.is_proven(campaign, request.GET, ids)


def anonymous_arrival() -> Arrival:
    """Somebody with the open link: an id is drawn, and the cookie alone brings them back."""
    return Arrival("open", get_random_string(22))


def stored_name(campaign: Campaign, arrival: Arrival) -> str:
    """The name that the organiser stored with a personal link; empty without one."""
    if arrival.panel != "invitation":
        return ""
    return campaign.invitations.values_list("name", flat=True).get(pk=arrival.external_id)


def _is_an_id(text: str) -> bool:
    # Braces are a panel's own placeholder ({{%PROLIFIC_PID%}}) that nobody has filled in.
    return 0 < len(text) <= LONGEST_ID and storable(text) and not {"{", "}"} & set(text)


KNOWN = f"""
    SELECT {columns_of(Participant)} FROM rankme_participant
    WHERE campaign_id = %(campaign)s AND panel = %(panel)s AND external_id = %(external_id)s
"""


def known_rater(campaign: Campaign, arrival: Arrival) -> Participant | None:
    """The rater whom an arrival names, as seen from the browser that it came from.

    An invitation is a secret, so it opens the rater's work in any browser, as does a link that the
    panel has signed. A panel's id is not secret.
    """
    named = {
        "campaign": campaign.pk,
        "panel": arrival.panel,
        "external_id": arrival.external_id,
    }
    for rater in objects_of(Participant, KNOWN, named):
        rater.campaign = campaign
        return recognised(rater, arrival)
    return None


def recognised(rater: Participant, arrival: Arrival) -> Participant:
    if arrival.panel == "invitation" or arrival.is_proven:
        return rater
    return seen_from(rater, arrival.browser)


def seen_from(rater: Participant, browser: str) -> Participant:
    rater.is_second_browser = rater.consented_at is not None and browser != rater.browser
    return rater


def rater_of(request: HttpRequest, code: str, *, days: int = ACCESS_DAYS) -> Participant | None:
    """The rater of this campaign whom the request's cookie names, in one query."""
    value = request.get_signed_cookie(COOKIE, None, COOKIE_SALT)
    return None if value is None else _rater_with(value, code, days=days)


def remember(response: HttpResponse, rater: Participant) -> HttpResponse:
    """Set the cookie, for this campaign's pages alone."""
    response.set_signed_cookie(
        COOKIE,
        _access(rater),
        COOKIE_SALT,
        max_age=ACCESS_DAYS * 86_400,
        path=reverse("rankme:enter", args=[rater.campaign.code]),
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )
    return response


def resume_token(rater: Participant) -> str:
    """The personal part of the link with which a rater continues on another device."""
    return signing.dumps(_access(rater), salt=RESUME_SALT)


def resumed_rater(campaign: Campaign, token: str, *, days: int = ACCESS_DAYS) -> Participant | None:
    try:
        value = signing.loads(token, salt=RESUME_SALT)
    except signing.BadSignature:
        return None
    return _rater_with(str(value), campaign.code, days=days)


def _access(rater: Participant) -> str:
    """Read a cookie or a personal link: rater, generation, browser."""
    browser = SECOND if rater.is_second_browser else rater.browser
    return f"{rater.pk}.{rater.generation}.{browser}"


# A rater with their campaign, if their cookie or personal link still opens something. The age of a
# signature would be by this machine's clock, and one that is set right after it was wrong must not
# send everybody away in the middle of a batch. So access follows the record: it lasts while a batch
# is held, and for a time after the last thing that happened to the rater. Written out, because
# every request of every rater asks this, and Django takes longer to write it than the database to
# answer.
RATER = f"""
    SELECT {columns_of(Participant, "rater")},
        {", ".join(f"campaign.{name} AS campaign_{name}" for name in OF_CAMPAIGN)}
    FROM rankme_participant rater JOIN rankme_campaign campaign ON campaign.id = rater.campaign_id
    WHERE rater.id = %(rater)s AND rater.generation = %(generation)s AND campaign.code = %(code)s
    AND (
        rater.arrived_at > statement_timestamp() - %(lasts)s::interval
        OR rater.completed_at > statement_timestamp() - %(lasts)s::interval
        OR EXISTS (
            SELECT FROM rankme_assignment
            WHERE participant_id = rater.id
            AND (state = 'held'
                OR COALESCE(ended_at, leased_until) > statement_timestamp() - %(lasts)s::interval)
        )
    )
"""

# No browser has this name: it is too short.
SECOND = "second"


def _rater_with(access: str, code: str, *, days: int) -> Participant | None:
    # One from before there were generations is a number alone.
    number, _, rest = access.partition(".")
    generation, _, browser = (rest or "0.").partition(".")
    if not (number.isdecimal() and generation.isdecimal()):
        return None
    asked = {"rater": int(number), "generation": int(generation), "code": code}
    found: list[Any] = objects_of(Participant, RATER, asked | {"lasts": timedelta(days=days)})
    if not found:
        return None
    (rater,) = found
    values = [getattr(rater, f"campaign_{name}") for name in OF_CAMPAIGN]
    rater.campaign = Campaign.from_db(rater._state.db, OF_CAMPAIGN, values)
    return seen_from(rater, browser)


def browser_tag(rater: Participant) -> str:
    """Distinguishes the stored answers of people who share a browser."""
    return salted_hmac("rankme.browser-tag", str(rater.pk)).hexdigest()[:16]
