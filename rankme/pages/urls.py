"""Addresses of the pages."""

from django.urls import URLPattern, path

from . import doctor, joining, keys
from .campaign import (
    changing,
    definitions,
    disagreements,
    extending,
    identities,
    items,
    launch_checks,
    launching,
    looking,
    materials,
    members,
    metric_pages,
    monitoring,
    organiser,
    paper,
    planning,
    reports,
    settling,
    tryouts,
    webhooks,
)
from .help import pages as help_pages
from .panel import accounts, books, study
from .previews import draft_preview, gallery, preview
from .rater import (
    entering,
    leaving,
    mail_stop,
    media,
    own_data,
    own_work,
    rater_calls,
    working,
)
from .shared_task import hosting, own_results, results, sealing, teaming

app_name = "rankme"

CAMPAIGN = "campaigns/<slug:code>/"
BOOKS = CAMPAIGN + "panel/books/"
IMPORT = CAMPAIGN + "material/<int:number>/"
ITEMS = CAMPAIGN + "items/"
ITEM = ITEMS + "<int:number>/"
LINK = CAMPAIGN + "links/<int:link>/"
MEMBERS = CAMPAIGN + "members/"
INVITATION = MEMBERS + "invitations/<int:invitation>/"
MEMBER = MEMBERS + "<int:member>/"
METRICS = CAMPAIGN + "metrics/"
JOB = METRICS + "jobs/<int:computation>/"
MONITOR = CAMPAIGN + "monitor/"
PROBLEM = CAMPAIGN + "problems/<int:complaint>/"
RATER = CAMPAIGN + "raters/<str:label>/"
REPORT = "reports/<slug:report>/"
RUN = CAMPAIGN + "analysis/<int:run>/"
TASK = "tasks/<slug:code>/"
TRACK = "team/tracks/<int:track>/"
TRY = CAMPAIGN + "try/"
UPLOAD = "team/uploads/<int:number>/"
WEBHOOK = CAMPAIGN + "webhooks/<int:webhook>/"
DELIVERY = WEBHOOK + "deliveries/<int:delivery>/"
WORK = "r/<slug:code>/"

