"""A campaign goes from its file to paid raters over the API alone."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from rankme.models import Campaign, MaterialImport, PanelAccount, PanelStudy
from rankme.protocols.files import definition_to_yaml
from rankme.worker import tasks
from tests.campaigns import slider_definition
from tests.imports import work_on
from tests.panels.loop import CODES, Raters

pytestmark = pytest.mark.django_db
API = "/api/v1/"
OUTPUTS = "item,system,output\n" + "\n".join(
    f"i{item},s{system},Text {system} of place {item}." for item in range(4) for system in range(4)
)


class Script:
    """An organiser's script: every change goes through the API."""

    def __init__(self, client, code: str = "") -> None:
        self.client, self.at = client, f"{API}campaigns/{code}/"

    def ask(self, method: str, address: str, sent=None, expect: int = 200):
        answer = self.client.generic(method, address, *_body(sent))
        assert answer.status_code == expect, (address, answer.content)
        return answer.json() if answer.content else None

    def panel(self, rest: str = "", sent=None, method: str = "POST", expect: int = 200):
        return self.ask(method, f"{self.at}panel/{rest}", sent, expect)

    def see(self, rest: str = ""):
        return self.panel(rest, method="GET")

    def the_worker_visits(self):
        """What a worker does once it is told."""
        tasks.visit_study(PanelStudy.objects.get(campaign__code=self.at.split("/")[-2]).pk)


def _body(sent) -> tuple:
    return () if sent is None else (json.dumps(sent), "application/json")


def launched(client) -> Script:
    """A campaign from its file, with its outputs, launched."""
    crowd = {"panel": "prolific", "completion_codes": CODES, "lease_minutes": 30}
    text = definition_to_yaml(slider_definition(crowd=crowd))
    made = client.generic("POST", f"{API}campaigns/", text, "application/yaml")
    assert made.status_code == 201, made.content
    script = Script(client, made.json()["code"])
    files = {"outputs": SimpleUploadedFile("outputs.csv", OUTPUTS.encode())}
    upload = client.post(f"{script.at}imports/", files, format="multipart")
    assert upload.status_code == 202, upload.content
    row = work_on(MaterialImport.objects.get(pk=upload.json()["id"]))
    script.ask("POST", f"{script.at}imports/{row.pk}/take/")
    work_on(row)
    assert script.ask("POST", f"{script.at}launch/")["state"] == "running"
    return script


def plan(account: int, **changes) -> dict:
    return {
        "account": account,
        "name": "Rate short texts",
        "description": "You rate four texts.",
        "places": 3,
        "reward": 200,
        "minutes": 10,
        "longest_minutes": 60,
        "ceiling": 5_000,
        "devices": ["desktop"],
        "pays_shares": True,
        **changes,
    }


