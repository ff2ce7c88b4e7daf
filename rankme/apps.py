"""The application's name and the work that starts with it."""

from django.apps import AppConfig


class RankmeConfig(AppConfig):
    name = "rankme"
    default_auto_field = "django.db.models.BigAutoField"
    verbose_name = "Human evaluation"
