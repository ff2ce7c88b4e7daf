"""A campaign goes from its launch to paid raters by the pages alone."""

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from rankme.actions.campaign import campaigns, members
from rankme.actions.panel import groups, studies, sync
from rankme.errors import RefusedAction
from rankme.models import PanelAccount, PanelPayment, PanelStudy, PanelSubmission
from tests.campaigns import make_owner
from tests.panels.loop import CODES, PLACES, Loop, draft_form, paid_campaign, plan_of

pytestmark = pytest.mark.django_db


def at(name: str, loop: Loop, *more) -> str:
    return reverse(f"rankme:{name}", args=[loop.campaign.code, *more])


def change(client: Client, loop: Loop, action: str, **sent):
    return client.post(at("campaign-panel-change", loop), {"action": action, **sent}, follow=True)


def study_form(account: PanelAccount, **changes) -> dict:
    return draft_form(account, is_secure="on", **changes)


def lists(client: Client, loop: Loop) -> dict[str, int]:
    """How many people are in each list of the books."""
    context = client.get(at("campaign-panel-books", loop)).context
    return {name: number for name, _title, number in context["lists"]}


def agreed(page) -> dict:
    """What the page of a decision sends after the yes."""
    plan = page.context["plan"]
    pays = [f"{payment.submission.pk}:{payment.amount}" for payment in plan.payments]
    people = [payment.submission.pk for payment in plan.payments]
    sent = {"action": plan.kind, "percent": plan.percent, "sure": "on"}
    return sent | ({"pay": pays} if plan.kind == "bonus" else {"person": people})


def pay_bonus(client: Client, loop: Loop, one, amount: str) -> None:
    """Pay a bonus from the page of a person: it is shown, and then agreed to."""
    books = at("campaign-panel-books", loop)
    sent = {"action": "bonus", "person": loop.row(one).pk, "amount": amount}
    client.post(books, agreed(client.post(books, sent)) | {"reason": "Thanks"})


def test_an_account_is_added_and_its_token_never_shown(practice, olga):
    address = reverse("rankme:panel-accounts")
    page = olga.post(address, {"name": "Lab", "token": practice.token}, follow=True)
    assert "The account was added." in page.content.decode()
    assert practice.token not in olga.get(address).content.decode()
    wrong = olga.post(address, {"name": "Other", "token": "stolen"})
    assert wrong.status_code == 422
    assert "stolen" not in wrong.content.decode()
    account = PanelAccount.objects.get()
    stranger = Client()
    stranger.force_login(make_owner("mia"))
    one = reverse("rankme:panel-account", args=[account.pk])
    assert stranger.post(one, {"action": "remove"}).status_code == 404
    olga.post(one, {"action": "hooks"})
    account.refresh_from_db()
    assert account.hooked_at
    olga.post(one, {"action": "remove"})
    assert not PanelAccount.objects.exists()


def test_a_campaign_without_an_account_says_what_to_do(practice, olga):
    campaign = paid_campaign()
    page = olga.get(reverse("rankme:campaign-panel", args=[campaign.code]))
    assert reverse("rankme:panel-accounts") in page.content.decode()


def test_from_the_draft_to_paid_raters(loop, olga):
    loop.panel.books.transition_study(loop.there, "STOP")
    PanelStudy.objects.all().delete()
    panel = at("campaign-panel", loop)
    page = olga.get(panel, {"filter": ["age", "first-language_old"]})
    assert "Age, from" in page.content.decode()
    assert page.context["form"]["places"].value() == 4
    form = study_form(
        loop.account,
        **{
            "filter": ["age", "first-language_old"],
            "low-age": 18,
            "high-age": 40,
            "any-first-language_old": ["0", "1"],
            "action": "count",
        },
    )
    text = olga.post(panel, form).content.decode()
    assert "can take part" in text
    assert "these places cost 5.44 GBP" in text
    assert not PanelStudy.objects.exists()
    page = olga.post(panel, form | {"action": "draft"}, follow=True)
    text = page.content.decode()
    assert "5.44 GBP" in text, "two rewards of 2.00 with fees and tax"
    assert "12.00 GBP" in text, "per hour"
    loop.study = PanelStudy.objects.get()
    assert loop.study.filters == [
        {"filter_id": "age", "selected_range": {"lower": 18, "upper": 40}},
        {"filter_id": "first-language_old", "selected_values": ["0", "1"]},
    ]
    assert "Tick the box" in change(olga, loop, "publish").content.decode()
    assert "has changed" in change(olga, loop, "publish", sure="on", cost=543).content.decode()
    change(olga, loop, "publish", sure="on", cost=544)
    assert loop.there.status == "ACTIVE"
    good, bad = loop.finish("a"), loop.arrive("b")
    loop.panel.books.submit(bad, "INVENTED")
    sync.visit(loop.again())
    assert good.status == "APPROVED"
    assert lists(olga, loop) == {"waiting": 1, "doubtful": 1, "both": 1, "there": 1, "all": 2}
    person = at("campaign-panel-person", loop, loop.row(bad).pk)
    assert "INVENTED" in olga.get(person).content.decode()
    olga.post(person, {"action": "approve"})
    pay_bonus(olga, loop, bad, "0.50")
    olga.post(person, {"action": "message", "body": "Thank you."})
    sync.visit(loop.again())
    assert (bad.status, bad.bonuses) == ("APPROVED", [50])
    assert loop.panel.books.messages[0]["body"] == "Thank you."
    assert "PROLIFIC" not in olga.get(person).content.decode()


