"""`python -m rankme.doctor FILE`: without Django, a database or an account."""

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path

from rankme.importing import ImportRefused, InvalidColumns
from rankme.importing.problems import grouped

from .examination import ADVICE, as_text, examine, reading_of

BAD_INPUT = 2


def main() -> int:
    """Examine a file; the exit status is 2 if it cannot be read."""
    parser = argparse.ArgumentParser(
        prog="python -m rankme.doctor",
        description="Say what a table of ratings can claim, and what it cannot.",
    )
    parser.add_argument("file", type=Path, help="CSV, Excel, OpenDocument, JSON lines, Parquet …")
    parser.add_argument(
        "--columns",
        default="",
        help='where their names do not say it: "rater=who, item=id, system=model, value=score"',
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    given = parser.parse_args()
    try:
        found = examine(given.file, reading=reading_of(given.columns))
    except ImportRefused as refused:
        lines = [group.text for group in grouped(refused.problems)]
        print(*lines, ADVICE, sep="\n", file=sys.stderr)
        return BAD_INPUT
    except (InvalidColumns, OSError) as error:
        print(error, file=sys.stderr)
        return BAD_INPUT
    text = json.dumps(asdict(found), ensure_ascii=False, indent=1) if given.json else None
    print(text or "\n".join(as_text(found)))
    return 0


sys.exit(main())
