"""What hosts and captains take back: hosts, tracks, members, teams; and what a team is called."""

import re

import pytest
from django.test import Client

from rankme.actions.campaign import campaigns
from rankme.actions.shared_task import teams
from rankme.errors import RefusedAction
from rankme.models import SharedTask, TaskEvent, Team, TeamInvitation, Track
from tests.campaigns import make_owner
from tests.shared_tasks.tasks import at, close, host, make_task, make_team, submit

pytestmark = pytest.mark.django_db
FACTS = {"publication_name": "The Night Owls", "institution": "Forest", "citation": "@misc{o}"}


def captain_of(team: Team) -> Client:
    _member, secret = teams.replace_captain(team, name="Ada", by=team.task.owner)
    client = Client()
    client.get(at("team-enter", secret))
    return client


def messages_of(answer) -> str:
    return " ".join(str(message) for message in answer.context["messages"])


def test_hosts_add_and_remove_hosts():
    task, client = make_task(), host()
    make_owner("second")
    client.post(at("task-host", task.code), {"username": "second"})
    other = host("second")
    assert other.get(at("task", task.code)).status_code == 200
    assert "no account" in messages_of(
        client.post(at("task-host", task.code), {"username": "nobody"}, follow=True)
    )
    answer = other.post(at("task-remove", task.code, "host", task.hosts.get().pk))
    assert answer["Location"] == at("tasks"), "who removed the own account has no page there"
    assert other.get(at("task", task.code)).status_code == 404
    verbs = set(TaskEvent.objects.values_list("verb", flat=True))
    assert {"host added", "host removed"} <= verbs


def test_hosts_revoke_an_open_invitation():
    task, client = make_task(registration="closed"), host()
    for _ in range(2):
        shown = client.post(at("task-link", task.code, "invitation")).content.decode()
    assert shown.count("/remove/invitation/") == 2
    used, other = task.team_invitations.order_by("pk")
    TeamInvitation.objects.filter(pk=used.pk).update(team=make_team(task))
    assert "revoked" in messages_of(
        client.post(at("task-remove", task.code, "invitation", other.pk), follow=True)
    )
    other.refresh_from_db()
    assert other.revoked_at is not None
    for each in (used, other):  # neither is open any more
        assert client.post(at("task-remove", task.code, "invitation", each.pk)).status_code == 404
    assert "Open invitations" not in client.get(at("task", task.code)).content.decode()


def test_open_invitations_alone_count_towards_their_bound(monkeypatch):
    monkeypatch.setattr(teams, "MOST_INVITATIONS", 1)
    task = make_task(registration="closed")
    made, _secret = teams.invite_team(task, by=task.owner)
    with pytest.raises(RefusedAction, match="Revoke some"):
        teams.invite_team(task, by=task.owner)
    teams.revoke_team_invitation(made, by=task.owner)
    teams.invite_team(task, by=task.owner)


def test_a_track_is_removed_as_a_draft_without_uploads_and_its_campaign_stays():
    task, client = make_task(tracks=("English", "German", "Czech")), host()
    english, german, czech = task.tracks.all()
    submit(make_team(task), track=german)
    campaigns.launch_campaign(_with_outputs(czech), by=task.owner)
    for track, words in ((german, "have uploaded"), (czech, "is launched")):
        refused = client.post(at("task-remove", task.code, "track", track.pk), follow=True)
        assert words in messages_of(refused)
    campaign = english.campaign
    client.post(at("task-remove", task.code, "track", english.pk))
    assert set(task.tracks.values_list("name", flat=True)) == {"German", "Czech"}
    campaign.refresh_from_db()
    assert campaign.is_draft


def _with_outputs(track: Track):
    campaign = track.campaign
    for name in "AB":
        system = campaign.systems.create(name=name, folded=name.lower(), position=ord(name))
        for item in campaign.items.all():
            system.outputs.create(item=item, text="A text.")
    return campaign


