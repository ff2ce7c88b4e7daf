"""A mark for texts that the site translates: this package has no translations of its own."""


def gettext_noop(text: str) -> str:
    """The text as it is; `makemessages` finds it by this function's name."""
    return text