def drafted(loop: Loop, **changes) -> Loop:
    """The same campaign with a study that is not published."""
    PanelStudy.objects.all().delete()
    loop.panel.books.studies.clear()
    loop.study = studies.draft_study(loop.campaign, loop.account, plan_of(**changes), by=loop.owner)
    return loop


def test_adding_and_removing_filters_keeps_what_was_typed(loop, olga):
    PanelStudy.objects.all().delete()
    panel = at("campaign-panel", loop)
    typed = study_form(
        loop.account, description="Half a sent", places="7", tops_up="on", ceiling="", minutes="x"
    )
    page = olga.post(panel, typed | {"action": "add-filter", "add": "age"})
    form = page.context["form"]
    assert (page.status_code, form.errors) == (200, {})
    typed |= {"filter": ["age"], "low-age": "21", "high-age": "40"}
    form = olga.post(panel, typed | {"action": "add-filter", "add": "approval_rate"}).context[
        "form"
    ]
    kept = {name: form[name].value() for name in ("description", "places", "minutes", "low-age")}
    assert kept == {"description": "Half a sent", "places": "7", "minutes": "x", "low-age": "21"}
    assert form["tops_up"].value() is True
    assert form["devices"].value() == ["desktop"]
    typed |= {"filter": ["age", "approval_rate"], "action": "draft", "drop": "age"}
    form = olga.post(panel, typed).context["form"]
    assert [offered.id for offered, _fields in form.filter_groups] == ["approval_rate"]
    assert form["description"].value() == "Half a sent"
    assert not PanelStudy.objects.exists()


def test_the_ceiling_is_proposed_from_the_cost(loop, olga):
    PanelStudy.objects.all().delete()
    monied = paid_campaign(
        crowd={"panel": "prolific", "pay_per_batch": 2, "completion_codes": CODES}
    )
    form = olga.get(reverse("rankme:campaign-panel", args=[monied.code])).context["form"]
    assert form["ceiling"].value() == 11, "four rewards of 2.00 cost 10.88"


def test_a_draft_is_shown_whole_and_can_be_changed(loop, olga):
    age = {"filter_id": "age", "selected_range": {"lower": 18, "upper": 40}}
    drafted(loop, filters=[age], ceiling=500, tops_up=True)
    text = olga.get(at("campaign-panel", loop)).content.decode()
    for shown in ("5.00 GBP", "18 – 40", "Desktop", "60", "cost more than the ceiling allows"):
        assert shown in text
    assert 'value="publish"' not in text
    change(olga, loop, "ceiling", ceiling="11")
    assert 'value="publish"' in olga.get(at("campaign-panel", loop)).content.decode()
    form = olga.get(at("campaign-panel", loop), {"edit": ""}).context["form"]
    assert form["low-age"].value() == 18
    assert form["ceiling"].value() == "11.00"
    sent = study_form(
        loop.account,
        **{
            "name": "Rate again",
            "places": 3,
            "ceiling": "12",
            "filter": ["age"],
            "low-age": 20,
            "high-age": 30,
            "pays_shares": "on",
        },
    )
    olga.post(f"{at('campaign-panel', loop)}?edit", sent)
    study = loop.again()
    assert (study.name, study.places, study.ceiling) == ("Rate again", 3, 1200)
    there = loop.there.document
    assert (there["name"], there["total_available_places"]) == ("Rate again", 3)
    assert there["filters"] == study.filters
    assert study.filters[0]["selected_range"] == {"lower": 20, "upper": 30}
    assert any(code["code"] == study.codes["share"] for code in there["completion_codes"])
    studies.publish_study(study, by=loop.owner)
    with pytest.raises(RefusedAction, match="Only a draft"):
        studies.change_draft(loop.again(), plan_of(), by=loop.owner)


