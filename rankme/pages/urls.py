"""Addresses of the pages."""

from django.urls import URLPattern, path

from .campaign import (
    changing,
    definitions,
    extending,
    launch_checks,
    launching,
    materials,
    metric_pages,
    monitoring,
    organiser,
    reports,
)
from .panel import accounts, books, study
from .previews import draft_preview, gallery, preview
from .rater import entering, leaving, media, rater_calls, working

app_name = "rankme"

organiser_urls: list[URLPattern] = [
    path("", organiser.welcome, name="welcome"),
    path("login/", organiser.log_in, name="log-in"),
    path("logout/", organiser.log_out, name="log-out"),
    path("password/", organiser.change_password, name="password-change"),
    path("password/key/end/", organiser.end_key, name="key-end"),
    path("campaigns/", organiser.list_campaigns, name="campaigns"),
    path("campaigns/new/", definitions.choose_start, name="campaign-start"),
    path("campaigns/new/file/", definitions.load_campaign, name="campaign-load"),
    path("campaigns/new/archive/", definitions.new_archive, name="campaign-archive"),
    path("campaigns/new/preview/", draft_preview.preview_draft, name="campaign-new-preview"),
    path("campaigns/new/<slug:start>/", definitions.new_campaign, name="campaign-new"),
    path("campaigns/<slug:code>/", organiser.show_campaign, name="campaign"),
    path("campaigns/<slug:code>/edit/", definitions.edit_campaign, name="campaign-edit"),
    path(
        "campaigns/<slug:code>/edit/preview/",
        draft_preview.preview_draft,
        name="campaign-edit-preview",
    ),
    path("campaigns/<slug:code>/edit/file/", definitions.edit_file, name="campaign-file-edit"),
    path("campaigns/<slug:code>/change/", changing.change, name="campaign-change"),
    path("campaigns/<slug:code>/change/file/", changing.change_file, name="campaign-change-file"),
    path("campaigns/<slug:code>/change/confirm/", changing.confirm, name="campaign-change-confirm"),
    path(
        "campaigns/<slug:code>/versions/<int:number>/",
        changing.show_version,
        name="campaign-version",
    ),
    path("campaigns/<slug:code>/extend/", extending.extend, name="campaign-extend"),
    path("campaigns/<slug:code>/reopen/", changing.reopen, name="campaign-reopen"),
    path("campaigns/<slug:code>/campaign.yaml", definitions.download_file, name="campaign-file"),
    path("campaigns/<slug:code>/words.yaml", definitions.download_words, name="campaign-words"),
    path("campaigns/<slug:code>/duplicate/", definitions.duplicate, name="campaign-duplicate"),
    path("campaigns/<slug:code>/delete/", organiser.delete, name="campaign-delete"),
    path("campaigns/<slug:code>/material/", materials.show_material, name="campaign-material"),
    path("campaigns/<slug:code>/material/items/", materials.browse, name="campaign-items"),
    path(
        "campaigns/<slug:code>/material/<int:number>/",
        materials.show_import,
        name="campaign-import",
    ),
    path(
        "campaigns/<slug:code>/material/<int:number>/columns/",
        materials.describe_columns,
        name="campaign-import-columns",
    ),
    path(
        "campaigns/<slug:code>/material/<int:number>/take/",
        materials.take,
        name="campaign-import-take",
    ),
    path(
        "campaigns/<slug:code>/material/<int:number>/drop/",
        materials.drop,
        name="campaign-import-drop",
    ),
    path("campaigns/<slug:code>/metrics/", metric_pages.show_metrics, name="campaign-metrics"),
    path(
        "campaigns/<slug:code>/metrics/scores.csv",
        metric_pages.download_scores,
        name="campaign-metrics-file",
    ),
    path(
        "campaigns/<slug:code>/metrics/upload/",
        metric_pages.upload_scores,
        name="campaign-metrics-upload",
    ),
    path(
        "campaigns/<slug:code>/metrics/jobs/<int:computation>/cancel/",
        metric_pages.cancel,
        name="campaign-metrics-cancel",
    ),
    path(
        "campaigns/<slug:code>/metrics/<int:metric>/delete/",
        metric_pages.delete,
        name="campaign-metric-delete",
    ),
    path("campaigns/<slug:code>/launch/", launching.launch, name="campaign-launch"),
    path("campaigns/<slug:code>/launch/damaged/", launch_checks.damaged, name="campaign-damaged"),
    path("campaigns/<slug:code>/quality/", launch_checks.quality, name="campaign-quality"),
    path("campaigns/<slug:code>/links/", launching.links, name="campaign-links"),
    path(
        "campaigns/<slug:code>/links/links.csv",
        launching.download_invitations,
        name="campaign-invitations",
    ),
    path("campaigns/<slug:code>/monitor/", monitoring.watch, name="campaign-monitor"),
    path(
        "campaigns/<slug:code>/monitor/<int:assignment>/free/",
        monitoring.free_lease,
        name="campaign-lease-free",
    ),
    path(
        "campaigns/<slug:code>/problems/<int:complaint>/",
        monitoring.deal_with_complaint,
        name="campaign-complaint",
    ),
    path("panel-accounts/", accounts.list_accounts, name="panel-accounts"),
    path("panel-accounts/<int:account>/", accounts.change_account, name="panel-account"),
    path("campaigns/<slug:code>/panel/", study.show, name="campaign-panel"),
    path("campaigns/<slug:code>/panel/change/", study.change, name="campaign-panel-change"),
    path("campaigns/<slug:code>/panel/books/", books.show, name="campaign-panel-books"),
    path(
        "campaigns/<slug:code>/panel/books/<int:submission>/",
        books.show_person,
        name="campaign-panel-person",
    ),
    path("campaigns/<slug:code>/pause/", organiser.pause, name="campaign-pause"),
    path("campaigns/<slug:code>/resume/", organiser.resume, name="campaign-resume"),
    path("campaigns/<slug:code>/close/", organiser.close, name="campaign-close"),
    path("campaigns/<slug:code>/raters/", monitoring.raters, name="campaign-raters"),
    path(
        "campaigns/<slug:code>/raters.csv", monitoring.download_raters, name="campaign-raters-file"
    ),
    path("campaigns/<slug:code>/raters/<str:label>/", monitoring.show_rater, name="campaign-rater"),
    path(
        "campaigns/<slug:code>/raters/<str:label>/readmit/",
        monitoring.readmit,
        name="campaign-rater-readmit",
    ),
    path(
        "campaigns/<slug:code>/raters/<str:label>/end-access/",
        monitoring.end_access,
        name="campaign-rater-end-access",
    ),
    path(
        "campaigns/<slug:code>/raters/<str:label>/erase-answers/",
        monitoring.erase_answers,
        name="campaign-rater-erase-answers",
    ),
    path("campaigns/<slug:code>/members/", organiser.members, name="campaign-members"),
    path(
        "campaigns/<slug:code>/members/<int:member>/remove/",
        organiser.remove_member,
        name="campaign-member-remove",
    ),
    path("campaigns/<slug:code>/history/", organiser.history, name="campaign-history"),
]