def test_captains_and_hosts_remove_members_and_no_one_else_does():
    task, client = make_task(), host()
    team, other = make_team(task), make_team(task, "Bees")
    captain = captain_of(team)
    links = []
    for name in ("Bo", "Cy"):
        by = team.members.get(is_captain=True, removed_at=None)
        made, secret = teams.add_member(team, name=name, by=by)
        visitor = Client()
        visitor.get(at("team-enter", secret))
        links.append((made, visitor))
    (bo, of_bo), (cy, of_cy) = links
    assert captain_of(other).post(at("team-member-remove", bo.pk)).status_code == 404
    assert "Only the captain" in messages_of(
        of_cy.post(at("team-member-remove", bo.pk), follow=True)
    )
    assert of_bo.get(at("team")).status_code == 200
    captain.post(at("team-member-remove", bo.pk))
    assert of_bo.get(at("team")).status_code == 403
    assert "Cy" in client.get(at("task", task.code)).content.decode()
    client.post(at("task-remove", task.code, "member", cy.pk))
    assert of_cy.get(at("team")).status_code == 403
    assert captain.get(at("team")).status_code == 200


def test_a_team_changes_how_the_paper_names_it_and_the_history_says_what():
    task = make_task()
    team = make_team(task)
    captain = captain_of(team)
    wrong = captain.post(at("team-facts"), FACTS | {"publication_name": "Owls & Co"})
    assert "means something in LaTeX" in wrong.content.decode()
    captain.post(at("team-facts"), FACTS)
    team.refresh_from_db()
    assert (team.publication_name, team.citation) == ("The Night Owls", "@misc{o}")
    captain.post(at("team-facts"), FACTS)
    (event,) = TaskEvent.objects.filter(verb="team changed its facts")
    assert event.detail["changed"]["publication_name"] == {"from": "Owls", "to": "The Night Owls"}
    assert "The Night Owls" in host().get(at("task", task.code)).content.decode()


@pytest.mark.parametrize("by", ["captain", "host"])
def test_a_whole_team_is_withdrawn_with_its_uploads(by):
    task = make_task()
    team = make_team(task)
    upload = submit(team)
    captain = captain_of(team)
    if by == "captain":
        captain.post(at("team-withdraw"))
    else:
        host().post(at("task-decide", task.code, team.pk, "withdraw"))
    team.refresh_from_db()
    upload.refresh_from_db()
    assert (team.state, upload.withdrawn_at is not None) == ("withdrawn", True)
    page = captain.get(at("team")).content.decode()
    assert "Withdraw the team" not in page


BUTTONS = ("Announce", "Upload", "Primary", "Contrastive", "Withdraw")


def buttons_of(page: str) -> set[str]:
    """The words on the buttons of a page, without what only screen readers say."""
    found = re.findall(r"<button[^>]*>\s*([^<]+?)\s*<", page)
    return {each for each in found if each in BUTTONS}


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, set(BUTTONS)),
        (None, set()),
        ({"sealed_at": "2026-01-01T00:00Z"}, {"Withdraw"}),
        (
            {
                "sealed_at": "2026-01-01T00:00Z",
                "unsealed_at": "2026-01-02T00:00Z",
                "unseal_reason": "The other host is ill.",
            },
            set(),
        ),
    ],
)
def test_a_team_sees_no_button_that_the_database_would_refuse(changes, expected):
    team = make_team(make_task())
    submit(team)
    client = captain_of(team)
    assert "No problems found" in client.get(at("team")).content.decode()
    if changes is None:
        teams.withdraw_team(team, by=team.task.owner)
    else:
        by = {"unsealed_by": team.task.owner} if "unsealed_at" in changes else {}
        SharedTask.objects.update(**changes, **by)
    assert buttons_of(client.get(at("team")).content.decode()) == expected


def test_a_track_is_removed_before_its_draft_can_be_deleted():
    task, client = make_task(), host()
    campaign = task.tracks.get().campaign
    refused = client.post(at("campaign-delete", campaign.code), follow=True)
    assert "Remove it on the task" in messages_of(refused)
    campaign.refresh_from_db()
    client.post(at("task-remove", task.code, "track", task.tracks.get().pk))
    client.post(at("campaign-delete", campaign.code))
    assert not type(campaign).objects.filter(pk=campaign.pk).exists()


def test_the_page_of_the_seal_says_who_has_no_primary_upload():
    task = make_task()
    submit(make_team(task, "Owls"))
    submit(make_team(task, "Bees"), role="none")
    close(task)
    page = " ".join(host().get(at("task-seal", task.code)).content.decode().split())
    assert "so not judged: <bdi>Bees</bdi>" in page