@pytest.mark.slow
def test_from_the_file_to_paid_raters(olga, practice):
    script = launched(olga)
    given = {"name": "Lab", "token": practice.token}
    account = script.ask("POST", f"{API}panel-accounts/", given, 201)
    assert practice.token not in str(account)
    mine = f"{API}panel-accounts/{account['id']}/"
    assert script.ask("POST", f"{mine}webhooks/")["hooked_at"]
    filters = {one["id"]: one for one in script.ask("GET", f"{mine}filters/")}
    assert filters["age"]["high"] == 100
    age = {"filter_id": "age", "selected_range": {"lower": 18, "upper": 40}}
    assert script.ask("POST", f"{mine}eligible/", {"filters": [age]})["count"] > 0

    script.panel("", plan(account["id"], filters=[age]), expect=201)
    cost = script.see("cost/")
    assert cost == {
        "total": 816,
        "available": 1_000_000,
        "per_hour": 1200,
        "least_per_hour": 600,
        "ceiling": 5_000,
        "is_within_ceiling": True,
        "is_affordable": True,
        "is_fair": True,
    }
    script.panel("", plan(0, name="Rate again") | {"account": None}, method="PUT", expect=400)
    changed = {name: value for name, value in plan(0, name="Again").items() if name != "account"}
    assert script.panel("", changed | {"filters": [age]}, method="PUT")["name"] == "Again"
    for action, state in (
        ("publish", "ACTIVE"),
        ("pause", "PAUSED"),
        ("resume", "ACTIVE"),
    ):
        assert script.panel("transition/", {"action": action})["state"] == state
    assert script.panel("places/", {"more": 1})["places"] == 4
    assert script.panel("ceiling/", {"ceiling": 6_000}, "PUT")["ceiling"] == 6_000

    raters = Raters(practice, PanelStudy.objects.select_related("campaign").get())
    good, wrong, gone, cut = (
        raters.finish("good"),
        raters.arrive("wrong"),
        raters.arrive("gone"),
        raters.arrive("cut"),
    )
    practice.books.submit(wrong, "INVENTED")
    raters.enter(gone)
    practice.books.leave(gone, "RETURNED")
    raters.enter(cut)
    assert script.panel("refresh/")["submissions"] == {
        "ACTIVE": 1,
        "AWAITING REVIEW": 2,
        "RETURNED": 1,
    }
    script.the_worker_visits()
    assert good.status == "APPROVED"

    books = script.see("books/")
    assert [len(books[side]) for side in ("both", "only_here", "only_there")] == [1, 0, 1]
    assert (books["at_work"], books["left"], books["open_questions"]) == (1, 1, 1)
    person = f"submissions/{books['only_there'][0]['submission']}/"
    assert script.see(person)["entered_code"] == "INVENTED"
    script.panel(f"{person}message/", {"body": "Which code did you see?"}, expect=204)
    script.panel(f"{person}return/", {"reason": "No work was stored."})
    script.panel(f"{person}approve/")
    label = books["both"][0]["rater"]
    given = {"bonuses": [{"rater": label, "amount": 50}], "reason": "Thanks"}
    shown = script.panel("bonuses/", given | {"dry_run": True})
    assert shown == {"drafted": 0, "bonuses": given["bonuses"], "cost": 68}
    assert script.panel("bonuses/", given)["drafted"] == 1
    at_work = next(
        one["submission"]
        for one in script.see("submissions/")["results"]
        if one["state"] == "ACTIVE"
    )
    script.panel(f"submissions/{at_work}/share/", {"percent": 40, "reason": "We stop here."})
    script.panel(f"submissions/{at_work}/bonus/", {"amount": 10})
    script.the_worker_visits()
    assert (wrong.reward_paid, good.bonuses, cut.reward_paid, cut.bonuses) == (200, [50], 80, [10])
    assert practice.books.messages[0]["body"] == "Which code did you see?"

    script.panel("transition/", {"action": "stop"})
    money = script.see()["money"]
    there = practice.books.submissions.values()
    assert money == {
        "paid": sum(one.reward_paid + sum(one.bonuses) for one in there),
        "waiting": 0,
        "lost": 0,
        "unseen": 0,
    }
    key = script.ask("GET", f"{mine}studies/")[0]["key"]
    script.panel("", plan(account["id"], keep_out=[key]), expect=201)
    (group,) = practice.books.groups.values()
    assert group["participants"] == ["good"], "only they had a batch"
    script.panel("", method="DELETE", expect=204)
    assert Campaign.objects.get().panel_studies.count() == 1


def test_a_lost_answer_is_decided_over_the_api(olga, practice):
    script = launched(olga)
    account = PanelAccount.objects.get(
        pk=script.ask(
            "POST", f"{API}panel-accounts/", {"name": "Lab", "token": practice.token}, 201
        )["id"]
    )
    script.panel("", plan(account.pk), expect=201)
    script.panel("transition/", {"action": "publish"})
    raters = Raters(practice, PanelStudy.objects.select_related("campaign").get())
    one = raters.finish("ann")
    script.the_worker_visits()
    (entry,) = script.see("books/")["both"]
    raters.fault("server_error", "bonus-payments/$", "POST")
    script.panel(f"submissions/{entry['submission']}/bonus/", {"amount": 50})
    script.the_worker_visits()
    payment = script.see("books/")["both"][0]["payments"][-1]
    assert (payment["state"], one.bonuses) == ("lost", [])
    script.panel(f"payments/{payment['id']}/decision/", {"was_paid": False})
    script.the_worker_visits()
    assert one.bonuses == [50]
    again = script.panel(f"payments/{payment['id']}/decision/", {"was_paid": False}, expect=409)
    assert "not waiting for a decision" in again["error"]["message"]


def test_refusals_name_the_problem(olga, practice, stranger):
    script = launched(olga)
    account = script.ask(
        "POST", f"{API}panel-accounts/", {"name": "Lab", "token": practice.token}, 201
    )["id"]
    assert script.panel("", method="GET", expect=404)["error"]["code"] == "not_found"
    wrong = plan(account, longest_minutes=5, devices=["fridge"], reward=1.5)
    problems = script.panel("", wrong, expect=400)["error"]["problems"]
    assert {one["place"] for one in problems} >= {"reward", "devices.0"}
    unknown = script.panel("", plan(account, keep_out=["nothing"]), expect=400)
    assert unknown["error"]["problems"][0]["place"] == "keep_out"
    too_little = script.panel("", plan(account, reward=10), expect=409)
    assert "6.00 an hour" in too_little["error"]["message"]
    other = Script(stranger, script.at.split("/")[-2])
    other.panel("", plan(account), expect=404)
    assert not PanelStudy.objects.exists()
