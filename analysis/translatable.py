"""A mark for texts that the site translates: this package has no translations of its own."""


def gettext_noop(text: str) -> str:
    """Return the text; `makemessages` finds it by this function's name.

    Parameters
    ----------
    text : in English
    """
    return text
