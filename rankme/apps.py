"""The application's name and the work that starts with it."""

from django.apps import AppConfig
from django.conf import settings

from .panel_links import PANELS


class RankmeConfig(AppConfig):
    name = "rankme"
    default_auto_field = "django.db.models.BigAutoField"
    verbose_name = "Human evaluation"

    def ready(self) -> None:
        from .sign_in import events  # noqa: F401  (importing connects them to allauth's signals)

        for panel, hosts in settings.PANEL_HOSTS.items():
            PANELS[panel].own_hosts.update(host.lower() for host in hosts)
