"""A sealed task gives the ranking of a campaign that was made by hand, bit for bit."""

from zlib import crc32

import pytest
from django.core.files.base import ContentFile

from rankme.actions.campaign import campaigns
from rankme.actions.shared_task import checks
from rankme.actions.shared_task.sealing import seal
from rankme.actions.shared_task.uploads import choose_role, take_upload
from rankme.models import Campaign, Output, System
from tests.campaigns import make_campaign, make_owner, make_rater
from tests.runs import asked, executed
from tests.shared_tasks.challenge import E2E, TEAMS, e2e_entries
from tests.shared_tasks.tasks import close, make_task, make_team, submit
from tests.sittings import answer, claim, finish, outputs_in_order

pytestmark = pytest.mark.django_db
# Each campaign draws other labels of raters and another order of their pages. What depends on
# neither is the same to the last bit.
SAME = ("anova", "tukey", "kruskal", "dunn", "friedman", "wilcoxon")


def by_hand(sealed: Campaign) -> Campaign:
    """A draft with the same items, whose systems somebody gave the same codes and uploaded."""
    made = make_campaign(launch=False, owner=make_owner("hand"), systems=0)
    items = dict(made.items.values_list("key", "pk"))
    for system in sealed.systems.all():
        copied = System.objects.create(
            campaign=made, name=system.name, folded=system.folded, position=system.position
        )
        Output.objects.bulk_create(
            Output(item_id=items[each.item.key], system=copied, text=each.text)
            for each in system.outputs.order_by("item__position")
        )
    return made


def numbers_of(campaign: Campaign, *, raters: int = 3):
    """The ranking in the report, where raters give the same text the same value."""
    campaigns.launch_campaign(campaign, by=campaign.owner)
    campaign.refresh_from_db()
    for number in range(raters):
        held = claim(make_rater(campaign, f"w{number}"))
        shown = outputs_in_order(held.presentation)
        for place, (trial, _places) in enumerate(held.presentation):
            text = Output.objects.get(pk=shown[trial][0]).text
            answer(held, place, value=crc32(text.encode()) % 97)
        finish(held)
    (found,) = executed(asked(campaign), pictures=()).finished_result["report"]["criteria"]
    return {"systems": found["systems"]} | {name: found["scale"][name] for name in SAME}


@pytest.fixture
def sealed() -> Campaign:
    task = make_task()
    for name in ("Owls", "Bees", "Cats"):
        submit(make_team(task, name))
    close(task)
    seal(task, by=task.owner)
    return task.tracks.get().campaign


def test_the_ranking_is_that_of_the_campaign_made_by_hand(sealed):
    copied = by_hand(sealed)
    assert numbers_of(sealed) == numbers_of(copied)


def test_the_comparison_sees_other_texts_under_the_same_codes(sealed):
    """The control: two systems have each other's texts."""
    copied = by_hand(sealed)
    first, second = copied.systems.all()[:2]
    texts = {}
    for one, other in zip(first.outputs.all(), second.outputs.all(), strict=True):
        texts |= {one.pk: other.text, other.pk: one.text}
    for pk, text in texts.items():
        Output.objects.filter(pk=pk).update(text=text)
    assert numbers_of(sealed) != numbers_of(copied)


@pytest.mark.slow
@pytest.mark.skipif(not E2E.is_dir(), reason="needs ../shared/data/e2e-eval")
def test_the_ranking_of_the_systems_of_e2e_is_that_of_the_campaign_made_by_hand():
    """Its 21 systems with the outputs that their teams submitted, uploaded as files."""
    task = make_task()
    track, submitted = task.tracks.get(), e2e_entries()
    for each in submitted:
        member = make_team(task, each.name).members.get()
        system = member.team.systems.get()
        made = take_upload(
            track, system, ContentFile(each.file), name=f"{each.name}.txt", by=member
        )
        assert checks.execute(made.check_job.pk, "tester")
        choose_role(made, "primary", by=member)
    close(task)
    seal(task, by=task.owner)
    campaign = track.campaign
    assert campaign.systems.count() == len(submitted) == TEAMS
    found = numbers_of(campaign, raters=21)
    assert {each["judgements"] for each in found["systems"]} == {4}
    assert found == numbers_of(by_hand(campaign), raters=21)
