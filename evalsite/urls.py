"""All addresses of the site: pages, API, a read-only admin, what a proxy asks, error pages."""

from django.contrib import admin
from django.urls import include, path

from evalsite import bodies
from evalsite.operation import metrics, page, probes
from rankme.api.views.panel_hooks import PanelHookView
from rankme.pages.account.pages import change_password, log_out

urlpatterns = [
    path("healthz/", probes.alive, name="alive"),
    path("readyz/", probes.ready, name="ready"),
    path("metrics/", metrics.metrics, name="metrics"),
    path("operation/", page.show_operation, name="operation"),
    path("may-send-files/", bodies.may_send_files, name="may-send-files"),
    # Those of the admin itself would leave no event.
    path("admin/logout/", log_out),
    path("admin/password_change/", change_password),
    path("admin/", admin.site.urls),
    path("api/v1/", include("rankme.api.urls")),
    path("hooks/<slug:code>/", PanelHookView.as_view(), name="panel-hook"),
    path("", include("rankme.pages.urls")),
    path("", include("rankme.pages.account.urls")),
]

handler400 = "evalsite.error_pages.bad_request"
handler403 = "evalsite.error_pages.forbidden"
handler404 = "evalsite.error_pages.not_found"
handler500 = "evalsite.error_pages.server_error"
