"""All addresses of the site: pages, API, a read-only admin, and two probes."""

from django.contrib import admin
from django.urls import include, path

from evalsite import health

urlpatterns = [
    path("healthz/", health.alive, name="alive"),
    path("readyz/", health.ready, name="ready"),
    path("admin/", admin.site.urls),
    path("api/v1/", include("rankme.api.urls")),
    path("", include("rankme.pages.urls")),
]
