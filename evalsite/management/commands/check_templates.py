"""`manage.py check_templates` compiles all of the project's templates and lists those that fail."""

from pathlib import Path

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.template import TemplateSyntaxError
from django.template.loader import get_template


class Command(BaseCommand):
    help = "Compile every template of this project."

    def handle(self, *args: object, **options: object) -> None:
        folders = [Path(folder) for folder in settings.TEMPLATES[0]["DIRS"]]
        names = [
            str(path.relative_to(folder))
            for folder in folders
            for path in sorted(folder.rglob("*"))
            if path.is_file() and not path.name.startswith(".")
        ]
        errors = [f"{name}: {error}" for name in names for error in compile_errors(name)]
        if errors:
            raise CommandError("\n".join(errors))
        self.stdout.write(f"{len(names)} templates compile.")


def compile_errors(name: str) -> list[TemplateSyntaxError]:
    try:
        get_template(name)
    except TemplateSyntaxError as error:
        return [error]
    return []
