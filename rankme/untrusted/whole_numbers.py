"""Whole numbers in addresses and forms: row numbers, places, versions, amounts."""

MOST_DIGITS = 15  # thousands of such numbers add up to one that a bigint still holds


def number_in(text: str, default: int = 0) -> int:
    """Read a whole number that a browser sent.

    Returns the default for anything else: signs, other scripts' digits, or more digits than any row
    number has. `int` refuses thousands of digits, and PostgreSQL what a bigint cannot hold.
    """
    fits = text.isascii() and text.isdecimal() and len(text) <= MOST_DIGITS
    return int(text) if fits else default