def test_the_members_page_says_what_members_can_spend(loop, olga):
    text = olga.get(at("campaign-members", loop)).content.decode()
    assert "up to the ceiling of 30.00 GBP" in " ".join(text.split())


def test_publishing_and_deleting_a_draft_are_confirmed_apart(loop, olga):
    drafted(loop)
    text = olga.get(at("campaign-panel", loop)).content.decode()
    publish = text.index('value="publish"')
    delete = text.index('value="delete"')
    between = text[min(publish, delete) : max(publish, delete)]
    assert "</form>" in between
    assert 'name="sure"' in between


@pytest.mark.parametrize(
    ("rules", "words"),
    [({}, "acts on its checks"), ({"flag_if": "look.failed >= 1"}, "neither excluded nor marked")],
)
def test_checks_without_a_rule_that_excludes_are_said_to_hold_up_no_reward(
    practice, olga, rules, words
):
    question = {"question": "What?", "choices": ["a", "b"], "answer": "a"}
    quiz = {"name": "look", "kind": "quiz", "options": question}
    campaign = paid_campaign(checks=[quiz], rules=rules)
    Loop(practice, campaign=campaign)
    text = " ".join(
        olga.get(reverse("rankme:campaign-panel", args=[campaign.code])).content.decode().split()
    )
    assert words in text


def test_the_buttons_of_a_study(loop, olga):
    for action, status in (("pause", "PAUSED"), ("resume", "ACTIVE")):
        change(olga, loop, action)
        assert loop.there.status == status
    change(olga, loop, "places", more="1")
    assert loop.there.places == 5
    assert "positive number" in change(olga, loop, "places", more="-1").content.decode()
    change(olga, loop, "ceiling", ceiling="50")
    assert loop.again().ceiling == 5_000
    loop.panel.books.leave(loop.arrive("a"), "RETURNED")
    change(olga, loop, "refresh")
    assert "Returned" in olga.get(at("campaign-panel", loop)).content.decode()
    change(olga, loop, "stop", sure="on")
    assert loop.there.status == "COMPLETED"
    assert olga.get(at("campaign-panel", loop), {"new": ""}).context["form"]


def test_what_the_panel_refuses_is_shown_in_its_words(loop, olga):
    PanelStudy.objects.all().delete()
    page = olga.post(at("campaign-panel", loop), study_form(loop.account, reward="0.10"))
    assert "Pay at least 6.00 an hour" in page.content.decode()
    assert page.context["form"]["name"].value() == "Rate", "what was typed is still there"
    assert not PanelStudy.objects.exists()


def test_a_lost_bonus_is_decided_by_a_person(loop, olga):
    one = loop.finish("a")
    sync.visit(loop.again())
    person = at("campaign-panel-person", loop, loop.row(one).pk)
    pay_bonus(olga, loop, one, "1.00")
    loop.fault("cut", "bonus-payments/$", "POST")
    sync.visit(loop.again())
    text = olga.get(person).content.decode()
    assert "answer was lost" in text
    assert "RemoteProtocolError" not in text
    assert "1 person waits" in olga.get(at("campaign-panel", loop)).content.decode()
    lost = PanelPayment.objects.get(kind="bonus")
    olga.post(person, {"action": "was-not-paid", "payment": lost.pk})
    sync.visit(loop.again())
    assert one.bonuses == [100]
    assert "person waits" not in olga.get(at("campaign-panel", loop)).content.decode()


def test_raters_who_finished_here_alone_are_seen(loop, olga):
    late, lost = loop.arrive("a"), loop.arrive("b")
    loop.work(late)
    loop.panel.books.leave(late, "TIMED-OUT")
    loop.work(lost)
    loop.there.submissions.remove(lost)
    sync.visit(loop.again())
    assert lists(olga, loop) == {"waiting": 1, "doubtful": 1, "here": 1, "work": 1, "all": 2}, (
        "who has just finished may be on the way to the panel"
    )
    PanelStudy.objects.update(synced_at=timezone.now() + timedelta(hours=1))
    page = olga.get(at("campaign-panel-books", loop), {"list": "here"})
    people = [person.entry.rater for person in page.context["people"]]
    assert [rater.external_id for rater in people] == ["a", "b"]
    books = at("campaign-panel-books", loop)
    page = olga.post(books, {"action": "file", "lines": f"{people[0].label},2.00"})
    olga.post(books, agreed(page) | {"reason": "Timed out"})
    sync.visit(loop.again())
    assert late.bonuses == [200]


