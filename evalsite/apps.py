"""The site as a Django application: it brings the checks of its own settings."""

from django.apps import AppConfig


class EvalsiteConfig(AppConfig):
    name = "evalsite"

    def ready(self) -> None:
        from evalsite import checks  # noqa: F401  (importing registers them)
