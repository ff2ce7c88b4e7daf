"""Django's `migrate`, run as the owner of the database, and the site's rights afterwards."""

from typing import Any

from django.core.management.commands import migrate
from django.db import connections

from evalsite import roles


class Command(migrate.Command):
    help = f"{migrate.Command.help} Then gives the site's role its rights."

    def execute(self, *args: Any, **options: Any) -> Any:
        # The checks run before `handle`, and already need a role that exists.
        connection = connections[options["database"]]
        with roles.as_owner(connection):
            output = super().execute(*args, **options)
            if not (options["plan"] or options["check_unapplied"]):
                roles.grant_rights(connection)
            return output