def test_earlier_raters_can_be_kept_out(loop, olga):
    loop.finish("a")
    sync.visit(loop.again())
    change(olga, loop, "stop", sure="on")
    form = study_form(loop.account, keep_out=[loop.study.pk])
    olga.post(f"{at('campaign-panel', loop)}?new", form)
    newest = PanelStudy.objects.first()
    (group,) = loop.panel.books.groups.values()
    assert group["participants"] == ["a"]
    assert newest.filters == [
        {"filter_id": "participant_group_blocklist", "selected_values": [group["id"]]}
    ]


def test_groups_have_everybody_who_saw_items_and_nobody_else(loop):
    """Who returned the place knows the items; who found no work does not."""
    left, out = loop.arrive("left"), loop.arrive("out")
    loop.work(left)
    loop.panel.books.leave(left, "RETURNED")
    loop.panel.books.submit(out, "QUOTA")
    sync.visit(loop.again())
    groups.group_of(loop.again())
    (group,) = loop.panel.books.groups.values()
    assert group["participants"] == ["left"]


def test_the_pages_say_that_a_study_follows_its_campaign(loop, olga):
    loop.finish("a")
    loop.panel.books.submit(loop.arrive("b"), "INVENTED")
    sync.visit(loop.again())
    campaigns.pause_campaign(loop.campaign, by=loop.owner)
    assert "is pausing the study" in olga.get(at("campaign-panel", loop)).content.decode()
    sync.visit(loop.again())
    text = olga.get(at("campaign-panel", loop)).content.decode()
    assert "resumes with it" in text
    assert "Resume the study" not in text
    text = olga.get(at("campaign-close", loop)).content.decode()
    assert loop.study.name in text
    assert "1 person waits for your decision" in text
    campaigns.close_campaign(loop.campaign, by=loop.owner)
    text = olga.get(at("campaign-panel", loop)).content.decode()
    assert "is stopping the study" in text
    assert "Resume the study" not in text
    assert 'value="places"' not in text


def test_many_are_decided_at_once_after_their_total_was_seen(practice, olga):
    loop = Loop(practice, approval="manual", pays_shares=True).publish()
    people = [loop.finish(name) for name in "abc"]
    loop.panel.books.submit(loop.arrive("d"), "INVENTED")
    sync.visit(loop.again())
    counted = {"waiting": 4, "clean": 3, "doubtful": 1, "both": 3, "there": 1, "all": 4}
    assert lists(olga, loop) == counted
    books = at("campaign-panel-books", loop)
    shown = olga.get(books, {"list": "clean", "ticked": "1"}).content.decode()
    assert shown.count('name="person"') == shown.count(" checked") == 3
    page = olga.post(books, {"action": "approve", "person": [loop.row(one).pk for one in people]})
    text = " ".join(page.content.decode().split())
    assert "Yes, pay 6.00 GBP to 3 people." in text
    assert "8.16 GBP" in text, "with fees and tax"
    assert not PanelPayment.objects.exists()
    olga.post(books, agreed(page))
    sync.visit(loop.again())
    assert [one.status for one in people] == ["APPROVED"] * 3
    (stranger,) = [one for one in loop.there.submissions if one.participant == "d"]
    row = loop.row(stranger).pk
    page = olga.post(books, {"action": "return", "person": row})
    olga.post(books, agreed(page) | {"reason": "No work was stored."})
    sync.visit(loop.again())
    assert stranger.return_requested
    assert lists(olga, loop) == {"both": 3, "asked": 1, "all": 4}
    page = olga.post(books, {"action": "share", "person": row, "percent": "40"})
    assert "0.80 GBP" in page.content.decode()
    olga.post(books, agreed(page))
    sync.visit(loop.again())
    assert stranger.reward_paid == 80


def test_the_panel_is_asked_from_the_table_too(loop, olga):
    one = loop.arrive("a")
    sent = {"action": "refresh", "back": "books"}
    page = olga.post(at("campaign-panel-change", loop), sent, follow=True)
    assert page.redirect_chain[-1][0] == at("campaign-panel-books", loop)
    assert loop.row(one).state == "ACTIVE"


def test_no_field_of_one_decision_is_required_for_another(practice, olga):
    loop = Loop(practice, approval="manual", pays_shares=True).publish()
    loop.finish("a")
    sync.visit(loop.again())
    text = olga.get(at("campaign-panel-books", loop)).content.decode()
    of_decisions = text[text.index('name="person"') : text.index('value="share"')]
    assert " required" not in of_decisions


