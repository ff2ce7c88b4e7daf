"""Extending a launched plan: only new batches and slots, from the stored seed."""

import pytest

from rankme.actions.campaign import campaigns, changes, extensions
from rankme.actions.material import materials
from rankme.actions.sitting import exclusions
from rankme.errors import ChangedMeanwhile, RefusedAction
from rankme.models import PlanCoverage, Slot
from rankme.queries import coverage
from rankme.queries.progress import progress_of
from rankme.queries.versions import balance_of, has_unplanned_material
from rankme.verification import verify_campaign
from tests.campaigns import make_campaign, make_owner, make_rater, rankme_definition
from tests.campaigns import slider_definition as slider
from tests.imports import work_on
from tests.sittings import claim, sit

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_uploads")]


def extend(campaign, raters=1, **more):
    campaign.refresh_from_db()
    return extensions.extend_campaign(
        campaign,
        raters_per_trial=raters,
        reason="A reviewer asked for it.",
        by=make_owner(),
        base=campaign.version,
        **more,
    )


def add(campaign, folder, rows):
    """Upload outputs (system, item) for a launched campaign, and import them."""
    lines = [f"{system},{item},Text of {system} for {item}." for system, item in rows]
    path = folder / "outputs.csv"
    path.write_text("\n".join(["system,item,output", *lines]) + "\n")
    row = work_on(materials.start_import(campaign, [path], by=make_owner()))
    materials.take_import(row, by=make_owner())
    return work_on(row)


def rows_of(campaign):
    """What raters have: the trials and outputs of each batch, by its id."""
    return {
        batch.pk: [
            (trial.pk, list(trial.places.order_by("position").values_list("output", flat=True)))
            for trial in batch.trials.order_by("position")
        ]
        for batch in campaign.batches.all()
    }


def test_more_raters_are_more_slots_of_the_same_batches():
    campaign = make_campaign()
    sit(make_rater(campaign))
    before = rows_of(campaign)
    version = extend(campaign, 3)
    campaign.refresh_from_db()
    assert rows_of(campaign) == before
    assert campaigns.definition_of(campaign).raters_per_trial == 3
    assert (version.number, version.change) == (2, "extension")
    assert sorted(campaign.slots.values_list("copy", flat=True)) == [0] * 4 + [1] * 4 + [2] * 4
    assert version.extension["balance_before"]["per_output"]["max"] == 1
    assert version.extension["balance_after"]["per_output"] == {"min": 3, "max": 3, "mean": 3.0}
    assert progress_of(campaign).screens == 48
    assert claim(make_rater(campaign, "w2")).version == 2
    assert verify_campaign(campaign).fault == ""


def test_new_items_come_in_new_batches_and_old_ones_stay(tmp_path):
    campaign = make_campaign(slider(raters_per_trial=2))
    coverage.judged_by_system(campaign)
    before = rows_of(campaign)
    systems = [f"Sys{number}" for number in range(4)]
    rows = [(system, f"new-{number}") for system in systems for number in range(4)]
    upload = add(campaign, tmp_path, rows)
    assert upload.state == "done", upload.error
    assert "New items: 4, new systems: 0, new outputs: 16." in upload.preview["notes"][0]
    assert rows_of(campaign) == before
    assert has_unplanned_material(campaign)
    version = extend(campaign, 2)
    campaign.refresh_from_db()
    assert not has_unplanned_material(campaign)
    assert balance_of(campaign)["batches"] == 8
    after = rows_of(campaign)
    assert {batch: after[batch] for batch in before} == before
    assert sorted(campaign.batches.values_list("number", flat=True)) == list(range(8))
    assert (version.items, version.systems) == (8, 4)
    assert version.extension["new_sittings"] == 8
    assert version.extension["balance_after"]["per_item"] == {"min": 8, "max": 8, "mean": 8.0}
    assert {line.planned for line in coverage.judged_by_system(campaign)} == {16}
    with pytest.raises(RefusedAction, match="nothing to add"):
        extend(campaign, 2)


def test_what_a_plan_shows_is_stored_with_it_and_counted_for_older_plans(tmp_path):
    campaign = make_campaign()
    sit(make_rater(campaign))
    stored = PlanCoverage.objects.get(campaign=campaign)
    found = coverage.judged_by_system(campaign), coverage.judged_by_pair(campaign)
    assert sum(line.judged for line in found[0]) == 4
    stored.delete()
    assert (coverage.judged_by_system(campaign), coverage.judged_by_pair(campaign)) == found
    assert PlanCoverage.objects.filter(campaign=campaign).exists()


