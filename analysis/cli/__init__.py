"""The command line: `python -m analysis`."""

from analysis.cli.commands import argument_parser, main

__all__ = ["argument_parser", "main"]