def test_bonuses_by_the_hour_are_shown_before_they_are_paid(loop, olga):
    slow, _quick = loop.finish("a"), loop.finish("b")
    sync.visit(loop.again())
    PanelSubmission.objects.update(seconds=300)
    PanelSubmission.objects.filter(external_id=slow.id).update(seconds=1800)
    books = at("campaign-panel-books", loop)
    page = olga.post(books, {"action": "hourly", "per_hour": "6.00"})
    text = " ".join(page.content.decode().split())
    assert loop.row(slow).participant.label in text
    assert "Yes, pay 1.00 GBP to 1 person." in text
    assert "1.36 GBP" in text
    assert not PanelPayment.objects.filter(kind="bonus").exists()
    sent = agreed(page)
    without_a_yes = {name: value for name, value in sent.items() if name != "sure"}
    olga.post(books, without_a_yes)
    assert not PanelPayment.objects.filter(kind="bonus").exists()
    olga.post(books, sent)
    assert PanelPayment.objects.get(kind="bonus").amount == 100
    nobody = olga.post(books, {"action": "hourly", "per_hour": "6.00"}, follow=True)
    assert "Nobody would get a bonus" in nobody.content.decode()


def test_a_decision_that_is_not_possible_for_one_is_made_for_the_others(practice, olga):
    loop = Loop(practice, approval="manual").publish()
    good, left = loop.finish("a"), loop.finish("b")
    sync.visit(loop.again())
    books = at("campaign-panel-books", loop)
    page = olga.post(books, {"action": "approve", "person": [loop.row(good).pk, loop.row(left).pk]})
    loop.panel.books.leave(left, "RETURNED")
    sync.visit(loop.again())
    text = olga.post(books, agreed(page), follow=True).content.decode()
    assert "1 payment will be made" in text
    assert f"{loop.row(left).participant.label}: The panel cannot approve" in text


def test_bonuses_for_submissions_of_another_study_are_refused(loop, olga, practice):
    one = loop.finish("a")
    sync.visit(loop.again())
    other = PanelSubmission.objects.create(
        study=drafted_elsewhere(loop), external_id="x", person="x", state="APPROVED"
    )
    sent = {"action": "bonus", "pay": [f"{other.pk}:100", f"{loop.row(one).pk}:0"], "sure": "on"}
    olga.post(at("campaign-panel-books", loop), sent)
    assert not PanelPayment.objects.filter(kind="bonus").exists()


def drafted_elsewhere(loop: Loop) -> PanelStudy:
    return studies.draft_study(paid_campaign(), loop.account, plan_of(), by=loop.owner)


def test_somebody_without_a_batch_is_said_to_have_found_no_work(loop, olga):
    for name in "abcd":
        loop.finish(name)
    sync.visit(loop.again())
    loop.panel.books.change_places(loop.there, PLACES + 1)
    late = loop.arrive("e")
    loop.enter(late)
    sync.sync_study(loop.again())
    text = olga.get(at("campaign-panel-person", loop, loop.row(late).pk)).content.decode()
    assert "No work left" in text


def test_panel_ids_are_for_owners_and_submissions_for_members_too(loop, olga):
    person = "5f0a1b2c3d4e5f6a7b8c9d0e"
    one = loop.finish(person)
    sync.visit(loop.again())
    members.add_member(loop.campaign, make_owner("mia"), by=loop.owner)
    client = Client()
    client.force_login(make_owner("mia"))
    pages = [at("campaign-panel-books", loop), at("campaign-panel-person", loop, loop.row(one).pk)]
    study_page = f"https://app.prolific.com/researcher/workspaces/studies/{loop.study.external_id}"
    for address in pages:
        mine, theirs = (who.get(address).content.decode() for who in (olga, client))
        assert person in mine
        assert person not in theirs
        assert f"{study_page}/submissions" in theirs
    assert one.id in client.get(pages[1]).content.decode()
    assert study_page in client.get(at("campaign-panel", loop)).content.decode()


def test_a_member_manages_the_study_but_not_its_ceiling(loop):
    drafted(loop)
    client = Client()
    client.force_login(mia := make_owner("mia"))
    page = at("campaign-panel", loop)
    assert client.get(page).status_code == 404
    members.add_member(loop.campaign, mia, by=loop.owner)
    client.post(f"{page}?edit", study_form(loop.account, ceiling="999"))
    study = loop.again()
    assert (study.name, study.places, study.ceiling) == ("Rate", 2, 3_000)
    with pytest.raises(RefusedAction, match="owner of the account"):
        studies.change_draft(study, plan_of(ceiling=9_999), by=mia)
    studies.publish_study(study, by=loop.owner)
    change(client, loop, "pause")
    assert loop.there.status == "PAUSED"
    change(client, loop, "ceiling", ceiling="999")
    assert loop.again().ceiling == 3_000
