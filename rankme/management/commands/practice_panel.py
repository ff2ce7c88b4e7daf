"""Start the practice panel, a panel of paid raters on this machine with which no money moves."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from rankme.practice_panel.panel import PracticePanel
from rankme.practice_panel.server import PracticeServer, serve


class Command(BaseCommand):
    help = "Start a practice panel that answers as Prolific does. No money moves."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--port", type=int, default=8090)
        parser.add_argument("--token", default="", help="what accounts name; drawn if not given")

    def handle(self, *, port: int, token: str, **options: Any) -> None:
        if settings.PRODUCTION:
            raise CommandError("A production site has no practice panel. Use a copy of the site.")
        server = PracticeServer(PracticePanel(token), port)
        self.stdout.write(f"Panel: {server.address}\nToken: {server.panel.token}")
        self.stdout.flush()
        serve(server)
