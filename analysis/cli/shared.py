"""Options and helpers shared by the commands of `python -m analysis`."""

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from tqdm import tqdm

from analysis.errors import OptionsError
from analysis.table import JudgementTable


def names(text: str) -> tuple[str, ...]:
    """Return the parts of an option that is a list with commas."""
    return tuple(name.strip() for name in text.split(",") if name.strip())


def add_rater_options(
    parser: argparse.ArgumentParser, default: Callable[[object], object] = lambda value: value
) -> None:
    """Options of every command about raters: the seed, the confidence, and whom to exclude."""
    parser.add_argument(
        "--seed", type=int, default=default(1), help="seed of all random numbers (default 1)"
    )
    parser.add_argument(
        "--alpha", type=float, default=default(0.05), help="1 − confidence (default 0.05)"
    )
    parser.add_argument(
        "--exclude-raters",
        type=names,
        default=default(()),
        metavar="A,B",
        help="raters to exclude",
    )


def counted_judgements(table: JudgementTable, options: argparse.Namespace) -> JudgementTable:
    """Return the judgements that count, on the chosen criterion (or the only one)."""
    table = table.counted().without_raters(options.exclude_raters)
    return table.for_criterion(chosen_criterion(table, options))


def chosen_criterion(table: JudgementTable, options: argparse.Namespace) -> str:
    """Return the criterion of `--criterion`; without the option, the only one there is."""
    if options.criterion is not None:
        return str(options.criterion)
    if len(table.criterion.labels) != 1:
        known = ", ".join(table.criterion.labels) or "none"
        raise OptionsError([f"Choose one with --criterion; the judgements have: {known}."])
    return table.criterion.labels[0]


@contextmanager
def written(options: argparse.Namespace, name: str) -> Iterator[IO[bytes]]:
    """Open the file of an option for writing; refuse one that cannot be written."""
    path = getattr(options, name)
    try:
        with Path(path).open("wb") as file:
            yield file
    except OSError as error:
        raise OptionsError([f"--{name} {path}: {error.strerror}."]) from error


class ProgressBar:
    """A progress bar on standard error, if that is a terminal."""

    def __enter__(self) -> "ProgressBar":
        self.bar = tqdm(total=100, unit="%", leave=False, disable=not sys.stderr.isatty())
        return self

    def show(self, share: float) -> None:
        """Set the bar to the share that is done, 0 to 1."""
        self.bar.update(round(100 * share) - self.bar.n)

    def __exit__(self, *failure: object) -> None:
        self.bar.close()