organiser_urls: list[URLPattern] = [
    path("", organiser.welcome, name="welcome"),
    path("keys/", keys.list_keys, name="keys"),
    path("keys/<int:key>/revoke/", keys.revoke, name="key-revoke"),
    path("campaigns/", organiser.list_campaigns, name="campaigns"),
    path("campaigns/new/", definitions.choose_start, name="campaign-start"),
    path("campaigns/new/file/", definitions.load_campaign, name="campaign-load"),
    path("campaigns/new/archive/", definitions.new_archive, name="campaign-archive"),
    path("campaigns/new/preview/", draft_preview.preview_draft, name="campaign-new-preview"),
    path("campaigns/new/<slug:start>/", definitions.new_campaign, name="campaign-new"),
    path(CAMPAIGN, organiser.show_campaign, name="campaign"),
    path(CAMPAIGN + "preview/", preview.preview, name="preview"),
    path(CAMPAIGN + "edit/", definitions.edit_campaign, name="campaign-edit"),
    path(CAMPAIGN + "edit/preview/", draft_preview.preview_draft, name="campaign-edit-preview"),
    path(CAMPAIGN + "edit/file/", definitions.edit_file, name="campaign-file-edit"),
    path(CAMPAIGN + "change/", changing.change, name="campaign-change"),
    path(CAMPAIGN + "change/file/", changing.change_file, name="campaign-change-file"),
    path(CAMPAIGN + "change/confirm/", changing.confirm, name="campaign-change-confirm"),
    path(CAMPAIGN + "versions/<int:number>/", changing.show_version, name="campaign-version"),
    path(CAMPAIGN + "extend/", extending.extend, name="campaign-extend"),
    path(CAMPAIGN + "reopen/", changing.reopen, name="campaign-reopen"),
    path(CAMPAIGN + "campaign.yaml", definitions.download_file, name="campaign-file"),
    path(CAMPAIGN + "words.yaml", definitions.download_words, name="campaign-words"),
    path(CAMPAIGN + "duplicate/", definitions.duplicate, name="campaign-duplicate"),
    path(CAMPAIGN + "delete/", organiser.delete, name="campaign-delete"),
    path(CAMPAIGN + "hide/", organiser.hide, name="campaign-hide"),
    path(CAMPAIGN + "unhide/", organiser.unhide, name="campaign-unhide"),
    path(CAMPAIGN + "material/", materials.show_material, name="campaign-material"),
    path(IMPORT, materials.show_import, name="campaign-import"),
    path(IMPORT + "columns/", materials.describe_columns, name="campaign-import-columns"),
    path(IMPORT + "take/", materials.take, name="campaign-import-take"),
    path(IMPORT + "drop/", materials.drop, name="campaign-import-drop"),
    path(METRICS, metric_pages.show_metrics, name="campaign-metrics"),
    path(METRICS + "scores.csv", metric_pages.download_scores, name="campaign-metrics-file"),
    path(METRICS + "upload/", metric_pages.upload_scores, name="campaign-metrics-upload"),
    path(JOB + "cancel/", metric_pages.cancel, name="campaign-metrics-cancel"),
    path(METRICS + "<int:metric>/delete/", metric_pages.delete, name="campaign-metric-delete"),
    path(CAMPAIGN + "launch/", launching.launch, name="campaign-launch"),
    path(CAMPAIGN + "launch/planner/", planning.planner, name="campaign-planner"),
    path(CAMPAIGN + "launch/damaged/", launch_checks.damaged, name="campaign-damaged"),
    path(TRY, tryouts.show_tryout, name="campaign-tryout"),
    path(TRY + "pages/", tryouts.show_made_up, {"path": ""}, name="campaign-made-up-first"),
    path(TRY + "pages/<path:path>", tryouts.show_made_up, name="campaign-made-up"),
    path(CAMPAIGN + "quality/", launch_checks.quality, name="campaign-quality"),
    path(CAMPAIGN + "quality/rules/", launch_checks.try_rules, name="campaign-rule-trial"),
    path(CAMPAIGN + "links/", launching.links, name="campaign-links"),
    path(LINK + "page/", launching.make_page_of_work, name="campaign-work-page"),
    path(LINK + "page/revoke/", launching.revoke_page_of_work, name="campaign-work-page-revoke"),
    path(LINK + "mail/", launching.send_link, name="campaign-link-mail"),
    path(LINK + "mail/forget/", launching.forget_mail, name="campaign-link-mail-forget"),
    path(CAMPAIGN + "links/remind/", launching.remind, name="campaign-links-remind"),
    path(CAMPAIGN + "links/links.csv", launching.download_invitations, name="campaign-invitations"),
    path(MONITOR, monitoring.watch, name="campaign-monitor"),
    path(MONITOR + "look/", looking.take_look, name="campaign-look"),
    path(MONITOR + "<int:assignment>/free/", monitoring.free_lease, name="campaign-lease-free"),
    path(PROBLEM, monitoring.deal_with_complaint, name="campaign-complaint"),
    path("panel-accounts/", accounts.list_accounts, name="panel-accounts"),
    path("panel-accounts/<int:account>/", accounts.change_account, name="panel-account"),
    path(CAMPAIGN + "panel/", study.show, name="campaign-panel"),
    path(CAMPAIGN + "panel/change/", study.change, name="campaign-panel-change"),
    path(BOOKS, books.show, name="campaign-panel-books"),
    path(BOOKS + "<int:submission>/", books.show_person, name="campaign-panel-person"),
    path(CAMPAIGN + "pause/", organiser.pause, name="campaign-pause"),
    path(CAMPAIGN + "resume/", organiser.resume, name="campaign-resume"),
    path(CAMPAIGN + "close/", organiser.close, name="campaign-close"),
    path(CAMPAIGN + "raters/", monitoring.raters, name="campaign-raters"),
    path(CAMPAIGN + "raters.csv", monitoring.download_raters, name="campaign-raters-file"),
    path(RATER, monitoring.show_rater, name="campaign-rater"),
    path(RATER + "readmit/", monitoring.readmit, name="campaign-rater-readmit"),
    path(RATER + "end-access/", monitoring.end_access, name="campaign-rater-end-access"),
    path(RATER + "erase-answers/", monitoring.erase_answers, name="campaign-rater-erase-answers"),
    path(RATER + "erase/", monitoring.erase_rater, name="campaign-rater-erase"),
    path(CAMPAIGN + "identities/", identities.identities, name="campaign-identities"),
    path(ITEMS, items.list_items, name="campaign-items"),
    path(ITEMS + "names/", items.show_names, name="campaign-item-names"),
    path(ITEMS + "disagreements/", disagreements.list_disagreements, name="campaign-disagreements"),
    path(ITEM, items.show_item, name="campaign-item"),
    path(ITEM + "settle/<int:output>/", settling.settle_output, name="campaign-item-settle"),
    path("join/<str:secret>/", joining.join, name="join"),
    path("my-work/<str:page>/", own_work.my_work, name="my-work"),
    path("no-mail/<str:signed>/", mail_stop.stop, name="mail-stop"),
    path(MEMBERS, members.list_members, name="campaign-members"),
    path(MEMBERS + "leave/", members.leave, name="campaign-leave"),
    path(INVITATION + "revoke/", members.revoke_invitation, name="campaign-invitation-revoke"),
    path(MEMBER + "role/", members.change_role, name="campaign-member-role"),
    path(MEMBER + "remove/", members.remove, name="campaign-member-remove"),
    path(MEMBER + "owner/", members.hand_over, name="campaign-hand-over"),
    path(CAMPAIGN + "webhooks/", webhooks.list_webhooks, name="campaign-webhooks"),
    path(WEBHOOK, webhooks.change_webhook, name="campaign-webhook"),
    path(DELIVERY + "again/", webhooks.send_again, name="campaign-webhook-again"),
    path(CAMPAIGN + "history/", organiser.history, name="campaign-history"),
]

