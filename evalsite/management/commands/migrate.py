"""Django's `migrate`, run as the owner of the database, and the site's rights afterwards."""

from typing import Any

from django.core.management.commands import migrate
from django.db import connections

from evalsite import roles
from evalsite.management.older_tables import upgrade_older_tables


class Command(migrate.Command):
    help = f"{migrate.Command.help} Then gives the site's role its rights."

    def execute(self, *args: Any, **options: Any) -> Any:
        # The checks run before `handle`, and already need a role that exists.
        connection = connections[options["database"]]
        with roles.as_owner(connection):
            if options["plan"] or options["check_unapplied"]:
                return super().execute(*args, **options)
            upgrade_older_tables(connection)
            output = super().execute(*args, **options)
            roles.grant_rights(connection)
            return output
