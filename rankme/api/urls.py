"""Addresses of the API."""

from django.urls import URLPattern, path, re_path
from rest_framework.views import APIView

from rankme.api.views import (
    analysis,
    campaigns,
    complaints,
    judgements,
    links,
    materials,
    metrics,
    panel_accounts,
    panel_people,
    panel_study,
    people,
    raters,
    reference,
    tokens,
    versions,
)

CAMPAIGN = "campaigns/<slug:code>/"
IMPORT = CAMPAIGN + "imports/<int:number>/"
PANEL = CAMPAIGN + "panel/"
PERSON = PANEL + "submissions/<int:submission>/"
ACCOUNT = "panel-accounts/<int:account>/"
RUN = CAMPAIGN + "analysis-runs/<int:run>/"
RATER = CAMPAIGN + "raters/<str:label>/"


def at(address: str, view: type[APIView], name: str) -> URLPattern:
    return path(address, view.as_view(), name=name)


urlpatterns = [
    at("token/", tokens.TokenView, "api-token"),
    at("presets/", campaigns.PresetsView, "api-presets"),
    at("campaigns/", campaigns.CampaignsView, "api-campaigns"),
    at(CAMPAIGN, campaigns.CampaignView, "api-campaign"),
    at(CAMPAIGN + "file/", campaigns.CampaignFileView, "api-campaign-file"),
    at(CAMPAIGN + "plan/", campaigns.PlanView, "api-plan"),
    at(CAMPAIGN + "plan/outlook/", campaigns.OutlookView, "api-plan-outlook"),
    at(CAMPAIGN + "launch/", campaigns.LaunchView, "api-campaign-launch"),
    at(CAMPAIGN + "pause/", campaigns.PauseView, "api-campaign-pause"),
    at(CAMPAIGN + "resume/", campaigns.ResumeView, "api-campaign-resume"),
    at(CAMPAIGN + "close/", campaigns.CloseView, "api-campaign-close"),
    at(CAMPAIGN + "extension/", versions.ExtensionView, "api-extension"),
    at(CAMPAIGN + "reopen/", versions.ReopenView, "api-campaign-reopen"),
    at(CAMPAIGN + "versions/", versions.VersionsView, "api-versions"),
    at(CAMPAIGN + "versions/<int:version>/", versions.VersionView, "api-version"),
    at(CAMPAIGN + "progress/", campaigns.ProgressView, "api-progress"),
    at(CAMPAIGN + "links/", links.AddressesView, "api-links"),
    at(CAMPAIGN + "links/personal/", links.PersonalLinksView, "api-links-personal"),
    at(CAMPAIGN + "members/", people.MembersView, "api-members"),
    at(CAMPAIGN + "members/<int:member>/", people.MemberView, "api-member"),
    at(CAMPAIGN + "history/", people.HistoryView, "api-history"),
    at(CAMPAIGN + "quality/", raters.QualityView, "api-quality"),
    at(CAMPAIGN + "leases/", raters.BatchesAtWorkView, "api-leases"),
    at(CAMPAIGN + "leases/<int:assignment>/release/", raters.ReleaseView, "api-lease-release"),
    at(CAMPAIGN + "raters/", raters.RatersView, "api-raters"),
    at(RATER, raters.RaterView, "api-rater"),
    at(RATER + "exclusion/", raters.RaterExclusionView, "api-rater-exclusion"),
    at(RATER + "end-access/", raters.EndAccessView, "api-rater-end-access"),
    at(RATER + "erase-answers/", raters.EraseAnswersView, "api-rater-erase-answers"),
    at(CAMPAIGN + "imports/", materials.ImportsView, "api-imports"),
    at(IMPORT, materials.ImportView, "api-import"),
    at(IMPORT + "columns/", materials.ColumnsView, "api-import-columns"),
    at(IMPORT + "take/", materials.TakeImportView, "api-import-take"),
    at(IMPORT + "drop/", materials.DropImportView, "api-import-drop"),
    at(CAMPAIGN + "judgements/", judgements.JudgementsView, "api-judgements"),
    at(CAMPAIGN + "judgements.csv", judgements.JudgementsCsvView, "api-judgements-csv"),
    at(CAMPAIGN + "judgements.jsonl", judgements.JudgementsJsonlView, "api-judgements-jsonl"),
    at(CAMPAIGN + "spans", judgements.SpansView, "api-spans"),
    at(CAMPAIGN + "checks.csv", judgements.ChecksCsvView, "api-checks-csv"),
    at(CAMPAIGN + "problems/", complaints.ComplaintsView, "api-problems"),
    at(CAMPAIGN + "problems/<int:complaint>/", complaints.ComplaintView, "api-problem"),
    at(CAMPAIGN + "answers.csv", judgements.OwnAnswersCsvView, "api-answers-csv"),
    at(CAMPAIGN + "texts.csv", judgements.TextsCsvView, "api-texts-csv"),
    at(CAMPAIGN + "metrics/", metrics.MetricsView, "api-metrics"),
    at(CAMPAIGN + "metrics/<int:metric>/", metrics.MetricView, "api-metric"),
    at(
        CAMPAIGN + "metrics/jobs/<int:computation>/",
        metrics.MetricComputationView,
        "api-metric-computation",
    ),
    at("panel-accounts/", panel_accounts.AccountsView, "api-panel-accounts"),
    at(ACCOUNT, panel_accounts.AccountView, "api-panel-account"),
    at(ACCOUNT + "webhooks/", panel_accounts.WebhooksView, "api-panel-webhooks"),
    at(ACCOUNT + "filters/", panel_accounts.FiltersView, "api-panel-filters"),
    at(ACCOUNT + "eligible/", panel_accounts.EligibleView, "api-panel-eligible"),
    at(ACCOUNT + "studies/", panel_accounts.EarlierStudiesView, "api-panel-account-studies"),
    at(PANEL, panel_study.StudyView, "api-panel"),
    at(PANEL + "cost/", panel_study.CostView, "api-panel-cost"),
    at(PANEL + "transition/", panel_study.TransitionView, "api-panel-transition"),
    at(PANEL + "places/", panel_study.PlacesView, "api-panel-places"),
    at(PANEL + "ceiling/", panel_study.CeilingView, "api-panel-ceiling"),
    at(PANEL + "refresh/", panel_study.RefreshView, "api-panel-refresh"),
    at(PANEL + "books/", panel_people.BooksView, "api-panel-books"),
    at(PANEL + "bonuses/", panel_people.BonusesView, "api-panel-bonuses"),
    at(
        PANEL + "payments/<int:payment>/decision/",
        panel_people.LostPaymentView,
        "api-panel-payment",
    ),
    at(PANEL + "submissions/", panel_people.SubmissionsView, "api-panel-submissions"),
    at(PERSON, panel_people.SubmissionView, "api-panel-submission"),
    at(PERSON + "approve/", panel_people.ApproveView, "api-panel-approve"),
    at(PERSON + "share/", panel_people.ShareView, "api-panel-share"),
    at(PERSON + "bonus/", panel_people.BonusView, "api-panel-bonus"),
    at(PERSON + "message/", panel_people.MessageView, "api-panel-message"),
    at(PERSON + "reject/", panel_people.RejectView, "api-panel-reject"),
    at(PERSON + "return/", panel_people.ReturnView, "api-panel-return"),
    at(CAMPAIGN + "analysis-runs/", analysis.RunsView, "api-runs"),
    at(RUN, analysis.RunView, "api-run"),
    at(RUN + "files/<path:name>", analysis.RunFileView, "api-run-file"),
    at(RUN + "cancel/", analysis.CancelRunView, "api-run-cancel"),
    at(RUN + "report/", analysis.PublishView, "api-run-report"),
    at("reports/", analysis.ReportsView, "api-reports"),
    at("reports/<slug:report>/", analysis.ReportView, "api-report"),
    at("schema/", reference.SchemaView, "api-schema"),
    path("docs/", reference.reference, name="api-docs"),
    re_path(r"", reference.UnknownView.as_view(), name="api-unknown"),
]
