"""The copy of a task for the next year: what it takes over, and what stays behind."""

from datetime import UTC, datetime

import pytest

from rankme.actions.campaign import members
from rankme.actions.campaign.campaigns import change_definition, definition_of
from rankme.actions.shared_task.next_year import TIMES, copy_task, proposal
from rankme.actions.shared_task.tasks import CHANGEABLE
from rankme.errors import RefusedAction
from rankme.models import Role, SharedTask, SystemUpload, Team
from rankme.protocols.crowd import CompletionCodes
from tests.campaigns import make_owner
from tests.shared_tasks.tasks import at, host, make_task, make_team, submit

pytestmark = pytest.mark.django_db
NEXT = {"title": "E2E 2027", "opens_at": datetime(2027, 1, 1, tzinfo=UTC),
        "closes_at": datetime(2027, 2, 1, tzinfo=UTC)}  # fmt: skip
RULES = {
    "title": "E2E 2026",
    "call": "Come all.",
    "terms": "Be fair.",
    "registration": "open",
    "grace_seconds": 77,
    "late": "mark",
    "most_uploads": 3,
    "most_uploads_a_day": 2,
    "most_judged": 9,
    "teams_named": "never",
    "teams_first_days": 8,
}


def last_year() -> SharedTask:
    """A task with two tracks, one of which is for development, a host, and a team with a file."""
    task = make_task(tracks=("English", "German"), **RULES)
    task.tracks.filter(name="German").update(is_development=True)
    submit(make_team(task), track=task.tracks.get(name="English"))
    task.hosts.create(user=make_owner("second"))
    return task


def test_a_copy_has_the_texts_rules_and_tracks_and_nothing_of_teams():
    task = last_year()
    english = task.tracks.get(name="English").campaign
    codes = CompletionCodes(completed="PAID")
    known = definition_of(english)
    crowd = known.crowd.model_copy(update={"completion_codes": codes})
    changed = known.model_copy(update={"crowd": crowd, "raters_per_trial": 2})
    change_definition(english, changed, by=task.owner)
    made = copy_task(task, by=task.owner, **NEXT)
    assert set(RULES) | set(TIMES) == set(CHANGEABLE), "each field is either kept or given"
    assert {name: getattr(made, name) for name in RULES} == RULES | {"title": "E2E 2027"}
    assert (made.opens_at, made.closes_at) == (NEXT["opens_at"], NEXT["closes_at"])
    assert made.preregister_until is None and made.teams_named_at is None
    assert made.copied_from == task and made.owner == task.owner
    tracks = list(made.tracks.values_list("name", "is_development", "sources_sha256"))
    assert tracks == [("English", False, ""), ("German", True, "")]
    copied = made.tracks.get(name="English").campaign
    assert copied.is_draft and copied.title == "E2E 2027: English"
    found = definition_of(copied)
    assert found.raters_per_trial == 2
    assert found.crowd.completion_codes == CompletionCodes(), "no code of last year's study"
    assert not copied.items.exists() and not copied.systems.exists()
    assert not made.teams.exists() and not made.hosts.exists()
    assert SystemUpload.objects.count() == 1
    event = made.events.get()
    assert (event.verb, event.detail) == ("task copied from another one", {"code": task.code})


def test_a_copy_has_seeds_of_its_own():
    task = last_year()
    SharedTask.objects.filter(pk=task.pk).update(seed=2**31 + 5)  # no drawn seed is as large
    made = copy_task(SharedTask.objects.get(), by=task.owner, **NEXT)
    assert made.seed < 2**31
    old, new = ({each.campaign.seed for each in found.tracks.all()} for found in (task, made))
    assert not old & new


@pytest.mark.parametrize(
    ("title", "expected"),
    [("WMT 2026", "WMT 2027"), ("WMT26", "WMT26, next year"), ("No 12026", "No 12026, next year")],
)
def test_the_proposed_title_names_the_next_year(title, expected):
    assert proposal(make_task(title=title))["title"] == expected


def test_proposed_times_are_a_year_later_and_exist():
    task = make_task(
        opens_at=datetime(2028, 2, 29, 12, tzinfo=UTC), closes_at=datetime(2028, 3, 31, tzinfo=UTC)
    )
    found = proposal(task)
    assert found["opens_at"] == datetime(2029, 2, 28, 12, tzinfo=UTC)
    assert found["closes_at"] == datetime(2029, 3, 31, tzinfo=UTC)
    assert found["preregister_until"] is None


def test_the_page_copies_only_what_was_checked():
    task, client = last_year(), host()
    address = at("task-copy", task.code)
    assert f'href="{address}"' in client.get(at("task", task.code)).text
    page = client.get(address)
    assert 'value="E2E 2027"' in page.text and "teams_named_at" not in page.context["form"].fields
    sent = {"title": "E2E 2027", "opens_at": "2027-01-01T00:00", "closes_at": "2027-02-01T00:00"}
    refused = client.post(address, sent)
    assert refused.status_code == 422 and SharedTask.objects.count() == 1
    assert list(refused.context["form"].errors) == ["is_checked"]
    wrong = client.post(address, sent | {"is_checked": "on", "closes_at": "2026-02-01T00:00"})
    assert "has to close after it opens" in str(wrong.context["form"].errors)
    assert SharedTask.objects.count() == 1
    answer = client.post(address, sent | {"is_checked": "on"}, follow=True)
    made = SharedTask.objects.exclude(pk=task.pk).get()
    assert answer.redirect_chain[0][0] == at("task", made.code)
    assert Team.objects.filter(task=made).count() == 0


def test_a_day_of_names_is_asked_for_where_the_task_names_teams_on_a_day():
    task = make_task(teams_named="date", teams_named_at=datetime(2026, 5, 1, tzinfo=UTC))
    address = at("task-copy", task.code)
    client = host()
    assert 'value="2027-05-01T00:00"' in client.get(address).text
    sent = {"title": "Next", "opens_at": "2027-01-01T00:00", "closes_at": "2027-02-01T00:00"}
    refused = client.post(address, sent | {"is_checked": "on"})
    assert "Enter the day on which the teams are named" in str(refused.context["form"].errors)


def test_a_host_copies_only_campaigns_that_the_host_may_edit():
    task = last_year()
    second = task.hosts.get().user
    members.add_member(
        task.tracks.get(name="English").campaign, second, role=Role.EDITOR, by=task.owner
    )
    with pytest.raises(RefusedAction, match="these tracks: German"):
        copy_task(task, by=second, **NEXT)
    assert SharedTask.objects.count() == 1
    members.add_member(
        task.tracks.get(name="German").campaign, second, role=Role.EDITOR, by=task.owner
    )
    made = copy_task(task, by=second, **NEXT)
    assert made.owner == second
    assert {each.campaign.owner for each in made.tracks.all()} == {second}
