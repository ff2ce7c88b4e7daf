"""A sealed task gives the ranking of a campaign that was made by hand, bit for bit."""

from zlib import crc32

import pytest
from django.core.files.base import ContentFile

from rankme.actions.campaign import campaigns
from rankme.actions.shared_task import checks
from rankme.actions.shared_task.sealing import seal
from rankme.actions.shared_task.uploads import choose_role, take_upload
from rankme.actions.sitting import participation
from rankme.models import Campaign, Output, System
from tests.campaigns import make_campaign, make_owner, make_rater
from tests.runs import asked, executed
from tests.shared_tasks.challenge import E2E, TEAMS, e2e_entries
from tests.shared_tasks.tasks import close, make_task, make_team, submit
from tests.sittings import answer, claim, finish, outputs_in_order

pytestmark = pytest.mark.django_db
# Each campaign draws another order of its pages, and the ids of its rows are others. So what a
# report says about that order is its own, and so are the hashes, in which names of screens count.
OF_ITS_OWN = {"order", "sha256", "signature"}


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
    """The whole report, where raters of the same labels give the same text the same value."""
    with pytest.MonkeyPatch.context() as patch:
        labels = (f"r{number:02}" for number in range(raters))
        patch.setattr(participation, "new_label", lambda: next(labels))
        return _numbers_of(campaign, raters)


def _numbers_of(campaign: Campaign, raters: int):
    campaigns.launch_campaign(campaign, by=campaign.owner)
    campaign.refresh_from_db()
    for number in range(raters):
        held = claim(make_rater(campaign, f"w{number}"))
        shown = outputs_in_order(held.presentation)
        for place, (trial, _places) in enumerate(held.presentation):
            text = Output.objects.get(pk=shown[trial][0]).text
            # With digits enough for sums to differ where they are made in another order.
            answer(held, place, value=crc32(f"{number} {text}".encode()) % 9973 / 99.73)
        finish(held)
    return without_its_own(executed(asked(campaign), pictures=()).finished_result["report"])


def without_its_own(found):
    """A part of a report, without what belongs to one campaign alone."""
    if isinstance(found, list):
        return [without_its_own(each) for each in found]
    if not isinstance(found, dict):
        return found
    return {name: without_its_own(each) for name, each in found.items() if name not in OF_ITS_OWN}


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
    (criterion,) = found["criteria"]
    assert {each["judgements"] for each in criterion["systems"]} == {4}
    assert found == numbers_of(by_hand(campaign), raters=21)