participant_urls: list[URLPattern] = [
    path(WORK, entering.enter, name="enter"),
    path(WORK + "resume/<str:token>/", entering.resume, name="resume"),
    path(WORK + "questions/", entering.questions, name="questions"),
    path(WORK + "instructions/", entering.instructions, name="instructions"),
    path(WORK + "quiz/", entering.quiz, name="quiz"),
    path(WORK + "work/", working.work, name="work"),
    path(WORK + "submit/", working.submit, name="submit"),
    path(WORK + "practice-feedback/", rater_calls.practice_feedback, name="practice-feedback"),
    path(WORK + "media/<slug:name>/", media.show_file, name="media"),
    path(WORK + "session/", rater_calls.session, name="session"),
    path(WORK + "practised/", working.practised, name="practised"),
    path(WORK + "finish/", working.finish, name="finish"),
    path(WORK + "more/", leaving.more, name="more"),
    path(WORK + "end-questions/", leaving.end_questions, name="end-questions"),
    path(WORK + "done/", leaving.done, name="done"),
    path(WORK + "give-back/", leaving.give_back, name="give-back"),
    path(WORK + "my-data/", own_data.my_data, name="my-data"),
    path(WORK + "my-data/my-data.json", own_data.download, name="my-data-file"),
    path(WORK + "my-data/resume/<str:token>/", entering.resume_own_data, name="my-data-resume"),
]

report_urls: list[URLPattern] = [
    path(CAMPAIGN + "judgements/", reports.export_judgements, name="export-judgements"),
    path(CAMPAIGN + "paper/", paper.show_paper, name="campaign-paper"),
    path(CAMPAIGN + "paper/earlier/", paper.take_earlier, name="campaign-paper-earlier"),
    path(CAMPAIGN + "paper/files/<str:name>", paper.paper_file, name="campaign-paper-file"),
    path(CAMPAIGN + "analysis/", reports.list_runs, name="analysis-runs"),
    path(RUN, reports.show_run, name="analysis-run"),
    path(RUN + "cancel/", reports.cancel_run, name="analysis-cancel"),
    path(RUN + "publish/", reports.publish, name="analysis-publish"),
    path(RUN + "withdraw/", reports.withdraw, name="analysis-withdraw"),
    path(RUN + "files/<path:name>", reports.run_file, name="analysis-file"),
    path(RUN + "metrics/", reports.show_metrics, name="analysis-metrics"),
    path(REPORT + "metrics/", reports.show_public_metrics, name="report-public-metrics"),
    path(REPORT, reports.show_public, name="report-public"),
    path(REPORT + "files/<path:name>", reports.public_file, name="report-file"),
]