participant_urls: list[URLPattern] = [
    path("r/<slug:code>/", entering.enter, name="enter"),
    path("r/<slug:code>/resume/<str:token>/", entering.resume, name="resume"),
    path("r/<slug:code>/questions/", entering.questions, name="questions"),
    path("r/<slug:code>/instructions/", entering.instructions, name="instructions"),
    path("r/<slug:code>/quiz/", entering.quiz, name="quiz"),
    path("r/<slug:code>/work/", working.work, name="work"),
    path("r/<slug:code>/submit/", working.submit, name="submit"),
    path(
        "r/<slug:code>/practice-feedback/",
        rater_calls.practice_feedback,
        name="practice-feedback",
    ),
    path("r/<slug:code>/media/<slug:name>/", media.show_file, name="media"),
    path("r/<slug:code>/session/", rater_calls.session, name="session"),
    path("r/<slug:code>/practised/", working.practised, name="practised"),
    path("r/<slug:code>/finish/", working.finish, name="finish"),
    path("r/<slug:code>/more/", leaving.more, name="more"),
    path("r/<slug:code>/end-questions/", leaving.end_questions, name="end-questions"),
    path("r/<slug:code>/done/", leaving.done, name="done"),
    path("r/<slug:code>/give-back/", leaving.give_back, name="give-back"),
    path("campaigns/<slug:code>/preview/", preview.preview, name="preview"),
]

report_urls: list[URLPattern] = [
    path("campaigns/<slug:code>/judgements/", reports.export_judgements, name="export-judgements"),
    path("campaigns/<slug:code>/analysis/", reports.list_runs, name="analysis-runs"),
    path("campaigns/<slug:code>/analysis/<int:run>/", reports.show_run, name="analysis-run"),
    path(
        "campaigns/<slug:code>/analysis/<int:run>/cancel/",
        reports.cancel_run,
        name="analysis-cancel",
    ),
    path(
        "campaigns/<slug:code>/analysis/<int:run>/publish/",
        reports.publish,
        name="analysis-publish",
    ),
    path(
        "campaigns/<slug:code>/analysis/<int:run>/withdraw/",
        reports.withdraw,
        name="analysis-withdraw",
    ),
    path(
        "campaigns/<slug:code>/analysis/<int:run>/files/<path:name>",
        reports.run_file,
        name="analysis-file",
    ),
    path(
        "campaigns/<slug:code>/analysis/<int:run>/metrics/",
        reports.show_metrics,
        name="analysis-metrics",
    ),
    path(
        "reports/<slug:report>/metrics/",
        reports.show_public_metrics,
        name="report-public-metrics",
    ),
    path("reports/<slug:report>/", reports.show_public, name="report-public"),
    path("reports/<slug:report>/files/<path:name>", reports.public_file, name="report-file"),
]

gallery_urls: list[URLPattern] = [
    path("gallery/", gallery.list_presets, name="gallery"),
    path("gallery/<slug:name>/media/<int:number>/", gallery.show_file, name="gallery-media"),
    path("gallery/<slug:name>/", gallery.show_preset, name="gallery-preset"),
]

urlpatterns: list[URLPattern] = [
    *organiser_urls,
    *participant_urls,
    *report_urls,
    *gallery_urls,
]
