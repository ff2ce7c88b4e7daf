"""The site as a Django application; it registers the checks of the settings."""

from django.apps import AppConfig


class EvalsiteConfig(AppConfig):
    name = "evalsite"

    def ready(self) -> None:
        from evalsite import checks  # noqa: F401  (importing registers them)