help_urls: list[URLPattern] = [
    path("help/", help_pages.show_help, name="help"),
    path("help/<path:name>/", help_pages.show_page, name="help-page"),
]

gallery_urls: list[URLPattern] = [
    path("gallery/", gallery.list_presets, name="gallery"),
    path("gallery/<slug:name>/media/<int:number>/", gallery.show_file, name="gallery-media"),
    path("gallery/<slug:name>/", gallery.show_preset, name="gallery-preset"),
]

doctor_urls: list[URLPattern] = [path("doctor/", doctor.examine_table, name="doctor")]

task_urls: list[URLPattern] = [
    path("tasks/", hosting.list_tasks, name="tasks"),
    path("tasks/new/", hosting.new_task, name="task-new"),
    path(TASK, hosting.show_task, name="task"),
    path(TASK + "edit/", hosting.edit_task, name="task-edit"),
    path(TASK + "copy/", hosting.copy_task, name="task-copy"),
    path(TASK + "tracks/", hosting.add_track, name="task-track"),
    path(TASK + "capacity/", hosting.show_capacity, name="task-capacity"),
    path(TASK + "hosts/", hosting.add_host, name="task-host"),
    path(TASK + "remove/<slug:kind>/<int:number>/", hosting.remove, name="task-remove"),
    path(TASK + "teams/<int:team>/<slug:choice>/", hosting.decide, name="task-decide"),
    path(TASK + "seal/", sealing.seal_task, name="task-seal"),
    path(TASK + "unseal/", sealing.unseal_task, name="task-unseal"),
    path(TASK + "results/", results.show_results, name="task-results"),
    path(TASK + "results/scales/", results.show_scales, name="task-scales"),
    path(TASK + "results/<str:name>", results.result_file, name="task-result-file"),
    path(TASK + "disputes/<int:number>/", results.answer, name="task-dispute"),
    path(TASK + "links/<slug:kind>/", hosting.make_link, name="task-link"),
    path(TASK + "publish/", results.publish, name="task-publish"),
    path("calls/<slug:code>/", teaming.show_call, name="task-call"),
    path("calls/<slug:code>/results/", results.show_public, name="task-public"),
    path("calls/<slug:code>/results/<str:name>", results.public_file, name="task-public-file"),
    path("team/", teaming.show_team, name="team"),
    path("team/enter/<str:secret>/", teaming.enter, name="team-enter"),
    path("team/systems/", teaming.announce, name="team-system"),
    path("team/members/", teaming.add_member, name="team-member"),
    path("team/members/<int:number>/remove/", teaming.remove_member, name="team-member-remove"),
    path("team/facts/", teaming.change_facts, name="team-facts"),
    path("team/withdrawal/", teaming.withdraw, name="team-withdraw"),
    path("team/tickets/", teaming.begin_upload, name="team-ticket"),
    path("team/uploads/", teaming.upload, name="team-upload"),
    path(UPLOAD + "role/", teaming.choose, name="team-role"),
    path(UPLOAD + "receipt.json", teaming.show_receipt, name="team-receipt"),
    path("team/results/", own_results.show_own_results, name="team-results"),
    path("team/disputes/", own_results.dispute, name="team-dispute"),
    path(TRACK + "judgements.csv", own_results.download_judgements, name="team-judgements"),
    path(TRACK + "sources.jsonl", teaming.sources, name="team-sources"),
]

# Raters' first: addresses are tried in turn, and theirs are asked for most.
urlpatterns = [
    *participant_urls,
    *organiser_urls,
    *report_urls,
    *help_urls,
    *gallery_urls,
    *doctor_urls,
    *task_urls,
]
