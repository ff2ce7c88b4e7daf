"""A campaign whose raters come from a practice panel in this process."""

from __future__ import annotations

from typing import Any

from rankme.actions.panel import accounts, studies, sync
from rankme.actions.panel.studies import StudyPlan
from rankme.actions.sitting import participation
from rankme.models import Campaign, PanelAccount, PanelStudy, PanelSubmission, Participant
from rankme.practice_panel.books import Submission
from rankme.practice_panel.faults import Fault
from rankme.practice_panel.panel import PracticePanel
from tests.campaigns import make_campaign, slider_definition
from tests.sittings import sit

CODES = {"completed": "DONE", "returned": "PART", "no_consent": "NOCONSENT"}
REWARD, PLACES, CEILING = 200, 4, 3_000


def paid_campaign(*, items: int = 4, systems: int = 4, **changes: Any) -> Campaign:
    crowd = {"panel": "prolific", "completion_codes": CODES, "lease_minutes": 30}
    definition = slider_definition(**({"crowd": crowd} | changes))
    return make_campaign(definition, items=items, systems=systems)


class Raters:
    """A published study, with what raters do at the panel and at the site."""

    panel: PracticePanel
    campaign: Campaign
    study: PanelStudy

    def __init__(self, panel: PracticePanel, study: PanelStudy) -> None:
        self.panel, self.study, self.campaign = panel, study, study.campaign

    @property
    def there(self) -> Any:
        return self.panel.books.studies[self.study.external_id]

    def fault(self, kind: str, path: str = "", method: str = "", times: int = 1) -> None:
        self.panel.faults.ordered.append(Fault(kind, path, method, times))

    def arrive(self, name: str) -> Submission:
        """Somebody takes a place at the panel, and has not opened the link yet."""
        return self.panel.books.arrive(self.there, name)

    def enter(self, one: Submission) -> Participant:
        rater = participation.enter(
            self.campaign, panel="prolific", external_id=one.participant, session_id=one.id
        )
        participation.give_consent(rater, browser="b")
        rater.refresh_from_db()
        return rater

    def work(self, one: Submission) -> str:
        """Do a whole batch, and give the code that the site shows."""
        rater = self.enter(one)
        sit(rater)
        return participation.complete_participation(rater).completion_code

    def finish(self, name: str) -> Submission:
        """Arrive, work, and enter the code at the panel."""
        one = self.arrive(name)
        self.panel.books.submit(one, self.work(one))
        return one

    def row(self, one: Submission) -> PanelSubmission:
        return PanelSubmission.objects.get(external_id=one.id)

    def row_of(self, name: str) -> PanelSubmission:
        """Somebody who has just come, as the site knows them."""
        one = self.arrive(name)
        sync.sync_study(self.study)
        return self.row(one)

    def again(self) -> PanelStudy:
        self.study.refresh_from_db()
        return self.study


class Loop(Raters):
    """A campaign with its own account and study."""

    def __init__(
        self,
        panel: PracticePanel,
        account: str = "Lab",
        campaign: Campaign | None = None,
        **changes: Any,
    ) -> None:
        campaign = campaign or paid_campaign()
        self.owner = campaign.owner
        self.account: PanelAccount = accounts.add_account(
            owner=self.owner, name=account, token=panel.token
        )
        plan = plan_of(**changes)
        super().__init__(panel, studies.draft_study(campaign, self.account, plan, by=self.owner))

    def publish(self) -> Loop:
        self.study = studies.publish_study(self.study, by=self.owner)
        return self


def plan_of(**changes: Any) -> StudyPlan:
    return StudyPlan(
        **{
            "name": "Rate short texts",
            "description": "You rate four texts.",
            "places": PLACES,
            "reward": REWARD,
            "minutes": 10,
            "longest_minutes": 60,
            "ceiling": CEILING,
            "devices": ["desktop"],
            **changes,
        }
    )


def draft_form(account: PanelAccount, **changes: Any) -> dict[str, Any]:
    """What the page of a study sends for its draft."""
    return {
        "action": "draft",
        "account": account.pk,
        "name": "Rate",
        "description": "Rate texts.",
        "places": 2,
        "reward": "2.00",
        "minutes": 10,
        "longest_minutes": 40,
        "ceiling": "20",
        "devices": ["desktop"],
        "approval": "after_checks",
        **changes,
    }


def study_row(
    campaign: Campaign, account: PanelAccount | None = None, **changes: Any
) -> PanelStudy:
    """A study in the database alone, of which no panel knows."""
    account = account or PanelAccount.objects.create(
        owner=campaign.owner, name="Lab", workspace="w", currency="GBP", token_sealed="x"
    )
    said = {"name": "Rate", "description": "Rate.", "currency": account.currency}
    sizes = {"places": 2, "reward": 200, "minutes": 10, "longest_minutes": 60, "ceiling": 1_000}
    return PanelStudy.objects.create(campaign=campaign, account=account, **said | sizes | changes)
