"""System checks of the site: what its database may lose, and what its role may change."""

import importlib.util
from collections.abc import Iterable

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning, register
from django.db import connections

from evalsite import roles

# What each setting must not be, and what the reader of the refusal needs to know.
FORGETFUL = {
    "fsync": "a power cut would damage the database",
    "synchronous_commit": "an acknowledged judgement could be lost",
    "full_page_writes": "a power cut could leave half-written pages",
}


@register(Tags.database)
def database_keeps_what_it_acknowledges(
    app_configs: object, databases: Iterable[str] | None = None, **kwargs: object
) -> list[CheckMessage]:
    if not settings.PRODUCTION:
        return []
    return [problem for alias in databases or () for problem in forgetful_settings(alias)]


def forgetful_settings(alias: str) -> list[CheckMessage]:
    problems: list[CheckMessage] = []
    with connections[alias].cursor() as cursor:
        for setting, consequence in FORGETFUL.items():
            cursor.execute("SELECT current_setting(%s)", [setting])
            if cursor.fetchone()[0] == "off":
                problem = f"The database has {setting}=off: {consequence}."
                hint = f"Set {setting}=on in postgresql.conf, and for the role and the database."
                problems.append(Error(problem, hint=hint, id=f"evalsite.E001_{setting}"))
    return problems


@register(Tags.database)
def the_sites_role_cannot_change_the_record(
    app_configs: object, databases: Iterable[str] | None = None, **kwargs: object
) -> list[CheckMessage]:
    return [problem for alias in databases or () for problem in powerful_role(alias)]


def powerful_role(alias: str) -> list[CheckMessage]:
    """Refuse in production, and elsewhere only warn of, a role that could change the record."""
    connection = connections[alias]
    # `migrate` connects as the owner on purpose, and has another role for the site.
    powers = [] if roles.is_owner(connection) else roles.powers_over_the_record(connection)
    if not powers:
        return []
    message = Error if settings.PRODUCTION else Warning
    role = connection.settings_dict["USER"]
    problem = f"The database role {role} of the site could change the record: it {powers[0]}."
    return [message(problem, hint=roles.HOW_TO_SEPARATE, id="evalsite.E003")]


@register(Tags.database)
def the_database_driver_is_the_chosen_one(
    app_configs: object, **kwargs: object
) -> list[CheckMessage]:
    if importlib.util.find_spec("psycopg") is None:
        return []
    problem = "psycopg 3 is installed, and Django silently prefers it to psycopg2."
    return [Error(problem, hint="pip uninstall psycopg", id="evalsite.E002")]
