"""Starts and stops a PostgreSQL and a Valkey from pip wheels, in one data folder.

Nothing outside the data folder is touched. As root the servers run under an unprivileged
account, because PostgreSQL refuses root; no account is created and no right is widened.
"""

from .accounts import Account
from .errors import EmbeddedServerError
from .folders import FILES, PROJECT, data_folder, make_data_folder
from .postgresql import DATABASE, OWNER_ROLE, SITE_ROLE, PostgreSQL
from .programs import postgresql_programs
from .servers import Servers, keep_running
from .valkey import Valkey

__all__ = [
    "DATABASE",
    "FILES",
    "OWNER_ROLE",
    "PROJECT",
    "SITE_ROLE",
    "Account",
    "EmbeddedServerError",
    "PostgreSQL",
    "Servers",
    "Valkey",
    "data_folder",
    "keep_running",
    "make_data_folder",
    "postgresql_programs",
]
