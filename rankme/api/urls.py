"""Addresses of the API."""

from django.urls import path, re_path

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

urlpatterns = [
    path("token/", tokens.TokenView.as_view(), name="api-token"),
    path("presets/", campaigns.PresetsView.as_view(), name="api-presets"),
    path("campaigns/", campaigns.CampaignsView.as_view(), name="api-campaigns"),
    path(CAMPAIGN, campaigns.CampaignView.as_view(), name="api-campaign"),
    path(CAMPAIGN + "file/", campaigns.CampaignFileView.as_view(), name="api-campaign-file"),
    path(CAMPAIGN + "plan/", campaigns.PlanView.as_view(), name="api-plan"),
    path(CAMPAIGN + "launch/", campaigns.LaunchView.as_view(), name="api-campaign-launch"),
    path(CAMPAIGN + "pause/", campaigns.PauseView.as_view(), name="api-campaign-pause"),
    path(CAMPAIGN + "resume/", campaigns.ResumeView.as_view(), name="api-campaign-resume"),
    path(CAMPAIGN + "close/", campaigns.CloseView.as_view(), name="api-campaign-close"),
    path(CAMPAIGN + "extension/", versions.ExtensionView.as_view(), name="api-extension"),
    path(CAMPAIGN + "reopen/", versions.ReopenView.as_view(), name="api-campaign-reopen"),
    path(CAMPAIGN + "versions/", versions.VersionsView.as_view(), name="api-versions"),
    path(CAMPAIGN + "versions/<int:version>/", versions.VersionView.as_view(), name="api-version"),
    path(CAMPAIGN + "progress/", campaigns.ProgressView.as_view(), name="api-progress"),
    path(CAMPAIGN + "links/", links.AddressesView.as_view(), name="api-links"),
    path(
        CAMPAIGN + "links/personal/", links.PersonalLinksView.as_view(), name="api-links-personal"
    ),
    path(CAMPAIGN + "members/", people.MembersView.as_view(), name="api-members"),
    path(CAMPAIGN + "members/<int:member>/", people.MemberView.as_view(), name="api-member"),
    path(CAMPAIGN + "history/", people.HistoryView.as_view(), name="api-history"),
    path(CAMPAIGN + "quality/", raters.QualityView.as_view(), name="api-quality"),
    path(CAMPAIGN + "leases/", raters.BatchesAtWorkView.as_view(), name="api-leases"),
    path(
        CAMPAIGN + "leases/<int:assignment>/release/",
        raters.ReleaseView.as_view(),
        name="api-lease-release",
    ),
    path(CAMPAIGN + "raters/", raters.RatersView.as_view(), name="api-raters"),
    path(RATER, raters.RaterView.as_view(), name="api-rater"),
    path(RATER + "exclusion/", raters.RaterExclusionView.as_view(), name="api-rater-exclusion"),
    path(RATER + "end-access/", raters.EndAccessView.as_view(), name="api-rater-end-access"),
    path(
        RATER + "erase-answers/", raters.EraseAnswersView.as_view(), name="api-rater-erase-answers"
    ),
    path(CAMPAIGN + "imports/", materials.ImportsView.as_view(), name="api-imports"),
    path(IMPORT, materials.ImportView.as_view(), name="api-import"),
    path(IMPORT + "columns/", materials.ColumnsView.as_view(), name="api-import-columns"),
    path(IMPORT + "take/", materials.TakeImportView.as_view(), name="api-import-take"),
    path(IMPORT + "drop/", materials.DropImportView.as_view(), name="api-import-drop"),
    path(CAMPAIGN + "judgements/", judgements.JudgementsView.as_view(), name="api-judgements"),
    path(
        CAMPAIGN + "judgements.csv",
        judgements.JudgementsCsvView.as_view(),
        name="api-judgements-csv",
    ),
    path(
        CAMPAIGN + "judgements.jsonl",
        judgements.JudgementsJsonlView.as_view(),
        name="api-judgements-jsonl",
    ),
    path(CAMPAIGN + "spans", judgements.SpansView.as_view(), name="api-spans"),
    path(CAMPAIGN + "checks.csv", judgements.ChecksCsvView.as_view(), name="api-checks-csv"),
    path(CAMPAIGN + "problems/", complaints.ComplaintsView.as_view(), name="api-problems"),
    path(
        CAMPAIGN + "problems/<int:complaint>/",
        complaints.ComplaintView.as_view(),
        name="api-problem",
    ),
    path(CAMPAIGN + "answers.csv", judgements.OwnAnswersCsvView.as_view(), name="api-answers-csv"),
    path(CAMPAIGN + "texts.csv", judgements.TextsCsvView.as_view(), name="api-texts-csv"),
    path(CAMPAIGN + "metrics/", metrics.MetricsView.as_view(), name="api-metrics"),
    path(CAMPAIGN + "metrics/<int:metric>/", metrics.MetricView.as_view(), name="api-metric"),
    path(
        CAMPAIGN + "metrics/jobs/<int:computation>/",
        metrics.MetricComputationView.as_view(),
        name="api-metric-computation",
    ),
    path("panel-accounts/", panel_accounts.AccountsView.as_view(), name="api-panel-accounts"),
    path(ACCOUNT, panel_accounts.AccountView.as_view(), name="api-panel-account"),
    path(ACCOUNT + "webhooks/", panel_accounts.WebhooksView.as_view(), name="api-panel-webhooks"),
    path(ACCOUNT + "filters/", panel_accounts.FiltersView.as_view(), name="api-panel-filters"),
    path(ACCOUNT + "eligible/", panel_accounts.EligibleView.as_view(), name="api-panel-eligible"),
    path(
        ACCOUNT + "studies/",
        panel_accounts.EarlierStudiesView.as_view(),
        name="api-panel-account-studies",
    ),
    path(PANEL, panel_study.StudyView.as_view(), name="api-panel"),
    path(PANEL + "cost/", panel_study.CostView.as_view(), name="api-panel-cost"),
    path(PANEL + "transition/", panel_study.TransitionView.as_view(), name="api-panel-transition"),
    path(PANEL + "places/", panel_study.PlacesView.as_view(), name="api-panel-places"),
    path(PANEL + "ceiling/", panel_study.CeilingView.as_view(), name="api-panel-ceiling"),
    path(PANEL + "refresh/", panel_study.RefreshView.as_view(), name="api-panel-refresh"),
    path(PANEL + "books/", panel_people.BooksView.as_view(), name="api-panel-books"),
    path(PANEL + "bonuses/", panel_people.BonusesView.as_view(), name="api-panel-bonuses"),
    path(
        PANEL + "payments/<int:payment>/decision/",
        panel_people.LostPaymentView.as_view(),
        name="api-panel-payment",
    ),
    path(
        PANEL + "submissions/", panel_people.SubmissionsView.as_view(), name="api-panel-submissions"
    ),
    path(PERSON, panel_people.SubmissionView.as_view(), name="api-panel-submission"),
    path(PERSON + "approve/", panel_people.ApproveView.as_view(), name="api-panel-approve"),
    path(PERSON + "share/", panel_people.ShareView.as_view(), name="api-panel-share"),
    path(PERSON + "bonus/", panel_people.BonusView.as_view(), name="api-panel-bonus"),
    path(PERSON + "message/", panel_people.MessageView.as_view(), name="api-panel-message"),
    path(PERSON + "reject/", panel_people.RejectView.as_view(), name="api-panel-reject"),
    path(PERSON + "return/", panel_people.ReturnView.as_view(), name="api-panel-return"),
    path(CAMPAIGN + "analysis-runs/", analysis.RunsView.as_view(), name="api-runs"),
    path(RUN, analysis.RunView.as_view(), name="api-run"),
    path(RUN + "files/<path:name>", analysis.RunFileView.as_view(), name="api-run-file"),
    path(RUN + "cancel/", analysis.CancelRunView.as_view(), name="api-run-cancel"),
    path(RUN + "report/", analysis.PublishView.as_view(), name="api-run-report"),
    path("reports/", analysis.ReportsView.as_view(), name="api-reports"),
    path("reports/<slug:report>/", analysis.ReportView.as_view(), name="api-report"),
    path("schema/", reference.SchemaView.as_view(), name="api-schema"),
    path("docs/", reference.reference, name="api-docs"),
    re_path(r"", reference.UnknownView.as_view(), name="api-unknown"),
]
