#!/usr/bin/env python
"""The command line of the site; without DATABASE_URL it brings its own PostgreSQL along."""

import sys

from evalsite.command import manage

if __name__ == "__main__":
    manage(sys.argv)