def test_a_square_is_only_extended_by_whole_squares(tmp_path):
    campaign = make_campaign()
    add(campaign, tmp_path, [(f"Sys{number}", "new") for number in range(4)])
    with pytest.raises(RefusedAction, match="a multiple of 4"):
        extend(campaign)
    assert campaign.versions.count() == 1


def test_a_new_system_is_shown_next_to_the_others(tmp_path):
    campaign = make_campaign(rankme_definition(), items=8, systems=5)
    add(campaign, tmp_path, [("Late", f"item-{number}") for number in range(8)])
    first, again = (extensions.draw_extension(campaign, 1).added for _ in range(2))
    assert (first.systems == again.systems).all()
    version = extend(campaign)
    counts = version.extension["balance_after"]["system_counts"]
    assert counts[5] >= min(version.extension["balance_before"]["system_counts"])
    assert version.extension["balance_after"]["per_pair"]["min"] > 0


def test_raters_of_a_new_system_judge_a_stored_share_of_the_others(tmp_path):
    campaign = make_campaign(slider(design={"kind": "complete"}), items=12, systems=3)
    add(campaign, tmp_path, [("Late", f"item-{number}") for number in range(12)])
    with pytest.raises(RefusedAction, match="at most 75 %"):
        extensions.draw_extension(campaign, 1, 76)
    for mixed, earlier in ((0, 0), (50, 12), (25, 4)):
        added = extensions.draw_extension(campaign, 1, mixed).added
        assert (len(added.items), (added.systems < 3).sum()) == (12 + earlier, earlier)
    version = extend(campaign)
    assert version.extension["mixed_percent"] == 25
    assert version.extension["balance_after"]["system_counts"] == (13, 14, 13, 12)
    assert version.extension["notes"][0].startswith("About 25 % of the screens in the new batches")
    new = campaign.batches.order_by("-number").first()
    late = new.trials.filter(places__output__system__name="Late")
    assert (new.trials.count(), late.count()) == (16, 12)
    assert verify_campaign(campaign).fault == ""


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([("Sys0", "item-0"), ("New", "item-0")], "a different text now: Sys0/item-0"),
        ([], "no new items and no new systems"),
    ],
)
def test_shown_material_cannot_be_replaced(tmp_path, rows, words):
    campaign = make_campaign()
    path = tmp_path / "outputs.csv"
    same = "Sys1,item-0,Text 1 of place 0."
    lines = ["system,item,output", same, *(f"{system},{item},New." for system, item in rows)]
    path.write_text("\n".join(lines) + "\n")
    row = work_on(materials.start_import(campaign, [path], by=make_owner()))
    assert (row.state, words in row.error) == ("failed", True), row.error


def test_an_extension_of_another_plan_or_material_is_refused(tmp_path):
    campaign = make_campaign(slider(design={"kind": "complete"}))
    extend(campaign, 2)
    with pytest.raises(ChangedMeanwhile):
        extensions.extend_campaign(
            campaign, raters_per_trial=3, reason="x", by=make_owner(), base=1
        )
    add(campaign, tmp_path, [("Late", "item-0")])
    with pytest.raises(ChangedMeanwhile, match="added material"):
        extend(campaign, 3, items=4, systems=4)


@pytest.mark.parametrize("raters", [1, 1_001])
def test_there_are_never_fewer_raters_nor_too_many(raters):
    campaign = make_campaign(slider(raters_per_trial=2))
    with pytest.raises(RefusedAction):
        extensions.draw_extension(campaign, raters)


def test_after_closing_and_reopening_others_replace_an_excluded_rater():
    campaign = make_campaign()
    bad = make_rater(campaign, "bad")
    batch = sit(bad).batch_id
    for name in ("a", "b", "c"):
        sit(make_rater(campaign, name))
    campaigns.close_campaign(campaign, by=make_owner())
    exclusions.exclude_rater(bad, reason="Too fast.", by=make_owner())
    assert campaign.slots.get(state=Slot.State.FREE).batch_id == batch
    changes.reopen_campaign(campaign, reason="Replace a rater.", by=make_owner(), base=1)
    assert claim(make_rater(campaign, "good")).batch_id == batch
